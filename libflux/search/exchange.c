/* SPDX-License-Identifier: Apache-2.0 */
#include "search/exchange.h"

#include "search/reseat.h"

#include <libflux/error.h>

#define CHAIN_MOST 1024u

int flux_exchange_init(struct flux_exchange *exchange, struct flux_users *users, struct flux_arena *arena)
{
    *exchange = (struct flux_exchange){.users = users};
    exchange->chain = flux_arena_alloc(arena, users->problem->nodes, sizeof *exchange->chain);
    exchange->mark = flux_arena_zero(arena, users->problem->nodes, sizeof *exchange->mark);
    return exchange->chain && exchange->mark ? FLUX_OK : FLUX_E_MEMORY;
}

static uint32_t other_switch(const struct flux_exchange *exchange, uint32_t node)
{
    return exchange->users->switch_of[node] == exchange->a ? exchange->b : exchange->a;
}

/* 1 where it was not there. */
static uint32_t add(struct flux_exchange *exchange, uint32_t node)
{
    if (exchange->mark[node])
        return 0;
    exchange->mark[node] = 1;
    exchange->chain[exchange->count + exchange->behind] = node;
    return 1;
}

static int may_go(const struct flux_exchange *exchange, uint32_t node, uint32_t k)
{
    const struct flux_users *users = exchange->users;
    const struct flux_problem *problem = users->problem;
    if (flux_problem_duration(problem, node, k) != flux_users_duration(users, node))
        return 0;
    for (uint32_t side = 0; side < 2; side++) {
        uint32_t initial = users->line[flux_users_port(users, node, side, k)].initial;
        if (initial != FLUX_USERS_NOBODY && initial != problem->circuit[node] && users->early[node] < problem->delay[k])
            return 0;
    }
    return 1;
}

/* Would `node`, at its time on switch k, be too near to `other` there? */
static int disturbs(const struct flux_users *users, uint32_t node, uint32_t other, uint32_t k)
{
    const struct flux_problem *problem = users->problem;
    int64_t gap = problem->delay[k];
    if (problem->circuit[node] == problem->circuit[other]) {
        if (problem->src[node] != problem->src[other])
            return 0;
        gap = 0;
    }
    return users->early[node] < users->early[other] + flux_users_duration(users, other) + gap &&
           users->early[other] < users->early[node] + flux_users_duration(users, node) + gap;
}

/* Those that `node` would disturb go the other way. Under DUPLEX only neighbours of one circuit overlap: users far from
 * its place are not near in time. */
static void extend(struct flux_exchange *exchange, uint32_t node)
{
    const struct flux_users *users = exchange->users;
    uint32_t k = other_switch(exchange, node);
    for (uint32_t side = 0; side < 2; side++) {
        uint64_t port = flux_users_port(users, node, side, k);
        const struct flux_user_line *line = &users->line[port];
        uint32_t index = flux_users_place(users, port, node);
        for (int way = -1; way <= 1; way += 2)
            for (uint32_t i = way > 0 ? index : index - 1; i < line->count; i += (uint32_t)way) {
                uint32_t other = line->entry[i] >> 1;
                int same = users->problem->circuit[other] == users->problem->circuit[node];
                if (disturbs(users, node, other, k)) {
                    exchange->count += add(exchange, other);
                } else if (!same || !users->lanes.watch) {
                    break;
                }
            }
    }
}

/* Everything behind a send of the chain, where it is and where it goes. */
static void find_behind(struct flux_exchange *exchange)
{
    const struct flux_users *users = exchange->users;
    for (uint32_t i = 0; i < exchange->count; i++) {
        uint32_t node = exchange->chain[i], here = users->switch_of[node], there = other_switch(exchange, node);
        for (uint32_t side = 0; side < 2; side++) {
            uint64_t port[2] = {flux_users_port(users, node, side, here), flux_users_port(users, node, side, there)};
            uint32_t index[2] = {users->at[2 * (uint64_t)node + side] + 1, flux_users_place(users, port[1], node)};
            for (uint32_t j = 0; j < 2; j++) {
                const struct flux_user_line *line = &users->line[port[j]];
                if (index[j] < line->count)
                    exchange->behind += add(exchange, line->entry[index[j]] >> 1);
            }
        }
    }
}

static int32_t count_changes(const struct flux_exchange *exchange)
{
    int32_t changes = 0;
    for (uint32_t i = 0; i < exchange->count + exchange->behind; i++)
        changes += (int32_t)flux_reseat_changes(exchange->users, exchange->chain[i]);
    return changes;
}

int flux_exchange_back(struct flux_exchange *exchange)
{
    struct flux_users *users = exchange->users;
    int rc = FLUX_OK;
    for (uint32_t i = 0; i < exchange->count; i++)
        flux_users_take_out(users, exchange->chain[i]);
    for (uint32_t i = 0; i < exchange->count && !rc; i++) {
        uint32_t node = exchange->chain[i], k = other_switch(exchange, node);
        struct flux_seat seat = {k,
                                 {flux_users_place(users, flux_users_port(users, node, 0, k), node),
                                  flux_users_place(users, flux_users_port(users, node, 1, k), node)}};
        rc = flux_users_put_back(users, node, &seat);
    }
    users->work += exchange->count;
    return rc;
}

static void unmark(struct flux_exchange *exchange)
{
    for (uint32_t i = 0; i < exchange->count + exchange->behind; i++)
        exchange->mark[exchange->chain[i]] = 0;
}

int flux_exchange(struct flux_exchange *exchange, uint32_t node, uint32_t k, int32_t *change)
{
    struct flux_users *users = exchange->users;
    int possible = 1;
    exchange->a = users->switch_of[node];
    exchange->b = k;
    exchange->count = exchange->behind = 0;
    if (users->problem->delay[exchange->a] != users->problem->delay[k])
        return 0;
    exchange->count += add(exchange, node);
    for (uint32_t i = 0; i < exchange->count && possible; i++) {
        possible = exchange->count <= CHAIN_MOST &&
                   may_go(exchange, exchange->chain[i], other_switch(exchange, exchange->chain[i]));
        if (possible)
            extend(exchange, exchange->chain[i]);
    }
    users->work += exchange->count;
    if (possible) {
        find_behind(exchange);
        *change = -count_changes(exchange);
    }
    unmark(exchange);
    if (!possible)
        return 0;
    int rc = flux_exchange_back(exchange);
    *change += count_changes(exchange);
    return rc ? rc : 1;
}
