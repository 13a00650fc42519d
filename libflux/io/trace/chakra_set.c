/* SPDX-License-Identifier: Apache-2.0 */
#include "io/trace/chakra_set.h"

#include "io/fail.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <libflux/graph.h>
#include <stdio.h>
#include <string.h>

/* What a file's name says: NAME.RANK.et or NAME.RANK.et.gz. */
struct parts {
    size_t name;     /* its length */
    int64_t rank;    /* -1: no number stands there; FLUX_GPUS_MAX and more: too large a number */
    int is_template; /* %d stands in the place of the number */
    int ending;      /* which of `endings` it has */
};

/* In the order in which a rank's files are preferred. */
static const char *const endings[] = {".et", ".et.gz", ".json", ".json.gz"};

#define ENDINGS 4
#define FIRST_JSON 2

static int ends_with(const char *text, size_t length, const char *end)
{
    size_t size = strlen(end);
    return length >= size && memcmp(text + length - size, end, size) == 0;
}

/* 0 where the name has none of the endings; a JSON file must have the number of a rank, too. */
static int take_apart(const char *file, struct parts *parts)
{
    size_t length = strlen(file);
    *parts = (struct parts){0, -1, 0, 0};
    while (parts->ending < ENDINGS && !ends_with(file, length, endings[parts->ending]))
        parts->ending++;
    if (parts->ending == ENDINGS)
        return 0;
    length -= strlen(endings[parts->ending]);
    parts->name = length;
    if (ends_with(file, length, ".%d")) {
        parts->is_template = 1;
        parts->name = length - 3;
        return 1;
    }
    size_t digits = 0;
    while (digits < length && file[length - digits - 1] >= '0' && file[length - digits - 1] <= '9')
        digits++;
    const char *number = file + length - digits;
    if (digits == 0 || digits == length || number[-1] != '.' || (digits > 1 && *number == '0'))
        return parts->ending < FIRST_JSON;
    parts->rank = 0;
    for (size_t i = 0; i < digits && parts->rank < FLUX_GPUS_MAX; i++)
        parts->rank = parts->rank * 10 + (number[i] - '0');
    parts->name = length - digits - 1;
    return 1;
}

/* Where the name begins behind the last slash. */
static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Opens the directory of a path. `path` is at most FLUX_IO_PATH_MAX long. */
#define FLUX_IO_PATH_MAX 4096u

static DIR *open_directory(const char *path)
{
    char room[FLUX_IO_PATH_MAX + 2];
    size_t length = (size_t)(base_of(path) - path);
    if (length > FLUX_IO_PATH_MAX) {
        errno = ENAMETOOLONG;
        return NULL;
    }
    memcpy(room, path, length);
    room[length] = '\0';
    return opendir(length ? room : ".");
}

/* The next file of the set NAME, which is `size` bytes long. 0 at the end; *failed is errno where reading fails. */
static int next_file(DIR *directory, const char *name, size_t size, struct parts *parts, int *failed)
{
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(directory);
        if (!entry) {
            *failed = errno;
            return 0;
        }
        if (take_apart(entry->d_name, parts) && parts->name == size && parts->rank >= 0 &&
            memcmp(entry->d_name, name, size) == 0)
            return 1;
    }
}

/* The length of the set's name within `path` and what was found out about it on the way. */
static size_t name_length(const char *path, struct parts *parts)
{
    const char *base = base_of(path);
    if (take_apart(base, parts) && (parts->rank >= 0 || parts->is_template))
        return parts->name;
    return strlen(base);
}

int flux_io_chakra_set_exists(const char *path, int is_file)
{
    struct parts parts;
    int failed;
    if (is_file)
        return take_apart(base_of(path), &parts);
    size_t size = name_length(path, &parts);
    if (parts.rank >= 0) /* a file that is not there is no prefix */
        return 0;
    DIR *directory = open_directory(path);
    if (!directory)
        return errno == ENOMEM; /* perhaps: whoever reads the set finds out, or says that memory is out */
    int found = next_file(directory, base_of(path), size, &parts, &failed);
    closedir(directory);
    return found;
}

