/* SPDX-License-Identifier: Apache-2.0
 *
 * The bars of one lane. What is narrower than a pixel or so is merged with its neighbours, so that the file stays
 * small however many sends there are; what lies outside of the window is never looked at.
 */
#include "io/svg.h"

#include "io/utf8.h"

#include <stdio.h>
#include <string.h>

#define EDGE_FROM (4 * FLUX_SVG_PX)  /* narrower bars have no outline */
#define HATCH_FROM (7 * FLUX_SVG_PX) /* narrower changes are plain grey: a few pixels of hatching are only noise */
#define NARROWEST (1 * FLUX_SVG_PX)
#define LABEL_ROOM 200

#define COMPUTE_COLOUR FLUX_SVG_COLOURS
#define CHANGE_COLOUR (FLUX_SVG_COLOURS + 1)
#define KINDS (2 * (FLUX_SVG_COLOURS + 2)) /* colour, and sent or not */

/* One thing on a lane. */
struct mark {
    int64_t start;
    int64_t end;
    uint32_t colour; /* index of flux_svg_colours, or COMPUTE_COLOUR, CHANGE_COLOUR */
    uint32_t sent;
    uint32_t vertex; /* of a transfer or a compute */
    uint32_t peer;
    uint64_t circuit; /* of a change */
};

/* A run of narrow marks that is drawn as one. */
struct run {
    uint64_t count;
    uint64_t changes;
    int64_t x;
    int64_t x_end;
    int64_t start;
    int64_t end;
    int64_t busy[KINDS];
};

struct lane {
    struct flux_svg *svg;
    int64_t height;
    struct run run;
    struct mark only; /* the mark of a run of one */
};

static const char *fill_of(uint32_t colour, uint32_t sent, int64_t width)
{
    if (colour == CHANGE_COLOUR)
        return width < HATCH_FROM ? FLUX_SVG_CHANGE : "url(#change) " FLUX_SVG_CHANGE;
    if (colour == COMPUTE_COLOUR)
        return FLUX_SVG_COMPUTE;
    return sent || width < EDGE_FROM ? flux_svg_colours[colour].fill : flux_svg_colours[colour].pale;
}

static const char *edge_of(uint32_t colour)
{
    if (colour == CHANGE_COLOUR || colour == COMPUTE_COLOUR)
        return FLUX_SVG_COMPUTE_EDGE;
    return flux_svg_colours[colour].edge;
}

static void put_rect(struct lane *lane, int64_t x, int64_t width, uint32_t colour, uint32_t sent)
{
    struct flux_svg *svg = lane->svg;
    int outlined = width >= EDGE_FROM;
    int64_t inset = outlined ? FLUX_SVG_PX / 2 : 0;
    flux_io_put(svg->out, "<rect");
    flux_svg_length(svg, "x", x + inset);
    if (inset)
        flux_svg_length(svg, "y", inset);
    flux_svg_length(svg, "width", width - 2 * inset);
    flux_svg_length(svg, "height", lane->height - 2 * inset);
    flux_io_put(svg->out, " fill=\"");
    flux_io_put(svg->out, fill_of(colour, sent, width));
    if (!outlined && !sent && colour < FLUX_SVG_COLOURS) /* pale alone would hardly be seen */
        flux_io_put(svg->out, "\" fill-opacity=\"0.55");
    if (outlined) {
        flux_io_put(svg->out, "\" stroke=\"");
        flux_io_put(svg->out, edge_of(colour));
    }
    flux_io_put(svg->out, "\"");
}

static void put_times(struct flux_svg *svg, int64_t start, int64_t end)
{
    char text[FLUX_UNITS_TEXT];
    flux_io_put(svg->out, flux_time_format(start, text, sizeof text));
    flux_io_put(svg->out, " to ");
    flux_io_put(svg->out, flux_time_format(end, text, sizeof text));
    flux_io_put(svg->out, " (");
    flux_io_put(svg->out, flux_time_format(end - start, text, sizeof text));
    flux_io_put(svg->out, ")");
}

static void put_tip(struct lane *lane, const struct mark *mark)
{
    struct flux_svg *svg = lane->svg;
    char text[FLUX_UNITS_TEXT];
    flux_io_put(svg->out, "<title>");
    if (mark->colour == CHANGE_COLOUR) {
        const struct flux_circuit *circuit = &svg->line->circuits[mark->circuit];
        flux_io_put_format(svg->out, "switch %u changes to circuit %u \xe2\x86\x92 %u\n", circuit->switch_index,
                           circuit->src, circuit->dst);
        put_times(svg, mark->start, mark->end);
    } else {
        const struct flux_io_timeline_vertex *row = &svg->line->vertices[mark->vertex];
        const char *label = flux_graph_label(svg->line->graph, mark->vertex);
        if (*label) {
            flux_io_put_xml(svg->out, label);
            flux_io_put_char(svg->out, '\n');
        }
        if (row->peer == FLUX_NONE)
            flux_io_put_format(svg->out, "compute %u on GPU %u\n", mark->vertex, row->gpu);
        else
            flux_io_put_format(svg->out, "send %u, GPU %u \xe2\x86\x92 %u on switch %u, %s\n", mark->vertex, row->gpu,
                               row->peer, row->switch_index, flux_bytes_format(row->bytes, text, sizeof text));
        put_times(svg, mark->start, mark->end);
        if (row->start > row->ready)
            flux_io_put_format(svg->out, "\nwaited %s", flux_time_format(row->start - row->ready, text, sizeof text));
        if (svg->line->on_path[mark->vertex])
            flux_io_put(svg->out, "\non the critical path");
    }
    flux_io_put(svg->out, "</title>");
}

