/* SPDX-License-Identifier: Apache-2.0
 *
 * What stands behind and beside the bars: rows, names, how busy each port is, and the time axis.
 */
#include "io/svg.h"

#include <stdio.h>

#define TICK_ROOM 110 /* pixels per tick at least */
#define AXIS_FONT (11 * FLUX_SVG_PX)

struct axis {
    int64_t step;
    int64_t unit;
    int64_t decimals;
    const char *unit_name;
};

/* The smallest 1, 2 or 5 times a power of ten that is no less than `least`. */
static int64_t nice_step(int64_t least)
{
    int64_t power = 1;
    while (least > 5 * power && power < INT64_C(1000000000000000000) / 10)
        power *= 10;
    for (int64_t times = 1;; times = times == 1 ? 2 : times == 2 ? 5 : 10)
        if (times == 10 || times * power >= least)
            return times * power;
}

static struct axis make_axis(const struct flux_svg *svg)
{
    static const struct {
        int64_t size;
        const char *name;
    } units[] = {{FLUX_S, "s"}, {FLUX_MS, "ms"}, {FLUX_US, "us"}, {FLUX_NS, "ns"}, {FLUX_PS, "ps"}};
    int64_t ticks = (svg->right - svg->left) / (TICK_ROOM * FLUX_SVG_PX);
    int64_t span = svg->to - svg->from;
    struct axis axis = {.step = nice_step(span / ticks + (span % ticks ? 1 : 0))};
    size_t u = 0;
    /* The largest unit that the times reach, unless that takes more than three decimals. */
    while (u < 4 && (svg->to < units[u].size || axis.step < units[u].size / 1000))
        u++;
    axis.unit = units[u].size;
    axis.unit_name = units[u].name;
    for (int64_t part = axis.unit; axis.step % part; part /= 10)
        axis.decimals++;
    return axis;
}

static void put_line(struct flux_svg *svg, int64_t x, int64_t y, int64_t y_end, const char *style)
{
    flux_io_put(svg->out, "<path d=\"M");
    flux_svg_number(svg, x);
    flux_io_put_char(svg->out, ' ');
    flux_svg_number(svg, y);
    flux_io_put_char(svg->out, 'V');
    flux_svg_number(svg, y_end);
    flux_io_put(svg->out, "\" ");
    flux_io_put(svg->out, style);
    flux_io_put(svg->out, "/>\n");
}

static void put_tick(struct flux_svg *svg, const struct axis *axis, int64_t time)
{
    char text[48];
    int64_t x = flux_svg_x(svg, time);
    int64_t scale = 1;
    for (int64_t i = 0; i < axis->decimals; i++)
        scale *= 10;
    if (axis->decimals)
        snprintf(text, sizeof text, "%lld.%0*lld", (long long)(time / axis->unit), (int)axis->decimals,
                 (long long)(time % axis->unit / (axis->unit / scale)));
    else
        snprintf(text, sizeof text, "%lld", (long long)(time / axis->unit));
    /* At the edges stand the unit and "busy". */
    int64_t half = flux_svg_text_width(text, AXIS_FONT) / 2 - 14 * FLUX_SVG_PX;
    const char *anchor = x - half < svg->left ? "start" : x + half > svg->right ? "end" : "middle";
    put_line(svg, x, svg->top - 4 * FLUX_SVG_PX, svg->bottom + 4 * FLUX_SVG_PX, "stroke=\"#c9d0d8\"");
    flux_svg_text(svg, x, svg->top - 8 * FLUX_SVG_PX, AXIS_FONT, anchor, FLUX_SVG_GREY, "", text);
    flux_svg_text(svg, x, svg->bottom + 16 * FLUX_SVG_PX, AXIS_FONT, anchor, FLUX_SVG_GREY, "", text);
}

static void put_axis(struct flux_svg *svg)
{
    char text[16];
    if (svg->to <= svg->from)
        return;
    struct axis axis = make_axis(svg);
    int64_t time = svg->from % axis.step ? svg->from - svg->from % axis.step + axis.step : svg->from;
    for (; time <= svg->to; time += axis.step)
        put_tick(svg, &axis, time);
    snprintf(text, sizeof text, "time, %s", axis.unit_name);
    flux_svg_text(svg, svg->left - 26 * FLUX_SVG_PX, svg->top - 8 * FLUX_SVG_PX, AXIS_FONT, "end", FLUX_SVG_GREY, "",
                  text);
    flux_svg_text(svg, svg->left - 26 * FLUX_SVG_PX, svg->bottom + 16 * FLUX_SVG_PX, AXIS_FONT, "end", FLUX_SVG_GREY,
                  "", text);
}

