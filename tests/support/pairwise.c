/* SPDX-License-Identifier: Apache-2.0 */
#include "pairwise.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int64_t pairwise_duration(const struct flux_graph *graph, const struct flux_fabric *fabric, uint32_t vertex, uint32_t k)
{
    struct flux_send send;
    uint64_t count;
    if (flux_graph_get_send(graph, vertex, &send))
        return -1;
    if (flux_fabric_dead(fabric, send.src, k) || flux_fabric_dead(fabric, send.dst, k))
        return -1;
    const struct flux_circuit_name *name = flux_fabric_forbidden(fabric, &count);
    for (uint64_t i = 0; i < count; i++) {
        if (name[i].switch_index != k)
            continue;
        if (name[i].src == send.src && name[i].dst == send.dst)
            return -1;
        if (flux_fabric_rule(fabric) == FLUX_RULE_DUPLEX && name[i].src == send.dst && name[i].dst == send.src)
            return -1;
    }
    if (send.duration)
        return send.duration;
    uint64_t a = flux_fabric_rate(fabric, send.src, k), b = flux_fabric_rate(fabric, send.dst, k);
    uint64_t rate = a < b ? a : b;
    __extension__ unsigned __int128 bits = (unsigned __int128)send.bytes * 8000000000000u;
    __extension__ unsigned __int128 time = bits / rate + (bits % rate != 0);
    return time ? (int64_t)time : 1;
}

int64_t pairwise_separation(uint32_t rule, uint32_t a, uint32_t b, uint32_t c, uint32_t d, int64_t delay)
{
    int same = a == c && b == d, opposite = a == d && b == c;
    int touch = a == c || a == d || b == c || b == d;
    switch (rule) {
    case FLUX_RULE_PAPER:
        return !touch ? -1 : same ? 0 : delay;
    case FLUX_RULE_DUPLEX:
        return !touch || opposite ? -1 : same ? 0 : delay;
    default:
        return a != c && b != d ? -1 : same ? 0 : delay;
    }
}

/* Is it one light path, that a second user finds set up? */
static int same_circuit(uint32_t rule, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    return (a == c && b == d) || (rule == FLUX_RULE_DUPLEX && a == d && b == c);
}

int64_t pairwise_lag(const struct flux_graph *graph, const struct flux_fabric *fabric, const struct flux_edge *edge)
{
    struct flux_send from, to;
    struct flux_compute compute;
    uint32_t place;
    if (!flux_graph_is_send(graph, edge->from))
        return edge->lag;
    flux_graph_get_send(graph, edge->from, &from);
    if (flux_graph_is_send(graph, edge->to)) {
        flux_graph_get_send(graph, edge->to, &to);
        place = to.src;
    } else {
        flux_graph_get_compute(graph, edge->to, &compute);
        place = compute.gpu;
    }
    return edge->lag + (place != from.src ? flux_fabric_propagation(fabric, from.src, from.dst) : 0);
}

int pairwise_times(const struct flux_graph *graph, const struct flux_fabric *fabric, const struct flux_slot *slots,
                   uint64_t count, struct flux_time *times)
{
    uint32_t vertices = flux_graph_vertices(graph);
    uint64_t edges;
    const struct flux_edge *edge = flux_graph_edges(graph, &edges);
    if (count != flux_graph_sends(graph))
        return 0;
    for (uint32_t v = 0; v < vertices; v++) {
        struct flux_compute compute;
        times[v].start = -1;
        if (!flux_graph_is_send(graph, v)) {
            flux_graph_get_compute(graph, v, &compute);
            times[v].start = compute.release;
            times[v].end = compute.release + compute.duration;
        }
    }
    for (uint64_t i = 0; i < count; i++) {
        if (!flux_graph_is_send(graph, slots[i].send) || times[slots[i].send].start != -1)
            return 0;
        times[slots[i].send].start = slots[i].start;
        times[slots[i].send].end = slots[i].end;
    }
    /* Push compute later until nothing moves; more rounds than vertices mean a cycle. */
    for (uint32_t round = 0; round <= vertices; round++) {
        int moved = 0;
        for (uint64_t i = 0; i < edges; i++) {
            struct flux_time *to = &times[edge[i].to];
            int64_t least = times[edge[i].from].end + pairwise_lag(graph, fabric, &edge[i]);
            if (flux_graph_is_send(graph, edge[i].to) || to->start >= least)
                continue;
            to->end += least - to->start;
            to->start = least;
            moved = 1;
        }
        if (!moved)
            return 1;
    }
    return 0;
}