/* A bit for each ending. */
static int note_file(struct flux_io_chakra_set *set, const char *path, const struct parts *parts,
                     struct flux_error *error)
{
    if (parts->rank >= FLUX_GPUS_MAX)
        return flux_io_fail_path(error, FLUX_E_TOO_BIG, path, "has a rank beyond %" PRIu32, FLUX_GPUS_MAX - 1);
    uint64_t old = set->capacity;
    if (flux_io_grow(set->memory, &set->endings, &set->capacity, (uint64_t)parts->rank + 1, 1))
        return flux_io_fail_memory(error);
    memset(set->endings + old, 0, (size_t)(set->capacity - old));
    set->endings[parts->rank] |= (unsigned char)(1u << parts->ending);
    if ((uint32_t)parts->rank >= set->count)
        set->count = (uint32_t)parts->rank + 1;
    return FLUX_OK;
}

static int check_complete(struct flux_io_chakra_set *set, const char *path, struct flux_error *error)
{
    uint32_t missing = 0;
    uint32_t first = FLUX_NONE;
    for (uint32_t r = 0; r < set->count; r++) {
        if (!set->endings[r]) {
            missing++;
            first = first == FLUX_NONE ? r : first;
        }
        unsigned char found = set->endings[r];
        set->doubled += (found & (found - 1)) != 0;
        for (set->endings[r] = 0; found && !(found & 1); found >>= 1)
            set->endings[r]++;
    }
    if (set->count == 0)
        return flux_io_fail_path(error, FLUX_E_IO, path, "no file %s.0.et", set->prefix);
    if (missing == 1)
        return flux_io_fail_path(error, FLUX_E_FORMAT, path,
                                 "the trace of rank %" PRIu32 " is missing: %s.%" PRIu32
                                 ".et; the highest rank is %" PRIu32,
                                 first, set->prefix, first, set->count - 1);
    if (missing)
        return flux_io_fail_path(error, FLUX_E_FORMAT, path,
                                 "the traces of %" PRIu32 " ranks are missing, the first is %s.%" PRIu32
                                 ".et; the highest rank is %" PRIu32,
                                 missing, set->prefix, first, set->count - 1);
    return FLUX_OK;
}

/* `json`: 1 or 0 where only files are wanted that are JSON, or that are not; -1: both. */
static int find_all(struct flux_io_chakra_set *set, const char *path, size_t size, int json, struct flux_error *error)
{
    struct parts parts;
    int failed = 0;
    int rc = FLUX_OK;
    DIR *directory = open_directory(path);
    if (!directory)
        return flux_io_fail_errno(error, path, "look for its ranks", errno, NULL);
    while (!rc && next_file(directory, base_of(path), size, &parts, &failed))
        if (json < 0 || json == (parts.ending >= FIRST_JSON))
            rc = note_file(set, path, &parts, error);
    closedir(directory);
    if (!rc && failed)
        rc = flux_io_fail_errno(error, path, "look for its ranks", failed, NULL);
    return rc ? rc : check_complete(set, path, error);
}

int flux_io_chakra_set_find(struct flux_io_chakra_set *set, const struct flux_io_memory *memory, const char *path,
                            int is_file, int alone, struct flux_error *error)
{
    struct parts parts;
    size_t size = name_length(path, &parts);
    memset(set, 0, sizeof *set);
    set->memory = memory;
    set->single = is_file && (alone || parts.rank < 0);
    set->count = set->single;
    set->stem_size = (uint64_t)(base_of(path) - path) + (is_file ? parts.name : size);
    set->prefix_size = set->single ? strlen(path) : set->stem_size;
    set->prefix = flux_io_copy(memory, path, set->prefix_size);
    if (!set->prefix)
        return flux_io_fail_memory(error);
    return set->single ? FLUX_OK : find_all(set, path, size, is_file ? parts.ending >= FIRST_JSON : -1, error);
}

void flux_io_chakra_set_free(struct flux_io_chakra_set *set)
{
    flux_io_release(set->memory, set->prefix, set->prefix_size + 1, 1);
    flux_io_release(set->memory, set->endings, set->capacity, 1);
}

char *flux_io_chakra_set_path(const struct flux_io_chakra_set *set, uint32_t rank)
{
    char suffix[32] = "";
    if (!set->single)
        snprintf(suffix, sizeof suffix, ".%" PRIu32 "%s", rank, endings[set->endings[rank]]);
    size_t length = strlen(suffix);
    char *path = flux_io_alloc(set->memory, set->prefix_size + length + 1, 1);
    if (!path)
        return NULL;
    memcpy(path, set->prefix, (size_t)set->prefix_size);
    memcpy(path + set->prefix_size, suffix, length + 1);
    return path;
}
