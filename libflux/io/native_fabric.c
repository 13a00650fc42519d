/* SPDX-License-Identifier: Apache-2.0
 *
 * The fabric of a native document. Its rows are put in order before they go into the fabric, so that a long list in
 * any order costs no more than sorting it.
 */
#include "io/document.h"
#include "io/fail.h"

#include <stdlib.h>
#include <string.h>

#define PORTS_MAX (UINT64_C(1) << 25) /* GPUs times switches, where single ports have a rate or are dead */

static const char *const fabric_keys[] = {"gpus", "switches",  "rule",    "rate",      "delay",       "blocking",
                                          "dead", "forbidden", "initial", "port_rate", "propagation", "dwell"};
enum {
    FABRIC_GPUS,
    FABRIC_SWITCHES,
    FABRIC_RULE,
    FABRIC_RATE,
    FABRIC_DELAY,
    FABRIC_BLOCKING,
    FABRIC_DEAD,
    FABRIC_FORBIDDEN,
    FABRIC_INITIAL,
    FABRIC_PORT_RATE,
    FABRIC_PROPAGATION,
    FABRIC_DWELL,
    FABRIC_KEYS
};

static const char *const rules[] = {"paper", "duplex", "simplex"}; /* by FLUX_RULE_* */
static const char *const blockings[] = {"port", "switch"};         /* by FLUX_BLOCKING_* */

/* ---- reading ---- */

static int read_value(struct flux_io_yaml *yaml, uint32_t key, const char *what, uint64_t *value)
{
    uint32_t word;
    int64_t time;
    int rc;
    if (key == FABRIC_RATE || key == FABRIC_PORT_RATE)
        return flux_io_yaml_rate(yaml, what, value);
    if (key == FABRIC_BLOCKING) {
        rc = flux_io_yaml_word(yaml, what, blockings, 2, &word);
        *value = word;
        return rc;
    }
    rc = flux_io_yaml_time(yaml, what, &time);
    *value = (uint64_t)time;
    return rc;
}

/* One value for all switches, or a list of one for each. */
static int read_per_switch(struct flux_io_document *document, uint32_t key, struct flux_io_per_switch *values)
{
    struct flux_io_yaml *yaml = document->yaml;
    int more, rc;
    values->place = flux_io_yaml_place(yaml);
    values->is_list = (uint32_t)flux_io_yaml_is_list(yaml);
    if (!values->is_list) {
        values->count = 1;
        return read_value(yaml, key, fabric_keys[key], &values->value[0]);
    }
    while (!(rc = flux_io_yaml_item(yaml, &more)) && more) {
        if (values->count == FLUX_SWITCHES_MAX)
            return flux_io_yaml_fail(yaml, "%s has more than %d values", fabric_keys[key], FLUX_SWITCHES_MAX);
        if ((rc = read_value(yaml, key, fabric_keys[key], &values->value[values->count++])))
            return rc;
    }
    if (!rc && values->count == 0)
        return flux_io_yaml_fail_at(yaml, FLUX_E_FORMAT, values->place,
                                    "%s is empty; give one value, or one per switch", fabric_keys[key]);
    return rc;
}

/* What a list of rows holds: names and limits of up to three indices, and of a value behind them. */
struct shape {
    const char *what;
    const char *names[3];
    uint32_t limits[3];
    uint32_t indices;
    uint32_t value; /* 1: a value follows */
    uint32_t all;   /* 1: "all" is an index too */
};