/* May a change that takes `delay` begin at b? */
static int idle_from(int64_t b, const struct flux_time *busy, uint32_t sends, int64_t delay)
{
    for (uint32_t i = 0; i < sends; i++)
        if (busy[i].end > b && busy[i].start < b + delay)
            return 0;
    return 1;
}

static int try_begins(const int64_t *low, const int64_t *high, uint32_t changes, uint32_t next, int64_t *begin,
                      const struct flux_time *busy, uint32_t sends, int64_t delay, int64_t dwell)
{
    if (next == changes)
        return 1;
    for (int64_t b = low[next]; b <= high[next]; b++) {
        int good = !delay || idle_from(b, busy, sends, delay);
        for (uint32_t i = 0; i < next && good; i++)
            good = begin[i] == b || begin[i] - b >= dwell || b - begin[i] >= dwell;
        begin[next] = b;
        if (good && try_begins(low, high, changes, next + 1, begin, busy, sends, delay, dwell))
            return 1;
    }
    return 0;
}

int pairwise_begins_by_trial(const int64_t *low, const int64_t *high, uint32_t changes, const struct flux_time *busy,
                             uint32_t sends, int64_t delay, int64_t dwell)
{
    int64_t begin[16];
    return changes <= 16 && try_begins(low, high, changes, 0, begin, busy, sends, delay, dwell);
}

static int compare_times(const void *a, const void *b)
{
    int64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

/* Moved as early as they can, begins are at the low end of a window or where a send ends, or some dwells after such a
 * point. */
static uint64_t candidate_points(const int64_t *low, uint32_t changes, const struct flux_time *busy, uint32_t sends,
                                 int64_t delay, int64_t dwell, int64_t last, int64_t **points)
{
    uint64_t count = 0, kept = 0;
    uint32_t steps = dwell ? changes : 1;
    int64_t *point = malloc(sizeof *point * (uint64_t)(changes + sends) * steps);
    for (uint32_t i = 0; i < changes + sends && point; i++)
        for (uint32_t m = 0; m < steps; m++) {
            int64_t p = (i < changes ? low[i] : busy[i - changes].end) + m * dwell;
            if (p <= last && (!delay || idle_from(p, busy, sends, delay)))
                point[count++] = p;
        }
    if (count)
        qsort(point, count, sizeof *point, compare_times);
    for (uint64_t i = 0; i < count; i++)
        if (!kept || point[kept - 1] != point[i])
            point[kept++] = point[i];
    *points = point;
    return kept;
}

/* Is there a window that a schedule of begins with neighbours p (-1: none) and q misses? q < 0: p is the last. */
static int misses(const int64_t *low, const int64_t *high, uint32_t changes, int64_t p, int64_t q)
{
    for (uint32_t i = 0; i < changes; i++)
        if (low[i] > p && (q < 0 || high[i] < q))
            return 1;
    return 0;
}

int pairwise_begins(const int64_t *low, const int64_t *high, uint32_t changes, const struct flux_time *busy,
                    uint32_t sends, int64_t delay, int64_t dwell)
{
    int64_t last = 0, *point = NULL;
    int found = !changes;
    for (uint32_t i = 0; i < changes; i++)
        if (high[i] > last)
            last = high[i];
    uint64_t count = candidate_points(low, changes, busy, sends, delay, dwell, last, &point);
    char *reached = calloc(count + 1, 1);
    for (uint64_t q = 0; q < count && reached && !found; q++) {
        reached[q] = !misses(low, high, changes, -1, point[q]);
        for (uint64_t p = 0; p < q && !reached[q]; p++)
            reached[q] =
                reached[p] && point[q] - point[p] >= dwell && !misses(low, high, changes, point[p], point[q]);
        found = reached[q] && !misses(low, high, changes, point[q], -1);
    }
    free(reached);
    free(point);
    return found;
}

#define SENDS_MAX 4096u

/* A schedule's sends with what the rules ask about them. */
struct user {
    uint32_t vertex;
    uint32_t k;
    uint32_t src;
    uint32_t dst;
    int64_t start;
    int64_t end;
};

/* Does `user` hold the port of w at side 0 (w's source) or 1 (w's destination)? */
static int holds_port(uint32_t rule, const struct user *user, const struct user *w, int side)
{
    uint32_t gpu = side ? w->dst : w->src;
    if (user->k != w->k)
        return 0;
    if (rule == FLUX_RULE_SIMPLEX)
        return side ? user->dst == gpu : user->src == gpu;
    return user->src == gpu || user->dst == gpu;
}

/* Whether w replaces another circuit at the port of that side, and when the last user of one there ended. */
static int replaces(const struct flux_fabric *fabric, const struct user *users, uint32_t count, uint32_t w, int side,
                    int64_t *ended)
{
    uint32_t rule = flux_fabric_rule(fabric), before = FLUX_NONE;
    uint64_t initials;
    const struct flux_circuit_name *name = flux_fabric_initial(fabric, &initials);
    *ended = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct user *u = &users[i];
        if (i == w || !holds_port(rule, u, &users[w], side))
            continue;
        if (u->start > users[w].start || (u->start == users[w].start && i > w))
            continue;
        if (before == FLUX_NONE || u->start > users[before].start || (u->start == users[before].start && i > before))
            before = i;
        if (!same_circuit(rule, u->src, u->dst, users[w].src, users[w].dst) && u->end > *ended)
            *ended = u->end;
    }
    if (before != FLUX_NONE)
        return !same_circuit(rule, users[before].src, users[before].dst, users[w].src, users[w].dst);
    for (uint64_t i = 0; i < initials; i++) {
        struct user up = {FLUX_NONE, name[i].switch_index, name[i].src, name[i].dst, 0, 0};
        if (holds_port(rule, &up, &users[w], side) &&
            !same_circuit(rule, up.src, up.dst, users[w].src, users[w].dst))
            return 1;
    }
    return 0;
}

