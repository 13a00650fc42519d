/* SPDX-License-Identifier: Apache-2.0
 *
 * flux_check() against the rules spelled out here once more, pair by pair and begin by begin, on random schedules of
 * small problems and on what random changes make of them: both must say the same every time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/pairwise.h"
#include "../support/random_problem.h"

#include <libflux/flux.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SENDS_MAX 8u
#define ROWS_MAX (SENDS_MAX + 2u)
#define MUTATIONS_PER_SCHEDULE 12u

struct dice {
    uint64_t state;
};

static uint32_t roll(struct dice *dice, uint32_t below)
{
    dice->state = dice->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(dice->state >> 33) % below;
}

/* A send on a switch, with all that the rules ask about it. */
struct user {
    uint32_t send;
    uint32_t k;
    uint32_t src;
    uint32_t dst;
    int64_t start;
    int64_t end;
};

struct world {
    struct random_problem problem;
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_slot slots[ROWS_MAX];
    uint32_t count;
};

/* Time of a send on switch k, -1 where k cannot carry it. */
static int64_t duration_on(const struct random_problem *p, uint32_t v, uint32_t k)
{
    const struct random_vertex *send = &p->vertex[v];
    uint64_t rate = p->rate[send->src][k] < p->rate[send->dst][k] ? p->rate[send->src][k] : p->rate[send->dst][k];
    if (p->dead[send->src][k] || p->dead[send->dst][k])
        return -1;
    for (uint32_t i = 0; i < p->forbiddens; i++) {
        const struct flux_circuit_name *f = &p->forbidden[i];
        if (f->switch_index == k && ((f->src == send->src && f->dst == send->dst) ||
                                     (p->rule == FLUX_RULE_DUPLEX && f->src == send->dst && f->dst == send->src)))
            return -1;
    }
    if (send->duration)
        return send->duration;
    return (int64_t)((send->bytes * UINT64_C(8000000000000) + rate - 1) / rate); /* a few bytes: no overflow */
}

static int same_circuit(uint32_t rule, const struct user *u, const struct user *w)
{
    return (u->src == w->src && u->dst == w->dst) || (rule == FLUX_RULE_DUPLEX && u->src == w->dst && u->dst == w->src);
}

/* Do they share the port of w at its source (end 0) or at its destination (end 1)? */
static int share_port(uint32_t rule, const struct user *u, const struct user *w, int end)
{
    uint32_t gpu = end ? w->dst : w->src;
    if (u->k != w->k)
        return 0;
    if (rule == FLUX_RULE_SIMPLEX)
        return (end ? u->dst : u->src) == gpu;
    return u->src == gpu || u->dst == gpu;
}

static int compete(uint32_t rule, const struct user *u, const struct user *w)
{
    if (!share_port(rule, u, w, 0) && !share_port(rule, u, w, 1))
        return 0;
    return rule != FLUX_RULE_DUPLEX || !(u->src == w->dst && u->dst == w->src);
}

static int before(const struct user *u, const struct user *w)
{
    return u->start < w->start || (u->start == w->start && u->send < w->send);
}

/* Initial circuits as sends that ended at 0, so that they come before all others. */
static uint32_t add_initials(const struct random_problem *p, struct user *users, uint32_t count)
{
    for (uint32_t i = 0; i < p->initials; i++)
        users[count++] = (struct user){0, p->initial[i].switch_index, p->initial[i].src, p->initial[i].dst, -1, 0};
    return count;
}

/* Must switch k change before w starts, and not before when? */
static int needs_change(const struct random_problem *p, const struct user *users, uint32_t count, const struct user *w,
                        int64_t *from)
{
    int needs = 0;
    *from = 0;
    for (int end = 0; end < 2; end++) {
        const struct user *previous = NULL;
        int64_t ended = 0;
        for (uint32_t i = 0; i < count; i++) {
            const struct user *u = &users[i];
            if (u == w || !share_port(p->rule, u, w, end) || !before(u, w))
                continue;
            if (!previous || before(previous, u))
                previous = u;
            if (!same_circuit(p->rule, u, w) && u->end > ended)
                ended = u->end;
        }
        if (previous && !same_circuit(p->rule, previous, w)) {
            needs = 1;
            *from = ended > *from ? ended : *from;
        }
    }
    return needs;
}

static int is_idle(const struct user *users, uint32_t count, uint32_t k, int64_t from, int64_t to)
{
    for (uint32_t i = 0; i < count; i++)
        if (users[i].k == k && users[i].start >= 0 && users[i].end > from && users[i].start < to)
            return 0;
    return 1;
}

