/* SPDX-License-Identifier: Apache-2.0 */
#include "search/polish.h"

#include <libflux/error.h>

#define TRIES 512u
#define NODES (1u << 22) /* measured at most; one try more */
#define MEASURE_SHARE 8u

struct delay {
    const struct flux_users *users;
    struct flux_gauge *gauge;
    struct flux_plan *plan;
    int64_t *most; /* by node: how late it could start, all other sends as they are */
    uint64_t peak;
    uint32_t reach; /* GPUs that reach it */
    uint32_t tries;
    uint32_t tries_most;
};

/* The next user of a port, or under DUPLEX those that it holds up: whoever starts first behind it. */
static int64_t due_at_port(const struct flux_users *users, uint32_t node, uint32_t side, const int64_t *start)
{
    const struct flux_problem *problem = users->problem;
    uint32_t k = users->switch_of[node];
    const struct flux_user_line *line = &users->line[flux_users_port(users, node, side, k)];
    int64_t due = users->limit;
    for (uint32_t i = users->at[2 * (uint64_t)node + side] + 1; i < line->count; i++) {
        uint32_t other = line->entry[i] >> 1;
        int same = problem->circuit[other] == problem->circuit[node];
        if (same && problem->src[other] != problem->src[node])
            continue;
        int64_t time = start[other] - (same ? 0 : problem->delay[k]);
        due = time < due ? time : due;
        /* Behind another circuit in this direction there may be an earlier one in the other. */
        if (!users->lanes.watch || same || i + 1 == line->count ||
            problem->circuit[line->entry[i + 1] >> 1] != problem->circuit[other])
            break;
    }
    return due;
}

/* Joins as late as what waits for them lets them. */
static void find_most(struct delay *delay)
{
    const struct flux_users *users = delay->users;
    const struct flux_problem *problem = users->problem;
    const int64_t *start = delay->plan->start;
    for (uint32_t v = problem->nodes; v-- > 0;) {
        int64_t due = users->limit - problem->rest[v];
        for (uint64_t i = problem->out_first[v]; i < problem->out_first[v + 1]; i++) {
            uint32_t w = problem->out[i].node;
            int64_t time = (users->switch_of[w] == FLUX_NONE ? delay->most[w] : start[w]) - problem->out[i].lag;
            due = time < due ? time : due;
        }
        for (uint32_t side = 0; side < 2 && users->switch_of[v] != FLUX_NONE; side++) {
            int64_t time = due_at_port(users, v, side, start);
            due = time < due ? time : due;
        }
        delay->most[v] = due - flux_users_duration(users, v);
    }
}

static int look(struct delay *delay, uint64_t *peak, uint32_t *reach)
{
    const struct flux_problem *problem = delay->users->problem;
    int rc = flux_gauge_memory(delay->gauge, delay->users->switch_of, delay->plan->start, peak);
    *reach = 0;
    for (uint32_t g = 0; g < problem->gpus && !rc; g++)
        *reach += delay->gauge->peak[g] == *peak;
    return rc;
}

/* Starts `node` as late as it could. 1: that helps, 0: not, and it is as before, or MEMORY. */
static int try_delay(struct delay *delay, uint32_t node)
{
    int64_t *start = &delay->plan->start[node], before = *start;
    uint64_t peak;
    uint32_t reach;
    *start = delay->most[node];
    int rc = look(delay, &peak, &reach);
    delay->tries++;
    if (rc)
        return rc;
    if (peak < delay->peak || (peak == delay->peak && reach < delay->reach)) {
        delay->peak = peak;
        delay->reach = reach;
        return 1;
    }
    *start = before;
    return 0;
}

/* When GPU g is at its peak, from the rows that were measured last: sends ready by then, in ready. */
static int64_t peak_time(const struct delay *delay, uint32_t gpu)
{
    const struct flux_problem *problem = delay->users->problem;
    const struct flux_gauge *gauge = delay->gauge;
    uint64_t held = 0;
    for (uint64_t i = 0; i < gauge->rows; i++) {
        uint32_t row = gauge->order[i], v = row < problem->nodes ? row : row - problem->nodes;
        if (problem->src[v] != gpu)
            continue;
        held = row < problem->nodes ? held - problem->bytes[v] : held + problem->bytes[v];
        if (held >= gauge->peak[gpu])
            return gauge->time[row];
    }
    return -1;
}

/* Of those that `node` waits for, one after the other, whose delay makes it ready after `time` only. */
static int delay_before(struct delay *delay, uint32_t node, int64_t time)
{
    const struct flux_problem *problem = delay->users->problem;
    for (uint64_t i = problem->in_first[node]; i < problem->in_first[node + 1] && delay->tries < delay->tries_most;
         i++) {
        uint32_t u = problem->in[i].node;
        if (delay->users->switch_of[u] == FLUX_NONE)
            continue;
        int64_t after = flux_users_duration(delay->users, u) + problem->in[i].lag;
        if (delay->plan->start[u] + after > time || delay->most[u] + after <= time)
            continue;
        int rc = try_delay(delay, u);
        if (rc)
            return rc;
    }
    return 0;
}

/* 1 where some delay lowered the peak of the fullest GPUs. */
static int step(struct delay *delay)
{
    const struct flux_problem *problem = delay->users->problem;
    const struct flux_gauge *gauge = delay->gauge;
    uint64_t peak;
    uint32_t reach, gpu = 0;
    int rc = look(delay, &peak, &reach);
    find_most(delay);
    while (!rc && gpu < problem->gpus && gauge->peak[gpu] < peak)
        gpu++;
    if (rc || gpu == problem->gpus || peak == UINT64_MAX)
        return rc;
    int64_t time = peak_time(delay, gpu);
    for (uint64_t i = problem->touch_first[gpu]; i < problem->touch_first[gpu + 1] && delay->tries < delay->tries_most;
         i++) {
        uint32_t v = problem->touch[i];
        if (problem->src[v] != gpu || !problem->bytes[v] || delay->plan->start[v] <= time)
            continue;
        rc = delay_before(delay, v, time);
        if (rc)
            return rc;
    }
    return 0;
}

int flux_polish_delay(const struct flux_users *users, struct flux_gauge *gauge, struct flux_control *control,
                      struct flux_plan *plan, struct flux_arena *arena)
{
    struct delay delay = {.users = users, .gauge = gauge, .plan = plan};
    delay.most = flux_arena_alloc(arena, users->problem->nodes, sizeof *delay.most);
    delay.tries_most = NODES / (users->problem->nodes + 1) + 1;
    delay.tries_most = delay.tries_most < TRIES ? delay.tries_most : TRIES;
    int rc = delay.most ? look(&delay, &delay.peak, &delay.reach) : FLUX_E_MEMORY;
    if (!rc)
        rc = 1;
    while (rc == 1 && delay.tries < delay.tries_most) {
        uint32_t tries = delay.tries;
        rc = step(&delay);
        if (flux_control_poll(control,
                              (delay.tries - tries + 1) * (uint64_t)(users->problem->nodes / MEASURE_SHARE + 1)))
            break;
    }
    return rc < 0 ? rc : FLUX_OK;
}
