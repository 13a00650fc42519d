/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/support/files.h - files for tests: read and write whole ones, and a folder that goes away at the end.
 */
#ifndef TESTS_FILES_H
#define TESTS_FILES_H

#include <stddef.h>

#define FILES_PATH 512

/* A new folder under TMPDIR or /tmp; files_remove() deletes it with the files in it (not with folders in it). Both end
 * the program where they cannot. */
void files_new(char folder[FILES_PATH]);
void files_remove(const char *folder);
/* The same as a setup and a teardown of cmocka: a folder for each test. */
extern char files_folder[FILES_PATH];
int files_begin(void **state);
int files_end(void **state);
/* FOLDER/NAME; returns `path`. */
char *files_path(const char *folder, const char *name, char path[FILES_PATH]);
int files_exists(const char *path);

/* 1 where `path` is a character device, such as /dev/full. */
int files_is_device(const char *path);
/* Entries of a folder without "." and "..". */
size_t files_count(const char *folder);

/* All bytes and a zero behind them; free() it. NULL where there is no such file. `size` may be NULL. */
char *files_read(const char *path, size_t *size);
/* Ends the program where it cannot. */
void files_write(const char *path, const void *bytes, size_t size);
void files_write_text(const char *path, const char *text);
/* 1 where both are there and hold the same bytes; tells where they differ on standard error. */
int files_equal(const char *left, const char *right);

#endif
