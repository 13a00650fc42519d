/* SPDX-License-Identifier: Apache-2.0 */
#include "random_problem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* xorshift64*, so that the tests do not lean on the library's own generator. */
struct dice {
    uint64_t state;
};

static struct dice dice_from(uint64_t seed)
{
    struct dice dice = {(seed + 1) * UINT64_C(0x9e3779b97f4a7c15)};
    dice.state ^= dice.state >> 29;
    if (!dice.state)
        dice.state = 88172645463325252u;
    return dice;
}

/* 0 .. below - 1 */
static uint32_t roll(struct dice *dice, uint32_t below)
{
    dice->state ^= dice->state >> 12;
    dice->state ^= dice->state << 25;
    dice->state ^= dice->state >> 27;
    return (uint32_t)((dice->state * UINT64_C(2685821657736338717)) >> 33) % below;
}

static uint32_t between(struct dice *dice, uint32_t low, uint32_t high)
{
    return low + roll(dice, high - low + 1);
}

static int chance(struct dice *dice, uint32_t percent)
{
    return roll(dice, 100) < percent;
}

static void shuffle(struct dice *dice, uint32_t *order, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    for (uint32_t i = count; i > 1; i--) {
        uint32_t j = roll(dice, i);
        uint32_t swap = order[i - 1];
        order[i - 1] = order[j];
        order[j] = swap;
    }
}

static void random_vertices(struct random_problem *p, struct dice *dice, const struct random_options *o, uint32_t scale)
{
    uint32_t sends = between(dice, o->sends_min, o->sends_max);
    uint32_t computes = chance(dice, 50) ? between(dice, 1, 4) : 0;
    uint32_t order[RANDOM_VERTICES_MAX];
    uint32_t by_bytes = o->parameters & RANDOM_RATES ? 80 : 0;
    uint32_t releases = chance(dice, 30) ? 40 : 0;
    uint32_t pairs = between(dice, 1, 6); /* few distinct circuits make reuse worthwhile */
    uint32_t pair[6][2];
    for (uint32_t i = 0; i < 6; i++) {
        pair[i][0] = roll(dice, p->gpus);
        pair[i][1] = (pair[i][0] + 1 + roll(dice, p->gpus - 1)) % p->gpus;
    }
    p->vertices = sends + computes;
    shuffle(dice, order, p->vertices);
    for (uint32_t i = 0; i < p->vertices; i++) {
        struct random_vertex *v = &p->vertex[order[i]];
        v->send = i < sends;
        if (chance(dice, releases))
            v->release = roll(dice, scale + 1);
        if (!v->send) {
            v->src = roll(dice, p->gpus);
            v->duration = chance(dice, 25) ? 0 : between(dice, 1, scale);
            continue;
        }
        uint32_t which = roll(dice, pairs);
        int reverse = chance(dice, 25);
        v->src = pair[which][reverse];
        v->dst = pair[which][!reverse];
        if (chance(dice, by_bytes))
            v->bytes = between(dice, 1, 1 + scale / 4);
        else
            v->duration = between(dice, 1, scale);
    }
}

static void random_edges(struct random_problem *p, struct dice *dice, uint32_t scale)
{
    static const uint32_t densities[] = {0, 8, 16, 32, 80};
    uint32_t density = densities[roll(dice, 5)], lags = roll(dice, 2) * 50;
    uint32_t order[RANDOM_VERTICES_MAX];
    shuffle(dice, order, p->vertices); /* hidden, so that edges lead both up and down in the numbers */
    for (uint32_t i = 0; i < p->vertices; i++)
        for (uint32_t j = i + 1; j < p->vertices && p->edges < RANDOM_EDGES_MAX; j++) {
            /* mostly short ones, so that chains are longer than stars */
            if (!chance(dice, j == i + 1 ? density : density / 3))
                continue;
            int64_t lag = chance(dice, lags) ? roll(dice, scale + 1) : 0;
            p->edge[p->edges++] = (struct flux_edge){order[i], order[j], lag};
            if (chance(dice, 4) && p->edges < RANDOM_EDGES_MAX)
                p->edge[p->edges++] = (struct flux_edge){order[i], order[j], roll(dice, scale + 1)};
        }
}