/* Changes of one switch, each with the begins that it may take. */
struct changes {
    uint32_t count;
    uint32_t choices[SENDS_MAX];
    int64_t choice[SENDS_MAX][512];
    int64_t begin[SENDS_MAX];
    int64_t dwell;
};

/* Every begin for every change, until one choice keeps the dwell. */
static int choose(struct changes *changes, uint32_t next)
{
    if (next == changes->count)
        return 1;
    for (uint32_t i = 0; i < changes->choices[next]; i++) {
        int64_t b = changes->begin[next] = changes->choice[next][i];
        int apart = 1;
        for (uint32_t j = 0; j < next && apart; j++)
            apart = changes->begin[j] == b || changes->begin[j] + changes->dwell <= b ||
                    b + changes->dwell <= changes->begin[j];
        if (apart && choose(changes, next + 1))
            return 1;
    }
    return 0;
}

static int changes_fit(const struct random_problem *p, const struct user *users, uint32_t count, uint32_t k)
{
    static struct changes changes;
    int dark = p->blocking[k] == FLUX_BLOCKING_SWITCH && p->delay[k] > 0;
    changes.count = 0;
    changes.dwell = p->dwell[k];
    for (uint32_t i = 0; i < count; i++) {
        int64_t from;
        uint32_t filled = 0;
        if (users[i].k != k || users[i].start < 0 || !needs_change(p, users, count, &users[i], &from))
            continue;
        for (int64_t b = from; b + p->delay[k] <= users[i].start; b++)
            if (!dark || is_idle(users, count, k, b, b + p->delay[k])) {
                assert_true(filled < 512);
                changes.choice[changes.count][filled++] = b;
            }
        if (!filled)
            return 0;
        changes.choices[changes.count++] = filled;
    }
    return choose(&changes, 0);
}

/* Do these users keep all rules among themselves, whatever the edges say? */
static int users_fit(const struct random_problem *p, struct user *users, uint32_t count)
{
    count = add_initials(p, users, count);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < count; j++) {
            const struct user *u = &users[i], *w = &users[j];
            int64_t apart = same_circuit(p->rule, u, w) ? 0 : p->delay[u->k];
            if (i == j || u->k != w->k || !compete(p->rule, u, w))
                continue;
            if (u->start < 0 && w->start < 0)
                return 0;
            if (w->start < u->end + apart && u->start < w->end + apart)
                return 0;
        }
    for (uint32_t k = 0; k < p->switches; k++)
        if (!changes_fit(p, users, count, k))
            return 0;
    return 1;
}

static int64_t lag_of(const struct random_problem *p, const struct flux_edge *edge)
{
    const struct random_vertex *from = &p->vertex[edge->from], *to = &p->vertex[edge->to];
    return edge->lag + (from->send && to->src != from->src ? p->propagation[from->src][from->dst] : 0);
}

/* The rules, without any cleverness. */
static int is_schedule(const struct random_problem *p, const struct flux_slot *slots, uint32_t count, int64_t *makespan)
{
    struct user users[ROWS_MAX + RANDOM_CIRCUITS_MAX];
    struct flux_time time[RANDOM_VERTICES_MAX];
    uint32_t rows[RANDOM_VERTICES_MAX] = {0}, moved = 1;
    for (uint32_t i = 0; i < count; i++) {
        const struct flux_slot *s = &slots[i];
        if (s->send >= p->vertices || !p->vertex[s->send].send || rows[s->send]++ || s->switch_index >= p->switches)
            return 0;
        int64_t duration = duration_on(p, s->send, s->switch_index);
        if (duration < 0 || s->start < p->vertex[s->send].release || s->end - s->start != duration)
            return 0;
        time[s->send] = (struct flux_time){s->start, s->end};
        users[i] =
            (struct user){s->send, s->switch_index, p->vertex[s->send].src, p->vertex[s->send].dst, s->start, s->end};
    }
    for (uint32_t v = 0; v < p->vertices; v++) {
        if (p->vertex[v].send && !rows[v])
            return 0;
        if (!p->vertex[v].send)
            time[v] = (struct flux_time){p->vertex[v].release, p->vertex[v].release + p->vertex[v].duration};
    }
    while (moved) {
        moved = 0;
        for (uint32_t i = 0; i < p->edges; i++) {
            int64_t ready = time[p->edge[i].from].end + lag_of(p, &p->edge[i]);
            struct flux_time *to = &time[p->edge[i].to];
            if (to->start >= ready)
                continue;
            if (p->vertex[p->edge[i].to].send)
                return 0;
            to->end += ready - to->start;
            to->start = ready;
            moved = 1;
        }
    }
    *makespan = 0;
    for (uint32_t v = 0; v < p->vertices; v++)
        *makespan = time[v].end > *makespan ? time[v].end : *makespan;
    return users_fit(p, users, count);
}

