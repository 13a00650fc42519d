/* SPDX-License-Identifier: Apache-2.0 */
#include "brute_force.h"

#include "pairwise.h"

#include <string.h>

#define NO_PATH (-1)

/* A problem as the search sees it: sends 0 .. n - 1, compute gone into distances. */
struct small {
    uint32_t n;
    uint32_t switches;
    uint32_t rule;
    int staged; /* some switch blocks or dwells, so that begins of changes matter */
    uint32_t vertex[BRUTE_FORCE_SENDS_MAX];
    uint32_t src[BRUTE_FORCE_SENDS_MAX];
    uint32_t dst[BRUTE_FORCE_SENDS_MAX];
    int64_t duration[BRUTE_FORCE_SENDS_MAX][BRUTE_FORCE_SWITCHES_MAX]; /* -1: not there */
    int64_t base[BRUTE_FORCE_SENDS_MAX];                               /* earliest start without any other send */
    int64_t wait[BRUTE_FORCE_SENDS_MAX][BRUTE_FORCE_SENDS_MAX];        /* from u's end to v's start, through compute */
    int64_t rest[BRUTE_FORCE_SENDS_MAX];                               /* compute after u */
    int64_t tail[BRUTE_FORCE_SENDS_MAX];                               /* the least time after u's end */
    int64_t floor;                                                     /* compute without any send */
    int64_t least;                                                     /* no makespan is below: longest path */
    int64_t first[BRUTE_FORCE_SENDS_MAX][BRUTE_FORCE_SWITCHES_MAX];    /* earliest start after initial circuits */
    int initial_change[BRUTE_FORCE_SENDS_MAX][BRUTE_FORCE_SWITCHES_MAX][2]; /* another one is up at src, at dst */
    int64_t delay[BRUTE_FORCE_SWITCHES_MAX];
    int64_t dwell[BRUTE_FORCE_SWITCHES_MAX];
    int stops[BRUTE_FORCE_SWITCHES_MAX];
    uint32_t twin[BRUTE_FORCE_SWITCHES_MAX]; /* the lowest switch that is the same in everything */
};

struct state {
    const struct small *small;
    uint64_t steps;
    uint64_t steps_max;
    int64_t best;
    uint32_t best_on[BRUTE_FORCE_SENDS_MAX];
    int64_t best_start[BRUTE_FORCE_SENDS_MAX];
    uint32_t placed; /* bits */
    uint32_t used;   /* bits of switches with a send or a change */
    uint32_t last;   /* the last send placed */
    uint32_t on[BRUTE_FORCE_SENDS_MAX];
    int64_t start[BRUTE_FORCE_SENDS_MAX];
    int64_t end[BRUTE_FORCE_SENDS_MAX];
    int64_t begin[BRUTE_FORCE_SENDS_MAX];             /* of the change before it; -1: none */
    int64_t last_begin[BRUTE_FORCE_SWITCHES_MAX];     /* -1: none */
};

/* Longest distance from a start set to every vertex through compute alone: `distance` holds the sources' values, -1
 * elsewhere, and is pushed along edges out of compute until nothing moves. */
static void spread(const struct flux_graph *graph, const struct flux_fabric *fabric, int64_t *distance)
{
    uint64_t edges;
    const struct flux_edge *edge = flux_graph_edges(graph, &edges);
    for (int moved = 1; moved;) {
        moved = 0;
        for (uint64_t i = 0; i < edges; i++) {
            struct flux_compute compute;
            if (flux_graph_get_compute(graph, edge[i].from, &compute) || distance[edge[i].from] == NO_PATH)
                continue;
            int64_t there = distance[edge[i].from] + compute.duration + pairwise_lag(graph, fabric, &edge[i]);
            if (there > distance[edge[i].to]) {
                distance[edge[i].to] = there;
                moved = 1;
            }
        }
    }
}

static int64_t compute_end(const struct flux_graph *graph, const int64_t *distance, int64_t least)
{
    for (uint32_t v = 0; v < flux_graph_vertices(graph); v++) {
        struct flux_compute compute;
        if (!flux_graph_get_compute(graph, v, &compute) && distance[v] != NO_PATH &&
            distance[v] + compute.duration > least)
            least = distance[v] + compute.duration;
    }
    return least;
}

