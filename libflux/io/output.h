/* SPDX-License-Identifier: Apache-2.0
 *
 * io/output.h - a file that appears whole or not at all.
 *
 * Text goes through a buffer to a new file beside the target, which takes the target's name when all is written.
 * Something that is no regular file (a device, a pipe) is written in place; "-" is standard output. The put functions
 * return nothing: the first error is kept, later text is dropped, and flux_io_output_close() reports it.
 *
 *     struct flux_io_output out;
 *     int rc = flux_io_output_open(&out, path, error);
 *     if (rc)
 *         return rc;
 *     flux_io_put(&out, "send,src,dst\n");
 *     ...                                      (on a failure of your own: flux_io_output_abandon(&out); return rc;)
 *     return flux_io_output_close(&out, error);
 */
#ifndef FLUX_IO_OUTPUT_H
#define FLUX_IO_OUTPUT_H

#include <libflux/error.h>
#include <stddef.h>
#include <stdint.h>

struct flux_io_output {
    const char *path; /* the caller's, for messages; it must live until close */
    char *target;     /* what is replaced at the end; NULL: written in place */
    char *temporary;  /* beside it; NULL: written in place */
    int descriptor;   /* -1: closed */
    int failed;       /* errno of the first write that failed; 0: none */
    uint64_t written; /* bytes handed in so far */
    size_t used;
    char buffer[16384];
};

/* Errors: ARGUMENT, IO, MEMORY. On error there is nothing to close. */
int flux_io_output_open(struct flux_io_output *out, const char *path, struct flux_error *error);
/* Writes what is left and gives the file its name. Either way everything is released. */
int flux_io_output_close(struct flux_io_output *out, struct flux_error *error);
/* Releases everything and leaves no file; what stood at the target stays. */
void flux_io_output_abandon(struct flux_io_output *out);

void flux_io_put(struct flux_io_output *out, const char *text);
void flux_io_put_bytes(struct flux_io_output *out, const char *bytes, size_t length);
void flux_io_put_char(struct flux_io_output *out, char character);
void flux_io_put_u64(struct flux_io_output *out, uint64_t number);
void flux_io_put_i64(struct flux_io_output *out, int64_t number);
/* `number` / 10^decimals with exactly that many decimals: 1234567 and 6 give "1.234567". 0 .. 18 decimals. */
void flux_io_put_fixed(struct flux_io_output *out, int64_t number, unsigned decimals);
/* A JSON string with its quotes (RFC 8259), which is also a double-quoted scalar of YAML: controls and line separators
 * escaped, broken UTF-8 as U+FFFD. */
void flux_io_put_json(struct flux_io_output *out, const char *text);
/* A field of comma-separated values (RFC 4180): in quotes where it holds a comma, a quote or a line's end. */
void flux_io_put_csv(struct flux_io_output *out, const char *text);
/* Text of XML (an attribute in double quotes, or content): & < > " as entities, what XML 1.0 cannot hold as U+FFFD. */
void flux_io_put_xml(struct flux_io_output *out, const char *text);
/* For what has no function of its own; at most 500 bytes. Never give it a double: decimals depend on the locale. */
void flux_io_put_format(struct flux_io_output *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