/* 1 where w needs a change, with the end of what it replaces. */
static int needs_change(const struct flux_fabric *fabric, const struct user *users, uint32_t count, uint32_t w,
                        int64_t *ended)
{
    int64_t at_src, at_dst;
    int src = replaces(fabric, users, count, w, 0, &at_src), dst = replaces(fabric, users, count, w, 1, &at_dst);
    *ended = src ? at_src : 0;
    if (dst && at_dst > *ended)
        *ended = at_dst;
    return src || dst;
}

static int check_changes(const struct flux_fabric *fabric, const struct user *users, uint32_t count, uint32_t k,
                         char why[PAIRWISE_TEXT])
{
    int64_t delay = flux_fabric_delay(fabric, k), dwell = flux_fabric_dwell(fabric, k);
    int64_t *low = malloc(sizeof *low * (count + 1)), *high = malloc(sizeof *high * (count + 1));
    struct flux_time *busy = malloc(sizeof *busy * (count + 1));
    uint32_t changes = 0, sends = 0;
    int stops = flux_fabric_blocking(fabric, k) == FLUX_BLOCKING_SWITCH, good = low && high && busy;
    for (uint32_t w = 0; w < count && good; w++) {
        if (users[w].k != k)
            continue;
        busy[sends++] = (struct flux_time){users[w].start, users[w].end};
        if (needs_change(fabric, users, count, w, &low[changes])) {
            high[changes] = users[w].start - delay;
            changes++;
        }
    }
    if (good)
        good = pairwise_begins(low, high, changes, busy, sends, stops ? delay : 0, dwell);
    if (!good)
        snprintf(why, PAIRWISE_TEXT, "the %" PRIu32 " changes of switch %" PRIu32 " find no time", changes, k);
    free(low);
    free(high);
    free(busy);
    return good;
}

