/* SPDX-License-Identifier: Apache-2.0 */
#include "io/fail.h"
#include "io/import.h"
#include "io/trace/chakra_json.h"
#include "io/trace/chakra_node.h"
#include "io/trace/chakra_set.h"
#include "io/workload/graph.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define DEPS_PER_NODE 64u /* more than that on average is refused together with too many nodes */

struct load {
    struct flux_import *import;
    const struct flux_import_options *options;
    const char *path; /* as the caller gave it */
    struct flux_io_source *source;
    struct flux_error *error;
    struct flux_io_chakra_rules rules;
    struct flux_io_expand_options expand;
    struct flux_io_chakra_set set;
    struct flux_io_workload workload;
    char **paths; /* of the ranks' files */
    uint32_t path_count;
    uint32_t elements; /* 1: sizes are counted in elements and nobody said how large these are */
    uint64_t nodes;
    uint64_t deps;
    uint64_t host;
    uint64_t collectives; /* nodes */
};

/* A first frame that is GlobalMetadata with a version, or with an attribute that has a name. */
static int begins_with_metadata(const struct flux_io_source *source)
{
    const unsigned char *head = source->head;
    uint32_t size = source->head_size;
    uint32_t at = 0;
    while (at < size && at < 4 && head[at] & 0x80)
        at++;
    if (++at + 8 > size)
        return 0;
    if (head[at] == 0x0a) /* "0.0.4", "1.0.0" */
        return head[at + 1] >= 5 && head[at + 1] < 32 && head[at + 2] >= '0' && head[at + 2] <= '9' &&
               head[at + 3] == '.';
    if (head[at] != 0x12)
        return 0;
    at++;
    while (at < size && head[at] & 0x80)
        at++;
    return at + 4 < size && head[at + 1] == 0x0a && head[at + 2] && head[at + 2] < 64 && head[at + 3] >= 'a' &&
           head[at + 3] <= 'z';
}

int flux_io_chakra_recognise(const struct flux_io_source *source)
{
    if (source->descriptor >= 0 && flux_io_chakra_json_begins(source))
        return 0;
    if (strcmp(source->path, "-") != 0 && flux_io_chakra_set_exists(source->path, source->descriptor >= 0))
        return 1;
    return begins_with_metadata(source);
}

int flux_io_chakra_json_recognise(const struct flux_io_source *source)
{
    return flux_io_chakra_json_begins(source);
}

/* A rate of the options as a whole number. */
static int set_rate(const struct load *load, const char *name, double given, uint64_t fallback, uint64_t *rate)
{
    *rate = fallback;
    if (given == 0)
        return FLUX_OK;
    if (!(given >= 1 && given < 18e18))
        return flux_io_fail(load->error, FLUX_E_ARGUMENT, "%s is not between 1 and 1.8e19 per second", name);
    *rate = (uint64_t)given;
    return FLUX_OK;
}

static int set_rules(struct load *load)
{
    const struct flux_import_options *options = load->options;
    if (options->deps > FLUX_DEPS_DATA_CTRL || options->missing_parent > FLUX_MISSING_WARN)
        return flux_io_fail(load->error, FLUX_E_ARGUMENT, "deps or missing_parent is none of its values");
    load->rules.scale_num = options->scale_num ? options->scale_num : 1;
    load->rules.scale_den = options->scale_den ? options->scale_den : 1;
    load->rules.memory_rate_given = options->memory_rate != 0;
    load->rules.broadcasts = options->broadcast != FLUX_ALGORITHM_DEFAULT;
    int rc = set_rate(load, "peak_flops", options->peak_flops, FLUX_IO_FLOPS_DEFAULT, &load->rules.roofline.flops);
    if (!rc)
        rc = set_rate(load, "memory_rate", options->memory_rate, FLUX_IO_BYTES_DEFAULT, &load->rules.roofline.bytes);
    return rc ? rc : flux_io_expand_options_init(&load->expand, options, load->error);
}

/* How many ranks there are, and whether one file stands for all. */
static int set_ranks(struct load *load, int is_file)
{
    uint32_t wanted = load->options->ranks;
    int rc = flux_io_chakra_set_find(&load->set, &load->import->memory, load->path, is_file, wanted > 0, load->error);
    if (rc)
        return rc;
    uint32_t files = load->set.count;
    if (wanted && files != 1 && wanted != files)
        return flux_io_fail_path(load->error, FLUX_E_FORMAT, load->path,
                                 "has the traces of %" PRIu32 " ranks and %" PRIu32 " are asked for", files, wanted);
    load->rules.replicated = files == 1 && wanted > 1;
    rc = flux_io_workload_init(&load->workload, &load->import->memory, load->import, load->path,
                               wanted ? wanted : files, load->error);
    if (!rc && load->rules.replicated)
        rc = flux_io_note(load->import, load->error, "the one trace stands for all %" PRIu32 " ranks", wanted);
    if (!rc && is_file && files > 1)
        rc = flux_io_note(load->import, load->error, "%s is one of %" PRIu32 " ranks, and all are read", load->path,
                          files);
    if (!rc && load->set.doubled)
        rc = flux_io_note(load->import, load->error,
                          "%" PRIu32 " ranks have both .et and .et.gz, or JSON besides: the first is read",
                          load->set.doubled);
    return rc;
}