/* As much of `label` as has room, with "..." where it is cut; 0 where that is too little to be of use. */
static int shorten(const char *label, int64_t room, int64_t font, char *text)
{
    if (strlen(label) < LABEL_ROOM && flux_svg_text_width(label, font) <= room) {
        memcpy(text, label, strlen(label) + 1);
        return 1;
    }
    size_t used = 0;
    size_t characters = 0;
    size_t left = strlen(label);
    room -= flux_svg_text_width("\xe2\x80\xa6", font);
    for (;;) {
        size_t length = flux_io_utf8_length((const unsigned char *)label + used, left - used);
        length = length ? length : 1;
        if (used + length >= LABEL_ROOM - 4 || used + length > left)
            break;
        memcpy(text + used, label + used, length);
        text[used + length] = '\0';
        if (flux_svg_text_width(text, font) > room)
            break;
        used += length;
        characters++;
    }
    memcpy(text + used, "\xe2\x80\xa6", 4);
    return characters >= 6;
}

/* What stands in a bar: partner and label, as much as fits. 0 where nothing does. */
static int bar_text(const struct lane *lane, const struct mark *mark, int64_t width, char *text)
{
    const struct flux_svg *svg = lane->svg;
    int64_t room = width - 6 * FLUX_SVG_PX;
    char partner[24] = "";
    if (mark->colour == CHANGE_COLOUR || lane->height < svg->font)
        return 0;
    const char *label = flux_graph_label(svg->line->graph, mark->vertex);
    if (mark->colour == COMPUTE_COLOUR)
        return *label && shorten(label, room, svg->font, text);
    snprintf(partner, sizeof partner, "%s%u", mark->sent ? "\xe2\x86\x92" : "\xe2\x86\x90", mark->peer);
    int64_t taken = flux_svg_text_width(partner, svg->font);
    if (taken > room)
        return 0;
    size_t length = strlen(partner);
    memcpy(text, partner, length + 1);
    text[length] = ' ';
    if (!*label || !shorten(label, room - taken - flux_svg_text_width(" ", svg->font), svg->font, text + length + 1))
        text[length] = '\0';
    return 1;
}

static void put_bar(struct lane *lane, const struct mark *mark, int64_t x, int64_t width)
{
    struct flux_svg *svg = lane->svg;
    char text[LABEL_ROOM + 32];
    if (bar_text(lane, mark, width, text)) {
        flux_io_put(svg->out, "<g>");
        put_tip(lane, mark);
        put_rect(lane, x, width, mark->colour, mark->sent);
        flux_io_put(svg->out, "/>");
        flux_svg_text(svg, x + 3 * FLUX_SVG_PX, lane->height / 2 + svg->font * 36 / 100, svg->font, "start",
                      FLUX_SVG_INK, "", text);
        flux_io_put(svg->out, "</g>\n");
    } else {
        put_rect(lane, x, width, mark->colour, mark->sent);
        flux_io_put(svg->out, ">");
        put_tip(lane, mark);
        flux_io_put(svg->out, "</rect>\n");
    }
}

static void flush(struct lane *lane)
{
    struct run *run = &lane->run;
    struct flux_svg *svg = lane->svg;
    if (run->count == 0)
        return;
    int64_t width = run->x_end - run->x > NARROWEST ? run->x_end - run->x : NARROWEST;
    if (run->count == 1) {
        put_bar(lane, &lane->only, run->x, width);
    } else {
        uint32_t most = 0;
        int64_t busy = 0;
        for (uint32_t kind = 0; kind < KINDS; kind++) {
            busy += run->busy[kind];
            if (run->busy[kind] > run->busy[most])
                most = kind;
        }
        char count[FLUX_SVG_COUNT];
        put_rect(lane, run->x, width, most / 2, most % 2);
        flux_io_put_format(svg->out, "><title>%s bars", flux_svg_count(run->count, count));
        if (run->changes)
            flux_io_put_format(svg->out, ", %s of them changes", flux_svg_count(run->changes, count));
        flux_io_put(svg->out, "\n");
        put_times(svg, run->start, run->end);
        if (run->end > run->start)
            flux_io_put_format(svg->out, "\n%s busy",
                               flux_svg_percent((uint64_t)busy, (uint64_t)(run->end - run->start), 0, count));
        flux_io_put(svg->out, "</title></rect>\n");
    }
    memset(run, 0, sizeof *run);
}

