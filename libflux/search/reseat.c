/* SPDX-License-Identifier: Apache-2.0 */
#include "search/reseat.h"

#include <libflux/error.h>

#define SEATS 256u /* of one switch that are looked at */
#define SEATS_FEW 32u
#define NODES_MANY (1u << 15) /* then it is the few */
#define BESIDE 32u            /* sends of a circuit beside a place that are counted */

struct reseat {
    const struct flux_users *users;
    uint32_t node;
    struct flux_window window;
    struct flux_seat home; /* where it was */
    struct flux_random *random;
    struct flux_seat best;
    uint32_t cost;
    uint32_t beside;
    uint32_t found; /* at random: places so far */
};

uint32_t flux_reseat_changes(const struct flux_users *users, uint32_t node)
{
    for (uint32_t side = 0; side < 2; side++) {
        uint64_t port = flux_users_port(users, node, side, users->switch_of[node]);
        uint32_t before = flux_users_circuit(users, port, users->at[2 * (uint64_t)node + side]);
        if (before != FLUX_USERS_NOBODY && before != users->problem->circuit[node])
            return 1;
    }
    return 0;
}

uint64_t flux_reseat_count(const struct flux_users *users)
{
    uint64_t count = 0;
    for (uint32_t v = 0; v < users->problem->nodes; v++)
        if (users->switch_of[v] != FLUX_NONE)
            count += flux_reseat_changes(users, v);
    return count;
}

/* The user at a place of the send's port; FLUX_NONE: none. */
static uint32_t user_at(const struct flux_users *users, uint64_t port, uint32_t index)
{
    const struct flux_user_line *line = &users->line[port];
    return index < line->count ? line->entry[index] >> 1 : FLUX_NONE;
}

static uint32_t changes_of(const struct flux_users *users, uint32_t a, uint32_t b)
{
    return (a == FLUX_NONE ? 0 : flux_reseat_changes(users, a)) +
           (b == FLUX_NONE || b == a ? 0 : flux_reseat_changes(users, b));
}

/* Would `other`, which is behind the seat on one port or both, change with `circuit` in it? */
static uint32_t changes_behind(const struct flux_users *users, uint32_t other, uint32_t circuit, const uint64_t port[2],
                               const struct flux_seat *seat)
{
    if (other == FLUX_NONE)
        return 0;
    for (uint32_t side = 0; side < 2; side++) {
        uint64_t its = flux_users_port(users, other, side, seat->k);
        uint32_t index = users->at[2 * (uint64_t)other + side];
        int behind = (its == port[0] && index == seat->index[0]) || (its == port[1] && index == seat->index[1]);
        uint32_t before = behind ? circuit : flux_users_circuit(users, its, index);
        if (before != FLUX_USERS_NOBODY && before != users->problem->circuit[other])
            return 1;
    }
    return 0;
}

/* How many circuits are set up more often with the send in this seat; never fewer. */
static uint32_t cost_of(const struct flux_users *users, uint32_t node, const struct flux_seat *seat)
{
    uint32_t circuit = users->problem->circuit[node], changes = 0;
    const uint64_t port[2] = {flux_users_port(users, node, 0, seat->k), flux_users_port(users, node, 1, seat->k)};
    uint32_t behind[2];
    for (uint32_t side = 0; side < 2; side++) {
        uint32_t before = flux_users_circuit(users, port[side], seat->index[side]);
        changes |= before != FLUX_USERS_NOBODY && before != circuit;
        behind[side] = user_at(users, port[side], seat->index[side]);
    }
    changes += changes_behind(users, behind[0], circuit, port, seat);
    if (behind[1] != behind[0])
        changes += changes_behind(users, behind[1], circuit, port, seat);
    uint32_t now = changes_of(users, behind[0], behind[1]);
    return changes > now ? changes - now : 0;
}

static uint32_t count_beside(const struct flux_users *users, uint32_t node, const struct flux_seat *seat)
{
    uint64_t port = flux_users_port(users, node, 0, seat->k);
    uint32_t circuit = users->problem->circuit[node], count = 0, index = seat->index[0];
    while (index && count < BESIDE && flux_users_circuit(users, port, index) == circuit) {
        index--;
        count++;
    }
    for (index = seat->index[0]; index < users->line[port].count && count < BESIDE; index++, count++)
        if (flux_users_circuit(users, port, index + 1) != circuit)
            break;
    return count;
}