/* Do circuits (a, b) and (c, d) of one switch exclude each other at time 0? */
static int initials_compete(uint32_t rule, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    if (rule == FLUX_RULE_SIMPLEX)
        return a == c || b == d;
    if (rule == FLUX_RULE_DUPLEX && a == d && b == c)
        return 0;
    return a == c || a == d || b == c || b == d;
}

static struct flux_circuit_name random_circuit(const struct random_problem *p, struct dice *dice)
{
    struct flux_circuit_name name = {roll(dice, p->switches), 0, 0};
    const struct random_vertex *v = &p->vertex[roll(dice, p->vertices)];
    if (v->send && chance(dice, 60)) {
        name.src = v->src;
        name.dst = v->dst;
        return name;
    }
    name.src = roll(dice, p->gpus);
    name.dst = (name.src + 1 + roll(dice, p->gpus - 1)) % p->gpus;
    return name;
}

static void random_fabric(struct random_problem *p, struct dice *dice, uint32_t parameters, uint32_t scale,
                          int small_times)
{
    static const uint64_t rates[] = {UINT64_C(8000000000000), UINT64_C(4000000000000), UINT64_C(3000000000000),
                                     UINT64_C(2000000000000), UINT64_C(7000000000000)};
    /* often longer than the sends, so that keeping a circuit matters */
    uint32_t delay_max = chance(dice, 10) ? 0 : between(dice, 1, chance(dice, 50) && !small_times ? 15 : scale);
    int64_t delay = delay_max - roll(dice, delay_max / 2 + 1);
    for (uint32_t k = 0; k < p->switches; k++) {
        p->delay[k] = parameters & RANDOM_DELAYS ? roll(dice, delay_max + 1) : delay;
        if (parameters & RANDOM_BLOCKING)
            p->blocking[k] = k == 0 || chance(dice, 60) ? FLUX_BLOCKING_SWITCH : FLUX_BLOCKING_PORT;
        if (parameters & RANDOM_DWELL && (k == 0 || chance(dice, 60)))
            p->dwell[k] = between(dice, 1, scale < 15 ? scale : 15);
    }
    if (parameters & RANDOM_BLOCKING && !p->delay[0]) /* without a delay there is nothing to block */
        p->delay[0] = 1 + roll(dice, scale < 8 ? scale : 8);
    for (uint32_t g = 0; g < p->gpus; g++)
        for (uint32_t k = 0; k < p->switches; k++) {
            p->rate[g][k] = parameters & RANDOM_RATES ? rates[roll(dice, 5)] : FLUX_RATE_DEFAULT;
            p->dead[g][k] = parameters & RANDOM_DEAD && chance(dice, 20);
        }
    for (uint32_t a = 0; a < p->gpus && parameters & RANDOM_PROPAGATION; a++)
        for (uint32_t b = 0; b < p->gpus; b++)
            if (a != b && chance(dice, 70))
                p->propagation[a][b] = roll(dice, scale + 1);
    if (parameters & RANDOM_FORBIDDEN) {
        uint32_t count = between(dice, 1, 5);
        while (count--)
            p->forbidden[p->forbiddens++] = random_circuit(p, dice);
    }
    if (parameters & RANDOM_INITIAL) {
        uint32_t tries = between(dice, 1, 8);
        while (tries--) {
            struct flux_circuit_name name = random_circuit(p, dice);
            int good = 1;
            for (uint32_t i = 0; i < p->initials; i++)
                if (p->initial[i].switch_index == name.switch_index &&
                    initials_compete(p->rule, p->initial[i].src, p->initial[i].dst, name.src, name.dst))
                    good = 0;
            if (good)
                p->initial[p->initials++] = name;
        }
    }
}

