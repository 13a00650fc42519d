/* SPDX-License-Identifier: Apache-2.0
 *
 * bound/port_load.c - the fullest window of a port: max over thresholds a, b of
 *
 *     a + b + ceil((P(a, b) + delay * max(0, f(a, b) - s)) / s)
 *
 * in O(n log n) for n sends instead of one pass per pair of thresholds. Tails are taken in falling order, so that the
 * sends with a tail of at least b are those inserted so far. Over these a tree has one leaf per send, by falling head;
 * the window of threshold head(i) is the leaves 0 .. i, so it is a prefix. A node of the tree keeps the sum of weights
 * below it and the best prefix that ends below it, s * head(i) + sum of the weights up to i: inserting is a walk to the
 * root, and the root has the answer for b.
 *
 * The maximum with 0 is two trees: one whose weights are the durations, one where a circuit weighs the delay too, at
 * its send with the largest head, and delay * s is taken off at the end. The larger of both is what is wanted.
 *
 * Under DUPLEX the load of a circuit is the larger one of its directions, which is no sum over sends. Counting only one
 * direction of each circuit, whichever, is still a bound: the direction with more load is tried first, then the one
 * that has more in the window found, until that finds nothing new. bound/walk.c does the rest.
 */
#include "bound/search.h"

#include <string.h>

#define NOTHING (-(INT64_C(1) << 62)) /* "no send ends here": small, and sums with it do not wrap */
#define DIRECTION_ROUNDS 4

struct summit {
    int64_t sum[2];  /* weights without and with setups */
    int64_t best[2]; /* best prefix that ends at a leaf below */
};

struct load_tree {
    const struct flux_port *port;
    struct summit *node; /* 1: root; leaf i at `leaves` + i */
    uint32_t leaves;
    uint32_t *first;        /* by circuit: its inserted send with the largest head */
    const uint8_t *counted; /* by circuit: which direction counts, a bit for each */
};

struct found {
    int64_t bound;
    int64_t head;
    int64_t tail;
};

static void join(struct summit *node, const struct summit *left, const struct summit *right, int which)
{
    int64_t past = left->sum[which] + right->best[which];
    node->sum[which] = left->sum[which] + right->sum[which];
    node->best[which] = left->best[which] > past ? left->best[which] : past;
}

/* Adds `delay`, or takes it off, at a leaf of the tree with setups. */
static void weigh(struct load_tree *tree, uint32_t leaf, int64_t delay)
{
    uint32_t i = tree->leaves + leaf;
    tree->node[i].sum[1] += delay;
    tree->node[i].best[1] += delay;
    for (i /= 2; i > 0; i /= 2)
        join(&tree->node[i], &tree->node[2 * i], &tree->node[2 * i + 1], 1);
}

static void insert(struct load_tree *tree, uint32_t leaf)
{
    const struct flux_port *port = tree->port;
    uint32_t circuit = port->circuit[leaf], *first = &tree->first[circuit];
    int64_t weight = tree->counted[circuit] >> port->inward[leaf] & 1 ? port->duration[leaf] : 0;
    int64_t setup = 0;
    if (port->delay > 0 && leaf < *first) {
        if (*first != FLUX_NONE)
            weigh(tree, *first, -port->delay);
        *first = leaf;
        setup = port->delay;
    }
    uint32_t i = tree->leaves + leaf;
    struct summit *node = tree->node;
    node[i].sum[0] = weight;
    node[i].sum[1] = weight + setup;
    node[i].best[0] = port->links * port->head[leaf] + weight;
    node[i].best[1] = node[i].best[0] + setup;
    for (i /= 2; i > 0; i /= 2) {
        join(&node[i], &node[2 * i], &node[2 * i + 1], 0);
        join(&node[i], &node[2 * i], &node[2 * i + 1], 1);
    }
}