static int check_pairs(const struct flux_fabric *fabric, const struct user *users, uint32_t count,
                       char why[PAIRWISE_TEXT])
{
    uint32_t rule = flux_fabric_rule(fabric);
    uint64_t initials;
    const struct flux_circuit_name *name = flux_fabric_initial(fabric, &initials);
    for (uint32_t i = 0; i < count; i++) {
        const struct user *u = &users[i];
        int64_t delay = flux_fabric_delay(fabric, u->k);
        for (uint32_t j = 0; j < count; j++) {
            const struct user *w = &users[j];
            int64_t apart = pairwise_separation(rule, u->src, u->dst, w->src, w->dst, delay);
            if (j <= i || u->k != w->k || apart < 0)
                continue;
            if (w->start < u->end + apart && u->start < w->end + apart) {
                snprintf(why, PAIRWISE_TEXT, "sends %" PRIu32 " and %" PRIu32 " meet on switch %" PRIu32, u->vertex,
                         w->vertex, u->k);
                return 0;
            }
        }
        for (uint64_t j = 0; j < initials; j++) {
            int64_t apart = pairwise_separation(rule, name[j].src, name[j].dst, u->src, u->dst, delay);
            if (name[j].switch_index == u->k && u->start < apart) {
                snprintf(why, PAIRWISE_TEXT, "send %" PRIu32 " starts before the initial circuit is gone", u->vertex);
                return 0;
            }
        }
    }
    for (uint32_t k = 0; k < flux_fabric_switches(fabric); k++)
        if (!check_changes(fabric, users, count, k, why))
            return 0;
    return 1;
}

/* Fills `users` from the slots; 0 with a reason where a slot alone is wrong. */
static int read_users(const struct flux_graph *graph, const struct flux_fabric *fabric, const struct flux_slot *slots,
                      uint64_t count, struct user *users, char why[PAIRWISE_TEXT])
{
    for (uint64_t i = 0; i < count; i++) {
        struct flux_send send = {0};
        flux_graph_get_send(graph, slots[i].send, &send);
        users[i] = (struct user){slots[i].send, slots[i].switch_index, send.src, send.dst, slots[i].start, slots[i].end};
        int64_t duration = slots[i].switch_index < flux_fabric_switches(fabric)
                               ? pairwise_duration(graph, fabric, slots[i].send, slots[i].switch_index)
                               : -1;
        if (slots[i].start < send.release || duration < 0 || slots[i].end - slots[i].start != duration) {
            snprintf(why, PAIRWISE_TEXT, "send %" PRIu32 " has a wrong switch, start or end", slots[i].send);
            return 0;
        }
    }
    return 1;
}

int pairwise_check(const struct flux_graph *graph, const struct flux_fabric *fabric, const struct flux_slot *slots,
                   uint64_t count, int64_t *makespan, char why[PAIRWISE_TEXT])
{
    uint32_t vertices = flux_graph_vertices(graph);
    uint64_t edges;
    const struct flux_edge *edge = flux_graph_edges(graph, &edges);
    struct flux_time *times = malloc(sizeof *times * (vertices + 1u));
    struct user *users = malloc(sizeof *users * (count + 1));
    int good = times && users && count <= SENDS_MAX;
    int64_t end = 0;
    snprintf(why, PAIRWISE_TEXT, "not one slot per send, or a cycle");
    good = good && pairwise_times(graph, fabric, slots, count, times);
    good = good && read_users(graph, fabric, slots, count, users, why);
    for (uint64_t i = 0; i < edges && good; i++)
        if (times[edge[i].to].start < times[edge[i].from].end + pairwise_lag(graph, fabric, &edge[i])) {
            snprintf(why, PAIRWISE_TEXT, "vertex %" PRIu32 " does not wait for %" PRIu32, edge[i].to, edge[i].from);
            good = 0;
        }
    good = good && check_pairs(fabric, users, (uint32_t)count, why);
    for (uint32_t v = 0; v < vertices && good; v++)
        if (times[v].end > end)
            end = times[v].end;
    if (makespan)
        *makespan = good ? end : 0;
    free(times);
    free(users);
    return good;
}

static int wrong_row(char why[PAIRWISE_TEXT], uint64_t row, const char *what)
{
    snprintf(why, PAIRWISE_TEXT, "row %" PRIu64 " of the circuit program: %s", row, what);
    return 0;
}

