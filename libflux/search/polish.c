/* SPDX-License-Identifier: Apache-2.0
 *
 * search/polish.c - first a descent: every send in turn goes where fewest circuits are set up. Then a walk: a send goes
 * anywhere, its old and new neighbours go where that is best for them, and all of it is taken back where the plan got
 * worse (iterated local search: Lourenco, Martin and Stuetzle, 2003). The limit on the makespan is never left.
 */
#include "search/polish.h"

#include "search/exchange.h"
#include "search/reseat.h"

#include <libflux/error.h>
#include <string.h>

#define DESCENTS 8u
#define WALKS 3u
#define SETTLE_EVERY 32u                 /* turns taken */
#define MOVES_MOST 40u                   /* of a turn */
#define WALK_NODES (1u << 15)            /* larger plans get the descent alone */
#define DESCENT_WORK (UINT64_C(1) << 19) /* of all descents in a row, but for the first two */
#define WALK_WORK (UINT64_C(1) << 19)    /* of each walk, without limits */
#define WALK_IDLE 500u                   /* turns without anything better, and so many for each send: then it ends */
#define WALK_IDLE_SEND 16u
#define PICKS 4          /* draws for a send that changes a circuit */
#define MEASURE_SHARE 8u /* measuring a node costs so much less than placing one */
#define COPY_SHARE 64u

struct move {
    uint32_t node;
    struct flux_seat from;
};

struct polish {
    const struct flux_problem *problem;
    struct flux_control *control;
    uint32_t objectives;
    uint32_t fewer; /* 1: leaps look for fewer circuits set up */
    uint32_t moves;
    struct flux_arena arena;
    struct flux_users users;
    struct flux_gauge gauge;
    struct flux_exchange exchange;
    struct flux_measures best;
    struct flux_random random;
    uint32_t *send; /* nodes that are sends */
    int64_t *early; /* times before the turn */
    int64_t *late;
    struct move move[MOVES_MOST];
};

static int watch(struct polish *polish)
{
    uint64_t work = polish->users.work;
    polish->users.work = 0;
    return flux_control_poll(polish->control, work) != FLUX_STOPPED_DONE;
}

/* Is it the first or the last before circuits change? Others gain nothing elsewhere. */
static int is_at_change(const struct flux_users *users, uint32_t node)
{
    if (flux_reseat_changes(users, node))
        return 1;
    for (uint32_t side = 0; side < 2; side++) {
        const struct flux_user_line *line = &users->line[flux_users_port(users, node, side, users->switch_of[node])];
        uint32_t next = users->at[2 * (uint64_t)node + side] + 1;
        if (next < line->count && flux_reseat_changes(users, line->entry[next] >> 1))
            return 1;
    }
    return 0;
}

/* Every such send once, in the order of time or against it: those that wait for each other then move one after the
 * other. */
static int descend(struct polish *polish, int backward, int64_t *saved)
{
    struct flux_users *users = &polish->users;
    int rc = flux_users_settle(users);
    *saved = 0;
    for (uint32_t i = 0; i < polish->problem->nodes && rc >= 0; i++) {
        struct flux_seat from;
        int32_t change;
        uint32_t v = users->order[backward ? polish->problem->nodes - 1 - i : i];
        if (users->switch_of[v] == FLUX_NONE || !is_at_change(users, v))
            continue;
        rc = flux_reseat(users, v, NULL, 0, &change, &from);
        *saved -= change;
        if (rc == 1)
            *saved += change == 0; /* more of its circuit beside it: it is worth another look */
        if (i % 1024 == 1023 && watch(polish))
            break;
    }
    return rc < 0 ? rc : FLUX_OK;
}

/* 1: taken, 0: not, and all is as before, or MEMORY. */
static int try_exchange(struct polish *polish, uint32_t node, uint32_t k, int32_t dearer, int32_t *change)
{
    struct flux_exchange *exchange = &polish->exchange;
    int rc = flux_exchange(exchange, node, k, change);
    if (rc != 1)
        return rc;
    if (*change > dearer)
        return flux_exchange_back(exchange);
    for (uint32_t i = 0; i < exchange->count; i++)
        flux_users_pin(&polish->users, exchange->chain[i]);
    return 1;
}

