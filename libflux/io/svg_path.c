/* SPDX-License-Identifier: Apache-2.0
 *
 * The critical path: a heavy line under each of its bars, and a light one from the end of a bar to what waited for it.
 * Where bars are too narrow to be seen, light lines would only hide the picture and are left out.
 */
#include "io/svg.h"

#include <string.h>

#define LINK_FROM (2 * FLUX_SVG_PX) /* one of two linked bars is at least as wide */

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

/* Below a lane, and which lane that is. */
struct place {
    int64_t y; /* -1: it is not shown */
    uint64_t lane;
};

/* Where a vertex is marked at its own GPU, or a send at its destination. */
static struct place place_of(const struct flux_svg *svg, uint32_t v, int at_destination)
{
    const struct flux_io_timeline_vertex *vertex = &svg->line->vertices[v];
    const struct flux_svg_row *row = flux_svg_row_of(svg, at_destination ? vertex->peer : vertex->gpu);
    struct place place = {.y = -1};
    if (!row || (vertex->peer != FLUX_NONE && vertex->switch_index >= svg->switches))
        return place;
    uint64_t ports = (uint64_t)svg->switches * svg->line->sides;
    place.lane = (uint64_t)(row - svg->rows) * (ports + FLUX_SVG_COMPUTE_LANES);
    if (vertex->peer == FLUX_NONE) {
        uint32_t lane = lane_of(svg, row, v);
        place.y = flux_svg_compute_y(svg, row, lane) + svg->compute_height;
        place.lane += ports + lane;
    } else {
        int64_t height;
        uint32_t side = at_destination && svg->line->sides == 2 ? FLUX_TIMELINE_IN : FLUX_TIMELINE_OUT;
        place.y = flux_svg_port_y(svg, row, vertex->switch_index, side, &height);
        place.y += height;
        place.lane += (uint64_t)vertex->switch_index * svg->line->sides + side;
    }
    return place;
}

static int visible(const struct flux_svg *svg, uint32_t v)
{
    const struct flux_io_timeline_vertex *vertex = &svg->line->vertices[v];
    return vertex->end > svg->from && vertex->start < svg->to && vertex->end > vertex->start;
}

/* One line per stretch of neighbours on the same lane; a pixel that is marked is not marked again. */
static void put_bars(struct flux_svg *svg, int at_destination)
{
    struct pen pen = {.svg = svg};
    memset(svg->marked, 0, svg->lane_count * sizeof *svg->marked);
    for (uint64_t i = 0; i < svg->line->path_count; i++) {
        uint32_t v = svg->line->path[i].vertex;
        const struct flux_io_timeline_vertex *vertex = &svg->line->vertices[v];
        if (!visible(svg, v) || (at_destination && vertex->peer == FLUX_NONE))
            continue;
        struct place place = place_of(svg, v, at_destination);
        if (place.y < 0)
            continue;
        int64_t x = flux_svg_x(svg, vertex->start);
        int64_t x_end = flux_svg_x(svg, vertex->end);
        if (x_end - x < FLUX_SVG_PX)
            x_end = x + FLUX_SVG_PX;
        int64_t marked = svg->marked[place.lane];
        if (x_end <= marked + FLUX_SVG_PX / 2)
            continue;
        if (pen.points == 0 || pen.y != place.y || x - pen.x >= FLUX_SVG_PX)
            move_to(&pen, x > marked ? x : marked, place.y);
        line_to(&pen, x_end, place.y);
        svg->marked[place.lane] = x_end;
    }
}

static int64_t width_of(const struct flux_svg *svg, const struct flux_io_timeline_vertex *vertex)
{
    return flux_svg_x(svg, vertex->end) - flux_svg_x(svg, vertex->start);
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
            int64_t y = place_of(svg, before, arrived).y;
            int64_t y_end = place_of(svg, v, 0).y;
            if (y >= 0 && y_end >= 0 && (y != y_end || vertex->start > last->end) &&
                (width_of(svg, last) >= LINK_FROM || width_of(svg, vertex) >= LINK_FROM)) {
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
    put_bars(svg, 0);
    put_bars(svg, 1);
    flux_io_put(svg->out, "\"/>\n</g>\n");
}