/* One row: its sends, its own times, and against the sends and changes of its switch. */
static int check_row(const struct flux_fabric *fabric, const struct user *users, uint32_t count,
                     const struct flux_circuit *rows, uint64_t row_count, uint64_t r, char why[PAIRWISE_TEXT])
{
    const struct flux_circuit *row = &rows[r];
    uint32_t rule = flux_fabric_rule(fabric), k = row->switch_index, sends = 0, first = FLUX_NONE;
    int64_t delay = flux_fabric_delay(fabric, k), dwell = flux_fabric_dwell(fabric, k), ended = 0;
    for (uint32_t i = 0; i < count; i++)
        if (users[i].k == k && same_circuit(rule, users[i].src, users[i].dst, row->src, row->dst) &&
            users[i].start >= row->up && users[i].end <= row->down) {
            sends++;
            if (first == FLUX_NONE || users[i].start < users[first].start)
                first = i;
        }
    if (sends != row->sends)
        return wrong_row(why, r, "counts other sends");
    if (!row->changed)
        return row->begin == 0 && row->up == 0 ? 1 : wrong_row(why, r, "a first circuit has times");
    if (first == FLUX_NONE || !needs_change(fabric, users, count, first, &ended))
        return wrong_row(why, r, "changes without need");
    if (row->up - row->begin != delay || row->begin < ended || row->up > users[first].start)
        return wrong_row(why, r, "changes at a wrong time");
    if (flux_fabric_blocking(fabric, k) == FLUX_BLOCKING_SWITCH && delay)
        for (uint32_t i = 0; i < count; i++)
            if (users[i].k == k && users[i].end > row->begin && users[i].start < row->up)
                return wrong_row(why, r, "changes while a send runs");
    for (uint64_t i = 0; i < row_count; i++)
        if (rows[i].switch_index == k && rows[i].changed && rows[i].begin > row->begin &&
            rows[i].begin - row->begin < dwell)
            return wrong_row(why, r, "changes too soon before another");
    return 1;
}

int pairwise_program(const struct flux_graph *graph, const struct flux_fabric *fabric, const struct flux_slot *slots,
                     uint64_t count, const struct flux_circuit *circuits, uint64_t circuit_count,
                     uint64_t reconfigurations, char why[PAIRWISE_TEXT])
{
    struct user *users = malloc(sizeof *users * (count + 1));
    uint64_t sends = 0, changes = 0, needed = 0;
    uint32_t rule = flux_fabric_rule(fabric);
    int good = users && read_users(graph, fabric, slots, count, users, why);
    for (uint64_t r = 0; r < circuit_count && good; r++) {
        const struct flux_circuit *row = &circuits[r], *last = r ? &circuits[r - 1] : NULL;
        if (last && (last->switch_index > row->switch_index ||
                     (last->switch_index == row->switch_index &&
                      (last->up > row->up || (last->up == row->up && last->src > row->src)))))
            good = wrong_row(why, r, "out of order");
        good = good && check_row(fabric, users, (uint32_t)count, circuits, circuit_count, r, why);
        sends += row->sends;
        changes += row->changed;
    }
    for (uint32_t w = 0; w < count && good; w++) {
        int64_t ended;
        uint32_t rows = 0;
        for (uint64_t r = 0; r < circuit_count; r++)
            rows += circuits[r].switch_index == users[w].k && circuits[r].up <= users[w].start &&
                    circuits[r].down >= users[w].end &&
                    same_circuit(rule, users[w].src, users[w].dst, circuits[r].src, circuits[r].dst);
        needed += (uint64_t)needs_change(fabric, users, (uint32_t)count, w, &ended);
        if (rows != 1) {
            snprintf(why, PAIRWISE_TEXT, "send %" PRIu32 " runs in %" PRIu32 " rows of the program", users[w].vertex,
                     rows);
            good = 0;
        }
    }
    if (good && (sends != count || changes != reconfigurations || changes != needed)) {
        snprintf(why, PAIRWISE_TEXT, "%" PRIu64 " sends and %" PRIu64 " changes in rows, %" PRIu64 " counted, %" PRIu64
                 " needed", sends, changes, reconfigurations, needed);
        good = 0;
    }
    free(users);
    return good;
}
