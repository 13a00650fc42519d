/* SPDX-License-Identifier: Apache-2.0
 *
 * What stands above a timeline: what is scheduled, how good the schedule is, and what the colours mean.
 */
#include "io/svg.h"

#include <stdio.h>
#include <string.h>

#define MARGIN (16 * FLUX_SVG_PX)
#define TITLE_FONT (17 * FLUX_SVG_PX)
#define FONT (12 * FLUX_SVG_PX)
#define LINE (19 * FLUX_SVG_PX)

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static void put_title(struct flux_svg *svg, int64_t y)
{
    const struct flux_schedule *schedule = svg->line->schedule;
    char text[160];
    char time[FLUX_SVG_TIME];
    char gap[FLUX_SVG_COUNT];
    int64_t bound = flux_schedule_bound(schedule);
    int used =
        snprintf(text, sizeof text, "%u GPU%s, %u switch%s: %s", svg->line->gpus, plural(svg->line->gpus),
                 svg->line->switches, svg->line->switches == 1 ? "" : "es", flux_svg_time(svg->line->makespan, time));
    if (flux_schedule_status(schedule) == FLUX_OPTIMAL)
        snprintf(text + used, sizeof text - (size_t)used, ", proven shortest");
    else if (bound > 0)
        snprintf(text + used, sizeof text - (size_t)used, ", at most %s above the shortest",
                 flux_svg_percent((uint64_t)(svg->line->makespan - bound), (uint64_t)bound, 2, gap));
    flux_svg_text(svg, MARGIN, y, TITLE_FONT, "start", FLUX_SVG_INK, " font-weight=\"bold\"", text);
}

/* "10 us", or "10 us to 1 ms" where the switches differ. */
static void delay_text(const struct flux_fabric *fabric, char *text, size_t size)
{
    char low_text[FLUX_SVG_TIME];
    char high_text[FLUX_SVG_TIME];
    int64_t low = flux_fabric_delay(fabric, 0);
    int64_t high = low;
    for (uint32_t k = 1; k < flux_fabric_switches(fabric); k++) {
        int64_t delay = flux_fabric_delay(fabric, k);
        low = delay < low ? delay : low;
        high = delay > high ? delay : high;
    }
    flux_svg_time(low, low_text);
    if (low == high)
        snprintf(text, size, "%s", low_text);
    else
        snprintf(text, size, "%s to %s", low_text, flux_svg_time(high, high_text));
}

static void put_figures(struct flux_svg *svg, int64_t y)
{
    static const char *const rules[] = {"paper", "duplex", "simplex"};
    const struct flux_schedule *schedule = svg->line->schedule;
    uint64_t changes = flux_schedule_reconfigurations(schedule);
    int64_t bound = flux_schedule_bound(schedule);
    char text[512];
    char makespan_text[FLUX_SVG_TIME];
    char bound_text[FLUX_SVG_TIME];
    char gap[FLUX_SVG_COUNT] = "unknown";
    char sends[FLUX_SVG_COUNT];
    char change_text[FLUX_SVG_COUNT];
    char delay[2 * FLUX_SVG_TIME];
    delay_text(svg->line->fabric, delay, sizeof delay);
    if (bound > 0)
        flux_svg_percent((uint64_t)(svg->line->makespan - bound), (uint64_t)bound, 2, gap);
    else if (svg->line->makespan == 0)
        snprintf(gap, sizeof gap, "0 %%");
    snprintf(
        text, sizeof text,
        "makespan %s  \xc2\xb7  lower bound %s  \xc2\xb7  gap %s  \xc2\xb7  delay of a change %s  \xc2\xb7  rule %s"
        "  \xc2\xb7  %s send%s  \xc2\xb7  %s change%s of circuits",
        flux_svg_time(svg->line->makespan, makespan_text), flux_svg_time(bound, bound_text), gap, delay,
        rules[svg->line->rule <= FLUX_RULE_SIMPLEX ? svg->line->rule : 0], flux_svg_count(svg->line->send_count, sends),
        plural(svg->line->send_count), flux_svg_count(changes, change_text), plural(changes));
    flux_svg_text(svg, MARGIN, y, FONT, "start", FLUX_SVG_INK, "", text);
}

/* Appends a sentence to a line of remarks. */
static void remark(char *text, size_t size, const char *sentence)
{
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s", used ? "  \xc2\xb7  " : "", sentence);
}

/* What the picture leaves out; 0 where it is complete. */
static int put_remarks(struct flux_svg *svg, int64_t y)
{
    const struct flux_io_timeline *line = svg->line;
    char text[400] = "";
    char sentence[160];
    char from[FLUX_SVG_TIME];
    char to[FLUX_SVG_TIME];
    if (svg->from > 0 || svg->to < line->makespan) {
        snprintf(sentence, sizeof sentence, "window from %s to %s", flux_svg_time(svg->from, from),
                 flux_svg_time(svg->to, to));
        remark(text, sizeof text, sentence);
    }
    if (svg->from >= line->makespan && line->makespan > 0)
        remark(text, sizeof text, "nothing happens here: the schedule ends before");
    if (line->makespan == 0)
        remark(text, sizeof text, "nothing takes time");
    if (svg->row_count < line->gpus) {
        snprintf(sentence, sizeof sentence, "GPUs %u to %u are shown, %u more are left out", svg->gpu_first,
                 svg->gpu_first + svg->row_count - 1, line->gpus - svg->row_count);
        remark(text, sizeof text, sentence);
    }
    if (svg->switches < line->switches) {
        snprintf(sentence, sizeof sentence, "%u of %u switches are shown", svg->switches, line->switches);
        remark(text, sizeof text, sentence);
    }
    if (svg->compute_left_out) {
        snprintf(sentence, sizeof sentence, "%u GPU%s with more compute at once than lanes here: bars overlap",
                 svg->compute_left_out, plural(svg->compute_left_out));
        remark(text, sizeof text, sentence);
    }
    if (!*text)
        return 0;
    flux_svg_text(svg, MARGIN, y, FONT, "start", FLUX_SVG_INK, " font-style=\"italic\"", text);
    return 1;
}