/* Is every vertex before v placed, and when may v start then? */
static int is_ready(const struct random_problem *p, const uint32_t *placed, const struct flux_time *time, uint32_t v,
                    int64_t *ready)
{
    *ready = p->vertex[v].release;
    for (uint32_t i = 0; i < p->edges; i++) {
        if (p->edge[i].to != v)
            continue;
        if (!placed[p->edge[i].from])
            return 0;
        int64_t after = time[p->edge[i].from].end + lag_of(p, &p->edge[i]);
        *ready = after > *ready ? after : *ready;
    }
    return 1;
}

/* Sends in a random order, each on a random switch, as early as those before allow or a little later. */
static void place_all(struct world *world, struct dice *dice)
{
    const struct random_problem *p = &world->problem;
    struct user users[ROWS_MAX + RANDOM_CIRCUITS_MAX];
    uint32_t placed[RANDOM_VERTICES_MAX] = {0};
    struct flux_time time[RANDOM_VERTICES_MAX];
    world->count = 0;
    for (uint32_t done = 0; done < p->vertices;) {
        uint32_t v = roll(dice, p->vertices), k = roll(dice, p->switches), n = world->count;
        int64_t ready, duration = p->vertex[v].duration;
        if (placed[v] || !is_ready(p, placed, time, v, &ready))
            continue;
        if (p->vertex[v].send) {
            duration = duration_on(p, v, k);
            if (duration < 0)
                continue;
            ready += roll(dice, 3) ? 0 : roll(dice, 6);
            do
                users[n] = (struct user){v, k, p->vertex[v].src, p->vertex[v].dst, ready, ready + duration};
            while (!users_fit(p, users, n + 1) && ++ready);
            world->slots[world->count++] = (struct flux_slot){v, k, ready, ready + duration};
        }
        time[v] = (struct flux_time){ready, ready + duration};
        placed[v] = 1;
        done++;
    }
}

/* Another start, or another switch, with the end that belongs to it. */
static void place(const struct world *world, struct flux_slot *slot, uint32_t k, int64_t start)
{
    const struct random_problem *p = &world->problem;
    int known = slot->send < p->vertices && p->vertex[slot->send].send && k < p->switches;
    int64_t duration = known ? duration_on(p, slot->send, k) : -1;
    *slot = (struct flux_slot){slot->send, k, start, start + (duration < 0 ? slot->end - slot->start : duration)};
}

/* Moves all sends that start at `from` or later. */
static void shift(struct flux_slot *slots, uint32_t count, int64_t from, int64_t by)
{
    for (uint32_t i = 0; i < count; i++)
        if (slots[i].start >= from) {
            slots[i].start += by;
            slots[i].end += by;
        }
}

/* One change of all the kinds there are. */
static uint32_t mutate(const struct world *world, struct dice *dice, struct flux_slot *slots, uint32_t count)
{
    struct flux_slot *one = &slots[roll(dice, count)], *two = &slots[roll(dice, count)], swap;
    int64_t delay = world->problem.delay[two->switch_index % world->problem.switches];
    int64_t nudge = (int64_t)roll(dice, 3) - 1, duration = one->end - one->start;
    switch (roll(dice, 14)) {
    case 0: /* earlier or later by a little */
        place(world, one, one->switch_index, one->start + roll(dice, 7) - 3);
        break;
    case 1: /* just behind another */
        place(world, one, two->switch_index, two->end + nudge);
        break;
    case 2: /* behind another and a change */
        place(world, one, two->switch_index, two->end + delay + nudge);
        break;
    case 3: /* just before another */
        place(world, one, one->switch_index, two->start - duration - (roll(dice, 2) ? delay : 0) + nudge);
        break;
    case 4:
        place(world, one, roll(dice, world->problem.switches), one->start);
        break;
    case 5: { /* two change switches */
        uint32_t k = one->switch_index;
        place(world, one, two->switch_index, one->start);
        place(world, two, k, two->start);
        break;
    }
    case 6: /* two change places */
        swap = *one;
        place(world, one, two->switch_index, two->start);
        place(world, two, swap.switch_index, swap.start);
        break;
    case 7: /* a gap shrinks or grows */
        shift(slots, count, one->start, -1);
        break;
    case 8:
        shift(slots, count, one->start, 1);
        break;
    case 9: /* with another */
        place(world, one, one->switch_index, two->start + nudge);
        break;
    case 10: /* far away, where nobody is */
        place(world, one, one->switch_index, one->start + 200 + roll(dice, 2));
        break;
    default: /* wrong by itself: seldom, since the rest then does not matter */
        switch (roll(dice, 12)) {
        case 0:
            *one = slots[count - 1];
            return count - 1;
        case 1:
            slots[count] = *one;
            return count + 1;
        case 2:
            one->end += nudge;
            break;
        case 3:
            one->send = roll(dice, world->problem.vertices + 2);
            break;
        case 4:
            one->switch_index = roll(dice, world->problem.switches + 1);
            break;
        case 5:
            place(world, one, one->switch_index, -1 - (int64_t)roll(dice, 3));
            break;
        default:
            shift(slots, count, INT64_MIN, roll(dice, 4));
        }
    }
    return count;
}