/* Every send that changes its circuit once, and every switch. */
static int descend_by_exchange(struct polish *polish, int64_t *saved) /* adds to it */
{
    struct flux_users *users = &polish->users;
    const struct flux_control *control = polish->control;
    uint64_t end = control->work + DESCENT_WORK;
    int rc = flux_users_settle(users);
    for (uint32_t i = 0; i < polish->problem->nodes && rc >= 0; i++) {
        uint32_t v = users->order[i];
        for (uint32_t k = 0; k < polish->problem->switches && rc >= 0 && users->switch_of[v] != FLUX_NONE; k++) {
            int32_t change;
            if (k == users->switch_of[v] || !flux_reseat_changes(users, v))
                continue;
            rc = try_exchange(polish, v, k, -1, &change);
            *saved -= rc == 1 ? change : 0;
        }
        if ((i % 256 == 255 && watch(polish)) || control->work + users->work >= end)
            break;
    }
    return rc < 0 ? rc : FLUX_OK;
}

static int try_node(struct polish *polish, uint32_t node, struct flux_random *random, int32_t *sum)
{
    struct move *move = &polish->move[polish->moves];
    int32_t change;
    uint32_t dearer = polish->fewer ? 1 : 4;
    int rc = flux_reseat(&polish->users, node, random, dearer, &change, &move->from);
    move->node = node;
    *sum += change;
    polish->moves += rc == 1;
    return rc;
}

/* Those around a seat, on both its ports. */
static uint32_t list_around(const struct flux_users *users, uint32_t node, const struct flux_seat *seat,
                            uint32_t *found)
{
    uint32_t count = 0;
    for (uint32_t side = 0; side < 2; side++) {
        const struct flux_user_line *line = &users->line[flux_users_port(users, node, side, seat->k)];
        uint32_t first = seat->index[side] > 2 ? seat->index[side] - 2 : 0;
        for (uint32_t i = first; i < line->count && i < seat->index[side] + 3; i++)
            found[count++] = line->entry[i] >> 1;
    }
    return count;
}

/* A send somewhere else, and its neighbours after it. 1: something moved. */
static int leap(struct polish *polish, int32_t *sum)
{
    const struct flux_users *users = &polish->users;
    uint32_t around[20], v = 0;
    *sum = 0;
    polish->moves = 0;
    for (int i = 0; i < PICKS; i++) {
        v = polish->send[flux_random_below(&polish->random, polish->problem->sends)];
        if (!polish->fewer || flux_reseat_changes(users, v))
            break;
    }
    int rc = try_node(polish, v, &polish->random, sum);
    if (rc != 1)
        return rc;
    if (!polish->fewer)
        return 1;
    uint32_t count = list_around(users, v, &polish->move[0].from, around);
    struct flux_seat seat = flux_users_seat(users, v);
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < count && rc >= 0; i++)
            rc = try_node(polish, around[i], NULL, sum);
        count = list_around(users, v, &seat, around);
        seat = flux_users_seat(users, v);
    }
    return rc < 0 ? rc : 1;
}

static int take_back(struct polish *polish)
{
    int rc = FLUX_OK;
    while (polish->moves > 0 && !rc) {
        const struct move *move = &polish->move[--polish->moves];
        flux_users_take_out(&polish->users, move->node);
        rc = flux_users_put_back(&polish->users, move->node, &move->from);
    }
    memcpy(polish->users.early, polish->early, polish->problem->nodes * sizeof *polish->early);
    memcpy(polish->users.late, polish->late, polish->problem->nodes * sizeof *polish->late);
    return rc;
}

static int measure(struct polish *polish, struct flux_measures *measures)
{
    struct flux_users *users = &polish->users;
    int rc = flux_users_settle(users);
    measures->reconfigurations = flux_reseat_count(users);
    if (!rc)
        rc = flux_gauge_memory(&polish->gauge, users->switch_of, users->early, &measures->memory);
    measures->slack = flux_gauge_slack(polish->problem, users->early, users->late, users->limit);
    users->work += polish->problem->nodes / MEASURE_SHARE + 1;
    return rc;
}