static void read_distances(const struct flux_graph *graph, const struct flux_fabric *fabric, struct small *small)
{
    int64_t distance[BRUTE_FORCE_VERTICES_MAX];
    uint32_t vertices = flux_graph_vertices(graph);
    uint64_t edges;
    const struct flux_edge *edge = flux_graph_edges(graph, &edges);
    for (uint32_t v = 0; v < vertices; v++) {
        struct flux_send send;
        struct flux_compute compute;
        distance[v] = flux_graph_get_send(graph, v, &send) ? 0 : send.release;
        if (!flux_graph_get_compute(graph, v, &compute))
            distance[v] = compute.release;
    }
    spread(graph, fabric, distance);
    small->floor = compute_end(graph, distance, 0);
    for (uint32_t u = 0; u < small->n; u++)
        small->base[u] = distance[small->vertex[u]];
    for (uint32_t u = 0; u < small->n; u++) {
        for (uint32_t v = 0; v < vertices; v++)
            distance[v] = NO_PATH;
        for (uint64_t i = 0; i < edges; i++)
            if (edge[i].from == small->vertex[u] && pairwise_lag(graph, fabric, &edge[i]) > distance[edge[i].to])
                distance[edge[i].to] = pairwise_lag(graph, fabric, &edge[i]);
        spread(graph, fabric, distance);
        small->rest[u] = compute_end(graph, distance, 0);
        for (uint32_t v = 0; v < small->n; v++)
            small->wait[u][v] = distance[small->vertex[v]];
    }
}

static int same_circuit(const struct small *small, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    return (a == c && b == d) || (small->rule == FLUX_RULE_DUPLEX && a == d && b == c);
}

/* Is GPU `gpu`'s port (in the direction of side 0: sending, 1: receiving) one of those of circuit a -> b? */
static int at_port(const struct small *small, uint32_t a, uint32_t b, uint32_t gpu, int side)
{
    if (small->rule == FLUX_RULE_SIMPLEX)
        return gpu == (side ? b : a);
    return gpu == a || gpu == b;
}

static void read_fabric(const struct flux_fabric *fabric, struct small *small)
{
    uint64_t initials;
    const struct flux_circuit_name *name = flux_fabric_initial(fabric, &initials);
    for (uint32_t k = 0; k < small->switches; k++) {
        small->delay[k] = flux_fabric_delay(fabric, k);
        small->dwell[k] = flux_fabric_dwell(fabric, k);
        small->stops[k] = small->delay[k] > 0 && flux_fabric_blocking(fabric, k) == FLUX_BLOCKING_SWITCH;
        small->staged |= small->stops[k] || small->dwell[k] > 0;
    }
    for (uint64_t i = 0; i < initials; i++)
        for (uint32_t u = 0; u < small->n; u++) {
            uint32_t k = name[i].switch_index, a = name[i].src, b = name[i].dst;
            int64_t apart = pairwise_separation(small->rule, a, b, small->src[u], small->dst[u], small->delay[k]);
            if (apart > small->first[u][k])
                small->first[u][k] = apart;
            if (same_circuit(small, a, b, small->src[u], small->dst[u]))
                continue;
            small->initial_change[u][k][0] |= at_port(small, a, b, small->src[u], 0);
            small->initial_change[u][k][1] |= at_port(small, a, b, small->dst[u], 1);
        }
    for (uint32_t k = 0; k < small->switches; k++) {
        small->twin[k] = k;
        for (uint32_t j = 0; j < k && small->twin[k] == k; j++) {
            int alike = small->delay[j] == small->delay[k] && small->dwell[j] == small->dwell[k] &&
                    small->stops[j] == small->stops[k];
            for (uint32_t u = 0; u < small->n; u++)
                alike = alike && small->duration[u][j] == small->duration[u][k] &&
                        small->first[u][j] == small->first[u][k] &&
                        small->initial_change[u][j][0] == small->initial_change[u][k][0] &&
                        small->initial_change[u][j][1] == small->initial_change[u][k][1];
            if (alike)
                small->twin[k] = j;
        }
    }
}