static uint32_t best_leaf(const struct load_tree *tree, int which)
{
    uint32_t i = 1;
    while (i < tree->leaves) {
        const struct summit *left = &tree->node[2 * i], *right = left + 1;
        i = left->best[which] >= left->sum[which] + right->best[which] ? 2 * i : 2 * i + 1;
    }
    return i - tree->leaves;
}

/* Looks for a window better than found->bound; 1 where there is one. */
static int search_tree(struct load_tree *tree, struct found *found)
{
    const struct flux_port *port = tree->port;
    int64_t links = port->links, bar = found->bound * links;
    int better = 0;
    for (uint32_t i = 0; i < 2 * tree->leaves; i++)
        tree->node[i] = (struct summit){{0, 0}, {NOTHING, NOTHING}};
    memset(tree->first, 0xff, port->circuits * sizeof *tree->first);
    for (uint32_t i = 0; i < port->count; i++) {
        int64_t tail = port->tail[port->by_tail[i]];
        insert(tree, port->by_tail[i]);
        if (i + 1 < port->count && port->tail[port->by_tail[i + 1]] == tail)
            continue;
        int64_t plain = tree->node[1].best[0];
        int64_t setups = tree->node[1].best[1] - port->delay * links;
        int64_t top = (plain > setups ? plain : setups) + links * tail;
        if (top <= bar)
            continue;
        better = 1;
        found->bound = (top + links - 1) / links;
        found->head = port->head[best_leaf(tree, setups > plain)];
        found->tail = tail;
        bar = found->bound * links;
    }
    return better;
}

/* The direction of every circuit with more load in a window; 1 where that is another choice than before. */
static int choose_directions(const struct flux_port *port, int64_t head, int64_t tail, uint8_t *counted)
{
    int changed = 0;
    for (uint32_t circuit = 0; circuit < port->circuits; circuit++)
        port->way[0][circuit] = port->way[1][circuit] = 0;
    for (uint32_t i = 0; i < port->count; i++)
        if (port->head[i] >= head && port->tail[i] >= tail)
            port->way[port->inward[i]][port->circuit[i]] += port->duration[i];
    for (uint32_t circuit = 0; circuit < port->circuits; circuit++) {
        uint8_t choice = port->way[1][circuit] > port->way[0][circuit] ? 2 : 1;
        changed |= counted[circuit] != choice;
        counted[circuit] = choice;
    }
    return changed;
}

int flux_bound_port_load(struct flux_bound_search *search, const struct flux_port *port)
{
    if (!flux_port_promising(port, search->best.bound))
        return FLUX_OK;
    if (port->both_ways || !port->fits)
        search->walk_sends += port->count;
    if (!port->fits)
        return FLUX_OK;
    struct flux_arena arena;
    struct load_tree tree = {.port = port, .leaves = 1};
    while (tree.leaves < port->count)
        tree.leaves *= 2;
    flux_arena_init(&arena, search->arena.memory);
    uint8_t *counted = flux_arena_alloc(&arena, port->circuits, sizeof *counted);
    tree.node = flux_arena_alloc(&arena, 2 * (uint64_t)tree.leaves, sizeof *tree.node);
    tree.first = flux_arena_alloc(&arena, port->circuits, sizeof *tree.first);
    tree.counted = counted;
    if (!counted || !tree.node || !tree.first) {
        flux_arena_free(&arena);
        return FLUX_E_MEMORY;
    }
    struct found found = {.head = 0, .tail = 0};
    memset(counted, 0, port->circuits * sizeof *counted);
    choose_directions(port, 0, 0, counted);
    for (int round = 0; round < DIRECTION_ROUNDS; round++) {
        found.bound = search->best.bound;
        if (!search_tree(&tree, &found))
            break;
        flux_bound_try_window(search, port, found.head, found.tail);
        if (!port->both_ways || !choose_directions(port, found.head, found.tail, counted))
            break;
    }
    flux_arena_free(&arena);
    return FLUX_OK;
}