#define GPU (FLUX_GPUS_MAX - 1)
#define SWITCH (FLUX_SWITCHES_MAX - 1)
static const struct shape shapes[FABRIC_KEYS] = {
    [FABRIC_DEAD] = {"a dead port [gpu, switch]", {"gpu", "switch", ""}, {GPU, SWITCH, 0}, 2, 0, 0},
    [FABRIC_FORBIDDEN] =
        {"a forbidden circuit [switch, src, dst]", {"switch", "src", "dst"}, {SWITCH, GPU, GPU}, 3, 0, 0},
    [FABRIC_INITIAL] = {"an initial circuit [switch, src, dst]", {"switch", "src", "dst"}, {SWITCH, GPU, GPU}, 3, 0, 0},
    [FABRIC_PORT_RATE] = {"a port's rate [gpu, switch, 400Gbps]", {"gpu", "switch", ""}, {GPU, SWITCH, 0}, 2, 1, 0},
    [FABRIC_PROPAGATION] = {"a pair's propagation [src, dst, 50ns]", {"src", "dst", ""}, {GPU, GPU, 0}, 2, 1, 1},
};

static int read_index(struct flux_io_yaml *yaml, const struct shape *shape, uint32_t i, uint32_t *index)
{
    const char *text;
    uint64_t length;
    int rc = flux_io_yaml_text(yaml, shape->names[i], &text, &length);
    if (rc)
        return rc;
    if (shape->all && strcmp(text, "all") == 0) {
        *index = FLUX_ALL_GPUS;
        return FLUX_OK;
    }
    return flux_io_yaml_whole(yaml, shape->names[i], 0, shape->limits[i], index);
}

static int read_row(struct flux_io_document *document, uint32_t key, struct flux_io_port_row *row)
{
    const struct shape *shape = &shapes[key];
    struct flux_io_yaml *yaml = document->yaml;
    int rc;
    memset(row, 0, sizeof *row);
    row->place = flux_io_yaml_place(yaml);
    if ((rc = flux_io_yaml_list(yaml, shape->what)))
        return rc;
    for (uint32_t i = 0; i < shape->indices; i++)
        if ((rc = flux_io_document_row_next(document, shape->what)) ||
            (rc = read_index(yaml, shape, i, &row->index[i])))
            return rc;
    if (shape->value && ((rc = flux_io_document_row_next(document, shape->what)) ||
                         (rc = read_value(yaml, key, fabric_keys[key], &row->value))))
        return rc;
    uint32_t src = row->index[shape->indices - 2], dst = row->index[shape->indices - 1];
    if (shape->limits[shape->indices - 2] == GPU && shape->limits[shape->indices - 1] == GPU && src == dst &&
        src != FLUX_ALL_GPUS)
        return flux_io_yaml_fail_at(yaml, FLUX_E_FORMAT, row->place, "src and dst are both GPU %u; here must be %s",
                                    (unsigned)src, shape->what);
    return flux_io_document_row_end(document, shape->what);
}

static int read_rows(struct flux_io_document *document, uint32_t key, struct flux_io_port_rows *rows)
{
    struct flux_io_yaml *yaml = document->yaml;
    int more, rc;
    if (key == FABRIC_PROPAGATION && !flux_io_yaml_is_list(yaml)) { /* one time for all pairs */
        struct flux_io_port_row row = {{FLUX_ALL_GPUS, FLUX_ALL_GPUS, 0}, flux_io_yaml_place(yaml), 0};
        if ((rc = read_value(yaml, key, fabric_keys[key], &row.value)))
            return rc;
        if (flux_io_grow(document->memory, &rows->row, &rows->capacity, 1, sizeof row))
            return flux_io_fail_memory(yaml->error);
        rows->row[rows->count++] = row;
        return FLUX_OK;
    }
    if (!flux_io_yaml_is_list(yaml))
        return flux_io_yaml_fail(yaml, "%s must be a list, each item %s", fabric_keys[key], shapes[key].what);
    while (!(rc = flux_io_yaml_item(yaml, &more)) && more) {
        if (flux_io_grow(document->memory, &rows->row, &rows->capacity, rows->count + 1, sizeof *rows->row))
            return flux_io_fail_memory(yaml->error);
        if ((rc = read_row(document, key, &rows->row[rows->count++])))
            return rc;
    }
    return rc;
}