static void add_mark(struct lane *lane, const struct mark *mark)
{
    const struct flux_svg *svg = lane->svg;
    struct run *run = &lane->run;
    int64_t x = flux_svg_x(svg, mark->start);
    int64_t x_end = flux_svg_x(svg, mark->end);
    if (x_end - x >= svg->narrow) {
        flush(lane);
        put_bar(lane, mark, x, x_end - x);
        return;
    }
    if (run->count && (x - run->x_end >= svg->merged / 4 || x_end - run->x > svg->merged))
        flush(lane);
    if (run->count == 0) {
        run->x = x;
        run->start = mark->start;
        lane->only = *mark;
    }
    run->count++;
    run->changes += mark->colour == CHANGE_COLOUR;
    run->x_end = x_end > run->x_end ? x_end : run->x_end;
    run->end = mark->end > run->end ? mark->end : run->end;
    run->busy[2 * mark->colour + mark->sent] += mark->end - mark->start;
}

/* A circuit that stays up while nothing uses it. */
static void put_idle(struct lane *lane, int64_t start, int64_t end, uint32_t peer)
{
    struct flux_svg *svg = lane->svg;
    int64_t x = flux_svg_x(svg, start);
    int64_t x_end = flux_svg_x(svg, end);
    if (x_end - x < svg->merged * 3 / 4)
        return;
    flush(lane);
    flux_io_put(svg->out, "<rect");
    flux_svg_length(svg, "x", x);
    flux_svg_length(svg, "y", lane->height / 2 - FLUX_SVG_PX);
    flux_svg_length(svg, "width", x_end - x);
    flux_svg_length(svg, "height", 2 * FLUX_SVG_PX);
    flux_io_put(svg->out, " fill=\"");
    flux_io_put(svg->out, flux_svg_colours[peer % FLUX_SVG_COLOURS].fill);
    flux_io_put(svg->out, "\"/>\n");
}

static void begin_lane(struct lane *lane, struct flux_svg *svg, int64_t y, int64_t height)
{
    memset(lane, 0, sizeof *lane);
    lane->svg = svg;
    lane->height = height;
    flux_io_put(svg->out, "<g transform=\"translate(0 ");
    flux_svg_number(svg, y);
    flux_io_put(svg->out, ")\">\n");
}

static void end_lane(struct lane *lane)
{
    flush(lane);
    flux_io_put(lane->svg->out, "</g>\n");
}

/* The first use of a port that ends after the window begins. Uses of one side follow each other. */
static uint64_t first_visible(const struct flux_svg *svg, const struct flux_io_timeline_port *port)
{
    uint64_t low = port->first;
    uint64_t high = port->first + port->count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (svg->line->uses[middle].end <= svg->from)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void flux_svg_port(struct flux_svg *svg, const struct flux_io_timeline_port *port, int64_t y, int64_t height)
{
    const struct flux_io_timeline_use *uses = svg->line->uses;
    uint64_t end = port->first + port->count;
    struct lane lane;
    begin_lane(&lane, svg, y, height);
    for (uint64_t i = first_visible(svg, port); i <= end; i++) {
        const struct flux_io_timeline_use *before = i > port->first ? &uses[i - 1] : NULL;
        int64_t idle_end = i < end ? uses[i].start : svg->line->makespan;
        if (before && idle_end > svg->from && before->end < svg->to)
            put_idle(&lane, before->end, idle_end, before->peer);
        if (i == end || uses[i].start >= svg->to)
            break;
        struct mark mark = {.start = uses[i].start,
                            .end = uses[i].end,
                            .colour = uses[i].peer % FLUX_SVG_COLOURS,
                            .sent = uses[i].sent,
                            .peer = uses[i].peer};
        if (uses[i].kind == FLUX_TIMELINE_CHANGE) {
            mark.colour = CHANGE_COLOUR;
            mark.circuit = uses[i].index;
        } else {
            mark.vertex = uses[i].index;
        }
        add_mark(&lane, &mark);
    }
    end_lane(&lane);
}

void flux_svg_compute(struct flux_svg *svg, const struct flux_svg_row *row, uint32_t lane_index)
{
    struct lane lane;
    begin_lane(&lane, svg, flux_svg_compute_y(svg, row, lane_index), svg->compute_height);
    for (uint64_t i = row->compute_first; i < row->compute_first + row->compute_count; i++) {
        uint32_t shown = svg->compute_lane[i] < row->compute_lanes ? svg->compute_lane[i] : row->compute_lanes - 1;
        const struct flux_io_timeline_vertex *vertex = &svg->line->vertices[svg->line->computes[i]];
        if (shown != lane_index || vertex->end <= svg->from || vertex->start >= svg->to)
            continue;
        struct mark mark = {
            .start = vertex->start, .end = vertex->end, .colour = COMPUTE_COLOUR, .vertex = svg->line->computes[i]};
        add_mark(&lane, &mark);
    }
    end_lane(&lane);
}
