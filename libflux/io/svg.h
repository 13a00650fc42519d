/* SPDX-License-Identifier: Apache-2.0
 *
 * io/svg.h - inside of the SVG writer: geometry, colours, and who draws what.
 *
 * Lengths are hundredths of a pixel in int64_t, made from times in 128 bits: the same picture on every machine.
 */
#ifndef FLUX_IO_SVG_H
#define FLUX_IO_SVG_H

#include "io/output.h"
#include "io/timeline.h"

#define FLUX_SVG_PX INT64_C(100)
#define FLUX_SVG_COMPUTE_LANES 4 /* per GPU at most */

/* Colours by partner: the scheme "light" of Paul Tol's notes (SRON/EPS/TN/09-002), which stays apart for the
 * colour-blind and carries dark text. */
#define FLUX_SVG_COLOURS 8
struct flux_svg_colour {
    const char *fill; /* what a GPU sends */
    const char *pale; /* what it receives */
    const char *edge;
};
extern const struct flux_svg_colour flux_svg_colours[FLUX_SVG_COLOURS];

#define FLUX_SVG_INK "#1f2933"
#define FLUX_SVG_GREY "#5f6b7a"
#define FLUX_SVG_COMPUTE "#cfd4db"
#define FLUX_SVG_COMPUTE_EDGE "#9aa3af"
#define FLUX_SVG_CHANGE "#7b8794"
#define FLUX_SVG_PATH "#111111"

/* The lanes of one GPU: its ports, then its compute. */
struct flux_svg_row {
    uint32_t gpu;
    uint32_t compute_lanes; /* shown */
    uint64_t compute_first; /* in flux_io_timeline.computes */
    uint64_t compute_count;
    int64_t y;
    int64_t height;
};

struct flux_svg {
    struct flux_io_output *out;
    const struct flux_io_timeline *line;
    uint32_t measuring; /* 1: texts and swatches are laid out, not written */
    uint32_t reserved;
    int64_t from;
    int64_t to;
    uint32_t gpu_first;
    uint32_t row_count;
    uint32_t switches;         /* shown */
    uint32_t compute_left_out; /* GPUs whose computes overlap more than lanes are shown */
    uint32_t has_change;
    uint32_t has_compute;
    struct flux_svg_row *rows;
    uint64_t lane_count;
    int64_t *marked;       /* by lane: where the mark of the critical path ends, so far */
    uint8_t *compute_lane; /* by place in flux_io_timeline.computes */
    int64_t width;
    int64_t height;
    int64_t left; /* edges of the part that has a time axis */
    int64_t right;
    int64_t top;
    int64_t bottom;
    int64_t lane_height; /* of a port, both its sides */
    int64_t lane_step;
    int64_t compute_height; /* of a lane of compute */
    int64_t compute_step;
    int64_t font;   /* of what stands in bars and beside lanes */
    int64_t narrow; /* bars below this width are merged */
    int64_t merged; /* up to this width; a gap of a quarter of it is kept */
};

/* Where a time is; times outside of the window are at its edges. */
int64_t flux_svg_x(const struct flux_svg *svg, int64_t time);
/* Where a port's lane begins, and how high it is. Sides share one lane's room. */
int64_t flux_svg_port_y(const struct flux_svg *svg, const struct flux_svg_row *row, uint32_t switch_index,
                        uint32_t side, int64_t *height);
int64_t flux_svg_compute_y(const struct flux_svg *svg, const struct flux_svg_row *row, uint32_t lane);
/* The row of a GPU, or NULL where it has none. */
const struct flux_svg_row *flux_svg_row_of(const struct flux_svg *svg, uint32_t gpu);

/* ` name="12.5"` with at most two decimals. */
void flux_svg_length(struct flux_svg *svg, const char *name, int64_t length);
void flux_svg_number(struct flux_svg *svg, int64_t length);
/* A line of text; `anchor` is "start", "middle" or "end", `extra` further attributes. */
void flux_svg_text(struct flux_svg *svg, int64_t x, int64_t y, int64_t font, const char *anchor, const char *fill,
                   const char *extra, const char *text);
/* How wide a text is at most in usual fonts. */
int64_t flux_svg_text_width(const char *text, int64_t font);
/* A time for people: its largest unit, at most three decimals: "220.545 ms". Returns `text`. */
#define FLUX_SVG_TIME 48
char *flux_svg_time(int64_t time, char *text);
/* 1234567 as "1,234,567". Returns `text`. */
#define FLUX_SVG_COUNT 32
char *flux_svg_count(uint64_t count, char *text);
/* A share for people: "12.34 %" of parts / whole, which is not 0. */
char *flux_svg_percent(uint64_t parts, uint64_t whole, unsigned decimals, char *text);

/* Title, figures and legend; sets svg->top. */
void flux_svg_head(struct flux_svg *svg);
/* Background of rows, names, time axis with its lines; needs rows and bottom. */
void flux_svg_frame(struct flux_svg *svg);
/* Bars of a port's side, and of one lane of compute. */
void flux_svg_port(struct flux_svg *svg, const struct flux_io_timeline_port *port, int64_t y, int64_t height);
void flux_svg_compute(struct flux_svg *svg, const struct flux_svg_row *row, uint32_t lane);
/* Where the schedule ends, and where no schedule can end before. Over the bars. */
void flux_svg_marks(struct flux_svg *svg);
/* The critical path over everything. */
void flux_svg_path(struct flux_svg *svg);

#endif
