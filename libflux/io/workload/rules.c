/* SPDX-License-Identifier: Apache-2.0 */
#include "io/workload/rules.h"

#include "io/fail.h"
#include "io/workload/collective.h"
#include "io/workload/workload.h"
#include "io/yaml_file.h"

#include <string.h>

static const char *const algorithms[] = {
    "default",
    "ring",
    "direct",
    "halving-doubling",
    "bidirectional-ring",
    "recursive-doubling",
    "binomial-tree",
    "double-binary-tree",
    "hierarchical",
};
#define ALGORITHMS (sizeof algorithms / sizeof algorithms[0])

static const char *const kinds[] = {"all-reduce", "all-gather", "reduce-scatter", "all-to-all", "broadcast",
                                    "reduce",     "any"};
static const uint32_t kind_of[] = {FLUX_IO_ALL_REDUCE, FLUX_IO_ALL_GATHER, FLUX_IO_REDUCE_SCATTER, FLUX_IO_ALL_TO_ALL,
                                   FLUX_IO_BROADCAST,  FLUX_IO_REDUCE,     FLUX_IO_NOT_GIVEN};
#define KINDS (sizeof kinds / sizeof kinds[0])

static const char *const top_keys[] = {"collectives"};
static const char *const rule_keys[] = {"collective", "size", "members", "algorithm", "chunks", "node"};
enum { RULE_COLLECTIVE, RULE_SIZE, RULE_MEMBERS, RULE_ALGORITHM, RULE_CHUNKS, RULE_NODE, RULE_KEYS };

const char *flux_io_algorithm_name(uint32_t algorithm)
{
    return algorithm < ALGORITHMS ? algorithms[algorithm] : NULL;
}

/* [least, most], and that is all. `which` 0 and 1. */
static int next_of_two(struct flux_io_yaml *yaml, const char *what, int expected)
{
    int more;
    int rc = flux_io_yaml_item(yaml, &more);
    if (!rc && more != expected)
        return flux_io_yaml_fail(yaml, "%s has two numbers, the least and the most", what);
    return rc;
}

static int read_size(struct flux_io_yaml *yaml, struct flux_io_rule *rule)
{
    static const char what[] = "size: [1B, 64KiB]";
    struct flux_io_place place = flux_io_yaml_place(yaml);
    int rc;
    if ((rc = flux_io_yaml_list(yaml, what)) || (rc = next_of_two(yaml, what, 1)) ||
        (rc = flux_io_yaml_bytes(yaml, "size", &rule->bytes_min)) || (rc = next_of_two(yaml, what, 1)) ||
        (rc = flux_io_yaml_bytes(yaml, "size", &rule->bytes_max)) || (rc = next_of_two(yaml, what, 0)))
        return rc;
    if (rule->bytes_max < rule->bytes_min)
        return flux_io_yaml_fail_at(yaml, FLUX_E_FORMAT, place, "size: the least is more than the most");
    return FLUX_OK;
}

static int read_members(struct flux_io_yaml *yaml, struct flux_io_rule *rule)
{
    static const char what[] = "members: [2, 8]";
    struct flux_io_place place = flux_io_yaml_place(yaml);
    int rc;
    if (!flux_io_yaml_is_list(yaml)) {
        rc = flux_io_yaml_whole(yaml, "members", 2, FLUX_GPUS_MAX, &rule->members_min);
        rule->members_max = rule->members_min;
        return rc;
    }
    if ((rc = flux_io_yaml_list(yaml, what)) || (rc = next_of_two(yaml, what, 1)) ||
        (rc = flux_io_yaml_whole(yaml, "members", 2, FLUX_GPUS_MAX, &rule->members_min)) ||
        (rc = next_of_two(yaml, what, 1)) ||
        (rc = flux_io_yaml_whole(yaml, "members", 2, FLUX_GPUS_MAX, &rule->members_max)) ||
        (rc = next_of_two(yaml, what, 0)))
        return rc;
    if (rule->members_max < rule->members_min)
        return flux_io_yaml_fail_at(yaml, FLUX_E_FORMAT, place, "members: the least is more than the most");
    return FLUX_OK;
}

static int read_value(struct flux_io_yaml *yaml, uint32_t key, struct flux_io_rule *rule)
{
    uint32_t word = 0;
    int rc;
    switch (key) {
    case RULE_COLLECTIVE:
        rc = flux_io_yaml_word(yaml, "collective", kinds, KINDS, &word);
        rule->kind = rc ? 0 : kind_of[word];
        return rc;
    case RULE_SIZE:
        return read_size(yaml, rule);
    case RULE_MEMBERS:
        return read_members(yaml, rule);
    case RULE_ALGORITHM:
        return flux_io_yaml_word(yaml, "algorithm", algorithms, ALGORITHMS, &rule->algorithm);
    case RULE_CHUNKS:
        return flux_io_yaml_whole(yaml, "chunks", 1, 1u << 16, &rule->chunks);
    default:
        return flux_io_yaml_whole(yaml, "node", 1, FLUX_GPUS_MAX, &rule->node);
    }
}

