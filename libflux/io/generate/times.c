/* SPDX-License-Identifier: Apache-2.0
 *
 * Measured times of operations, which replace those that are computed.
 */
#include "io/fail.h"
#include "io/generate/plan.h"
#include "io/yaml_file.h"

static const char *const names[FLUX_IO_OPERATIONS] = {"norm",       "qkv",  "core",   "projection", "up",
                                                      "activation", "down", "router", "experts",    "shared",
                                                      "embedding",  "head", "loss",   "optimizer"};
static const char *const top_keys[] = {"times"};
static const char *const row_keys[] = {"operation", "forward", "input", "weight"};
enum { ROW_OPERATION, ROW_FORWARD, ROW_KEYS = 4 };

const char *flux_io_operation_name(uint32_t operation)
{
    return names[operation];
}

static int read_row(struct flux_io_plan *plan, struct flux_io_yaml *yaml)
{
    struct flux_io_keys keys = {"time", row_keys, ROW_KEYS, {{0, 0}}};
    struct flux_io_place place = flux_io_yaml_place(yaml);
    int64_t time[FLUX_IO_PHASES] = {-1, -1, -1};
    uint32_t key, operation = FLUX_IO_OPERATIONS;
    int rc = flux_io_yaml_map(yaml, "a time {operation: core, forward: 350us}");
    while (!rc && !(rc = flux_io_yaml_key(yaml, &keys, &key)) && key != FLUX_NONE)
        rc = key == ROW_OPERATION ? flux_io_yaml_word(yaml, "operation", names, FLUX_IO_OPERATIONS, &operation)
                                  : flux_io_yaml_time(yaml, row_keys[key], &time[key - ROW_FORWARD]);
    if (rc)
        return rc;
    if (operation == FLUX_IO_OPERATIONS || (time[0] < 0 && time[1] < 0 && time[2] < 0))
        return flux_io_yaml_fail_at(yaml, FLUX_E_FORMAT, place,
                                    "a time names its operation, and forward, input or weight");
    for (uint32_t p = 0; p < FLUX_IO_PHASES; p++)
        if (time[p] >= 0)
            plan->measured[operation][p] = time[p];
    return FLUX_OK;
}

static int read_times(void *context, struct flux_io_yaml *yaml)
{
    struct flux_io_plan *plan = context;
    struct flux_io_keys keys = {"file of times", top_keys, 1, {{0, 0}}};
    uint32_t key;
    int more = 0;
    int rc = flux_io_yaml_map(yaml, "times {times: [...]}");
    while (!rc && !(rc = flux_io_yaml_key(yaml, &keys, &key)) && key != FLUX_NONE) {
        rc = flux_io_yaml_list(yaml, "a list of times");
        while (!rc && !(rc = flux_io_yaml_item(yaml, &more)) && more)
            rc = read_row(plan, yaml);
    }
    return rc ? rc : flux_io_yaml_finish(yaml);
}

int flux_io_times_read(struct flux_io_plan *plan, const char *path, struct flux_error *error)
{
    struct flux_io_yaml_reader reader = {read_times, plan};
    return flux_io_yaml_read_file(plan->memory, path, &reader, error);
}