static int read_member(struct flux_io_document *document, uint32_t key)
{
    struct flux_io_fabric_part *fabric = &document->fabric;
    struct flux_io_yaml *yaml = document->yaml;
    switch (key) {
    case FABRIC_GPUS:
        fabric->gpus_place = flux_io_yaml_place(yaml);
        return flux_io_yaml_whole(yaml, "gpus", 1, FLUX_GPUS_MAX, &fabric->gpus);
    case FABRIC_SWITCHES:
        return flux_io_yaml_whole(yaml, "switches", 1, FLUX_SWITCHES_MAX, &fabric->switches);
    case FABRIC_RULE:
        return flux_io_yaml_word(yaml, "rule", rules, 3, &fabric->rule);
    case FABRIC_RATE:
        return read_per_switch(document, key, &fabric->rate);
    case FABRIC_DELAY:
        return read_per_switch(document, key, &fabric->delay);
    case FABRIC_BLOCKING:
        return read_per_switch(document, key, &fabric->blocking);
    case FABRIC_DWELL:
        return read_per_switch(document, key, &fabric->dwell);
    case FABRIC_DEAD:
        return read_rows(document, key, &fabric->dead);
    case FABRIC_FORBIDDEN:
        return read_rows(document, key, &fabric->forbidden);
    case FABRIC_INITIAL:
        return read_rows(document, key, &fabric->initial);
    case FABRIC_PORT_RATE:
        return read_rows(document, key, &fabric->rates);
    default:
        return read_rows(document, key, &fabric->pairs);
    }
}

int flux_io_document_fabric(struct flux_io_document *document)
{
    struct flux_io_keys keys = {"fabric", fabric_keys, FABRIC_KEYS, {{0, 0}}};
    struct flux_io_yaml *yaml = document->yaml;
    uint32_t key;
    int rc = flux_io_yaml_map(yaml, "fabric");
    if (rc)
        return rc;
    document->fabric.place = flux_io_yaml_place(yaml);
    while (!(rc = flux_io_yaml_key(yaml, &keys, &key)) && key != FLUX_NONE)
        if ((rc = read_member(document, key)))
            return rc;
    if (!rc && !document->fabric.switches)
        return flux_io_yaml_fail_at(yaml, FLUX_E_FORMAT, document->fabric.place,
                                    "fabric has no key switches; write how many there are, such as 'switches: 2'");
    return rc;
}

void flux_io_document_fabric_free(struct flux_io_document *document)
{
    struct flux_io_fabric_part *fabric = &document->fabric;
    struct flux_io_port_rows *all[] = {&fabric->dead, &fabric->forbidden, &fabric->initial, &fabric->rates,
                                       &fabric->pairs};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        flux_io_release(document->memory, all[i]->row, all[i]->capacity, sizeof *all[i]->row);
}

/* ---- building ---- */

/* The GPUs of the fabric: those of the graph, or what the fabric says itself. */
static int find_gpus(struct flux_io_document *document, const struct flux_graph *graph, uint32_t *gpus)
{
    const struct flux_io_fabric_part *fabric = &document->fabric;
    *gpus = graph ? flux_graph_gpus(graph) : fabric->gpus;
    if (!*gpus)
        return flux_io_yaml_fail_at(document->yaml, FLUX_E_FORMAT, fabric->place,
                                    "a fabric without a workload needs the key gpus, such as 'gpus: 8'");
    if (fabric->gpus && fabric->gpus != *gpus)
        return flux_io_yaml_fail_at(document->yaml, FLUX_E_FORMAT, fabric->gpus_place,
                                    "the fabric has %u GPUs, its workload %u; make them equal", (unsigned)fabric->gpus,
                                    (unsigned)*gpus);
    return FLUX_OK;
}

static int check_count(struct flux_io_document *document, const struct flux_io_per_switch *values, uint32_t key)
{
    uint32_t switches = document->fabric.switches;
    if (!values->is_list || values->count == switches)
        return FLUX_OK;
    return flux_io_yaml_fail_at(document->yaml, FLUX_E_FORMAT, values->place,
                                "%s has %u values for %u switches; give one value, or one per switch", fabric_keys[key],
                                (unsigned)values->count, (unsigned)switches);
}