/* Longest paths with every send at its shortest: tails, and the least makespan. */
static void read_tails(struct small *small)
{
    int64_t head[BRUTE_FORCE_SENDS_MAX], shortest[BRUTE_FORCE_SENDS_MAX];
    small->least = small->floor;
    for (uint32_t u = 0; u < small->n; u++) {
        head[u] = small->base[u];
        small->tail[u] = small->rest[u];
        shortest[u] = INT64_MAX;
        for (uint32_t k = 0; k < small->switches; k++)
            if (small->duration[u][k] >= 0 && small->duration[u][k] < shortest[u])
                shortest[u] = small->duration[u][k];
    }
    for (uint32_t round = 0; round < small->n; round++)
        for (uint32_t u = 0; u < small->n; u++)
            for (uint32_t v = 0; v < small->n; v++) {
                if (small->wait[u][v] == NO_PATH)
                    continue;
                int64_t there = head[u] + shortest[u] + small->wait[u][v];
                int64_t back = small->wait[u][v] + shortest[v] + small->tail[v];
                head[v] = there > head[v] ? there : head[v];
                small->tail[u] = back > small->tail[u] ? back : small->tail[u];
            }
    for (uint32_t u = 0; u < small->n; u++)
        if (head[u] + shortest[u] + small->tail[u] > small->least)
            small->least = head[u] + shortest[u] + small->tail[u];
}

static int read_small(const struct flux_graph *graph, const struct flux_fabric *fabric, struct small *small)
{
    uint32_t vertices = flux_graph_vertices(graph);
    memset(small, 0, sizeof *small);
    small->switches = flux_fabric_switches(fabric);
    small->rule = flux_fabric_rule(fabric);
    if (flux_graph_sends(graph) > BRUTE_FORCE_SENDS_MAX || vertices > BRUTE_FORCE_VERTICES_MAX ||
        small->switches > BRUTE_FORCE_SWITCHES_MAX)
        return BRUTE_FORCE_TOO_LARGE;
    for (uint32_t v = 0; v < vertices; v++) {
        struct flux_send send;
        int carried = 0;
        if (flux_graph_get_send(graph, v, &send))
            continue;
        small->vertex[small->n] = v;
        small->src[small->n] = send.src;
        small->dst[small->n] = send.dst;
        for (uint32_t k = 0; k < small->switches; k++) {
            small->duration[small->n][k] = pairwise_duration(graph, fabric, v, k);
            carried |= small->duration[small->n][k] >= 0;
        }
        if (!carried)
            return FLUX_E_INFEASIBLE;
        small->n++;
    }
    read_distances(graph, fabric, small);
    read_fabric(fabric, small);
    read_tails(small);
    return FLUX_OK;
}

/* Does send w on switch k, started after all that is placed, replace a circuit, and when did the last of those end? */
static int replaces(const struct state *s, uint32_t w, uint32_t k, int64_t *ended)
{
    const struct small *small = s->small;
    int needed = 0;
    *ended = 0;
    for (int side = 0; side < 2; side++) {
        uint32_t gpu = side ? small->dst[w] : small->src[w], before = FLUX_NONE;
        int64_t other = 0;
        for (uint32_t u = 0; u < small->n; u++) {
            if (!(s->placed >> u & 1) || s->on[u] != k || !at_port(small, small->src[u], small->dst[u], gpu, side))
                continue;
            if (before == FLUX_NONE || s->start[u] >= s->start[before])
                before = u; /* of two with one start (the directions of a pair) either will do */
            if (!same_circuit(small, small->src[u], small->dst[u], small->src[w], small->dst[w]) && s->end[u] > other)
                other = s->end[u];
        }
        int another = before == FLUX_NONE ? small->initial_change[w][k][side]
                                          : !same_circuit(small, small->src[before], small->dst[before], small->src[w],
                                                          small->dst[w]);
        if (another && other > *ended)
            *ended = other;
        needed |= another;
    }
    return needed;
}

/* The earliest start of w on k after what is placed, by precedence and separation; -1 where a predecessor is missing. */
static int64_t earliest(const struct state *s, uint32_t w, uint32_t k)
{
    const struct small *small = s->small;
    int64_t time = small->base[w] > small->first[w][k] ? small->base[w] : small->first[w][k];
    for (uint32_t u = 0; u < small->n; u++) {
        int placed = s->placed >> u & 1;
        if (u == w)
            continue;
        if (small->wait[u][w] != NO_PATH) {
            if (!placed)
                return -1;
            if (s->end[u] + small->wait[u][w] > time)
                time = s->end[u] + small->wait[u][w];
        }
        if (placed && s->on[u] == k) {
            int64_t apart = pairwise_separation(small->rule, small->src[u], small->dst[u], small->src[w],
                                                small->dst[w], small->delay[k]);
            if (apart >= 0 && s->end[u] + apart > time)
                time = s->end[u] + apart;
        }
    }
    return time;
}