static int is_forbidden(const struct random_problem *p, uint32_t i, uint32_t k, uint32_t src, uint32_t dst)
{
    const struct flux_circuit_name *f = &p->forbidden[i];
    return f->switch_index == k &&
           ((f->src == src && f->dst == dst) || (p->rule == FLUX_RULE_DUPLEX && f->src == dst && f->dst == src));
}

/* Opens one switch for every send that has none. */
static void make_carriable(struct random_problem *p, struct dice *dice)
{
    for (uint32_t i = 0; i < p->vertices; i++) {
        const struct random_vertex *v = &p->vertex[i];
        int carriable = !v->send;
        for (uint32_t k = 0; k < p->switches && !carriable; k++) {
            carriable = !p->dead[v->src][k] && !p->dead[v->dst][k];
            for (uint32_t j = 0; j < p->forbiddens; j++)
                if (is_forbidden(p, j, k, v->src, v->dst))
                    carriable = 0;
        }
        if (carriable)
            continue;
        uint32_t k = roll(dice, p->switches);
        p->dead[v->src][k] = p->dead[v->dst][k] = 0;
        for (uint32_t j = p->forbiddens; j-- > 0;)
            if (is_forbidden(p, j, k, v->src, v->dst))
                p->forbidden[j] = p->forbidden[--p->forbiddens];
    }
}

void random_problem(struct random_problem *problem, uint64_t seed, const struct random_options *options)
{
    static const uint32_t scales[] = {3, 6, 10, 20};
    struct dice dice = dice_from(seed);
    uint32_t scale = scales[roll(&dice, 4)];
    if (options->time_max)
        scale = options->time_max;
    memset(problem, 0, sizeof *problem);
    problem->seed = seed;
    problem->rule = options->rule;
    problem->gpus = between(&dice, 2, chance(&dice, 20) ? 6 : 4);
    problem->switches = chance(&dice, 50) ? 2 : between(&dice, 1, 3);
    random_vertices(problem, &dice, options, scale);
    random_edges(problem, &dice, scale);
    random_fabric(problem, &dice, options->parameters, scale, options->time_max != 0);
    if (!options->uncarriable)
        make_carriable(problem, &dice);
}

static int build_graph(const struct random_problem *p, const struct flux_env *env, struct flux_graph **graph)
{
    int rc = flux_graph_new(env, p->gpus, graph);
    for (uint32_t i = 0; i < p->vertices && !rc; i++) {
        const struct random_vertex *v = &p->vertex[i];
        uint32_t number = 0;
        if (v->send)
            rc = flux_graph_add_send(*graph, v->src, v->dst, v->bytes ? v->bytes : 1, &number);
        else
            rc = flux_graph_add_compute(*graph, v->src, v->duration, &number);
        if (!rc && v->send && v->duration)
            rc = flux_graph_set_duration(*graph, number, v->duration);
        if (!rc && v->release)
            rc = flux_graph_set_release(*graph, number, v->release);
    }
    for (uint32_t i = 0; i < p->edges && !rc; i++)
        rc = flux_graph_add_edge(*graph, p->edge[i].from, p->edge[i].to, p->edge[i].lag);
    return rc;
}

