/* SPDX-License-Identifier: Apache-2.0 */
#include "prove/loads.h"

#include <libflux/error.h>
#include <string.h>

#define SETS_MAX 64u /* odd sets of GPUs looked at */
#define SET_GPUS_MAX 10u

struct window {
    int64_t head;
    int64_t tail;
    int64_t need; /* between them */
};

static int64_t tail_of(const struct flux_loads *loads, uint32_t v)
{
    return loads->paths->side[FLUX_PATH_TAIL].length[v] - loads->problem->duration[v];
}

static int64_t head_of(const struct flux_loads *loads, uint32_t v)
{
    return loads->paths->side[FLUX_PATH_HEAD].length[v];
}

/* Members by head, the last first; mostly they still are. */
static uint32_t gather(struct flux_loads *loads, const struct flux_place *place)
{
    const struct flux_problem *problem = loads->problem;
    uint32_t *member = loads->member + place->first, count = 0;
    for (uint32_t i = 1; i < place->count; i++) {
        uint32_t v = member[i], j = i;
        for (; j && head_of(loads, member[j - 1]) < head_of(loads, v); j--)
            member[j] = member[j - 1];
        member[j] = v;
    }
    for (uint32_t i = 0; i < place->count; i++)
        if (place->switch_index == FLUX_NONE ||
            loads->paths->clauses->value[loads->literal_on[member[i] * problem->switches + place->switch_index]] > 0)
            loads->sorted[count++] = member[i];
    return count;
}

/* Tails of the members, ascending, each once. */
static uint32_t list_tails(struct flux_loads *loads, uint32_t count)
{
    int64_t *tails = loads->tails;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        int64_t tail = tail_of(loads, loads->sorted[i]);
        uint32_t j = kept;
        while (j && tails[j - 1] > tail)
            j--;
        if (j && tails[j - 1] == tail)
            continue;
        memmove(tails + j + 1, tails + j, (kept - j) * sizeof *tails);
        tails[j] = tail;
        kept++;
    }
    return kept;
}

/* Adds a send to the window; how much longer that makes the load, without setups. */
static int64_t add(struct flux_loads *loads, uint32_t v, uint32_t *circuits)
{
    const struct flux_problem *problem = loads->problem;
    uint32_t c = problem->circuit[v];
    if (loads->inside[c] != loads->round) {
        loads->inside[c] = loads->round;
        loads->direction[0][c] = loads->direction[1][c] = 0;
        ++*circuits;
    }
    if (problem->rule != FLUX_RULE_DUPLEX)
        return problem->duration[v];
    int64_t *way = loads->direction[problem->src[v] > problem->dst[v]];
    int64_t other = loads->direction[problem->src[v] <= problem->dst[v]][c];
    int64_t before = way[c] > other ? way[c] : other;
    way[c] += problem->duration[v];
    return (way[c] > other ? way[c] : other) - before;
}

static int64_t needed(const struct flux_loads *loads, const struct flux_place *place, int64_t load, uint32_t circuits)
{
    int64_t delay = place->switch_index == FLUX_NONE ? loads->delay : loads->problem->delay[place->switch_index];
    int64_t slots = place->slots;
    if (circuits > place->slots)
        load += delay * (circuits - place->slots);
    return (load + slots - 1) / slots;
}

/* At one port: the shortest send of each circuit of the window, as few circuits as one port may have. */
static int64_t needed_at_one(struct flux_loads *loads, uint32_t count, int64_t tail, uint32_t circuits, uint32_t slots)
{
    const struct flux_problem *problem = loads->problem;
    uint32_t found = 0, most = (circuits + slots - 1) / slots;
    int64_t need = loads->delay * (most - 1);
    for (uint32_t i = 0; i < count; i++)
        loads->at[problem->circuit[loads->sorted[i]]] = FLUX_NONE;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t v = loads->sorted[i], *at = &loads->at[problem->circuit[v]];
        if (tail_of(loads, v) < tail)
            continue;
        if (*at == FLUX_NONE) {
            *at = found;
            loads->shortest[found++] = problem->duration[v];
        } else if (problem->duration[v] < loads->shortest[*at]) {
            loads->shortest[*at] = problem->duration[v];
        }
    }
    loads->paths->steps += count;
    for (uint32_t i = 0; i < most; i++) {
        for (uint32_t j = i + 1; j < found; j++)
            if (loads->shortest[j] < loads->shortest[i]) {
                int64_t swap = loads->shortest[i];
                loads->shortest[i] = loads->shortest[j];
                loads->shortest[j] = swap;
            }
        need += loads->shortest[i];
    }
    return need;
}

