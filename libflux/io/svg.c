/* SPDX-License-Identifier: Apache-2.0
 *
 * The SVG timeline: options, layout, and the order in which things are drawn.
 */
#include "io/svg.h"

#include "io/fail.h"
#include "io/lanes.h"

#include <libflux/io/write.h>

#define OPTIONS_LEAST FLUX_IO_LEAST(struct flux_svg_options, reserved)
#define SWITCHES_SHOWN 16
#define LANE_GAP (3 * FLUX_SVG_PX)
#define BARS_MAX 40000 /* about as many are drawn at most: what is narrower is merged */

__extension__ typedef __int128 wide;

const struct flux_svg_colour flux_svg_colours[FLUX_SVG_COLOURS] = {
    {"#77aadd", "#d6e6f5", "#3f74aa"}, {"#ee8866", "#fadbd1", "#b3502d"}, {"#eedd88", "#faf5db", "#a8943a"},
    {"#ffaabb", "#ffe5ea", "#c25f74"}, {"#99ddff", "#e0f5ff", "#4a9cc4"}, {"#44bb99", "#c7ebe0", "#22785f"},
    {"#bbcc33", "#ebf0c2", "#78851a"}, {"#aaaa00", "#e6e6b3", "#6b6b00"},
};

int64_t flux_svg_x(const struct flux_svg *svg, int64_t time)
{
    if (time <= svg->from)
        return svg->left;
    if (time >= svg->to)
        return svg->right;
    return svg->left + (int64_t)((wide)(time - svg->from) * (svg->right - svg->left) / (svg->to - svg->from));
}

int64_t flux_svg_port_y(const struct flux_svg *svg, const struct flux_svg_row *row, uint32_t switch_index,
                        uint32_t side, int64_t *height)
{
    int64_t share = svg->line->sides == 2 ? (svg->lane_height - FLUX_SVG_PX) / 2 : svg->lane_height;
    if (height)
        *height = share;
    return row->y + switch_index * svg->lane_step + side * (share + FLUX_SVG_PX);
}

int64_t flux_svg_compute_y(const struct flux_svg *svg, const struct flux_svg_row *row, uint32_t lane)
{
    return row->y + svg->switches * svg->lane_step + lane * svg->compute_step;
}

const struct flux_svg_row *flux_svg_row_of(const struct flux_svg *svg, uint32_t gpu)
{
    return gpu >= svg->gpu_first && gpu - svg->gpu_first < svg->row_count ? &svg->rows[gpu - svg->gpu_first] : NULL;
}

static int read_options(struct flux_svg *svg, const struct flux_svg_options *given, struct flux_error *error)
{
    struct flux_svg_options options = FLUX_SVG_OPTIONS_INIT;
    const struct flux_io_timeline *line = svg->line;
    if (given) {
        int rc = flux_io_abi(&options, sizeof options, given, OPTIONS_LEAST, "flux_svg_options", error);
        if (rc)
            return rc;
    }
    svg->from = options.from;
    svg->to = options.to ? options.to : line->makespan;
    if (svg->from < 0 || svg->to < 0 || svg->to > FLUX_TIME_MAX)
        return flux_io_fail(error, FLUX_E_ARGUMENT, "the window of a picture is within 0 .. 2^62 ps");
    if (svg->from > svg->to || (svg->from == svg->to && (options.to || options.from)))
        return flux_io_fail(error, FLUX_E_ARGUMENT,
                            "the window of a picture from %lld ps to %lld ps is empty; the schedule ends at %lld ps",
                            (long long)svg->from, (long long)svg->to, (long long)line->makespan);
    if (options.width && (options.width < FLUX_SVG_WIDTH_MIN || options.width > FLUX_SVG_WIDTH_MAX))
        return flux_io_fail(error, FLUX_E_ARGUMENT, "a picture is %d to %d pixels wide, not %u", FLUX_SVG_WIDTH_MIN,
                            FLUX_SVG_WIDTH_MAX, options.width);
    if (options.gpu_first >= line->gpus)
        return flux_io_fail(error, FLUX_E_ARGUMENT, "the rows cannot begin with GPU %u: there are %u",
                            options.gpu_first, line->gpus);
    svg->width = (options.width ? options.width : 1600) * FLUX_SVG_PX;
    svg->gpu_first = options.gpu_first;
    svg->row_count = options.gpu_count ? options.gpu_count : FLUX_SVG_GPUS;
    if (svg->row_count > line->gpus - svg->gpu_first)
        svg->row_count = line->gpus - svg->gpu_first;
    return FLUX_OK;
}