void flux_svg_marks(struct flux_svg *svg)
{
    int64_t makespan = svg->line->makespan;
    int64_t bound = flux_schedule_bound(svg->line->schedule);
    int64_t y = svg->bottom + 32 * FLUX_SVG_PX;
    if (makespan >= svg->from && makespan <= svg->to && makespan > 0) {
        const char *name = bound == makespan ? "end = lower bound" : "end";
        put_line(svg, flux_svg_x(svg, makespan), svg->top, svg->bottom + 5 * FLUX_SVG_PX,
                 "stroke=\"" FLUX_SVG_INK "\" stroke-width=\"1.5\"");
        flux_svg_text(svg, flux_svg_x(svg, makespan), y, AXIS_FONT, bound == makespan ? "end" : "start", FLUX_SVG_INK,
                      "", name);
    }
    if (bound >= svg->from && bound <= svg->to && bound < makespan && bound > 0) {
        put_line(svg, flux_svg_x(svg, bound), svg->top, svg->bottom + 5 * FLUX_SVG_PX,
                 "stroke=\"" FLUX_SVG_INK "\" stroke-width=\"1.5\" stroke-dasharray=\"5 4\"");
        flux_svg_text(svg, flux_svg_x(svg, bound) - 3 * FLUX_SVG_PX, y, AXIS_FONT, "end", FLUX_SVG_INK, "",
                      "lower bound");
    }
}

static void put_band(struct flux_svg *svg, int64_t x, int64_t y, int64_t width, int64_t height, const char *fill)
{
    flux_io_put(svg->out, "<rect");
    flux_svg_length(svg, "x", x);
    flux_svg_length(svg, "y", y);
    flux_svg_length(svg, "width", width);
    flux_svg_length(svg, "height", height);
    flux_io_put(svg->out, " fill=\"");
    flux_io_put(svg->out, fill);
    flux_io_put(svg->out, "\"/>\n");
}

/* The time within the window in which a port carries a transfer. Sides count together. */
static int64_t busy_time(const struct flux_svg *svg, uint32_t switch_index, uint32_t gpu)
{
    int64_t busy = 0;
    for (uint32_t side = 0; side < svg->line->sides; side++) {
        uint64_t place = flux_io_timeline_find_port(svg->line, switch_index, gpu, side);
        if (place == UINT64_MAX)
            continue;
        const struct flux_io_timeline_port *port = &svg->line->ports[place];
        for (uint64_t i = port->first; i < port->first + port->count; i++) {
            const struct flux_io_timeline_use *use = &svg->line->uses[i];
            int64_t start = use->start > svg->from ? use->start : svg->from;
            int64_t end = use->end < svg->to ? use->end : svg->to;
            if (use->kind == FLUX_TIMELINE_TRANSFER && end > start)
                busy += (end - start) / svg->line->sides;
        }
    }
    return busy;
}

static void put_lane_names(struct flux_svg *svg, const struct flux_svg_row *row)
{
    char text[32];
    int64_t baseline = svg->lane_height / 2 + svg->font * 36 / 100;
    for (uint32_t k = 0; k < svg->switches; k++) {
        int64_t y = flux_svg_port_y(svg, row, k, 0, NULL);
        snprintf(text, sizeof text, "switch %u", k);
        put_band(svg, svg->left, y, svg->right - svg->left, svg->lane_height, "#ffffff");
        flux_svg_text(svg, svg->left - 8 * FLUX_SVG_PX, y + baseline, svg->font, "end", FLUX_SVG_GREY, "", text);
        if (flux_fabric_dead(svg->line->fabric, row->gpu, k)) {
            put_band(svg, svg->left, y, svg->right - svg->left, svg->lane_height, "#e3e6ea");
            flux_svg_text(svg, svg->left + 6 * FLUX_SVG_PX, y + baseline, svg->font, "start", FLUX_SVG_GREY,
                          " font-style=\"italic\"", "dead port");
        } else if (svg->to > svg->from) {
            flux_svg_percent((uint64_t)busy_time(svg, k, row->gpu), (uint64_t)(svg->to - svg->from), 0, text);
            flux_svg_text(svg, svg->right + 44 * FLUX_SVG_PX, y + baseline, svg->font, "end", FLUX_SVG_GREY, "", text);
        }
    }
    baseline = svg->compute_height / 2 + svg->font * 36 / 100;
    for (uint32_t lane = 0; lane < row->compute_lanes; lane++) {
        int64_t y = flux_svg_compute_y(svg, row, lane);
        put_band(svg, svg->left, y, svg->right - svg->left, svg->compute_height, "#ffffff");
        if (lane == 0)
            flux_svg_text(svg, svg->left - 8 * FLUX_SVG_PX, y + baseline, svg->font, "end", FLUX_SVG_GREY, "",
                          "compute");
    }
}

void flux_svg_frame(struct flux_svg *svg)
{
    char text[32];
    for (uint32_t i = 0; i < svg->row_count; i++) {
        const struct flux_svg_row *row = &svg->rows[i];
        put_band(svg, 0, row->y - 3 * FLUX_SVG_PX, svg->width, row->height + 6 * FLUX_SVG_PX,
                 i % 2 ? "#f7f8fa" : "#eceff3");
        snprintf(text, sizeof text, "GPU %u", row->gpu);
        flux_svg_text(svg, 16 * FLUX_SVG_PX, row->y + svg->lane_height / 2 + svg->font * 40 / 100,
                      svg->font + FLUX_SVG_PX, "start", FLUX_SVG_INK, " font-weight=\"bold\"", text);
        put_lane_names(svg, row);
    }
    if (svg->to > svg->from && svg->line->send_count > 0)
        flux_svg_text(svg, svg->right + 44 * FLUX_SVG_PX, svg->top - 8 * FLUX_SVG_PX, AXIS_FONT, "end", FLUX_SVG_GREY,
                      "", "busy");
    put_axis(svg);
}
