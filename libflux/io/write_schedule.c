/* SPDX-License-Identifier: Apache-2.0
 *
 * The schedule of a native document, with its certificate.
 */
#include "io/write_document.h"

#include <libflux/schedule.h>

static void write_slot(struct flux_io_written *document, const struct flux_slot *slot)
{
    struct flux_io_emit *emit = &document->emit;
    flux_io_emit_item(emit);
    flux_io_emit_open_flow(emit, '{');
    flux_io_emit_key(emit, "id");
    flux_io_emit_name(emit, flux_io_names_of(&document->names, slot->send));
    flux_io_emit_key(emit, "switch");
    flux_io_emit_whole(emit, slot->switch_index);
    flux_io_emit_key(emit, "start");
    flux_io_emit_time(emit, slot->start);
    flux_io_emit_key(emit, "end");
    flux_io_emit_time(emit, slot->end);
    flux_io_emit_close_flow(emit, '}');
}

/* The steps of a lifted certificate. */
static void write_lifts(struct flux_io_written *document, const struct flux_certificate *certificate)
{
    static const char *const sides[] = {"both", "transmit", "receive"};
    struct flux_io_emit *emit = &document->emit;
    uint64_t count;
    const struct flux_lift *lifts = flux_certificate_lifts(certificate, &count);
    if (count == 0)
        return;
    flux_io_emit_key(emit, "lifts");
    flux_io_emit_open_flow(emit, '[');
    for (uint64_t i = 0; i < count; i++) {
        const struct flux_lift *lift = &lifts[i];
        flux_io_emit_item(emit);
        flux_io_emit_open_flow(emit, '{');
        flux_io_emit_key(emit, "vertex");
        flux_io_emit_name(emit, flux_io_names_of(&document->names, lift->vertex));
        flux_io_emit_key(emit, "end");
        flux_io_emit_word(emit, lift->end == FLUX_LIFT_TAIL ? "tail" : "head");
        flux_io_emit_key(emit, "gpu");
        flux_io_emit_whole(emit, lift->gpu);
        if (lift->side != FLUX_SIDE_BOTH && lift->side <= FLUX_SIDE_RECEIVE) {
            flux_io_emit_key(emit, "side");
            flux_io_emit_word(emit, sides[lift->side]);
        }
        flux_io_emit_key(emit, "edge");
        flux_io_emit_time(emit, lift->edge);
        flux_io_emit_key(emit, "lag");
        flux_io_emit_time(emit, lift->lag);
        flux_io_emit_close_flow(emit, '}');
    }
    flux_io_emit_close_flow(emit, ']');
}

static void write_certificate(struct flux_io_written *document, const struct flux_certificate *certificate)
{
    static const char *const sides[] = {"both", "transmit", "receive"};
    struct flux_io_emit *emit = &document->emit;
    uint64_t count;
    const uint32_t *vertices = flux_certificate_vertices(certificate, &count);
    uint32_t kind = flux_certificate_kind(certificate);
    uint32_t side = flux_certificate_side(certificate);
    flux_io_emit_key(emit, "certificate");
    flux_io_emit_open_flow(emit, '{');
    flux_io_emit_key(emit, "kind");
    flux_io_emit_word(emit, flux_certificate_kind_name(kind));
    if (flux_certificate_gpu(certificate) != FLUX_NONE) {
        flux_io_emit_key(emit, "gpu");
        flux_io_emit_whole(emit, flux_certificate_gpu(certificate));
        if (side != FLUX_SIDE_BOTH && side <= FLUX_SIDE_RECEIVE) {
            flux_io_emit_key(emit, "side");
            flux_io_emit_word(emit, sides[side]);
        }
        flux_io_emit_key(emit, "head");
        flux_io_emit_time(emit, flux_certificate_head(certificate));
        flux_io_emit_key(emit, "tail");
        flux_io_emit_time(emit, flux_certificate_tail(certificate));
    }
    if (count) {
        int sends = flux_certificate_gpu(certificate) != FLUX_NONE;
        flux_io_emit_key(emit, sends ? "sends" : "vertices");
        flux_io_emit_open_flow(emit, '[');
        for (uint64_t i = 0; i < count; i++) {
            flux_io_emit_item(emit);
            flux_io_emit_name(emit, flux_io_names_of(&document->names, vertices[i]));
        }
        flux_io_emit_close_flow(emit, ']');
    }
    write_lifts(document, certificate);
    flux_io_emit_close_flow(emit, '}');
}

void flux_io_write_schedule(struct flux_io_written *document)
{
    struct flux_io_emit *emit = &document->emit;
    uint64_t count;
    const struct flux_slot *slots = flux_schedule_slots(document->schedule, &count);
    const struct flux_certificate *certificate = flux_schedule_certificate(document->schedule);
    flux_io_emit_key(emit, "schedule");
    flux_io_emit_open_block(emit);
    flux_io_emit_key(emit, "status");
    flux_io_emit_word(emit, flux_schedule_status(document->schedule) == FLUX_OPTIMAL ? "optimal" : "feasible");
    flux_io_emit_key(emit, "makespan");
    flux_io_emit_time(emit, flux_schedule_makespan(document->schedule));
    flux_io_emit_key(emit, "bound");
    flux_io_emit_time(emit, flux_schedule_bound(document->schedule));
    flux_io_emit_key(emit, "sends");
    flux_io_emit_open_list(emit);
    for (uint64_t i = 0; i < count; i++)
        write_slot(document, &slots[i]);
    flux_io_emit_close_list(emit);
    if (certificate)
        write_certificate(document, certificate);
    flux_io_emit_close_block(emit);
}
