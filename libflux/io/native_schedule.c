/* SPDX-License-Identifier: Apache-2.0
 *
 * The schedule of a native document. Where it stands is read into slots; what it says of its own worth (status,
 * makespan, bound) is checked for its form and told as a note: the library believes only its own numbers.
 */
#include "io/document.h"
#include "io/fail.h"

#include <libflux/schedule.h>
#include <libflux/units.h>
#include <string.h>

static const char *const schedule_keys[] = {"status", "makespan", "bound", "sends", "certificate"};
enum { SCHEDULE_STATUS, SCHEDULE_MAKESPAN, SCHEDULE_BOUND, SCHEDULE_SENDS, SCHEDULE_CERTIFICATE, SCHEDULE_KEYS };

static const char *const slot_keys[] = {"id", "switch", "start", "end"};
enum { SLOT_ID, SLOT_SWITCH, SLOT_START, SLOT_END, SLOT_KEYS };

static const char *const statuses[] = {"", "optimal", "feasible"}; /* by FLUX_OPTIMAL, FLUX_FEASIBLE */

#define A_SLOT "a scheduled send {id: ..., switch: 0, start: 0ps, end: 10us}"

/* ---- reading ---- */

static int read_slot_member(struct flux_io_document *document, uint32_t key, struct flux_io_slot_row *row)
{
    struct flux_io_yaml *yaml = document->yaml;
    switch (key) {
    case SLOT_ID:
        row->place = flux_io_yaml_place(yaml);
        return flux_io_document_id(document, "id", &row->id);
    case SLOT_SWITCH:
        return flux_io_yaml_whole(yaml, "switch", 0, FLUX_SWITCHES_MAX - 1, &row->switch_index);
    case SLOT_START:
        return flux_io_yaml_time(yaml, "start", &row->start);
    default:
        return flux_io_yaml_time(yaml, "end", &row->end);
    }
}

static int read_slot(struct flux_io_document *document)
{
    struct flux_io_keys keys = {"a scheduled send", slot_keys, SLOT_KEYS, {{0, 0}}};
    struct flux_io_yaml *yaml = document->yaml;
    struct flux_io_slot_row row;
    uint32_t key;
    int rc = flux_io_yaml_map(yaml, A_SLOT);
    if (rc)
        return rc;
    struct flux_io_place begin = flux_io_yaml_place(yaml);
    memset(&row, 0, sizeof row);
    while (!(rc = flux_io_yaml_key(yaml, &keys, &key)) && key != FLUX_NONE)
        if ((rc = read_slot_member(document, key, &row)))
            return rc;
    for (uint32_t i = 0; !rc && i < SLOT_KEYS; i++)
        if (!keys.seen[i].line)
            return flux_io_yaml_fail_at(yaml, FLUX_E_FORMAT, begin, "the key %s is missing; here must be " A_SLOT,
                                        slot_keys[i]);
    if (rc)
        return rc;
    if (flux_io_grow(document->memory, &document->slots, &document->slot_capacity, document->slot_count + 1,
                     sizeof *document->slots))
        return flux_io_fail_memory(yaml->error);
    document->slots[document->slot_count++] = row;
    return FLUX_OK;
}

static int read_slots(struct flux_io_document *document)
{
    int more;
    int rc = flux_io_yaml_list(document->yaml, "a list of scheduled sends");
    if (rc)
        return rc;
    while (!(rc = flux_io_yaml_item(document->yaml, &more)) && more)
        if ((rc = read_slot(document)))
            return rc;
    return rc;
}

static int read_member(struct flux_io_document *document, uint32_t key)
{
    struct flux_io_yaml *yaml = document->yaml;
    switch (key) {
    case SCHEDULE_STATUS: {
        int rc = flux_io_yaml_word(yaml, "status", statuses + 1, 2, &document->status);
        document->status++;
        return rc;
    }
    case SCHEDULE_MAKESPAN:
        return flux_io_yaml_time(yaml, "makespan", &document->makespan);
    case SCHEDULE_BOUND:
        return flux_io_yaml_time(yaml, "bound", &document->bound);
    case SCHEDULE_SENDS:
        return read_slots(document);
    default:
        return flux_io_document_certificate(document);
    }
}

