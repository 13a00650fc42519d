/* SPDX-License-Identifier: Apache-2.0
 *
 * The critical path: a heavy line under each of its bars, and a light one from the end of a bar to what waited for it.
 */
#include "io/svg.h"

struct pen {
    struct flux_svg *svg;
    int64_t x; /* where the last move or line ended */
    int64_t y;
    uint64_t points;
};

static void move_to(struct pen *pen, int64_t x, int64_t y)
{
    flux_io_put_char(pen->svg->out, 'M');
    flux_svg_number(pen->svg, x);
    flux_io_put_char(pen->svg->out, ' ');
    flux_svg_number(pen->svg, y);
    pen->x = x;
    pen->y = y;
    pen->points++;
}

static void line_to(struct pen *pen, int64_t x, int64_t y)
{
    if (y == pen->y) {
        flux_io_put_char(pen->svg->out, 'H');
        flux_svg_number(pen->svg, x);
    } else if (x == pen->x) {
        flux_io_put_char(pen->svg->out, 'V');
        flux_svg_number(pen->svg, y);
    } else {
        flux_io_put_char(pen->svg->out, 'L');
        flux_svg_number(pen->svg, x);
        flux_io_put_char(pen->svg->out, ' ');
        flux_svg_number(pen->svg, y);
    }
    pen->x = x;
    pen->y = y;
}

/* The lane of a compute: its place is found by start, then number. */
static uint32_t lane_of(const struct flux_svg *svg, const struct flux_svg_row *row, uint32_t v)
{
    const struct flux_io_timeline_vertex *vertices = svg->line->vertices;
    uint64_t low = row->compute_first;
    uint64_t high = row->compute_first + row->compute_count - 1;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        uint32_t other = svg->line->computes[middle];
        if (vertices[other].start < vertices[v].start || (vertices[other].start == vertices[v].start && other < v))
            low = middle + 1;
        else
            high = middle;
    }
    return svg->compute_lane[low] < row->compute_lanes ? svg->compute_lane[low] : row->compute_lanes - 1;
}

/* Below the lane of a vertex at its own GPU, or at a send's destination; -1 where it is not shown. */
static int64_t height_of(const struct flux_svg *svg, uint32_t v, int at_destination)
{
    const struct flux_io_timeline_vertex *vertex = &svg->line->vertices[v];
    const struct flux_svg_row *row = flux_svg_row_of(svg, at_destination ? vertex->peer : vertex->gpu);
    if (!row)
        return -1;
    if (vertex->peer != FLUX_NONE) {
        int64_t height;
        if (vertex->switch_index >= svg->switches)
            return -1;
        uint32_t side = at_destination && svg->line->sides == 2 ? FLUX_TIMELINE_IN : FLUX_TIMELINE_OUT;
        int64_t y = flux_svg_port_y(svg, row, vertex->switch_index, side, &height);
        return y + height;
    }
    return flux_svg_compute_y(svg, row, lane_of(svg, row, v)) + svg->compute_height;
}

static int visible(const struct flux_svg *svg, uint32_t v)
{
    const struct flux_io_timeline_vertex *vertex = &svg->line->vertices[v];
    return vertex->end > svg->from && vertex->start < svg->to && vertex->end > vertex->start;
}

/* One line per stretch of neighbours on the same lane. */
static void put_bars(struct flux_svg *svg)
{
    struct pen pen = {.svg = svg};
    for (int at_destination = 0; at_destination < 2; at_destination++)
        for (uint64_t i = 0; i < svg->line->path_count; i++) {
            uint32_t v = svg->line->path[i].vertex;
            const struct flux_io_timeline_vertex *vertex = &svg->line->vertices[v];
            if (!visible(svg, v) || (at_destination && vertex->peer == FLUX_NONE))
                continue;
            int64_t y = height_of(svg, v, at_destination);
            if (y < 0)
                continue;
            int64_t x = flux_svg_x(svg, vertex->start);
            int64_t x_end = flux_svg_x(svg, vertex->end);
            if (x_end - x < FLUX_SVG_PX)
                x_end = x + FLUX_SVG_PX;
            if (!pen.points || pen.y != y || x - pen.x >= FLUX_SVG_PX || x < pen.x - 2 * FLUX_SVG_PX)
                move_to(&pen, x, y);
            if (x_end > pen.x)
                line_to(&pen, x_end, y);
        }
}

/* From where a vertex of the path ended to where the next one starts. */
static void put_links(struct flux_svg *svg)
{
    struct pen pen = {.svg = svg};
    uint32_t before = FLUX_NONE;
    for (uint64_t i = 0; i < svg->line->path_count; i++) {
        uint32_t v = svg->line->path[i].vertex;
        const struct flux_io_timeline_vertex *vertex = &svg->line->vertices[v];
        if (vertex->end == vertex->start)
            continue;
        if (before != FLUX_NONE && vertex->start >= svg->from && svg->line->vertices[before].end <= svg->to) {
            const struct flux_io_timeline_vertex *last = &svg->line->vertices[before];
            int arrived = last->peer != FLUX_NONE && vertex->gpu == last->peer;
            int64_t y = height_of(svg, before, arrived);
            int64_t y_end = height_of(svg, v, 0);
            if (y >= 0 && y_end >= 0 && (y != y_end || vertex->start > last->end)) {
                move_to(&pen, flux_svg_x(svg, last->end), y);
                line_to(&pen, flux_svg_x(svg, vertex->start), y_end);
            }
        }
        before = v;
    }
}

void flux_svg_path(struct flux_svg *svg)
{
    if (svg->line->path_count == 0)
        return;
    flux_io_put(svg->out, "<g fill=\"none\" stroke=\"" FLUX_SVG_PATH "\" pointer-events=\"none\">\n"
                          "<path stroke-width=\"1\" stroke-opacity=\"0.75\" d=\"");
    put_links(svg);
    flux_io_put(svg->out, "\"/>\n<path stroke-width=\"2.5\" d=\"");
    put_bars(svg);
    flux_io_put(svg->out, "\"/>\n</g>\n");
}