static int is_home(const struct reseat *reseat, const struct flux_seat *seat)
{
    return seat->k == reseat->home.k && seat->index[0] == reseat->home.index[0] &&
           seat->index[1] == reseat->home.index[1];
}

static void consider(struct reseat *reseat, const struct flux_seat *seat)
{
    if (is_home(reseat, seat))
        return;
    uint32_t cost = cost_of(reseat->users, reseat->node, seat);
    if (reseat->random) {
        if (cost > reseat->cost || !flux_users_fits(reseat->users, reseat->node, seat, &reseat->window))
            return;
        if (flux_random_below(reseat->random, ++reseat->found) == 0)
            reseat->best = *seat;
        return;
    }
    if (cost > reseat->cost)
        return;
    uint32_t beside = count_beside(reseat->users, reseat->node, seat);
    if ((cost == reseat->cost && beside <= reseat->beside) ||
        !flux_users_fits(reseat->users, reseat->node, seat, &reseat->window))
        return;
    reseat->best = *seat;
    reseat->cost = cost;
    reseat->beside = beside;
    reseat->found++;
}

/* The first user of a line that could be behind a send that ends at `end` or later. */
static uint32_t first_behind(const struct flux_users *users, uint64_t port, int64_t end)
{
    const struct flux_user_line *line = &users->line[port];
    uint32_t low = 0, high = line->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (users->late[line->entry[middle] >> 1] < end)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Which of the next users of both ports comes first? Bit 0: the one at the source, bit 1: at the destination. 0:
 * neither can be before the send. */
static uint32_t next_user(const struct flux_users *users, const uint64_t port[2], const struct flux_seat *seat,
                          int64_t start)
{
    uint32_t user[2], may[2];
    for (uint32_t side = 0; side < 2; side++) {
        uint32_t next = user[side] = user_at(users, port[side], seat->index[side]);
        may[side] = next != FLUX_NONE && users->early[next] + flux_users_duration(users, next) <= start;
    }
    if (!may[0] || !may[1])
        return may[0] | may[1] << 1;
    if (user[0] == user[1])
        return 3;
    return users->early[user[0]] < users->early[user[1]] ||
                   (users->early[user[0]] == users->early[user[1]] && user[0] < user[1])
               ? 1
               : 2;
}

static void look_at_switch(struct reseat *reseat, uint32_t k)
{
    const struct flux_users *users = reseat->users;
    int64_t duration = flux_problem_duration(users->problem, reseat->node, k);
    if (duration < 0 || reseat->window.ready > reseat->window.due - duration)
        return;
    const uint64_t port[2] = {flux_users_port(users, reseat->node, 0, k), flux_users_port(users, reseat->node, 1, k)};
    int64_t end = reseat->window.ready + duration;
    struct flux_seat seat = {k, {first_behind(users, port[0], end), first_behind(users, port[1], end)}};
    uint32_t seats = users->problem->nodes > NODES_MANY ? SEATS_FEW : SEATS;
    consider(reseat, &seat);
    for (uint32_t i = 0; i < seats; i++) {
        uint32_t next = next_user(users, port, &seat, reseat->window.due - duration);
        if (!next)
            break;
        seat.index[0] += next & 1;
        seat.index[1] += next >> 1;
        consider(reseat, &seat);
    }
}

int flux_reseat(struct flux_users *users, uint32_t node, struct flux_random *random, uint32_t dearer, int32_t *change,
                struct flux_seat *from)
{
    struct reseat reseat = {.users = users, .node = node, .home = flux_users_seat(users, node), .random = random};
    flux_users_take_out(users, node);
    reseat.best = *from = reseat.home;
    uint32_t cost = cost_of(users, node, &reseat.home);
    reseat.cost = cost + (random ? dearer : 0);
    reseat.beside = random ? 0 : count_beside(users, node, &reseat.home);
    reseat.window = flux_users_window(users, node);
    for (uint32_t k = 0; k < users->problem->switches; k++)
        look_at_switch(&reseat, k);
    users->work++;
    *change = 0;
    if (!reseat.found) {
        return flux_users_put_back(users, node, &reseat.home);
    }
    *change = (int32_t)cost_of(users, node, &reseat.best) - (int32_t)cost;
    int rc = flux_users_put(users, node, &reseat.best);
    return rc ? rc : 1;
}