int flux_io_document_schedule(struct flux_io_document *document)
{
    struct flux_io_keys keys = {"schedule", schedule_keys, SCHEDULE_KEYS, {{0, 0}}};
    struct flux_io_yaml *yaml = document->yaml;
    uint32_t key;
    int rc = flux_io_yaml_map(yaml, "schedule");
    if (rc)
        return rc;
    document->schedule = flux_io_yaml_place(yaml);
    while (!(rc = flux_io_yaml_key(yaml, &keys, &key)) && key != FLUX_NONE)
        if ((rc = read_member(document, key)))
            return rc;
    if (!rc && !keys.seen[SCHEDULE_SENDS].line)
        return flux_io_yaml_fail_at(yaml, FLUX_E_FORMAT, document->schedule,
                                    "schedule has no key sends; write 'sends: []' where there are none");
    return rc;
}

/* ---- building ---- */

/* `line_of` by vertex: where its slot was seen, 0: nowhere yet. */
static int add_slot(struct flux_io_document *document, struct flux_import *import, const struct flux_graph *graph,
                    const struct flux_io_slot_row *row, uint32_t *line_of)
{
    struct flux_slot slot = {0, row->switch_index, row->start, row->end};
    char quote[FLUX_IO_QUOTE];
    int rc = flux_io_document_send(document, graph, row->id, row->place, &slot.send);
    if (rc)
        return rc;
    if (line_of[slot.send])
        return flux_io_yaml_fail_at(
            document->yaml, FLUX_E_FORMAT, row->place, "send '%s' again, after line %u; each is scheduled once",
            flux_io_quote(flux_io_strings_text(&document->ids, row->id, NULL), quote, sizeof quote),
            (unsigned)line_of[slot.send]);
    if (import->fabric && slot.switch_index >= flux_fabric_switches(import->fabric))
        return flux_io_yaml_fail_at(document->yaml, FLUX_E_FORMAT, row->place,
                                    "there is no switch %u; the fabric has switches 0 to %u",
                                    (unsigned)slot.switch_index, (unsigned)flux_fabric_switches(import->fabric) - 1);
    line_of[slot.send] = row->place.line;
    import->slots[import->slot_count++] = slot;
    return FLUX_OK;
}

static int add_slots(struct flux_io_document *document, struct flux_import *import, const struct flux_graph *graph)
{
    uint64_t vertices = flux_graph_vertices(graph);
    int rc = FLUX_OK;
    uint32_t *line_of = flux_io_alloc_zero(document->memory, vertices, sizeof *line_of);
    if (!line_of || flux_io_grow(document->memory, &import->slots, &import->slot_capacity,
                                 document->slot_count ? document->slot_count : 1, sizeof *import->slots)) {
        flux_io_release(document->memory, line_of, vertices, sizeof *line_of);
        return flux_io_fail_memory(document->yaml->error);
    }
    for (uint64_t i = 0; !rc && i < document->slot_count; i++)
        rc = add_slot(document, import, graph, &document->slots[i], line_of);
    flux_io_release(document->memory, line_of, vertices, sizeof *line_of);
    return rc;
}

static int tell_claims(struct flux_io_document *document, struct flux_import *import)
{
    char makespan[FLUX_UNITS_TEXT];
    char bound[FLUX_UNITS_TEXT];
    if (document->makespan < 0 && document->bound < 0 && !document->status)
        return FLUX_OK;
    if (document->makespan >= 0)
        import->counts[FLUX_IO_COUNT_MAKESPAN] = (uint64_t)document->makespan;
    if (document->bound >= 0)
        import->counts[FLUX_IO_COUNT_BOUND] = (uint64_t)document->bound;
    return flux_io_note(import, document->yaml->error, "the schedule says of itself: %s%smakespan %s, bound %s",
                        statuses[document->status], document->status ? ", " : "",
                        document->makespan < 0 ? "unknown"
                                               : flux_time_format(document->makespan, makespan, sizeof makespan),
                        document->bound < 0 ? "unknown" : flux_time_format(document->bound, bound, sizeof bound));
}

int flux_io_document_build_slots(struct flux_io_document *document, struct flux_import *import,
                                 const struct flux_graph *graph)
{
    int rc;
    if (!graph)
        return flux_io_yaml_fail_at(document->yaml, FLUX_E_FORMAT, document->schedule,
                                    "a schedule alone says nothing of what its ids are; put the workload into the "
                                    "document, or give the graph it is for");
    if ((rc = add_slots(document, import, graph)) || (rc = flux_io_document_build_certificate(document, import, graph)))
        return rc;
    return tell_claims(document, import);
}
