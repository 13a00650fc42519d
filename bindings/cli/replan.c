/* SPDX-License-Identifier: Apache-2.0
 *
 * replan.c - flux-ocs replan: the rest of an iteration that is under way, planned anew from where it stands.
 */
#include "cli.h"
#include <jansson.h>
#include <stdlib.h>

/* How the new plan differs from the old one, in sends that had not begun. */
struct changes {
    uint64_t moved;     /* to another switch */
    uint64_t reordered; /* at another place in the order of their source */
};

struct replanned {
    struct standing standing;
    struct flux_replan *replan;
    struct flux_replan_summary summary;
    struct flux_schedule *whole; /* what was and what is planned now */
    struct changes changes;
};

static int plan_anew(const struct settings *settings, const struct input *input, struct flux_cancel *cancel,
                     struct replanned *planned)
{
    struct standing *standing = &planned->standing;
    struct flux_error error = {0};

    standing->options.cancel = cancel;
    if (flux_replan(input->graph, standing->fabric, standing->given.slots, standing->given.slot_count,
                    &standing->options, &planned->replan, &error))
        return report_failure(settings->operands[0], &error);
    planned->summary = (struct flux_replan_summary)FLUX_REPLAN_SUMMARY_INIT;
    (void)flux_replan_summary(planned->replan, &planned->summary);
    if (planned->summary.stopped == FLUX_STOPPED_CANCEL)
        report_note("interrupted; this is the best so far");
    return 0;
}

/* The workload becomes the one that runs: computes and sends take what they really take, and what is held back has a
 * release. Then old and new sends together are a schedule of it on the fabric as it was. */
static int whole_make(const struct settings *settings, struct input *input, struct flux_graph **graph,
                      struct replanned *planned)
{
    const struct flux_time *times = flux_replan_times(planned->replan, NULL);
    const struct flux_fabric *fabric = planned->standing.given.fabric;
    struct flux_error error = {0};
    uint64_t count;
    const struct flux_slot *slots = flux_replan_slots(planned->replan, &count);
    int rc = 0;

    input->graph = *graph = flux_import_take_graph(input->import);
    for (uint32_t v = 0; !rc && v < flux_graph_vertices(*graph); v++) {
        int64_t release = planned->standing.releases[v];
        struct flux_compute compute;

        if (!flux_graph_get_compute(*graph, v, &compute) && compute.duration != times[v].end - times[v].start)
            rc = flux_graph_set_duration(*graph, v, times[v].end - times[v].start);
        if (!rc && release)
            rc = flux_graph_set_release(*graph, v, release);
    }
    for (uint64_t i = 0; !rc && i < count; i++) {
        struct flux_send send;
        int64_t duration = 0;

        rc = flux_graph_get_send(*graph, slots[i].send, &send);
        if (!rc && !send.duration &&
            flux_fabric_duration(fabric, slots[i].switch_index, send.src, send.dst, send.bytes, &duration))
            duration = 0;
        duration = send.duration ? send.duration : duration;
        if (!rc && duration != slots[i].end - slots[i].start)
            rc = flux_graph_set_duration(*graph, slots[i].send, slots[i].end - slots[i].start);
    }
    if (rc) {
        report_error("%s", flux_error_name(rc));
        return STATUS_INPUT;
    }
    return flux_schedule_from_slots(*graph, fabric, slots, count, &planned->whole, &error)
               ? report_failure(settings->operands[0], &error)
               : 0;
}

/* A send that is left: its source, and where it is in the order of time. */
struct turn {
    uint32_t src;
    uint32_t send;
    int64_t start;
};

static int turns_compare(const void *left, const void *right)
{
    const struct turn *a = left, *b = right;

    if (a->src != b->src)
        return a->src < b->src ? -1 : 1;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return a->send < b->send ? -1 : a->send > b->send;
}

static int changes_find(const struct input *input, struct replanned *planned)
{
    const struct standing *standing = &planned->standing;
    uint64_t count, left = 0;
    const struct flux_slot *before = flux_schedule_slots(standing->plan, &count);
    const struct flux_slot *after = flux_replan_slots(planned->replan, &count); /* both by the number of the send */
    struct turn *turns = calloc(2 * count + 1, sizeof(*turns)), *anew = turns ? turns + count : NULL;

    if (!turns) {
        report_error("out of memory");
        return STATUS_INPUT;
    }
    for (uint64_t i = 0; i < count; i++) {
        struct flux_send send;

        if (standing->times[before[i].send].start >= 0)
            continue;
        flux_graph_get_send(input->graph, before[i].send, &send);
        planned->changes.moved += before[i].switch_index != after[i].switch_index;
        turns[left] = (struct turn){send.src, before[i].send, before[i].start};
        anew[left++] = (struct turn){send.src, before[i].send, after[i].start};
    }
    qsort(turns, left, sizeof(*turns), turns_compare);
    qsort(anew, left, sizeof(*anew), turns_compare);
    for (uint64_t i = 0; i < left; i++)
        planned->changes.reordered += turns[i].send != anew[i].send;
    free(turns);
    return 0;
}