/* Is the plan after a leap to be kept? 1: as good, 2: better, 0: worse, or MEMORY. */
static int judge(struct polish *polish, int32_t sum, int whole)
{
    struct flux_measures measures;
    if (!whole)
        return sum > 0 ? 0 : sum < 0 ? 2 : 1;
    if (sum > 0 && polish->objectives & FLUX_OBJECTIVE_RECONFIGURATIONS)
        return 0;
    int rc = measure(polish, &measures);
    if (rc)
        return rc;
    int order = flux_measures_compare(&measures, &polish->best, polish->objectives);
    if (order <= 0)
        polish->best = measures;
    return order > 0 ? 0 : order < 0 ? 2 : 1;
}

/* One walk; `whole`: by all objectives, else by the number of circuits set up alone. */
static int walk(struct polish *polish, int whole)
{
    const struct flux_control *control = polish->control;
    struct flux_users *users = &polish->users;
    uint64_t size = polish->problem->nodes * sizeof *polish->early, from = control->work;
    int limited = control->work_limit != UINT64_MAX || control->deadline_ns != UINT64_MAX;
    uint64_t most = WALK_IDLE + (uint64_t)WALK_IDLE_SEND * polish->problem->sends;
    uint32_t taken = 0;
    polish->fewer = !whole || polish->objectives & FLUX_OBJECTIVE_RECONFIGURATIONS;
    int rc = whole ? measure(polish, &polish->best) : flux_users_settle(users);
    for (uint64_t idle = 0; idle < most && rc >= 0; idle++) {
        int32_t sum;
        if (watch(polish) || (!limited && control->work - from >= WALK_WORK))
            break;
        memcpy(polish->early, users->early, size);
        memcpy(polish->late, users->late, size);
        users->work += polish->problem->nodes / COPY_SHARE + 1;
        rc = leap(polish, &sum);
        if (rc != 1)
            continue;
        rc = judge(polish, sum, whole);
        idle = rc == 2 ? 0 : idle;
        if (rc == 0)
            rc = take_back(polish);
        else if (rc > 0 && ++taken % SETTLE_EVERY == 0)
            rc = flux_users_settle(users);
    }
    if (rc >= 0)
        rc = flux_users_settle(users);
    return rc < 0 ? rc : FLUX_OK;
}

static int set_up_less(struct polish *polish)
{
    const struct flux_control *control = polish->control;
    uint64_t end = control->work + DESCENT_WORK;
    int rc = FLUX_OK;
    for (uint32_t i = 0, idle = 0; i < DESCENTS && idle < 2 && !rc && !control->stopped; i++) {
        int64_t saved;
        rc = descend(polish, i % 2 != 0, &saved);
        if (!rc)
            rc = descend_by_exchange(polish, &saved);
        idle = saved > 0 ? 0 : idle + 1;
        if (control->work >= end && i > 0)
            break;
    }
    return rc;
}

/* Fewer circuits set up leave more slack, most often: a place to begin for the others, too. */
static int begin(struct polish *polish, const struct flux_plan *plan, const struct flux_measures *before)
{
    struct flux_measures measures;
    int rc = set_up_less(polish);
    if (rc || polish->objectives & FLUX_OBJECTIVE_RECONFIGURATIONS)
        return rc;
    if (polish->problem->nodes <= WALK_NODES)
        rc = walk(polish, 0);
    if (rc)
        return rc;
    rc = measure(polish, &measures);
    if (!rc && flux_measures_compare(&measures, before, polish->objectives) > 0)
        rc = flux_users_load(&polish->users, plan);
    return rc;
}

static int search(struct polish *polish, const struct flux_plan *plan, const struct flux_measures *before)
{
    int rc = begin(polish, plan, before);
    if (polish->problem->nodes > WALK_NODES)
        return rc ? rc : flux_users_settle(&polish->users);
    for (uint32_t i = 0; i < WALKS && polish->objectives & FLUX_OBJECTIVE_RECONFIGURATIONS && !rc; i++) {
        rc = walk(polish, 0);
        if (!rc)
            rc = set_up_less(polish);
    }
    if (!rc && polish->objectives & ~(uint32_t)FLUX_OBJECTIVE_RECONFIGURATIONS)
        rc = walk(polish, 1);
    return rc;
}