static int check_header(struct load *load, const struct flux_io_chakra_reader *reader)
{
    static const char *const old[] = {"0.0.1", "0.0.2", "0.0.3"};
    for (size_t i = 0; i < sizeof old / sizeof old[0]; i++)
        if (strcmp(reader->version, old[i]) == 0)
            return flux_io_fail_offset(load->error, FLUX_E_FORMAT, reader->stream.path, 0,
                                       "has Chakra schema %s; regenerate it with schema 0.0.4 or later", old[i]);
    if (strcmp(reader->schema, "symbolic_tensor_network") == 0 && !load->options->scale_num &&
        !load->options->scale_den)
        load->elements = 1;
    return FLUX_OK;
}

static int check_limit(struct load *load, const struct flux_io_chakra_node *node)
{
    uint64_t most = load->expand.vertices_max;
    load->nodes++;
    load->deps += node->data_deps_count + node->ctrl_deps_count;
    if (load->nodes <= most && load->deps / DEPS_PER_NODE <= most)
        return FLUX_OK;
    return flux_io_fail_path(load->error, FLUX_E_TOO_BIG, load->path,
                             "has more than %" PRIu64 " nodes, or %" PRIu64
                             " dependencies; the limit of vertices is %" PRIu64,
                             load->nodes - 1, load->deps, most);
}

static int warn_count(const struct load *load, uint32_t rank, uint64_t count, const char *what)
{
    if (!count)
        return FLUX_OK;
    return flux_io_warn(load->import, load->workload.ranks[rank]->path, load->error, "rank %" PRIu32 ": %" PRIu64 " %s",
                        rank, count, what);
}

static int warn_tally(const struct load *load, uint32_t rank, const struct flux_io_chakra_tally *tally)
{
    int rc = warn_count(load, rank, tally->timeless,
                        "compute nodes have no duration, no num_ops and no tensor_size, and take no time");
    if (!rc)
        rc = warn_count(load, rank, tally->sizeless, "compute nodes have num_ops and no tensor_size");
    if (!rc)
        rc = warn_count(load, rank, tally->memory, "memory nodes take no time, since no memory rate was given");
    if (!rc)
        rc = warn_count(
            load, rank, tally->broadcasts,
            "broadcasts only make their group wait, since the schema does not name the root; where it is the "
            "first member, name an algorithm for broadcasts");
    if (!rc)
        rc = warn_count(load, rank, tally->invalid, "nodes have no type and only join what they depend on");
    if (!rc && tally->unknown)
        rc = flux_io_warn(load->import, load->workload.ranks[rank]->path, load->error,
                          "rank %" PRIu32 ": %" PRIu64 " nodes have a type that is not known, such as %" PRIu32
                          ", and only join what they depend on",
                          rank, tally->unknown, tally->unknown_type);
    return rc;
}

static int read_nodes(struct load *load, uint32_t rank, struct flux_io_chakra_reader *reader)
{
    struct flux_io_chakra_tally tally = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    int rc = check_header(load, reader);
    while (!rc && (rc = flux_io_chakra_next(reader, load->error)) == 1) {
        rc = check_limit(load, &reader->node);
        if (!rc)
            rc = flux_io_chakra_node_add(&load->workload, rank, &load->rules, reader, &tally, load->error);
    }
    load->host += tally.host;
    load->collectives += tally.collectives;
    return rc ? rc : warn_tally(load, rank, &tally);
}

static int read_rank(struct load *load, uint32_t rank, struct flux_io_chakra_reader *reader)
{
    char *path = flux_io_chakra_set_path(&load->set, rank);
    if (!path)
        return flux_io_fail_memory(load->error);
    load->paths[load->path_count++] = path;
    load->workload.ranks[rank]->path = path;
    struct flux_io_source *source = strcmp(path, load->path) == 0 ? load->source : NULL; /* a pipe is read once */
    int rc = flux_io_chakra_open(reader, &load->import->memory, path, source, load->error);
    if (rc)
        return rc;
    rc = read_nodes(load, rank, reader);
    flux_io_chakra_close(reader);
    if (!rc)
        rc = flux_io_rank_seal(&load->workload, rank, load->options->deps, load->options->missing_parent, load->error);
    return rc;
}

static int read_ranks(struct load *load)
{
    const struct flux_io_memory *memory = &load->import->memory;
    struct flux_io_chakra_reader *reader = flux_io_alloc(memory, 1, sizeof *reader);
    load->paths = flux_io_alloc(memory, load->set.count, sizeof *load->paths);
    int rc = reader && load->paths ? FLUX_OK : flux_io_fail_memory(load->error);
    for (uint32_t r = 0; !rc && r < load->set.count; r++)
        rc = read_rank(load, r, reader);
    flux_io_release(memory, reader, 1, sizeof *reader);
    if (!rc && load->rules.replicated)
        flux_io_workload_replicate(&load->workload);
    if (!rc && load->elements)
        rc = flux_io_warn(load->import, load->path, load->error,
                          "the sizes of this trace count ELEMENTS (schema symbolic_tensor_network) and are taken as "
                          "bytes: give the bytes per element as the size scale, 2 for bf16");
    return rc;
}