static int build_fabric(const struct random_problem *p, const struct flux_env *env, struct flux_fabric **fabric)
{
    int rc = flux_fabric_new(env, p->gpus, p->switches, fabric);
    if (!rc)
        rc = flux_fabric_set_rule(*fabric, p->rule);
    for (uint32_t k = 0; k < p->switches && !rc; k++) {
        rc = flux_fabric_set_delay(*fabric, k, p->delay[k]);
        if (!rc && p->blocking[k])
            rc = flux_fabric_set_blocking(*fabric, k, p->blocking[k]);
        if (!rc && p->dwell[k])
            rc = flux_fabric_set_dwell(*fabric, k, p->dwell[k]);
    }
    for (uint32_t g = 0; g < p->gpus; g++)
        for (uint32_t k = 0; k < p->switches && !rc; k++) {
            if (p->rate[g][k] != FLUX_RATE_DEFAULT)
                rc = flux_fabric_set_rate(*fabric, g, k, p->rate[g][k]);
            if (!rc && p->dead[g][k])
                rc = flux_fabric_set_dead(*fabric, g, k, 1);
        }
    for (uint32_t a = 0; a < p->gpus; a++)
        for (uint32_t b = 0; b < p->gpus && !rc; b++)
            if (p->propagation[a][b])
                rc = flux_fabric_set_propagation(*fabric, a, b, p->propagation[a][b]);
    for (uint32_t i = 0; i < p->forbiddens && !rc; i++)
        rc = flux_fabric_set_forbidden(*fabric, p->forbidden[i].switch_index, p->forbidden[i].src,
                                       p->forbidden[i].dst, 1);
    for (uint32_t i = 0; i < p->initials && !rc; i++)
        rc = flux_fabric_add_initial(*fabric, p->initial[i].switch_index, p->initial[i].src, p->initial[i].dst);
    return rc;
}

int random_problem_build(const struct random_problem *problem, const struct flux_env *env, struct flux_graph **graph,
                         struct flux_fabric **fabric)
{
    *graph = NULL;
    *fabric = NULL;
    int rc = build_graph(problem, env, graph);
    if (!rc)
        rc = build_fabric(problem, env, fabric);
    if (rc) {
        flux_graph_free(*graph);
        flux_fabric_free(*fabric);
        *graph = NULL;
        *fabric = NULL;
    }
    return rc;
}

void random_problem_layers(struct random_problem *random, uint32_t most)
{
    uint64_t dice = random->seed * 0x9e3779b97f4a7c15u;
    uint32_t sends = most - (uint32_t)(dice >> 32) % 2, early = 1 + (uint32_t)(dice >> 40) % (sends - 1), join = sends, gpus = random->gpus;
    random->vertices = sends + 1;
    random->edges = 0;
    for (uint32_t v = 0; v < sends; v++) {
        dice = dice * 6364136223846793005u + 1442695040888963407u;
        uint32_t a = (uint32_t)(dice >> 33) % 2, b = (uint32_t)(dice >> 40) % (gpus - 1), way = (uint32_t)(dice >> 50) % 2;
        b += b >= a;
        random->vertex[v] = (struct random_vertex){1, way ? a : b, way ? b : a, 0, 0, 1 + (int64_t)((dice >> 52) % 9), 0};
        random->edge[random->edges++] = v < early ? (struct flux_edge){v, join, (int64_t)((dice >> 57) % 3)}
                                                  : (struct flux_edge){join, v, (int64_t)((dice >> 57) % 3)};
    }
    random->vertex[join] = (struct random_vertex){0, 0, 0, 0, 0, (int64_t)((dice >> 20) % 4), 0};
}

void random_problem_crowd(struct random_problem *random)
{
    uint64_t dice = random->seed * 0x9e3779b97f4a7c15u;
    for (uint32_t v = 0; v < random->vertices; v++) {
        dice = dice * 6364136223846793005u + 1442695040888963407u;
        if (!random->vertex[v].send || (dice >> 60) == 0)
            continue;
        uint32_t other = 1 + (uint32_t)(dice >> 33) % (random->gpus < 3 ? random->gpus - 1 : 2),
                 out = (uint32_t)(dice >> 45) % 2;
        random->vertex[v].src = out ? 0 : other;
        random->vertex[v].dst = out ? other : 0;
        if ((dice >> 50) % 2 && random->vertex[v].duration)
            random->vertex[v].duration = 3;
    }
}

