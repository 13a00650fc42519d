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
#define SEPARATOR " \xc2\xb7 "

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/* Sentences that share lines as long as they fit. */
struct flow {
    struct flux_svg *svg;
    int64_t y; /* baseline of the line that is being filled */
    int64_t font;
    int64_t step;
    const char *separator;
    const char *style;
    char line[600];
};

static void end_line(struct flow *flow)
{
    if (!*flow->line)
        return;
    flux_svg_text(flow->svg, MARGIN, flow->y, flow->font, "start", FLUX_SVG_INK, flow->style, flow->line);
    flow->y += flow->step;
    flow->line[0] = '\0';
}

static void put_sentence(struct flow *flow, const char *sentence)
{
    int64_t room = flow->svg->width - 2 * MARGIN;
    int64_t taken = flux_svg_text_width(flow->line, flow->font) + flux_svg_text_width(flow->separator, flow->font);
    if (*flow->line && taken + flux_svg_text_width(sentence, flow->font) > room)
        end_line(flow);
    size_t used = strlen(flow->line);
    snprintf(flow->line + used, sizeof flow->line - used, "%s%s", used ? flow->separator : "", sentence);
}

static void put_title(struct flux_svg *svg, int64_t *y)
{
    const struct flux_schedule *schedule = svg->line->schedule;
    struct flow flow = {.svg = svg,
                        .y = *y,
                        .font = TITLE_FONT,
                        .step = 22 * FLUX_SVG_PX,
                        .separator = ", ",
                        .style = " font-weight=\"bold\""};
    char text[160];
    char time[FLUX_SVG_TIME];
    char gap[FLUX_SVG_COUNT];
    int64_t bound = flux_schedule_bound(schedule);
    snprintf(text, sizeof text, "%u GPU%s, %u switch%s: %s", svg->line->gpus, plural(svg->line->gpus),
             svg->line->switches, svg->line->switches == 1 ? "" : "es", flux_svg_time(svg->line->makespan, time));
    put_sentence(&flow, text);
    if (flux_schedule_status(schedule) == FLUX_OPTIMAL) {
        put_sentence(&flow, "proven shortest");
    } else if (bound > 0) {
        snprintf(text, sizeof text, "at most %s above the shortest",
                 flux_svg_percent((uint64_t)(svg->line->makespan - bound), (uint64_t)bound, 2, gap));
        put_sentence(&flow, text);
    }
    end_line(&flow);
    *y = flow.y;
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

static void put_figures(struct flux_svg *svg, int64_t *y)
{
    static const char *const rules[] = {"paper", "duplex", "simplex"};
    const struct flux_schedule *schedule = svg->line->schedule;
    struct flow flow = {.svg = svg, .y = *y, .font = FONT, .step = LINE, .separator = SEPARATOR, .style = ""};
    uint64_t changes = flux_schedule_reconfigurations(schedule);
    int64_t bound = flux_schedule_bound(schedule);
    char text[128];
    char part[2 * FLUX_SVG_TIME + 8];
    snprintf(text, sizeof text, "makespan %s", flux_svg_time(svg->line->makespan, part));
    put_sentence(&flow, text);
    snprintf(text, sizeof text, "lower bound %s", flux_svg_time(bound, part));
    put_sentence(&flow, text);
    if (bound > 0) {
        snprintf(text, sizeof text, "gap %s",
                 flux_svg_percent((uint64_t)(svg->line->makespan - bound), (uint64_t)bound,
                                  svg->line->makespan == bound ? 0 : 2, part));
        put_sentence(&flow, text);
    }
    delay_text(svg->line->fabric, part, sizeof part);
    snprintf(text, sizeof text, "delay of a change %s", part);
    put_sentence(&flow, text);
    snprintf(text, sizeof text, "rule %s", rules[svg->line->rule <= FLUX_RULE_SIMPLEX ? svg->line->rule : 0]);
    put_sentence(&flow, text);
    snprintf(text, sizeof text, "%s send%s", flux_svg_count(svg->line->send_count, part),
             plural(svg->line->send_count));
    put_sentence(&flow, text);
    snprintf(text, sizeof text, "%s change%s of circuits", flux_svg_count(changes, part), plural(changes));
    put_sentence(&flow, text);
    end_line(&flow);
    *y = flow.y;
}

/* What the picture leaves out. */
static void put_remarks(struct flux_svg *svg, int64_t *y)
{
    const struct flux_io_timeline *line = svg->line;
    struct flow flow = {
        .svg = svg, .y = *y, .font = FONT, .step = LINE, .separator = SEPARATOR, .style = " font-style=\"italic\""};
    char text[160];
    char from[FLUX_UNITS_TEXT];
    char to[FLUX_UNITS_TEXT];
    if (svg->from > 0 || svg->to < line->makespan) {
        snprintf(text, sizeof text, "window from %s to %s", flux_time_format(svg->from, from, sizeof from),
                 flux_time_format(svg->to, to, sizeof to));
        put_sentence(&flow, text);
    }
    if (svg->from >= line->makespan && line->makespan > 0)
        put_sentence(&flow, "nothing happens here: the schedule ends before");
    if (line->makespan == 0)
        put_sentence(&flow, "nothing takes time");
    if (svg->row_count < line->gpus) {
        snprintf(text, sizeof text, "GPUs %u to %u are shown, %u more are left out", svg->gpu_first,
                 svg->gpu_first + svg->row_count - 1, line->gpus - svg->row_count);
        put_sentence(&flow, text);
    }
    if (svg->switches < line->switches) {
        snprintf(text, sizeof text, "%u of %u switches are shown", svg->switches, line->switches);
        put_sentence(&flow, text);
    }
    if (svg->compute_left_out) {
        snprintf(text, sizeof text, "%u GPU%s with more compute at once than lanes here: bars overlap",
                 svg->compute_left_out, plural(svg->compute_left_out));
        put_sentence(&flow, text);
    }
    end_line(&flow);
    *y = flow.y;
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
    put_title(svg, &y);
    put_figures(svg, &y);
    put_remarks(svg, &y);
    y += 4 * FLUX_SVG_PX;
    put_legend(svg, &y);
    svg->top = y + 36 * FLUX_SVG_PX;
}