static void fail_with(const struct world *world, const struct flux_slot *slots, uint32_t count, const char *what)
{
    random_problem_print(&world->problem);
    for (uint32_t i = 0; i < count; i++)
        print_error("send %u switch %u %lld .. %lld\n", slots[i].send, slots[i].switch_index, (long long)slots[i].start,
                    (long long)slots[i].end);
    fail_msg("%s", what);
}

/* Both verdicts, and that of the rules the other tests share; 1 where it is a schedule. */
static int judge(const struct world *world, const struct flux_slot *slots, uint32_t count)
{
    int64_t makespan = -1, found = -1, shared = -1;
    struct flux_error error;
    char why[PAIRWISE_TEXT];
    int right = is_schedule(&world->problem, slots, count, &makespan);
    int rc = flux_check(world->graph, world->fabric, slots, count, &found, &error);
    if (rc && rc != FLUX_E_MISMATCH)
        fail_with(world, slots, count, error.text);
    if (right && rc)
        fail_with(world, slots, count, error.text);
    if (!right && !rc)
        fail_with(world, slots, count, "a violation was not found");
    if (right && found != makespan)
        fail_with(world, slots, count, "wrong makespan");
    if (rc && (!*error.text || (error.vertex != FLUX_NONE && error.vertex >= flux_graph_vertices(world->graph))))
        fail_with(world, slots, count, "no message");
    if (pairwise_check(world->graph, world->fabric, slots, count, &shared, why) != right)
        fail_with(world, slots, count, "the pairwise rules disagree");
    return right;
}

/* A schedule object from the slots: its circuit program does what the slots say. */
static void look_at_program(const struct world *world)
{
    struct flux_schedule *schedule;
    struct flux_error error;
    uint64_t rows;
    char why[PAIRWISE_TEXT];
    if (flux_schedule_from_slots(world->graph, world->fabric, world->slots, world->count, &schedule, &error))
        fail_with(world, world->slots, world->count, error.text);
    const struct flux_circuit *circuits = flux_schedule_circuits(schedule, &rows);
    if (!pairwise_program(world->graph, world->fabric, world->slots, world->count, circuits, rows,
                          flux_schedule_reconfigurations(schedule), why))
        fail_with(world, world->slots, world->count, why);
    for (uint64_t i = 1; i < rows; i++) {
        const struct flux_circuit *a = &circuits[i - 1], *b = &circuits[i];
        assert_true(a->switch_index < b->switch_index ||
                    (a->switch_index == b->switch_index && (a->up < b->up || (a->up == b->up && a->src <= b->src))));
    }
    flux_schedule_free(schedule);
}

static void verdicts_agree(uint32_t rule)
{
    static const uint32_t parameters[] = {0,
                                          RANDOM_DELAYS,
                                          RANDOM_RATES,
                                          RANDOM_DEAD | RANDOM_FORBIDDEN,
                                          RANDOM_INITIAL,
                                          RANDOM_PROPAGATION,
                                          RANDOM_BLOCKING,
                                          RANDOM_DWELL,
                                          RANDOM_BLOCKING | RANDOM_DWELL,
                                          RANDOM_BLOCKING | RANDOM_DWELL | RANDOM_INITIAL | RANDOM_DELAYS,
                                          RANDOM_ALL};
    uint32_t schedules = random_problem_count(6000), right = 0, wrong = 0;
    for (uint32_t i = 0; i < schedules; i++) {
        struct random_options options = {
            rule, parameters[i % (sizeof parameters / sizeof *parameters)], 2, SENDS_MAX, i % 2 ? 5 : 0, 0};
        struct world world;
        struct dice dice = {i * UINT64_C(0x9e3779b97f4a7c15) + rule};
        random_problem(&world.problem, 500000 + i, &options);
        assert_int_equal(random_problem_build(&world.problem, NULL, &world.graph, &world.fabric), 0);
        place_all(&world, &dice);
        if (!judge(&world, world.slots, world.count))
            fail_with(&world, world.slots, world.count, "not a schedule to begin with");
        look_at_program(&world);
        for (uint32_t m = 0; m < MUTATIONS_PER_SCHEDULE; m++) {
            struct flux_slot slots[ROWS_MAX];
            uint32_t count = world.count;
            memcpy(slots, world.slots, sizeof slots);
            for (uint32_t times = 1 + roll(&dice, 2); times-- > 0;)
                count = mutate(&world, &dice, slots, count);
            int verdict = judge(&world, slots, count);
            right += (uint32_t)verdict;
            wrong += (uint32_t)!verdict;
        }
        flux_graph_free(world.graph);
        flux_fabric_free(world.fabric);
    }
    print_message("%u mutations are schedules, %u are not\n", right, wrong);
    assert_true(right > (right + wrong) / 10 && wrong > (right + wrong) / 10);
}