/* The legend goes from left to right and on to a new line where there is no more room. */
struct legend {
    struct flux_svg *svg;
    int64_t x;
    int64_t y; /* baseline */
};

static void make_room(struct legend *legend, int64_t width)
{
    if (legend->x > MARGIN && legend->x + width > legend->svg->width - MARGIN) {
        legend->x = MARGIN;
        legend->y += LINE;
    }
}

static void put_swatch(struct legend *legend, const char *fill, const char *edge, int64_t height, int64_t width)
{
    struct flux_svg *svg = legend->svg;
    if (svg->measuring)
        return;
    flux_io_put(svg->out, "<rect");
    flux_svg_length(svg, "x", legend->x);
    flux_svg_length(svg, "y", legend->y - 4 * FLUX_SVG_PX - height / 2);
    flux_svg_length(svg, "width", width);
    flux_svg_length(svg, "height", height);
    flux_io_put(svg->out, " fill=\"");
    flux_io_put(svg->out, fill);
    if (edge) {
        flux_io_put(svg->out, "\" stroke=\"");
        flux_io_put(svg->out, edge);
    }
    flux_io_put(svg->out, "\"/>\n");
}

static void put_words(struct legend *legend, const char *text, int64_t gap)
{
    flux_svg_text(legend->svg, legend->x, legend->y, FONT, "start", FLUX_SVG_INK, "", text);
    legend->x += flux_svg_text_width(text, FONT) + gap;
}

static void put_entry(struct legend *legend, const char *fill, const char *edge, int64_t height, const char *text)
{
    int64_t width = 26 * FLUX_SVG_PX;
    make_room(legend, width + flux_svg_text_width(text, FONT) + 6 * FLUX_SVG_PX);
    put_swatch(legend, fill, edge, height, width);
    legend->x += width + 6 * FLUX_SVG_PX;
    put_words(legend, text, 18 * FLUX_SVG_PX);
}

static void put_partners(struct legend *legend)
{
    uint32_t gpus = legend->svg->line->gpus;
    uint32_t count = gpus < FLUX_SVG_COLOURS ? gpus : FLUX_SVG_COLOURS;
    put_words(legend, gpus > FLUX_SVG_COLOURS ? "partner GPU (number modulo 8)" : "partner GPU", 6 * FLUX_SVG_PX);
    for (uint32_t i = 0; i < count; i++) {
        char text[16];
        snprintf(text, sizeof text, "%u", i);
        put_swatch(legend, flux_svg_colours[i].fill, flux_svg_colours[i].edge, 13 * FLUX_SVG_PX, 20 * FLUX_SVG_PX);
        flux_svg_text(legend->svg, legend->x + 10 * FLUX_SVG_PX, legend->y, 11 * FLUX_SVG_PX, "middle", FLUX_SVG_INK,
                      "", text);
        legend->x += 23 * FLUX_SVG_PX;
    }
    legend->x += 15 * FLUX_SVG_PX;
}

static void put_legend(struct flux_svg *svg, int64_t *y)
{
    struct legend legend = {.svg = svg, .x = MARGIN, .y = *y};
    const int64_t bar = 13 * FLUX_SVG_PX;
    if (svg->line->send_count > 0) {
        put_partners(&legend);
        put_entry(&legend, flux_svg_colours[0].fill, flux_svg_colours[0].edge, bar, "sends");
        put_entry(&legend, flux_svg_colours[0].pale, flux_svg_colours[0].edge, bar, "receives");
        put_entry(&legend, flux_svg_colours[0].fill, NULL, 2 * FLUX_SVG_PX, "circuit up, idle");
    }
    if (svg->has_change)
        put_entry(&legend, "url(#change) " FLUX_SVG_CHANGE, FLUX_SVG_COMPUTE_EDGE, bar, "port changes its circuit");
    if (svg->has_compute)
        put_entry(&legend, FLUX_SVG_COMPUTE, FLUX_SVG_COMPUTE_EDGE, bar, "compute");
    if (svg->line->path_count > 0)
        put_entry(&legend, FLUX_SVG_PATH, NULL, 3 * FLUX_SVG_PX, "critical path");
    *y = legend.y;
}

void flux_svg_head(struct flux_svg *svg)
{
    int64_t y = 30 * FLUX_SVG_PX;
    put_title(svg, y);
    y += 22 * FLUX_SVG_PX;
    put_figures(svg, y);
    y += LINE;
    if (put_remarks(svg, y))
        y += LINE;
    y += 4 * FLUX_SVG_PX;
    put_legend(svg, &y);
    svg->top = y + 36 * FLUX_SVG_PX;
}