/* comm_group.json in the trace's directory, or PREFIX.json; NULL: neither is there. `*size` is its memory. */
static char *find_group_file(const struct load *load, uint64_t *size, int *no_memory)
{
    static const char shared[] = "comm_group.json";
    const char *prefix = load->set.prefix;
    const char *slash = strrchr(prefix, '/');
    size_t directory = slash ? (size_t)(slash + 1 - prefix) : 0;
    *size = load->set.prefix_size + sizeof shared;
    char *path = flux_io_alloc(load->set.memory, *size, 1);
    *no_memory = !path;
    if (!path)
        return NULL;
    memcpy(path, prefix, directory);
    memcpy(path + directory, shared, sizeof shared);
    if (access(path, F_OK) == 0)
        return path;
    memcpy(path, prefix, (size_t)load->set.stem_size);
    memcpy(path + load->set.stem_size, ".json", sizeof ".json");
    if (access(path, F_OK) == 0)
        return path;
    flux_io_release(load->set.memory, path, *size, 1);
    return NULL;
}

static int read_groups(struct load *load)
{
    struct flux_io_groups *groups = &load->workload.groups;
    uint64_t size;
    int no_memory;
    if (load->options->groups_path && *load->options->groups_path)
        return flux_io_groups_read(groups, load->options->groups_path, load->error);
    if (!groups->asked.count)
        return FLUX_OK;
    char *path = find_group_file(load, &size, &no_memory);
    if (!path)
        return no_memory ? flux_io_fail_memory(load->error) : FLUX_OK;
    int rc = flux_io_groups_read(groups, path, load->error);
    if (!rc)
        rc = flux_io_note(load->import, load->error, "communicator groups are those of %s", path);
    flux_io_release(load->set.memory, path, size, 1);
    return rc;
}

static int add_notes(const struct load *load)
{
    const struct flux_io_workload *workload = &load->workload;
    uint64_t kept = 0;
    int rc = FLUX_OK;
    for (uint32_t r = 0; r < workload->rank_count; r++) {
        kept += workload->ranks[r]->soft_kept;
        load->import->counts[FLUX_IO_COUNT_CONTROL_DROPPED] += workload->ranks[r]->soft_dropped;
        load->import->counts[FLUX_IO_COUNT_NODES] += workload->ranks[r]->node_count;
    }
    load->import->counts[FLUX_IO_COUNT_CONTROL_KEPT] = kept;
    load->import->counts[FLUX_IO_COUNT_RANKS] = workload->rank_count;
    if (kept)
        rc = flux_io_note(load->import, load->error, "%" PRIu64 " control dependencies hold like data dependencies",
                          kept);
    if (!rc && load->host)
        rc = flux_io_note(load->import, load->error, "%" PRIu64 " operations of the host take no time", load->host);
    if (!rc && !workload->instance_count && !workload->message_count && load->collectives)
        rc = flux_io_note(load->import, load->error,
                          "the trace holds no communication: its %" PRIu64
                          " collectives are over groups of one rank; if "
                          "it stands for more ranks, say how many",
                          load->collectives);
    else if (!rc && !workload->instance_count && !workload->message_count)
        rc = flux_io_note(load->import, load->error, "the trace holds no communication");
    return rc;
}

static int load_all(struct load *load, int is_file)
{
    int rc = set_rules(load);
    if (!rc)
        rc = set_ranks(load, is_file);
    if (!rc)
        rc = read_ranks(load);
    if (!rc)
        rc = read_groups(load);
    if (!rc)
        rc = flux_io_workload_match(&load->workload, load->error);
    if (!rc)
        rc = add_notes(load);
    return rc ? rc : flux_io_workload_graph(&load->workload, &load->expand, load->error);
}

int flux_io_chakra_read(struct flux_import *import, struct flux_io_source *source,
                        const struct flux_import_options *options, struct flux_error *error)
{
    struct load load;
    memset(&load, 0, sizeof load);
    load.import = import;
    load.options = options;
    load.path = source->path;
    load.source = source->descriptor >= 0 ? source : NULL;
    load.error = error;
    load.set.memory = load.workload.memory = &import->memory;
    int rc = source->descriptor >= 0 && flux_io_chakra_json_begins(source) ? flux_io_chakra_json_check(source, error)
                                                                           : FLUX_OK;
    if (!rc)
        rc = load_all(&load, source->descriptor >= 0);
    flux_io_workload_free(&load.workload);
    for (uint32_t i = 0; i < load.path_count; i++)
        flux_io_release(&import->memory, load.paths[i], strlen(load.paths[i]) + 1, 1);
    flux_io_release(&import->memory, load.paths, load.set.count, sizeof *load.paths);
    flux_io_chakra_set_free(&load.set);
    return rc;
}
