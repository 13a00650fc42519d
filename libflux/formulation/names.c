/* SPDX-License-Identifier: Apache-2.0
 *
 * formulation/names.c - names that people can read and that every format takes.
 */
#include "formulation/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROW_KIND_FIRST FLUX_MEANS_END

static int plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* The label with dots for everything that is no letter or digit; 0 where it is too long, empty, or could be taken for
 * the number of a vertex. */
static int from_label(const char *label, char *word)
{
    size_t length = strlen(label);
    if (length == 0 || length >= FLUX_NAME_WORD || (label[0] == 'v' && label[1] >= '0' && label[1] <= '9'))
        return 0;
    for (size_t i = 0; i <= length; i++)
        word[i] = plain(label[i]) || !label[i] ? label[i] : '.';
    return 1;
}

struct entry {
    const char *word;
    uint32_t node;
};

static int compare_entries(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    int order = strcmp(a->word, b->word);
    return order ? order : a->node < b->node ? -1 : a->node > b->node;
}

int flux_names_make(struct flux_names *names, const struct flux_graph *graph, const struct flux_problem *problem,
                    struct flux_arena *arena)
{
    names->word = flux_arena_alloc(arena, problem->nodes, sizeof *names->word);
    struct entry *entries = flux_arena_alloc(arena, problem->nodes, sizeof *entries);
    uint8_t *twice = flux_arena_zero(arena, problem->nodes, sizeof *twice);
    if (!names->word || !entries || !twice)
        return FLUX_E_MEMORY;
    for (uint32_t v = 0; v < problem->nodes; v++) {
        if (!from_label(flux_graph_label(graph, problem->vertex[v]), names->word[v]))
            snprintf(names->word[v], sizeof *names->word, "v%" PRIu32, problem->vertex[v]);
        entries[v] = (struct entry){names->word[v], v};
    }
    if (problem->nodes)
        qsort(entries, problem->nodes, sizeof *entries, compare_entries);
    for (uint32_t i = 1; i < problem->nodes; i++)
        if (!strcmp(entries[i - 1].word, entries[i].word))
            twice[entries[i - 1].node] = twice[entries[i].node] = 1;
    for (uint32_t v = 0; v < problem->nodes; v++)
        if (twice[v])
            snprintf(names->word[v], sizeof *names->word, "v%" PRIu32, problem->vertex[v]);
    return FLUX_OK;
}

struct pattern {
    const char *head;
    uint8_t a;      /* 1: then a's word; 2: then "w" and a as a number */
    uint8_t b;      /* the same */
    uint8_t k;      /* 1: then "k" and the switch */
    uint8_t number; /* 1: then "r" and the row, as there are several with this meaning */
};

static const struct pattern columns[] = {
    [FLUX_MEANS_START] = {"t", 1, 0, 0, 0},   [FLUX_MEANS_MAKESPAN] = {"makespan", 0, 0, 0, 0},
    [FLUX_MEANS_SWITCH] = {"x", 1, 0, 1, 0},  [FLUX_MEANS_ORDER] = {"y", 1, 1, 0, 0},
    [FLUX_MEANS_FAMILY] = {"f", 1, 2, 1, 0},  [FLUX_MEANS_MOMENT] = {"c", 1, 0, 0, 0},
    [FLUX_MEANS_CHANGES] = {"g", 1, 0, 0, 0}, [FLUX_MEANS_ENDED] = {"d", 1, 1, 0, 0},
    [FLUX_MEANS_SOONER] = {"s", 1, 1, 0, 0},
};

static const struct pattern rows[] = {
    [FLUX_MEANS_END - ROW_KIND_FIRST] = {"last", 1, 0, 0, 0},
    [FLUX_MEANS_ASSIGN - ROW_KIND_FIRST] = {"one", 1, 0, 0, 0},
    [FLUX_MEANS_PRECEDE - ROW_KIND_FIRST] = {"wait", 1, 1, 0, 0},
    [FLUX_MEANS_APART - ROW_KIND_FIRST] = {"apart", 1, 1, 1, 0},
    [FLUX_MEANS_INITIAL - ROW_KIND_FIRST] = {"initial", 1, 0, 1, 0},
    [FLUX_MEANS_EITHER - ROW_KIND_FIRST] = {"either", 1, 1, 1, 0},
    [FLUX_MEANS_SYMMETRY - ROW_KIND_FIRST] = {"turn", 1, 0, 1, 0},
    [FLUX_MEANS_COPIES - ROW_KIND_FIRST] = {"alike", 1, 1, 0, 0},
    [FLUX_MEANS_LOAD - ROW_KIND_FIRST] = {"load", 2, 0, 1, 0},
    [FLUX_MEANS_MEMBER - ROW_KIND_FIRST] = {"member", 1, 2, 1, 0},
    [FLUX_MEANS_NEEDS - ROW_KIND_FIRST] = {"needs", 1, 1, 1, 0},
    [FLUX_MEANS_AFTER - ROW_KIND_FIRST] = {"after", 1, 1, 1, 0},
    [FLUX_MEANS_READY - ROW_KIND_FIRST] = {"ready", 1, 0, 1, 0},
    [FLUX_MEANS_IDLE - ROW_KIND_FIRST] = {"idle", 1, 1, 1, 1},
    [FLUX_MEANS_DWELL - ROW_KIND_FIRST] = {"dwell", 1, 1, 1, 1},
};

static int add_part(const struct flux_names *names, char *name, int at, uint8_t how, uint32_t what)
{
    if (how == 2)
        at += snprintf(name + at, (size_t)(FLUX_NAME_ROOM - at), "_w%" PRIu32, what);
    else if (how == 1 && what != FLUX_NONE)
        at += snprintf(name + at, (size_t)(FLUX_NAME_ROOM - at), "_%s", names->word[what]);
    return at;
}

static const char *make_name(const struct flux_names *names, const struct pattern *pattern,
                             const struct flux_meaning *meaning, uint32_t row, char name[FLUX_NAME_ROOM])
{
    int at = snprintf(name, FLUX_NAME_ROOM, "%s", pattern->head);
    at = add_part(names, name, at, pattern->a, meaning->a);
    at = add_part(names, name, at, pattern->b, meaning->b);
    if (pattern->k && meaning->k != FLUX_NONE)
        at += snprintf(name + at, (size_t)(FLUX_NAME_ROOM - at), "_k%" PRIu32, meaning->k);
    if (pattern->number)
        snprintf(name + at, (size_t)(FLUX_NAME_ROOM - at), "_r%" PRIu32, row);
    return name;
}

const char *flux_names_column(const struct flux_names *names, const struct flux_meaning *meaning,
                              char name[FLUX_NAME_ROOM])
{
    return make_name(names, &columns[meaning->kind], meaning, 0, name);
}

const char *flux_names_row(const struct flux_names *names, const struct flux_meaning *meaning, uint32_t row,
                           char name[FLUX_NAME_ROOM])
{
    return make_name(names, &rows[meaning->kind - ROW_KIND_FIRST], meaning, row, name);
}