static int files_write(const struct settings *settings, const struct input *input, const struct replanned *planned)
{
    const struct flux_fabric *fabric = planned->standing.given.fabric;
    struct flux_svg_options svg = FLUX_SVG_OPTIONS_INIT;
    struct flux_error error = {0};
    int status = 0, rc = 0;

    svg.from = settings->svg_from;
    svg.to = settings->svg_to;
    svg.width = settings->svg_width;
    if (settings->output)
        status = workload_write(WRITE_AUTO_SCHEDULE, settings->output, input->graph, fabric, planned->whole);
    if (!status && settings->rest)
        status = workload_write(WRITE_AUTO_SCHEDULE, settings->rest, flux_replan_graph(planned->replan),
                                flux_replan_fabric(planned->replan), flux_replan_schedule(planned->replan));
    if (status)
        return status;
    if (settings->csv)
        rc = flux_write_csv(settings->csv, input->graph, planned->whole, &error);
    if (!rc && settings->perfetto)
        rc = flux_write_perfetto(settings->perfetto, input->graph, fabric, planned->whole, &error);
    if (!rc && settings->svg)
        rc = flux_write_svg(settings->svg, input->graph, fabric, planned->whole, &svg, &error);
    return rc ? report_failure(NULL, &error) : 0;
}

static const char *found_name(uint32_t found)
{
    static const char *const names[] = {"shift", "order", "search"};

    return found < 3 ? names[found] : "unknown";
}

static int replan_json(const struct replanned *planned)
{
    const struct flux_replan_summary *summary = &planned->summary;
    const struct flux_schedule *rest = flux_replan_schedule(planned->replan);
    json_t *object = json_object();
    int failed = json_put(object, "at_ps", json_integer(planned->standing.options.now));

    failed |= json_put(object, "begin_ps", json_integer(summary->begin));
    failed |= json_put(object, "planned_ps", json_integer(flux_schedule_makespan(planned->standing.plan)));
    failed |= json_put(object, "shifted_ps", json_integer(summary->shifted));
    failed |= json_put(object, "makespan_ps", json_integer(summary->makespan));
    failed |= json_put(object, "bound_ps", json_integer(summary->bound));
    failed |= json_put(object, "gap", json_real(gap_of(flux_schedule_makespan(rest), flux_schedule_bound(rest))));
    failed |= json_put(object, "done", json_integer((json_int_t)summary->done));
    failed |= json_put(object, "under_way", json_integer((json_int_t)summary->under_way));
    failed |= json_put(object, "left", json_integer((json_int_t)summary->left));
    failed |= json_put(object, "lost", json_integer((json_int_t)planned->standing.lost));
    failed |= json_put(object, "moved", json_integer((json_int_t)planned->changes.moved));
    failed |= json_put(object, "reordered", json_integer((json_int_t)planned->changes.reordered));
    failed |= json_put(object, "found_by", json_string(found_name(summary->found)));
    failed |= json_put(object, "constructions", json_integer((json_int_t)summary->constructions));
    failed |= json_put(object, "stopped", json_string(flux_stopped_name(summary->stopped)));
    failed |= json_put(object, "seconds", json_real((double)summary->elapsed_ns * 1e-9));
    failed |= json_put(object, "certificate",
                       json_certificate(flux_replan_graph(planned->replan), flux_schedule_certificate(rest)));
    return json_finish(object, failed);
}

static void changed_row(FILE *out, const struct settings *settings, const struct replanned *planned)
{
    const struct {
        const char *what;
        const char *value;
    } said[] = {{"dead port ", settings->dead_ports},
                {"dead switch ", settings->dead_switches},
                {"late ", settings->late},
                {"stragglers ", settings->stragglers},
                {"as told in ", settings->ran}};
    char text[512] = "";
    size_t used = 0;

    for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++) {
        if (said[i].value && used < sizeof(text))
            used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s%s", used ? "; " : "", said[i].what,
                                     said[i].value);
    }
    if (planned->standing.lost && used < sizeof(text))
        snprintf(text + used, sizeof(text) - used, "; %llu under way sent again",
                 (unsigned long long)planned->standing.lost);
    table_row(out, "different", "%s", used ? text : "nothing");
}