void random_problem_relabel(const struct random_problem *problem, uint64_t seed, struct random_problem *relabelled)
{
    struct dice dice = dice_from(seed);
    uint32_t gpu[RANDOM_GPUS_MAX], sw[RANDOM_SWITCHES_MAX], number[RANDOM_VERTICES_MAX], place[RANDOM_EDGES_MAX];
    shuffle(&dice, gpu, problem->gpus);
    shuffle(&dice, sw, problem->switches);
    shuffle(&dice, number, problem->vertices);
    shuffle(&dice, place, problem->edges);
    *relabelled = *problem;
    for (uint32_t i = 0; i < problem->vertices; i++) {
        struct random_vertex *v = &relabelled->vertex[number[i]];
        *v = problem->vertex[i];
        v->src = gpu[v->src];
        v->dst = v->send ? gpu[v->dst] : 0;
    }
    for (uint32_t i = 0; i < problem->edges; i++) {
        struct flux_edge e = problem->edge[i];
        relabelled->edge[place[i]] = (struct flux_edge){number[e.from], number[e.to], e.lag};
    }
    for (uint32_t k = 0; k < problem->switches; k++) {
        relabelled->delay[sw[k]] = problem->delay[k];
        relabelled->dwell[sw[k]] = problem->dwell[k];
        relabelled->blocking[sw[k]] = problem->blocking[k];
        for (uint32_t g = 0; g < problem->gpus; g++) {
            relabelled->rate[gpu[g]][sw[k]] = problem->rate[g][k];
            relabelled->dead[gpu[g]][sw[k]] = problem->dead[g][k];
        }
    }
    for (uint32_t a = 0; a < problem->gpus; a++)
        for (uint32_t b = 0; b < problem->gpus; b++)
            relabelled->propagation[gpu[a]][gpu[b]] = problem->propagation[a][b];
    for (uint32_t i = 0; i < problem->forbiddens; i++) {
        struct flux_circuit_name f = problem->forbidden[i];
        relabelled->forbidden[i] = (struct flux_circuit_name){sw[f.switch_index], gpu[f.src], gpu[f.dst]};
    }
    for (uint32_t i = 0; i < problem->initials; i++) {
        struct flux_circuit_name f = problem->initial[i];
        relabelled->initial[problem->initials - 1 - i] =
            (struct flux_circuit_name){sw[f.switch_index], gpu[f.src], gpu[f.dst]};
    }
}

void random_problem_scale(const struct random_problem *problem, int64_t factor, struct random_problem *scaled)
{
    *scaled = *problem;
    for (uint32_t i = 0; i < problem->vertices; i++) {
        scaled->vertex[i].duration *= factor;
        scaled->vertex[i].release *= factor;
    }
    for (uint32_t i = 0; i < problem->edges; i++)
        scaled->edge[i].lag *= factor;
    for (uint32_t k = 0; k < problem->switches; k++) {
        scaled->delay[k] *= factor;
        scaled->dwell[k] *= factor;
        for (uint32_t g = 0; g < problem->gpus; g++)
            scaled->rate[g][k] = problem->rate[g][k] / (uint64_t)factor;
    }
    for (uint32_t a = 0; a < problem->gpus; a++)
        for (uint32_t b = 0; b < problem->gpus; b++)
            scaled->propagation[a][b] *= factor;
}

static void print_workload(const struct random_problem *p)
{
    fprintf(stderr, "workload:\n  gpus: %" PRIu32 "\n  vertices:\n", p->gpus);
    for (uint32_t i = 0; i < p->vertices; i++) {
        const struct random_vertex *v = &p->vertex[i];
        if (v->send)
            fprintf(stderr, "    - {id: v%" PRIu32 ", send: [%" PRIu32 ", %" PRIu32 "]", i, v->src, v->dst);
        else
            fprintf(stderr, "    - {id: v%" PRIu32 ", compute: %" PRIu32, i, v->src);
        if (v->bytes)
            fprintf(stderr, ", size: %" PRIu64 "B", v->bytes);
        else
            fprintf(stderr, ", time: %" PRId64 "ps", v->duration);
        if (v->release)
            fprintf(stderr, ", release: %" PRId64 "ps", v->release);
        fprintf(stderr, "}\n");
    }
    fprintf(stderr, "  edges:%s\n", p->edges ? "" : " []");
    for (uint32_t i = 0; i < p->edges; i++)
        fprintf(stderr, "    - [v%" PRIu32 ", v%" PRIu32 ", %" PRId64 "ps]\n", p->edge[i].from, p->edge[i].to,
                p->edge[i].lag);
}

