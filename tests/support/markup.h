/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/support/markup.h - files that the library wrote, read back whole, and whether they are XML.
 */
#ifndef TESTS_MARKUP_H
#define TESTS_MARKUP_H

#include <stddef.h>

#define MARKUP_WHY 200

/* A new directory for a test's files; free() it. NULL where there is none. */
char *markup_directory(void);
/* Removes the directory with the files `names` (NULL at the end; they need not be there), and frees its path. */
void markup_remove(char *directory, const char *const *names);

/* All of a file and an end; free() it. NULL where there is no such file. */
char *markup_read(const char *path, size_t *length);

/* 1 where `text` is well-formed XML in UTF-8 (expat); else 0 with a reason in `why`. */
int markup_is_xml(const char *text, size_t length, char why[MARKUP_WHY]);
/* How many elements of that name the text has; how many of them hold exactly `content` as text. */
size_t markup_count(const char *text, size_t length, const char *element);
size_t markup_find(const char *text, size_t length, const char *element, const char *content);

#endif