static void replan_table(const struct settings *settings, const struct input *input, const struct replanned *planned)
{
    FILE *out = output_table(settings);
    const struct flux_replan_summary *summary = &planned->summary;
    const struct flux_schedule *rest = flux_replan_schedule(planned->replan);
    int64_t before = flux_schedule_makespan(planned->standing.plan), gained = summary->shifted - summary->makespan;
    const char *files[] = {settings->output, settings->rest, settings->csv, settings->perfetto, settings->svg};
    char text[256], certificate[128];

    table_row(out, "workload", "%u sends on %u GPUs", flux_graph_sends(input->graph), flux_graph_gpus(input->graph));
    table_row(out, "fabric", "%s", fabric_describe(planned->standing.given.fabric, text, sizeof(text)));
    table_row(out, "at", "%s: %llu sends done, %llu under way, %llu left",
              flux_time_format(settings->at, text, sizeof(text)), (unsigned long long)summary->done,
              (unsigned long long)summary->under_way, (unsigned long long)summary->left);
    changed_row(out, settings, planned);
    table_row(out, "planned", "%s", flux_time_format(before, text, sizeof(text)));
    table_row(out, "right shift", "%s", flux_time_format(summary->shifted, text, sizeof(text)));
    table_row(out, "makespan", "%s", flux_time_format(summary->makespan, text, sizeof(text)));
    flux_time_format(gained, text, sizeof(text));
    if (summary->shifted > before)
        table_row(out, "regained", "%s, %.3g %% of what the right shift loses", text,
                  100.0 * (double)gained / (double)(summary->shifted - before));
    else
        table_row(out, "regained", "%s", text);
    table_row(out, "bound", "%s by %s", flux_time_format(summary->bound, text, sizeof(text)),
              certificate_describe(flux_schedule_certificate(rest), certificate, sizeof(certificate)));
    table_row(out, "gap", "%.4g %% of what is left",
              100.0 * gap_of(flux_schedule_makespan(rest), flux_schedule_bound(rest)));
    table_row(out, "changed", "%llu sends on another switch, %llu at another place in the order of their source",
              (unsigned long long)planned->changes.moved, (unsigned long long)planned->changes.reordered);
    table_row(out, "found by", "%s, %llu plans, stopped: %s", found_name(summary->found),
              (unsigned long long)summary->constructions, flux_stopped_name(summary->stopped));
    table_row(out, "time", "%.4f s (reading the input: %.3f s)", (double)summary->elapsed_ns * 1e-9, input->seconds);
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        if (files[i] && !(files[i][0] == '-' && !files[i][1]))
            table_row(out, "written", "%s", files[i]);
    }
}

static int results_make(const struct settings *settings, struct input *input, struct flux_cancel *cancel,
                        struct flux_graph **graph, struct replanned *planned)
{
    int status = plan_anew(settings, input, cancel, planned);

    if (!status)
        status = changes_find(input, planned);
    if (!status)
        status = whole_make(settings, input, graph, planned);
    if (!status)
        status = files_write(settings, input, planned);
    if (!status && settings->json)
        return replan_json(planned);
    if (!status)
        replan_table(settings, input, planned);
    return status;
}

static int replan_run(const struct settings *settings)
{
    int elsewhere = settings->output || settings->rest || settings->csv || settings->perfetto || settings->svg;
    struct replanned planned = {0};
    struct flux_graph *graph = NULL;
    struct flux_cancel *cancel = NULL;
    struct input input;
    int status = output_check(settings);

    if (!status && settings->at == TIME_UNSET)
        status = report_usage(settings->command, "--at TIME is missing: how far the iteration is, such as --at 115ms");
    if (!status && settings->svg_to && settings->svg_to <= settings->svg_from)
        status = report_usage(settings->command, "--svg-to must be after --svg-from");
    if (status)
        return status;
    status = input_load(settings, settings->operands[0], &input);
    if (!status && flux_cancel_new(NULL, &cancel)) {
        report_error("out of memory");
        status = STATUS_INPUT;
    }
    if (!status)
        status = standing_load(settings, &input, &planned.standing);
    if (!status) {
        interrupt_catch(cancel);
        status = results_make(settings, &input, cancel, &graph, &planned);
        interrupt_release();
    }
    if (!status)
        status = output_finish(elsewhere && !settings->json);
    flux_schedule_free(planned.whole);
    flux_replan_free(planned.replan);
    standing_free(&planned.standing);
    flux_cancel_free(cancel);
    flux_graph_free(graph);
    input_free(&input);
    return status;
}

const struct command command_replan = {
    .name = "replan",
    .operands = "INPUT [SCHEDULE]",
    .operands_min = 1,
    .operands_max = 2,
    .groups = GROUP_TRACE | GROUP_COLLECTIVES | GROUP_FABRIC | GROUP_REPLAN | GROUP_SCHEDULE_FILES | GROUP_COMMON,
    .summary = "the rest of an iteration that is under way, planned anew",
    .description =
        "Takes the schedule in the document INPUT, or the one in SCHEDULE of the workload in INPUT, up to a time:\n"
        "what began before it stays as it was. The rest is planned anew, with ports that are dead, GPUs that are\n"
        "late and whatever went otherwise; never worse than the old plan shifted to the right. What is written is the\n"
        "whole iteration, on the fabric as it was: the next replan takes it.",
    .example = "  flux-ocs replan tests/data/cli/pair.yaml --at 12us --dead-port 1:1 -o build/anew.yaml\n"
               "  flux-ocs replan tests/data/cli/pair.yaml --at 12us --late 1=3us --deadline 10ms --json\n",
    .run = replan_run,
};