/* Is the algorithm one for the collective, and is all there that it needs? */
static int check_rule(struct flux_io_yaml *yaml, const struct flux_io_keys *keys, const struct flux_io_rule *rule,
                      uint32_t node, struct flux_io_place place)
{
    if (!keys->seen[RULE_COLLECTIVE].line)
        return flux_io_yaml_fail_at(yaml, FLUX_E_FORMAT, place,
                                    "a rule says which collective it is for, such as all-reduce, or any");
    if (!keys->seen[RULE_ALGORITHM].line && !rule->chunks && !rule->node)
        return flux_io_yaml_fail_at(yaml, FLUX_E_FORMAT, place, "a rule chooses an algorithm, chunks or a node");
    if (rule->algorithm == FLUX_IO_NOT_GIVEN)
        return FLUX_OK;
    if (rule->kind != FLUX_IO_NOT_GIVEN && !flux_io_collective_known(rule->kind, rule->algorithm))
        return flux_io_yaml_fail_at(yaml, FLUX_E_FORMAT, keys->seen[RULE_ALGORITHM], "%s is no algorithm for %s",
                                    algorithms[rule->algorithm], kinds[rule->kind > 3 ? rule->kind - 1 : rule->kind]);
    if (rule->algorithm == FLUX_ALGORITHM_HIERARCHICAL && !rule->node && !node)
        return flux_io_yaml_fail_at(yaml, FLUX_E_FORMAT, keys->seen[RULE_ALGORITHM],
                                    "hierarchical needs the GPUs of a node: node: 8");
    return FLUX_OK;
}

static int read_rule(struct flux_io_yaml *yaml, uint32_t node, struct flux_io_rule *rule)
{
    struct flux_io_keys keys = {"rule", rule_keys, RULE_KEYS, {{0, 0}}};
    struct flux_io_place place = flux_io_yaml_place(yaml);
    uint32_t key;
    int rc = flux_io_yaml_map(yaml, "a rule {collective: all-reduce, algorithm: ring}");
    *rule = (struct flux_io_rule){0, UINT64_MAX, 2, FLUX_GPUS_MAX, FLUX_IO_NOT_GIVEN, FLUX_IO_NOT_GIVEN, 0, 0};
    while (!rc && !(rc = flux_io_yaml_key(yaml, &keys, &key)) && key != FLUX_NONE)
        rc = read_value(yaml, key, rule);
    return rc ? rc : check_rule(yaml, &keys, rule, node, place);
}

struct reading {
    struct flux_io_rules *rules;
    const struct flux_io_memory *memory;
    uint32_t node;
};

static int read_rules(void *context, struct flux_io_yaml *yaml)
{
    const struct reading *reading = context;
    struct flux_io_rules *rules = reading->rules;
    struct flux_io_keys keys = {"file of rules", top_keys, 1, {{0, 0}}};
    uint32_t key;
    int more = 0;
    int rc = flux_io_yaml_map(yaml, "rules {collectives: [...]}");
    if (!rc)
        rc = flux_io_yaml_key(yaml, &keys, &key);
    if (!rc && key == FLUX_NONE)
        return flux_io_yaml_fail(yaml, "there are no rules; they are a list under the key collectives");
    if (!rc)
        rc = flux_io_yaml_list(yaml, "a list of rules");
    while (!rc && !(rc = flux_io_yaml_item(yaml, &more)) && more) {
        struct flux_io_rule rule;
        rc = read_rule(yaml, reading->node, &rule);
        if (!rc && flux_io_grow(reading->memory, &rules->rule, &rules->capacity, rules->count + 1, sizeof rule))
            return flux_io_fail_memory(yaml->error);
        if (!rc)
            rules->rule[rules->count++] = rule;
    }
    if (!rc)
        rc = flux_io_yaml_key(yaml, &keys, &key);
    return rc ? rc : flux_io_yaml_finish(yaml);
}

int flux_io_rules_read(struct flux_io_rules *rules, const struct flux_io_memory *memory, const char *path,
                       uint32_t node, struct flux_error *error)
{
    struct reading reading = {rules, memory, node};
    struct flux_io_yaml_reader reader = {read_rules, &reading};
    return flux_io_yaml_read_file(memory, path, &reader, error);
}

void flux_io_rules_free(struct flux_io_rules *rules, const struct flux_io_memory *memory)
{
    flux_io_release(memory, rules->rule, rules->capacity, sizeof *rules->rule);
    *rules = (struct flux_io_rules){NULL, 0, 0};
}

const struct flux_io_rule *flux_io_rules_find(const struct flux_io_rules *rules, uint32_t kind, uint64_t bytes,
                                              uint32_t members)
{
    for (uint64_t i = 0; rules && i < rules->count; i++) {
        const struct flux_io_rule *rule = &rules->rule[i];
        if ((rule->kind == kind || rule->kind == FLUX_IO_NOT_GIVEN) && bytes >= rule->bytes_min &&
            bytes <= rule->bytes_max && members >= rule->members_min && members <= rule->members_max &&
            (rule->algorithm == FLUX_IO_NOT_GIVEN || flux_io_collective_known(kind, rule->algorithm)))
            return rule;
    }
    return NULL;
}