/* May it be more at one port than shared by all? The shortest are no longer than their share of the load. */
static int may_need_more(const struct flux_loads *loads, const struct flux_place *place, int64_t load,
                         uint32_t circuits, int64_t need)
{
    uint32_t most = place->ports && place->slots > 1 ? (circuits + place->slots - 1) / place->slots : 1;
    return most > 1 && loads->delay * (most - 1) + load / circuits * most + most > need;
}

/* Why every send of the window has this head and tail, less what the window is too long by. */
static int explain(struct flux_loads *loads, const struct flux_place *place, uint32_t count,
                   const struct window *window)
{
    struct flux_paths *paths = loads->paths;
    int64_t slack = window->head + window->need + window->tail - paths->limit - 1;
    flux_paths_begin_because(paths);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t v = loads->sorted[i];
        if (head_of(loads, v) < window->head || tail_of(loads, v) < window->tail)
            continue;
        if (place->switch_index != FLUX_NONE)
            flux_paths_note(paths, loads->literal_on[v * loads->problem->switches + place->switch_index]);
        flux_paths_because(paths, FLUX_PATH_HEAD, v, window->head - slack);
        flux_paths_because(paths, FLUX_PATH_TAIL, v, window->tail + loads->problem->duration[v]);
    }
    return flux_paths_conflict(paths);
}

/* No window needs more than this. */
static int64_t needed_at_most(struct flux_loads *loads, const struct flux_place *place, uint32_t count)
{
    int64_t load = 0, longest = 0;
    uint32_t circuits = 0;
    loads->round++;
    for (uint32_t i = 0; i < count; i++) {
        int64_t duration = loads->problem->duration[loads->sorted[i]];
        load += add(loads, loads->sorted[i], &circuits);
        longest = duration > longest ? duration : longest;
    }
    int64_t need = needed(loads, place, load, circuits);
    int64_t at_one = (circuits + place->slots - 1) / place->slots * (longest + loads->delay);
    return place->ports && at_one > need ? at_one : need;
}

/* All windows with one tail: from the last head down, from place `first` on, to where none can be too long. */
static int check_tail(struct flux_loads *loads, const struct flux_place *place, uint32_t first, uint32_t count,
                      int64_t tail, int64_t most)
{
    struct flux_paths *paths = loads->paths;
    struct window window = {.tail = tail};
    int64_t load = 0;
    uint32_t circuits = 0, i;
    loads->round++;
    for (i = first; i < count; i++) {
        uint32_t v = loads->sorted[i];
        window.head = head_of(loads, v);
        if (window.head + most + tail <= paths->limit)
            break;
        if (tail_of(loads, v) < tail)
            continue;
        load += add(loads, v, &circuits);
        window.need = needed(loads, place, load, circuits);
        if (window.head + window.need + tail <= paths->limit &&
            may_need_more(loads, place, load, circuits, paths->limit - window.head - tail))
            window.need = needed_at_one(loads, i + 1, tail, circuits, place->slots);
        if (window.head + window.need + tail > paths->limit) {
            /* Sends further on with the same head are in the window too, and make it longer: that is only more. */
            return explain(loads, place, i + 1, &window);
        }
    }
    paths->steps += i - first + 1;
    return 0;
}

static int check_place(struct flux_loads *loads, const struct flux_place *place)
{
    uint32_t count = gather(loads, place);
    if (count < 2)
        return 0;
    uint32_t tails = list_tails(loads, count);
    int64_t most = needed_at_most(loads, place, count);
    loads->paths->steps += place->count;
    for (uint32_t i = 0, first = 0; i < tails; i++) {
        while (tail_of(loads, loads->sorted[first]) < loads->tails[i])
            first++;
        if (check_tail(loads, place, first, count, loads->tails[i], most))
            return 1;
    }
    return 0;
}

static int is_touched(const struct flux_loads *loads, const struct flux_place *place)
{
    for (uint32_t i = 0; i < place->count; i++)
        if (loads->paths->touched[loads->member[place->first + i]])
            return 1;
    return 0;
}

int flux_loads_check(struct flux_loads *loads)
{
    for (uint32_t i = 0; i < loads->place_count; i++)
        if (is_touched(loads, &loads->places[i]) && check_place(loads, &loads->places[i]))
            return 1;
    memset(loads->paths->touched, 0, loads->problem->nodes);
    return 0;
}

/* The sends of a GPU's side as a place, and one for each of its ports. */
static void add_side(struct flux_loads *loads, uint32_t gpu, uint32_t side, uint32_t *members)
{
    const struct flux_problem *problem = loads->problem;
    struct flux_place place = {
        .first = *members, .slots = problem->switches, .switch_index = FLUX_NONE, .ports = 1};
    for (uint64_t i = problem->touch_first[gpu]; i < problem->touch_first[gpu + 1]; i++) {
        uint32_t v = problem->touch[i];
        if (side == 2 || (side ? problem->dst : problem->src)[v] == gpu)
            loads->member[place.first + place.count++] = v;
    }
    if (place.count < 2)
        return;
    *members += place.count;
    loads->places[loads->place_count++] = place;
    place.slots = 1;
    for (place.switch_index = 0; problem->switches > 1 && place.switch_index < problem->switches; place.switch_index++)
        loads->places[loads->place_count++] = place;
}