static int set_one(struct flux_fabric *fabric, uint32_t key, uint32_t k, uint64_t value)
{
    switch (key) {
    case FABRIC_RATE:
        return flux_fabric_set_rate(fabric, FLUX_ALL_GPUS, k, value);
    case FABRIC_DELAY:
        return flux_fabric_set_delay(fabric, k, (int64_t)value);
    case FABRIC_BLOCKING:
        return flux_fabric_set_blocking(fabric, k, (uint32_t)value);
    default:
        return flux_fabric_set_dwell(fabric, k, (int64_t)value);
    }
}

static int set_per_switch(struct flux_io_document *document, struct flux_fabric *fabric, uint32_t key,
                          const struct flux_io_per_switch *values)
{
    int rc = check_count(document, values, key);
    if (rc)
        return rc;
    for (uint32_t i = 0; i < values->count; i++)
        if (set_one(fabric, key, values->is_list ? i : FLUX_ALL_SWITCHES, values->value[i]))
            return flux_io_fail_memory(document->yaml->error);
    return FLUX_OK;
}

static int compare_places(struct flux_io_place a, struct flux_io_place b)
{
    if (a.line != b.line)
        return a.line < b.line ? -1 : 1;
    return (a.column > b.column) - (a.column < b.column);
}

/* How many indices of a row say "all". */
static int wildcards(const struct flux_io_port_row *row)
{
    return (row->index[0] == FLUX_ALL_GPUS) + (row->index[1] == FLUX_ALL_GPUS);
}

/* General rows first, then by their indices; equal ones by their place. */
static int compare_rows(const void *left, const void *right)
{
    const struct flux_io_port_row *a = left;
    const struct flux_io_port_row *b = right;
    if (wildcards(a) != wildcards(b))
        return wildcards(b) - wildcards(a);
    for (int i = 0; i < 3; i++)
        if (a->index[i] != b->index[i])
            return a->index[i] < b->index[i] ? -1 : 1;
    return compare_places(a->place, b->place);
}

/* The same, but rows that say "all" in the order of the file: of two that cover a pair the later one counts. */
static int compare_rules(const void *left, const void *right)
{
    const struct flux_io_port_row *a = left;
    const struct flux_io_port_row *b = right;
    if (wildcards(a) == 1 && wildcards(b) == 1)
        return compare_places(a->place, b->place);
    return compare_rows(left, right);
}

static int check_row(struct flux_io_document *document, const struct shape *shape, const struct flux_io_port_row *row,
                     uint32_t gpus)
{
    for (uint32_t i = 0; i < shape->indices; i++) {
        int is_switch = shape->limits[i] == SWITCH;
        uint32_t count = is_switch ? document->fabric.switches : gpus;
        if (row->index[i] < count || (shape->all && row->index[i] == FLUX_ALL_GPUS))
            continue;
        return flux_io_yaml_fail_at(document->yaml, FLUX_E_FORMAT, row->place,
                                    "there is no %s %u; the fabric has %s 0 to %u", is_switch ? "switch" : "GPU",
                                    (unsigned)row->index[i], is_switch ? "switches" : "GPUs", (unsigned)count - 1);
    }
    return FLUX_OK;
}

/* Checks indices in the order of the file, then sorts and finds rows that repeat another. Initial circuits keep their
 * order: it comes back when they are written. */
static int order_rows(struct flux_io_document *document, uint32_t key, struct flux_io_port_rows *rows, uint32_t gpus)
{
    const struct shape *shape = &shapes[key];
    for (uint64_t i = 0; i < rows->count; i++) {
        int rc = check_row(document, shape, &rows->row[i], gpus);
        if (rc)
            return rc;
    }
    if (key == FABRIC_INITIAL || rows->count == 0)
        return FLUX_OK;
    qsort(rows->row, (size_t)rows->count, sizeof *rows->row, compare_rows);
    for (uint64_t i = 1; i < rows->count; i++)
        if (memcmp(rows->row[i].index, rows->row[i - 1].index, sizeof rows->row[i].index) == 0)
            return flux_io_yaml_fail_at(document->yaml, FLUX_E_FORMAT, rows->row[i].place,
                                        "this row of %s says again what line %u says; remove one of them",
                                        fabric_keys[key], (unsigned)rows->row[i - 1].place.line);
    if (key == FABRIC_PROPAGATION)
        qsort(rows->row, (size_t)rows->count, sizeof *rows->row, compare_rules);
    return FLUX_OK;
}