/* Finds each row's computes and spreads them over lanes. */
static int place_computes(struct flux_svg *svg)
{
    const struct flux_io_timeline *line = svg->line;
    struct flux_io_lanes lanes;
    uint64_t at = 0;
    int rc = FLUX_OK;
    flux_io_lanes_init(&lanes, &line->memory);
    for (uint32_t i = 0; i < svg->row_count && !rc; i++) {
        struct flux_svg_row *row = &svg->rows[i];
        while (at < line->compute_count && line->vertices[line->computes[at]].gpu < row->gpu)
            at++;
        row->compute_first = at;
        flux_io_lanes_clear(&lanes);
        for (; at < line->compute_count && line->vertices[line->computes[at]].gpu == row->gpu && !rc; at++) {
            const struct flux_io_timeline_vertex *vertex = &line->vertices[line->computes[at]];
            uint32_t lane = 0;
            rc = flux_io_lanes_take(&lanes, vertex->start, vertex->end, &lane);
            svg->compute_lane[at] = (uint8_t)(lane < FLUX_SVG_COMPUTE_LANES ? lane : FLUX_SVG_COMPUTE_LANES);
        }
        row->compute_count = at - row->compute_first;
        row->compute_lanes = flux_io_lanes_count(&lanes);
        svg->has_compute |= row->compute_lanes > 0;
        if (row->compute_lanes > FLUX_SVG_COMPUTE_LANES) {
            row->compute_lanes = FLUX_SVG_COMPUTE_LANES;
            svg->compute_left_out++;
        }
    }
    flux_io_lanes_free(&lanes);
    return rc;
}

static void choose_sizes(struct flux_svg *svg)
{
    uint64_t lanes = 0;
    for (uint32_t i = 0; i < svg->row_count; i++)
        lanes += (uint64_t)svg->switches * svg->line->sides + svg->rows[i].compute_lanes;
    int64_t high = lanes <= 48 ? 20 : lanes <= 120 ? 16 : 12;
    svg->compute_height = high * FLUX_SVG_PX;
    svg->lane_height = (svg->line->sides == 2 ? high + high / 2 : high) * FLUX_SVG_PX;
    svg->compute_step = svg->compute_height + LANE_GAP;
    svg->lane_step = svg->lane_height + LANE_GAP;
    svg->font = (lanes <= 48 ? 11 : lanes <= 120 ? 10 : 9) * FLUX_SVG_PX;
    svg->left = 132 * FLUX_SVG_PX;
    svg->right = svg->width - 60 * FLUX_SVG_PX;
    int64_t share = (int64_t)lanes * (svg->right - svg->left) / BARS_MAX;
    svg->merged = share > 4 * FLUX_SVG_PX ? share : 4 * FLUX_SVG_PX;
    svg->narrow = svg->merged / 2;
    for (uint64_t i = 0; i < svg->line->use_count && !svg->has_change; i++)
        svg->has_change = svg->line->uses[i].kind == FLUX_TIMELINE_CHANGE;
}

static void place_rows(struct flux_svg *svg)
{
    int64_t y = svg->top + 3 * FLUX_SVG_PX;
    for (uint32_t i = 0; i < svg->row_count; i++) {
        struct flux_svg_row *row = &svg->rows[i];
        row->y = y;
        row->height = svg->switches * svg->lane_step + row->compute_lanes * svg->compute_step - LANE_GAP;
        y += row->height + 6 * FLUX_SVG_PX;
    }
    svg->bottom = y - 3 * FLUX_SVG_PX;
    svg->height = svg->bottom + 48 * FLUX_SVG_PX;
}

