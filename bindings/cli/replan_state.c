/* SPDX-License-Identifier: Apache-2.0
 *
 * replan_state.c - where an iteration stands: its plan until now, and what the command line says that is different.
 */
#include "cli.h"
#include <stdlib.h>

static int out_of_memory(void)
{
    report_error("out of memory");
    return STATUS_INPUT;
}

static int plan_load(const struct settings *settings, const struct input *input, struct standing *standing)
{
    struct flux_error error = {0};
    int status = given_load(settings, input, &standing->given), rc;

    if (status)
        return status;
    if (!standing->given.slots) {
        report_note("there is no schedule in %s: one is made", settings->operands[0]);
        if (flux_schedule(input->graph, input->fabric, NULL, &standing->plan, &error))
            return report_failure(settings->operands[0], &error);
        standing->given.slots = flux_schedule_slots(standing->plan, &standing->given.slot_count);
        return 0;
    }
    rc = flux_schedule_from_slots(input->graph, standing->given.fabric, standing->given.slots,
                                  standing->given.slot_count, &standing->plan, &error);
    if (!rc)
        return 0;
    status = report_failure(settings->operands[settings->operand_count - 1], &error);
    return rc == FLUX_E_MISMATCH ? STATUS_FAILED : status;
}

static int rooms_make(const struct input *input, struct standing *standing)
{
    uint32_t vertices = flux_graph_vertices(input->graph), gpus = flux_graph_gpus(input->graph);
    uint64_t rows, initial;

    (void)flux_schedule_circuits(standing->plan, &rows);
    (void)flux_fabric_initial(standing->given.fabric, &initial);
    standing->times = calloc(vertices + UINT64_C(1), sizeof(*standing->times));
    standing->circuits = calloc(rows + initial + 1, sizeof(*standing->circuits));
    standing->releases = calloc(vertices + UINT64_C(1), sizeof(*standing->releases));
    standing->factors = calloc(gpus, sizeof(*standing->factors));
    return standing->times && standing->circuits && standing->releases && standing->factors ? 0 : out_of_memory();
}

/* What was under way through a port that is dead now is lost, and to be sent again. */
static void losses_find(const struct input *input, int64_t now, struct standing *standing)
{
    uint64_t count;
    const struct flux_slot *slots = flux_schedule_slots(standing->plan, &count);

    for (uint64_t i = 0; i < count; i++) {
        struct flux_time *time = &standing->times[slots[i].send];
        uint32_t k = slots[i].switch_index;
        struct flux_send send;

        flux_graph_get_send(input->graph, slots[i].send, &send);
        if (time->start < 0 || (time->end >= 0 && time->end <= now) ||
            (!flux_fabric_dead(standing->fabric, send.src, k) && !flux_fabric_dead(standing->fabric, send.dst, k)))
            continue;
        *time = (struct flux_time){-1, -1};
        standing->lost++;
    }
}

/* Of a late GPU, what is computed now takes so much longer, and nothing else begins before. */
static int lateness_apply(const struct input *input, int64_t now, const int64_t *late, struct standing *standing)
{
    for (uint32_t v = 0; v < flux_graph_vertices(input->graph); v++) {
        struct flux_time *time = &standing->times[v];
        struct flux_compute compute;
        struct flux_send send;
        int is_compute = flux_graph_get_compute(input->graph, v, &compute) == 0;
        int64_t wait;

        if (!is_compute && flux_graph_get_send(input->graph, v, &send))
            continue;
        wait = late[is_compute ? compute.gpu : send.src];
        if (wait == 0)
            continue;
        if (now > FLUX_TIME_MAX - wait || time->end > FLUX_TIME_MAX - wait || time->start > FLUX_TIME_MAX - wait) {
            report_error("--late: that is beyond 2^62 ps");
            return STATUS_INPUT;
        }
        if (time->start < 0)
            standing->releases[v] = now + wait;
        else if (is_compute && time->end < 0 && compute.duration <= FLUX_TIME_MAX - time->start - wait)
            time->end = time->start + compute.duration + wait;
        else if (is_compute && time->end > now)
            time->end += wait;
    }
    return 0;
}

static int disturbances_apply(const struct settings *settings, const struct input *input, struct standing *standing)
{
    uint32_t gpus = flux_graph_gpus(input->graph);
    int64_t *late = calloc(gpus, sizeof(*late));
    int status = late ? late_parse(settings, gpus, late) : out_of_memory();

    if (!status)
        status = stragglers_parse(settings, gpus, standing->factors);
    if (!status)
        status = fabric_twin(standing->given.fabric, &standing->fabric);
    if (!status)
        status = dead_parse(settings, standing->fabric);
    if (!status) {
        losses_find(input, settings->at, standing);
        status = lateness_apply(input, settings->at, late, standing);
    }
    free(late);
    return status;
}

int standing_load(const struct settings *settings, const struct input *input, struct standing *standing)
{
    const struct flux_replan_options options = FLUX_REPLAN_OPTIONS_INIT;
    int status = plan_load(settings, input, standing);

    standing->options = options;
    if (!status)
        status = rooms_make(input, standing);
    if (status)
        return status;
    if (flux_schedule_state(standing->plan, standing->given.fabric, settings->at, standing->times, standing->circuits,
                            &standing->options.circuit_count)) {
        report_error("no state at that time");
        return STATUS_INPUT;
    }
    /* Where things went otherwise the planned circuits say nothing: the last that was used at a port is there. */
    if (settings->ran)
        standing->options.circuit_count = 0;
    else
        standing->options.circuits = standing->circuits;
    if (settings->ran)
        status = ran_read(settings, input->graph, settings->at, standing->times);
    if (!status)
        status = disturbances_apply(settings, input, standing);
    standing->options.now = settings->at;
    standing->options.times = standing->times;
    standing->options.time_count = flux_graph_vertices(input->graph);
    standing->options.releases = standing->releases;
    standing->options.release_count = standing->options.time_count;
    standing->options.factors_ppm = standing->factors;
    standing->options.factor_count = flux_graph_gpus(input->graph);
    standing->options.time_limit_ns = ((uint64_t)settings->time_limit + FLUX_NS - 1) / FLUX_NS;
    standing->options.seed = settings->seed;
    return status;
}

void standing_free(struct standing *standing)
{
    free(standing->factors);
    free(standing->releases);
    free(standing->circuits);
    free(standing->times);
    flux_fabric_free(standing->fabric);
    flux_schedule_free(standing->plan);
    given_free(&standing->given);
}
