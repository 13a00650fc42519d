/* SPDX-License-Identifier: Apache-2.0
 *
 * search/exchange.h - two switches exchanged for as few sends as that takes: a send goes to the other switch at the
 * same time; what it would disturb there comes to the first one; and so on (Kempe, 1879, for colours of a map).
 */
#ifndef FLUX_SEARCH_EXCHANGE_H
#define FLUX_SEARCH_EXCHANGE_H

#include "search/users.h"

struct flux_exchange {
    struct flux_users *users;
    uint32_t *chain; /* sends that change places */
    uint32_t count;
    uint32_t behind; /* after them: sends whose circuit may be set up or not because of that */
    uint8_t *mark;   /* by node: in either */
    uint32_t a;      /* the two switches */
    uint32_t b;
};

/* Errors: MEMORY. */
int flux_exchange_init(struct flux_exchange *exchange, struct flux_users *users, struct flux_arena *arena);

/* Exchanges at `node` and switch k. The users are settled, or were exchanged before. `change`: how many circuits more
 * are set up, or fewer. 1: done, 0: it cannot be and nothing changed, or MEMORY. */
int flux_exchange(struct flux_exchange *exchange, uint32_t node, uint32_t k, int32_t *change);

/* The last one once more: all is as before, but times may be less exact. Errors: MEMORY. */
int flux_exchange_back(struct flux_exchange *exchange);

#endif