static uint32_t bits(uint32_t set)
{
    uint32_t count = 0;
    for (; set; set &= set - 1)
        count++;
    return count;
}

/* Circuits inside an odd set of GPUs. Only where it holds more than the GPUs one by one say. */
static void add_set(struct flux_loads *loads, uint32_t set, const uint32_t *gpus, uint32_t *members)
{
    const struct flux_problem *problem = loads->problem;
    struct flux_place place = {.first = *members, .switch_index = FLUX_NONE};
    uint32_t of = 0;
    for (uint32_t v = 0; v < problem->nodes; v++) {
        uint32_t ends = 0;
        for (uint32_t i = 0; i < SET_GPUS_MAX && flux_problem_is_send(problem, v); i++)
            ends += (set >> i & 1) && (gpus[i] == problem->src[v] || gpus[i] == problem->dst[v]);
        if (ends == 2)
            loads->member[place.first + place.count++] = v;
    }
    of = bits(set);
    place.slots = problem->switches * (of / 2);
    if (place.count < of || place.count <= place.slots)
        return;
    *members += place.count;
    loads->places[loads->place_count++] = place;
}

static void add_sets(struct flux_loads *loads, uint32_t *members)
{
    const struct flux_problem *problem = loads->problem;
    uint32_t gpus[SET_GPUS_MAX], count = 0, sets = 0;
    for (uint32_t gpu = 0; gpu < problem->gpus; gpu++)
        if (problem->touch_first[gpu + 1] > problem->touch_first[gpu]) {
            if (count == SET_GPUS_MAX)
                return;
            gpus[count++] = gpu;
        }
    for (uint32_t set = 1; set < UINT32_C(1) << count && sets < SETS_MAX; set++) {
        uint32_t before = loads->place_count;
        if (bits(set) >= 3 && bits(set) % 2)
            add_set(loads, set, gpus, members);
        sets += loads->place_count > before;
    }
}

int flux_loads_init(struct flux_loads *loads, const struct flux_problem *problem, struct flux_paths *paths,
                    const uint32_t *literal_on, struct flux_arena *arena)
{
    uint64_t most = (uint64_t)problem->gpus * 2 * (problem->switches + 1) + SETS_MAX;
    uint32_t members = 0;
    memset(loads, 0, sizeof *loads);
    loads->problem = problem;
    loads->paths = paths;
    loads->literal_on = literal_on;
    loads->places = flux_arena_alloc(arena, most, sizeof *loads->places);
    loads->member = flux_arena_alloc(arena, problem->nodes * ((uint64_t)SETS_MAX + 3), sizeof *loads->member);
    loads->sorted = flux_arena_alloc(arena, problem->nodes, sizeof *loads->sorted);
    loads->tails = flux_arena_alloc(arena, (uint64_t)problem->nodes + 1, sizeof *loads->tails);
    loads->inside = flux_arena_zero(arena, problem->circuits, sizeof *loads->inside);
    loads->at = flux_arena_alloc(arena, problem->circuits, sizeof *loads->at);
    loads->shortest = flux_arena_alloc(arena, problem->circuits, sizeof *loads->shortest);
    loads->direction[0] = flux_arena_alloc(arena, problem->circuits, sizeof *loads->direction[0]);
    loads->direction[1] = flux_arena_alloc(arena, problem->circuits, sizeof *loads->direction[1]);
    if (!loads->at || !loads->shortest || !loads->places || !loads->member || !loads->sorted || !loads->tails ||
        !loads->inside || !loads->direction[0] || !loads->direction[1])
        return FLUX_E_MEMORY;
    for (uint64_t i = 0; i < (uint64_t)problem->nodes * problem->switches; i++)
        if (literal_on[i] > 1)
            paths->about[literal_on[i]] = (uint32_t)(i / problem->switches);
    loads->delay = problem->delay[0];
    for (uint32_t k = 1; k < problem->switches; k++)
        loads->delay = problem->delay[k] < loads->delay ? problem->delay[k] : loads->delay;
    for (uint32_t gpu = 0; gpu < problem->gpus; gpu++) {
        if (problem->rule != FLUX_RULE_SIMPLEX)
            add_side(loads, gpu, 2, &members);
        else
            for (uint32_t side = 0; side < 2; side++)
                add_side(loads, gpu, side, &members);
    }
    if (problem->rule != FLUX_RULE_SIMPLEX)
        add_sets(loads, &members);
    return FLUX_OK;
}
