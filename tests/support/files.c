/* SPDX-License-Identifier: Apache-2.0 */
#include "files.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void fail(const char *what, const char *path)
{
    fprintf(stderr, "%s %s\n", what, path);
    exit(99);
}

char files_folder[FILES_PATH];

int files_begin(void **state)
{
    (void)state;
    files_new(files_folder);
    return 0;
}

int files_end(void **state)
{
    (void)state;
    files_remove(files_folder);
    return 0;
}

char *files_path(const char *folder, const char *name, char path[FILES_PATH])
{
    if (snprintf(path, FILES_PATH, "%s/%s", folder, name) >= FILES_PATH)
        fail("path too long:", folder);
    return path;
}

void files_new(char folder[FILES_PATH])
{
    const char *top = getenv("TMPDIR");
    files_path(top && *top ? top : "/tmp", "flux-test-XXXXXX", folder);
    if (!mkdtemp(folder))
        fail("cannot make", folder);
}

void files_remove(const char *folder)
{
    char path[FILES_PATH];
    struct dirent *entry;
    DIR *open = opendir(folder);
    if (!open)
        fail("cannot open", folder);
    while ((entry = readdir(open)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlink(files_path(folder, entry->d_name, path));
    closedir(open);
    if (rmdir(folder))
        fail("cannot remove", folder);
}

int files_exists(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0;
}

size_t files_count(const char *folder)
{
    size_t count = 0;
    struct dirent *entry;
    DIR *open = opendir(folder);
    if (!open)
        fail("cannot open", folder);
    while ((entry = readdir(open)))
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(open);
    return count;
}

char *files_read(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    size_t used = 0, room = 65536;
    char *bytes = malloc(room + 1);
    if (size)
        *size = 0;
    if (!file || !bytes) {
        free(bytes);
        if (file)
            fclose(file);
        return NULL;
    }
    for (;;) {
        used += fread(bytes + used, 1, room - used, file);
        if (used < room)
            break;
        room *= 2;
        bytes = realloc(bytes, room + 1);
        if (!bytes)
            fail("no memory for", path);
    }
    fclose(file);
    bytes[used] = 0;
    if (size)
        *size = used;
    return bytes;
}

void files_write(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file))
        fail("cannot write", path);
}

void files_write_text(const char *path, const char *text)
{
    files_write(path, text, strlen(text));
}

int files_equal(const char *left, const char *right)
{
    size_t left_size, right_size, line = 1;
    char *a = files_read(left, &left_size);
    char *b = files_read(right, &right_size);
    int equal = a && b && left_size == right_size && memcmp(a, b, left_size) == 0;
    if (!a || !b) {
        fprintf(stderr, "no file %s\n", a ? right : left);
    } else if (!equal) {
        for (size_t i = 0; i < left_size && i < right_size && a[i] == b[i]; i++)
            line += a[i] == '\n';
        fprintf(stderr, "%s and %s differ in line %zu\n", left, right, line);
    }
    free(a);
    free(b);
    return equal;
}

int files_is_device(const char *path)
{
    struct stat found;
    return stat(path, &found) == 0 && S_ISCHR(found.st_mode);
}