static void put_open(struct flux_svg *svg)
{
    flux_io_put(svg->out, "<svg xmlns=\"http://www.w3.org/2000/svg\"");
    flux_svg_length(svg, "width", svg->width);
    flux_svg_length(svg, "height", svg->height);
    flux_io_put(svg->out, " viewBox=\"0 0 ");
    flux_svg_number(svg, svg->width);
    flux_io_put_char(svg->out, ' ');
    flux_svg_number(svg, svg->height);
    flux_io_put(svg->out, "\" font-family=\"Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif\">\n"
                          "<title>Schedule of optical circuit switches</title>\n"
                          "<defs><pattern id=\"change\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" "
                          "patternTransform=\"rotate(45)\"><rect width=\"5\" height=\"5\" fill=\"#ffffff\"/>"
                          "<rect width=\"2\" height=\"5\" fill=\"#59636f\"/></pattern></defs>\n"
                          "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
}

static void draw_rows(struct flux_svg *svg)
{
    for (uint32_t i = 0; i < svg->row_count; i++) {
        const struct flux_svg_row *row = &svg->rows[i];
        for (uint32_t k = 0; k < svg->switches; k++)
            for (uint32_t side = 0; side < svg->line->sides; side++) {
                uint64_t port = flux_io_timeline_find_port(svg->line, k, row->gpu, side);
                int64_t height;
                int64_t y = flux_svg_port_y(svg, row, k, side, &height);
                if (port != UINT64_MAX)
                    flux_svg_port(svg, &svg->line->ports[port], y, height);
            }
        for (uint32_t lane = 0; lane < row->compute_lanes; lane++)
            flux_svg_compute(svg, row, lane);
    }
}

/* The head is measured first: its height depends on how the legend breaks. */
static void lay_out(struct flux_svg *svg)
{
    choose_sizes(svg);
    svg->measuring = 1;
    flux_svg_head(svg);
    svg->measuring = 0;
    place_rows(svg);
}

static int write_picture(const char *path, struct flux_svg *svg, struct flux_error *error)
{
    struct flux_io_output out;
    lay_out(svg);
    int rc = flux_io_output_open(&out, path, error);
    if (rc)
        return rc;
    svg->out = &out;
    put_open(svg);
    flux_svg_head(svg);
    flux_svg_frame(svg);
    draw_rows(svg);
    flux_svg_marks(svg);
    flux_svg_path(svg);
    flux_io_put(&out, "</svg>\n");
    return flux_io_output_close(&out, error);
}

static int draw(const char *path, struct flux_svg *svg, const struct flux_svg_options *options,
                struct flux_error *error)
{
    const struct flux_io_timeline *line = svg->line;
    const struct flux_io_memory *memory = &line->memory;
    int rc = read_options(svg, options, error);
    if (rc)
        return rc;
    svg->switches = line->switches < SWITCHES_SHOWN ? line->switches : SWITCHES_SHOWN;
    svg->rows = flux_io_alloc_zero(memory, svg->row_count, sizeof *svg->rows);
    svg->lane_count = svg->row_count * ((uint64_t)svg->switches * line->sides + FLUX_SVG_COMPUTE_LANES);
    svg->marked = flux_io_alloc_zero(memory, svg->lane_count, sizeof *svg->marked);
    svg->compute_lane = flux_io_alloc(memory, line->compute_count, sizeof *svg->compute_lane);
    for (uint32_t i = 0; svg->rows && i < svg->row_count; i++)
        svg->rows[i].gpu = svg->gpu_first + i;
    if (!svg->rows || !svg->marked || !svg->compute_lane || place_computes(svg))
        rc = flux_io_fail_memory(error);
    else
        rc = write_picture(path, svg, error);
    flux_io_release(memory, svg->rows, svg->row_count, sizeof *svg->rows);
    flux_io_release(memory, svg->marked, svg->lane_count, sizeof *svg->marked);
    flux_io_release(memory, svg->compute_lane, line->compute_count, sizeof *svg->compute_lane);
    return rc;
}

int flux_write_svg(const char *path, const struct flux_graph *graph, const struct flux_fabric *fabric,
                   const struct flux_schedule *schedule, const struct flux_svg_options *options,
                   struct flux_error *error)
{
    struct flux_io_timeline line;
    struct flux_svg svg = {.line = &line};
    int rc = flux_io_timeline_make(&line, graph, fabric, schedule, error);
    if (rc)
        return rc;
    rc = draw(path, &svg, options, error);
    flux_io_timeline_free(&line);
    return rc;
}