static void print_circuits(const char *key, const struct flux_circuit_name *circuit, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        fprintf(stderr, "%s[%" PRIu32 ", %" PRIu32 ", %" PRIu32 "]", i ? ", " : key, circuit[i].switch_index,
                circuit[i].src, circuit[i].dst);
    if (count)
        fprintf(stderr, "]\n");
}

static void print_ports(const struct random_problem *p)
{
    const char *sep = "  port_rate: [";
    for (uint32_t g = 0; g < p->gpus; g++)
        for (uint32_t k = 0; k < p->switches; k++)
            if (p->rate[g][k] != FLUX_RATE_DEFAULT) {
                fprintf(stderr, "%s[%" PRIu32 ", %" PRIu32 ", %" PRIu64 "bps]", sep, g, k, p->rate[g][k]);
                sep = ", ";
            }
    fprintf(stderr, "%s", *sep == ',' ? "]\n" : "");
    sep = "  dead: [";
    for (uint32_t g = 0; g < p->gpus; g++)
        for (uint32_t k = 0; k < p->switches; k++)
            if (p->dead[g][k]) {
                fprintf(stderr, "%s[%" PRIu32 ", %" PRIu32 "]", sep, g, k);
                sep = ", ";
            }
    fprintf(stderr, "%s", *sep == ',' ? "]\n" : "");
    sep = "  propagation: [";
    for (uint32_t a = 0; a < p->gpus; a++)
        for (uint32_t b = 0; b < p->gpus; b++)
            if (p->propagation[a][b]) {
                fprintf(stderr, "%s[%" PRIu32 ", %" PRIu32 ", %" PRId64 "ps]", sep, a, b, p->propagation[a][b]);
                sep = ", ";
            }
    fprintf(stderr, "%s", *sep == ',' ? "]\n" : "");
}

static void print_times(const char *key, const int64_t *time, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++)
        fprintf(stderr, "%s%" PRId64 "ps", k ? ", " : key, time[k]);
    fprintf(stderr, "]\n");
}

void random_problem_print(const struct random_problem *problem)
{
    static const char *const rules[] = {"paper", "duplex", "simplex"};
    fprintf(stderr, "# seed %" PRIu64 "\nflux: 1\n", problem->seed);
    print_workload(problem);
    fprintf(stderr, "fabric:\n  switches: %" PRIu32 "\n  rule: %s\n", problem->switches, rules[problem->rule]);
    print_times("  delay: [", problem->delay, problem->switches);
    print_times("  dwell: [", problem->dwell, problem->switches);
    for (uint32_t k = 0; k < problem->switches; k++)
        fprintf(stderr, "%s%s", k ? ", " : "  blocking: [", problem->blocking[k] ? "switch" : "port");
    fprintf(stderr, "]\n");
    print_ports(problem);
    print_circuits("  forbidden: [", problem->forbidden, problem->forbiddens);
    print_circuits("  initial: [", problem->initial, problem->initials);
}

uint32_t random_problem_count(uint32_t count)
{
    const char *text = getenv("FLUX_TEST_COUNT");
    uint64_t percent = text ? strtoul(text, NULL, 10) : 100;
#ifdef __SANITIZE_ADDRESS__
    percent = (percent + 9) / 10;
#elif defined __has_feature
#if __has_feature(address_sanitizer)
    percent = (percent + 9) / 10;
#endif
#endif
    uint64_t scaled = (uint64_t)count * percent / 100;
    return scaled ? (uint32_t)scaled : 1;
}