static void paper_verdicts_agree(void **state)
{
    (void)state;
    verdicts_agree(FLUX_RULE_PAPER);
}

static void duplex_verdicts_agree(void **state)
{
    (void)state;
    verdicts_agree(FLUX_RULE_DUPLEX);
}

static void simplex_verdicts_agree(void **state)
{
    (void)state;
    verdicts_agree(FLUX_RULE_SIMPLEX);
}

/* A workload with more sends than fit any list above, its schedule, and that with one send moved a little. */
static void large_verdicts_agree(uint32_t rule, uint32_t sends, int staged, uint32_t mutations)
{
    struct dice dice = {sends + rule};
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_schedule *schedule;
    char why[PAIRWISE_TEXT];
    int64_t makespan, shared;
    uint64_t count;
    uint32_t wrong = 0;
    assert_int_equal(flux_graph_new(NULL, 9, &graph), 0);
    assert_int_equal(flux_fabric_new(NULL, 9, 3, &fabric), 0);
    flux_fabric_set_rule(fabric, rule);
    flux_fabric_set_delay(fabric, FLUX_ALL_SWITCHES, 7);
    flux_fabric_set_blocking(fabric, 1, staged ? FLUX_BLOCKING_SWITCH : FLUX_BLOCKING_PORT);
    flux_fabric_set_dwell(fabric, 2, staged ? 9 : 0);
    for (uint32_t v = 0; v < sends; v++) {
        uint32_t src = roll(&dice, 9);
        flux_graph_add_send(graph, src, (src + 1 + roll(&dice, 3)) % 9, 1, NULL);
        flux_graph_set_duration(graph, v, 1 + roll(&dice, 40));
        for (uint32_t i = 0; v > 8 && i < 2; i++)
            flux_graph_add_edge(graph, v - 1 - roll(&dice, 8), v, roll(&dice, 4));
    }
    assert_int_equal(flux_schedule(graph, fabric, NULL, &schedule, NULL), 0);
    const struct flux_slot *right = flux_schedule_slots(schedule, &count);
    assert_int_equal(count, sends);
    struct flux_slot *slots = malloc(sizeof *slots * count);
    assert_non_null(slots);
    for (uint32_t m = 0; m < mutations; m++) {
        memcpy(slots, right, sizeof *slots * count);
        struct flux_slot *one = &slots[roll(&dice, sends)];
        int64_t by = m ? (int64_t)roll(&dice, 9) - 4 : 0;
        one->start += by;
        one->end += by;
        int good = pairwise_check(graph, fabric, slots, count, &shared, why);
        int rc = flux_check(graph, fabric, slots, count, &makespan, NULL);
        assert_int_equal(rc, good ? FLUX_OK : FLUX_E_MISMATCH);
        assert_int_equal(makespan, good ? shared : 0);
        assert_true(m || good);
        wrong += !good;
    }
    assert_in_range(wrong, mutations / 4, mutations - 1);
    free(slots);
    flux_schedule_free(schedule);
    flux_graph_free(graph);
    flux_fabric_free(fabric);
}

static void large_schedules_agree(void **state)
{
    (void)state;
    for (uint32_t rule = FLUX_RULE_PAPER; rule <= FLUX_RULE_SIMPLEX; rule++) {
        large_verdicts_agree(rule, 500, 0, 60);
        large_verdicts_agree(rule, 90, 1, 25);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paper_verdicts_agree),
        cmocka_unit_test(duplex_verdicts_agree),
        cmocka_unit_test(simplex_verdicts_agree),
        cmocka_unit_test(large_schedules_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
