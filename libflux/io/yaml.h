/* SPDX-License-Identifier: Apache-2.0
 *
 * io/yaml.h - one YAML document as a stream of events, for readers that know which keys they want.
 *
 * A reader stands on one event. Value functions read the value it stands on and leave it on the value's last event;
 * flux_io_yaml_key() and flux_io_yaml_item() move on. Nothing is kept of what has passed, and nothing recurses by the
 * depth of the input. Aliases, anchors, tags, repeated keys, keys that nobody asked for, further documents, and bytes
 * that are not UTF-8 are errors with line and column. Parsing itself uses malloc(): libyaml has no hook for it.
 */
#ifndef FLUX_IO_YAML_H
#define FLUX_IO_YAML_H

#include "io/source.h"

#include <libflux/error.h>
#include <yaml.h>

#define FLUX_IO_DOCUMENT_MAX (UINT64_C(4) << 30) /* bytes of a document */
#define FLUX_IO_VALUE_MAX (UINT64_C(16) << 20)   /* bytes between two events: a value, or a comment */
#define FLUX_IO_KEYS_MAX 20

/* Line and column, from 1; line 0: nowhere. */
struct flux_io_place {
    uint32_t line;
    uint32_t column;
};

struct flux_io_yaml {
    yaml_parser_t parser;
    yaml_event_t event; /* the one the reader stands on */
    const char *path;
    struct flux_io_source *source;
    struct flux_error *error;
    int failed;          /* code of what the input function reported */
    uint64_t taken;      /* bytes read from the source */
    uint64_t taken_last; /* the same when the last event came */
    /* Bytes read ahead: checked ones from `begin` to `checked`, then at most 3 of a character that is not whole yet. */
    size_t begin;
    size_t checked;
    size_t end;
    int at_end;
    int after_return;          /* the last checked character was a CR */
    struct flux_io_place next; /* of the first byte that is not checked */
    unsigned char bytes[65536];
};

/* Stands on the start of the document's root. Errors: FORMAT, IO, TOO_BIG, MEMORY. Close it also after an error. */
int flux_io_yaml_open(struct flux_io_yaml *yaml, struct flux_io_source *source, struct flux_error *error);
void flux_io_yaml_close(struct flux_io_yaml *yaml);
/* From the root's last event to the end: another document is an error. */
int flux_io_yaml_finish(struct flux_io_yaml *yaml);

struct flux_io_place flux_io_yaml_place(const struct flux_io_yaml *yaml);

/* FLUX_E_FORMAT, or another code, at the current event or at a place seen before. */
int flux_io_yaml_fail(struct flux_io_yaml *yaml, const char *format, ...) __attribute__((format(printf, 2, 3)));
int flux_io_yaml_fail_at(struct flux_io_yaml *yaml, int code, struct flux_io_place place, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The keys of one mapping, and where each was seen. */
struct flux_io_keys {
    const char *what; /* "workload", for texts */
    const char *const *names;
    uint32_t count;
    struct flux_io_place seen[FLUX_IO_KEYS_MAX];
};

/* Enters the mapping that must be here. `keys` is made anew for each mapping. */
int flux_io_yaml_map(struct flux_io_yaml *yaml, const char *what);
/* Moves to the next value of the mapping; `*key` is the index of its key, or FLUX_NONE at the end. */
int flux_io_yaml_key(struct flux_io_yaml *yaml, struct flux_io_keys *keys, uint32_t *key);

/* Enters the list that must be here. `what` is what it holds in words, for texts: "a list of edges". */
int flux_io_yaml_list(struct flux_io_yaml *yaml, const char *what);
int flux_io_yaml_is_list(const struct flux_io_yaml *yaml);
/* Moves to the next item of the list; `*more` is 0 at the end. */
int flux_io_yaml_item(struct flux_io_yaml *yaml, int *more);

/* Scalars. `what` names the value in texts: "gpus". */
int flux_io_yaml_text(struct flux_io_yaml *yaml, const char *what, const char **text, uint64_t *length);
int flux_io_yaml_whole(struct flux_io_yaml *yaml, const char *what, uint32_t least, uint32_t most, uint32_t *number);
int flux_io_yaml_time(struct flux_io_yaml *yaml, const char *what, int64_t *time);
int flux_io_yaml_bytes(struct flux_io_yaml *yaml, const char *what, uint64_t *bytes);
int flux_io_yaml_rate(struct flux_io_yaml *yaml, const char *what, uint64_t *rate);
/* One of `count` words; its index. */
int flux_io_yaml_word(struct flux_io_yaml *yaml, const char *what, const char *const *words, uint32_t count,
                      uint32_t *index);

#endif