static void record(struct state *s)
{
    int64_t makespan = s->small->floor;
    for (uint32_t u = 0; u < s->small->n; u++)
        if (s->end[u] + s->small->rest[u] > makespan)
            makespan = s->end[u] + s->small->rest[u];
    if (makespan >= s->best)
        return;
    s->best = makespan;
    memcpy(s->best_on, s->on, sizeof s->on);
    memcpy(s->best_start, s->start, sizeof s->start);
}

/* Nothing tells this unused switch from another unused one below it. */
static int is_spare(const struct state *s, uint32_t k)
{
    for (uint32_t j = 0; j < k && !(s->used >> k & 1); j++)
        if (s->small->twin[j] == s->small->twin[k] && !(s->used >> j & 1))
            return 1;
    return 0;
}

static void search(struct state *s, int64_t now);

static void place_send(struct state *s, uint32_t w, uint32_t k, int64_t now)
{
    const struct small *small = s->small;
    int64_t ended, time = earliest(s, w, k), least = time;
    if (time < 0)
        return;
    if (small->stops[k] || small->dwell[k]) {
        int needed = replaces(s, w, k, &ended);
        if (needed != (s->begin[w] >= 0) || s->begin[w] < (needed ? ended : -1))
            return;
        if (needed && s->begin[w] + small->delay[k] > time)
            time = s->begin[w] + small->delay[k];
        if (small->stops[k] && s->last_begin[k] >= 0 && s->last_begin[k] + small->delay[k] > time)
            time = s->last_begin[k] + small->delay[k];
    }
    /* Without begins the best schedule, left-shifted and sorted by start, is found without pushing anything later. */
    if (!small->staged && (least < now || (least == now && s->placed && w < s->last)))
        return;
    if (time < now)
        time = now;
    if (time + small->duration[w][k] + small->tail[w] >= s->best)
        return;
    uint32_t last = s->last, used = s->used;
    s->on[w] = k;
    s->start[w] = time;
    s->end[w] = time + small->duration[w][k];
    s->placed |= 1u << w;
    s->used |= 1u << k;
    s->last = w;
    search(s, time);
    s->placed &= ~(1u << w);
    s->used = used;
    s->last = last;
}

static void place_begin(struct state *s, uint32_t w, uint32_t k, int64_t time)
{
    const struct small *small = s->small;
    int64_t last = s->last_begin[k];
    if (time + small->delay[k] + small->duration[w][k] + small->tail[w] >= s->best)
        return;
    uint32_t used = s->used;
    s->begin[w] = time;
    s->on[w] = k;
    s->last_begin[k] = time;
    s->used |= 1u << k;
    search(s, time);
    s->begin[w] = -1;
    s->last_begin[k] = last;
    s->used = used;
}

/* A change for w on switch k as the next event: with the last one of the switch, or as early as that allows. */
static void place_begins(struct state *s, uint32_t w, uint32_t k, int64_t now)
{
    const struct small *small = s->small;
    int64_t ended, time = now, last = s->last_begin[k];
    if (!replaces(s, w, k, &ended))
        return;
    if (ended > time)
        time = ended;
    for (uint32_t u = 0; u < small->n && small->stops[k]; u++)
        if (s->placed >> u & 1 && s->on[u] == k && s->end[u] > time)
            time = s->end[u];
    if (last >= 0 && time == last)
        place_begin(s, w, k, last);
    else
        place_begin(s, w, k, last >= 0 && last + small->dwell[k] > time ? last + small->dwell[k] : time);
}

static void search(struct state *s, int64_t now)
{
    const struct small *small = s->small;
    if (s->placed + 1u == 1u << small->n) {
        record(s);
        return;
    }
    if (++s->steps > s->steps_max)
        return;
    for (uint32_t w = 0; w < small->n && s->best > small->least; w++) {
        if (s->placed >> w & 1)
            continue;
        for (uint32_t k = 0; k < small->switches; k++) {
            if (small->duration[w][k] < 0 || is_spare(s, k))
                continue;
            if (s->begin[w] >= 0 && s->on[w] != k)
                continue;
            place_send(s, w, k, now);
            if (s->begin[w] < 0 && (small->stops[k] || small->dwell[k]))
                place_begins(s, w, k, now);
        }
    }
}