static int init(struct polish *polish, const struct flux_plan *plan)
{
    const struct flux_problem *problem = polish->problem;
    uint32_t sends = 0;
    int rc = flux_users_init(&polish->users, problem, &polish->arena);
    if (!rc)
        rc = flux_gauge_init(&polish->gauge, problem, &polish->arena);
    if (!rc)
        rc = flux_exchange_init(&polish->exchange, &polish->users, &polish->arena);
    polish->send = flux_arena_alloc(&polish->arena, problem->sends, sizeof *polish->send);
    polish->early = flux_arena_alloc(&polish->arena, problem->nodes, sizeof *polish->early);
    polish->late = flux_arena_alloc(&polish->arena, problem->nodes, sizeof *polish->late);
    if (rc || !polish->send || !polish->early || !polish->late)
        return FLUX_E_MEMORY;
    for (uint32_t v = 0; v < problem->nodes; v++)
        if (flux_problem_is_send(problem, v))
            polish->send[sends++] = v;
    polish->users.limit = plan->makespan;
    return flux_users_load(&polish->users, plan);
}

/* Of any plan; the users are loaded with it on the way. */
static int measure_plan(struct flux_users *users, struct flux_gauge *gauge, const struct flux_plan *plan,
                        struct flux_measures *measures)
{
    const struct flux_problem *problem = users->problem;
    users->limit = plan->makespan;
    int rc = flux_users_load(users, plan);
    if (rc)
        return rc;
    measures->reconfigurations = flux_reseat_count(users);
    rc = flux_gauge_memory(gauge, plan->switch_of, plan->start, &measures->memory);
    measures->slack = problem->staged ? -1 : flux_gauge_slack(problem, plan->start, users->late, plan->makespan);
    return rc;
}

int flux_polish_measure(const struct flux_problem *problem, const struct flux_plan *plan,
                        struct flux_measures *measures)
{
    struct flux_arena arena;
    struct flux_users users;
    struct flux_gauge gauge;
    flux_arena_init(&arena, problem->arena.memory);
    *measures = (struct flux_measures){0, 0, 0};
    int rc = flux_users_init(&users, problem, &arena);
    if (!rc)
        rc = flux_gauge_init(&gauge, problem, &arena);
    if (!rc)
        rc = measure_plan(&users, &gauge, plan, measures);
    flux_arena_free(&arena);
    return rc;
}

/* Takes what the search found if it is better than what there was. */
static int take(struct polish *polish, struct flux_plan *plan, const struct flux_measures *before,
                struct flux_measures *after)
{
    struct flux_plan next;
    struct flux_measures measures;
    int rc = flux_plan_alloc(&next, polish->problem, &polish->arena);
    if (rc)
        return rc;
    flux_users_read(&polish->users, &next);
    if (polish->objectives & FLUX_OBJECTIVE_MEMORY && !polish->control->stopped)
        rc = flux_polish_delay(&polish->users, &polish->gauge, polish->control, &next, &polish->arena);
    if (!rc)
        rc = measure_plan(&polish->users, &polish->gauge, &next, &measures);
    if (rc || next.makespan > plan->makespan || flux_measures_compare(&measures, before, polish->objectives) >= 0)
        return rc;
    flux_plan_copy(plan, &next, polish->problem);
    *after = measures;
    return FLUX_OK;
}

int flux_polish(const struct flux_problem *problem, struct flux_control *control, uint32_t objectives,
                struct flux_plan *plan, struct flux_measures *before, struct flux_measures *after)
{
    struct polish polish = {
        .problem = problem, .control = control, .objectives = objectives, .random = {control->options->seed}};
    int rc = flux_polish_measure(problem, plan, before);
    *after = *before;
    if (rc || problem->staged || problem->sends < 2 || problem->nodes >= FLUX_NONE / 2 || control->stopped)
        return rc;
    flux_arena_init(&polish.arena, control->memory);
    rc = init(&polish, plan);
    if (!rc)
        rc = search(&polish, plan, before);
    if (!rc)
        rc = take(&polish, plan, before, after);
    (void)watch(&polish);
    flux_arena_free(&polish.arena);
    return rc;
}