static int set_row(struct flux_fabric *fabric, uint32_t key, const struct flux_io_port_row *row)
{
    switch (key) {
    case FABRIC_DEAD:
        return flux_fabric_set_dead(fabric, row->index[0], row->index[1], 1);
    case FABRIC_FORBIDDEN:
        return flux_fabric_set_forbidden(fabric, row->index[0], row->index[1], row->index[2], 1);
    case FABRIC_INITIAL:
        return flux_fabric_add_initial(fabric, row->index[0], row->index[1], row->index[2]);
    case FABRIC_PORT_RATE:
        return flux_fabric_set_rate(fabric, row->index[0], row->index[1], row->value);
    default:
        return flux_fabric_set_propagation(fabric, row->index[0], row->index[1], (int64_t)row->value);
    }
}

static int set_rows(struct flux_io_document *document, struct flux_fabric *fabric, uint32_t key,
                    struct flux_io_port_rows *rows)
{
    int rc = order_rows(document, key, rows, flux_fabric_gpus(fabric));
    if (rc)
        return rc;
    for (uint64_t i = 0; i < rows->count; i++)
        if (set_row(fabric, key, &rows->row[i]))
            return flux_io_fail_memory(document->yaml->error);
    return FLUX_OK;
}

static int check_ports(struct flux_io_document *document, uint32_t gpus)
{
    const struct flux_io_fabric_part *fabric = &document->fabric;
    uint64_t ports = (uint64_t)gpus * fabric->switches;
    if (ports <= PORTS_MAX || (!fabric->rates.count && !fabric->dead.count && !fabric->rate.is_list))
        return FLUX_OK;
    return flux_io_yaml_fail_at(document->yaml, FLUX_E_TOO_BIG, fabric->place,
                                "%u GPUs on %u switches are more than %llu ports, too many to give single ones a rate "
                                "or to declare them dead",
                                (unsigned)gpus, (unsigned)fabric->switches, (unsigned long long)PORTS_MAX);
}

int flux_io_document_build_fabric(struct flux_io_document *document, struct flux_import *import,
                                  const struct flux_graph *graph)
{
    struct flux_io_fabric_part *part = &document->fabric;
    uint32_t gpus;
    int rc;
    if ((rc = find_gpus(document, graph, &gpus)) || (rc = check_ports(document, gpus)))
        return rc;
    if (flux_fabric_new(&document->memory->env, gpus, part->switches, &import->fabric))
        return flux_io_fail_memory(document->yaml->error);
    struct flux_fabric *fabric = import->fabric;
    flux_fabric_set_rule(fabric, part->rule);
    if ((rc = set_per_switch(document, fabric, FABRIC_RATE, &part->rate)) ||
        (rc = set_per_switch(document, fabric, FABRIC_DELAY, &part->delay)) ||
        (rc = set_per_switch(document, fabric, FABRIC_BLOCKING, &part->blocking)) ||
        (rc = set_per_switch(document, fabric, FABRIC_DWELL, &part->dwell)) ||
        (rc = set_rows(document, fabric, FABRIC_DEAD, &part->dead)) ||
        (rc = set_rows(document, fabric, FABRIC_FORBIDDEN, &part->forbidden)) ||
        (rc = set_rows(document, fabric, FABRIC_INITIAL, &part->initial)) ||
        (rc = set_rows(document, fabric, FABRIC_PORT_RATE, &part->rates)))
        return rc;
    return set_rows(document, fabric, FABRIC_PROPAGATION, &part->pairs);
}