int brute_force(const struct flux_graph *graph, const struct flux_fabric *fabric, uint64_t steps_max, int64_t *optimum,
                struct flux_slot *slots)
{
    struct small small;
    struct state s;
    int rc = read_small(graph, fabric, &small);
    *optimum = 0;
    if (rc)
        return rc;
    memset(&s, 0, sizeof s);
    s.small = &small;
    s.steps_max = steps_max;
    s.best = INT64_MAX;
    memset(s.begin, -1, sizeof s.begin);
    memset(s.last_begin, -1, sizeof s.last_begin);
    search(&s, 0);
    if (s.steps > steps_max)
        return BRUTE_FORCE_TOO_LARGE;
    *optimum = s.best;
    for (uint32_t u = 0; u < small.n && slots; u++)
        slots[u] = (struct flux_slot){small.vertex[u], s.best_on[u], s.best_start[u],
                                      s.best_start[u] + small.duration[u][s.best_on[u]]};
    return FLUX_OK;
}

int brute_force_longest_path(const struct flux_graph *graph, const struct flux_fabric *fabric, int64_t *length)
{
    struct small small;
    int rc = read_small(graph, fabric, &small);
    *length = rc ? 0 : small.least;
    return rc;
}

/* Changes of one complete assignment of switches and starts, begins by trial. */
static int changes_fit(const struct small *small, const struct state *s)
{
    for (uint32_t k = 0; k < small->switches; k++) {
        int64_t low[BRUTE_FORCE_SENDS_MAX], high[BRUTE_FORCE_SENDS_MAX];
        struct flux_time busy[BRUTE_FORCE_SENDS_MAX];
        uint32_t changes = 0, sends = 0;
        if (!small->stops[k] && !small->dwell[k])
            continue;
        for (uint32_t w = 0; w < small->n; w++) {
            if (s->on[w] != k)
                continue;
            struct state before = *s;
            for (uint32_t u = 0; u < small->n; u++)
                if (s->start[u] > s->start[w] || (s->start[u] == s->start[w] && u >= w))
                    before.placed &= ~(1u << u);
            busy[sends++] = (struct flux_time){s->start[w], s->end[w]};
            if (replaces(&before, w, k, &low[changes]))
                high[changes++] = s->start[w] - small->delay[k];
        }
        if (!pairwise_begins_by_trial(low, high, changes, busy, sends, small->stops[k] ? small->delay[k] : 0,
                                      small->dwell[k]))
            return 0;
    }
    return 1;
}

static int fits(const struct state *s, uint32_t w, uint32_t k, int64_t start)
{
    const struct small *small = s->small;
    int64_t end = start + small->duration[w][k];
    for (uint32_t u = 0; u < w; u++) {
        int64_t apart = pairwise_separation(small->rule, small->src[u], small->dst[u], small->src[w], small->dst[w],
                                            small->delay[k]);
        if (s->on[u] == k && apart >= 0 && start < s->end[u] + apart && s->start[u] < end + apart)
            return 0;
        if (small->wait[u][w] != NO_PATH && start < s->end[u] + small->wait[u][w])
            return 0;
        if (small->wait[w][u] != NO_PATH && s->start[u] < end + small->wait[w][u])
            return 0;
    }
    return 1;
}

static int by_time(struct state *s, uint32_t w, int64_t limit)
{
    const struct small *small = s->small;
    if (w == small->n)
        return changes_fit(small, s);
    for (uint32_t k = 0; k < small->switches; k++) {
        int64_t low = small->base[w] > small->first[w][k] ? small->base[w] : small->first[w][k];
        if (small->duration[w][k] < 0)
            continue;
        for (int64_t t = low; t + small->duration[w][k] + small->tail[w] <= limit; t++) {
            if (!fits(s, w, k, t))
                continue;
            s->on[w] = k;
            s->start[w] = t;
            s->end[w] = t + small->duration[w][k];
            s->placed |= 1u << w;
            int found = by_time(s, w + 1, limit);
            s->placed &= ~(1u << w);
            if (found)
                return 1;
        }
    }
    return 0;
}

int brute_force_by_time(const struct flux_graph *graph, const struct flux_fabric *fabric, int64_t limit)
{
    struct small small;
    struct state s;
    int rc = read_small(graph, fabric, &small);
    if (rc)
        return rc == BRUTE_FORCE_TOO_LARGE ? FLUX_E_TOO_BIG : rc;
    memset(&s, 0, sizeof s);
    s.small = &small;
    if (limit < small.least)
        return 0;
    return by_time(&s, 0, limit);
}
