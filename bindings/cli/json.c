/* SPDX-License-Identifier: Apache-2.0
 *
 * json.c - what scripts read: one object on one line.
 */
#include "cli.h"
#include <jansson.h>
#include <stdlib.h>

int json_put(struct json_t *object, const char *key, struct json_t *value)
{
    return json_object_set_new(object, key, value);
}

/* The steps of a lifted certificate. */
static json_t *json_lifts(const struct flux_names *names, const struct flux_certificate *certificate)
{
    static const char *const sides[] = {"both", "transmit", "receive"};
    uint64_t count = 0;
    const struct flux_lift *lifts = flux_certificate_lifts(certificate, &count);
    json_t *list = json_array();
    int failed = 0;
    for (uint64_t i = 0; i < count; i++) {
        const struct flux_lift *lift = &lifts[i];
        json_t *object = json_object();
        failed |= json_put(object, "vertex", json_string(flux_names_of(names, lift->vertex)));
        failed |= json_put(object, "end", json_string(lift->end == FLUX_LIFT_TAIL ? "tail" : "head"));
        failed |= json_put(object, "gpu", json_integer(lift->gpu));
        failed |= json_put(object, "side", json_string(lift->side < 3 ? sides[lift->side] : "unknown"));
        failed |= json_put(object, "edge_ps", json_integer(lift->edge));
        failed |= json_put(object, "lag_ps", json_integer(lift->lag));
        failed |= json_array_append_new(list, object);
    }
    if (!failed)
        return list;
    json_decref(list);
    return NULL;
}

struct json_t *json_certificate(const struct flux_graph *graph, const struct flux_certificate *certificate)
{
    static const char *const sides[] = {"both", "transmit", "receive"};
    uint32_t kind = flux_certificate_kind(certificate), gpu = flux_certificate_gpu(certificate);
    uint32_t side = flux_certificate_side(certificate);
    uint64_t count = 0;
    const uint32_t *vertices = flux_certificate_vertices(certificate, &count);
    json_t *object = json_object(), *list = json_array();
    struct flux_names *names = NULL;
    int failed = flux_names_new(NULL, graph, &names);

    failed |= json_put(object, "kind", json_string(flux_certificate_kind_name(kind)));
    failed |= json_put(object, "bound_ps", json_integer(flux_certificate_bound(certificate)));
    if (gpu != FLUX_NONE) {
        failed |= json_put(object, "gpu", json_integer(gpu));
        failed |= json_put(object, "side", json_string(side < 3 ? sides[side] : "unknown"));
        failed |= json_put(object, "head_ps", json_integer(flux_certificate_head(certificate)));
        failed |= json_put(object, "tail_ps", json_integer(flux_certificate_tail(certificate)));
    }
    for (uint64_t i = 0; i < count; i++)
        failed |= json_array_append_new(list, json_string(flux_names_of(names, vertices[i])));
    failed |= json_put(object, gpu == FLUX_NONE ? "vertices" : "sends", list);
    if (flux_certificate_lifts(certificate, &count))
        failed |= json_put(object, "lifts", json_lifts(names, certificate));
    flux_names_free(names);
    if (!failed)
        return object;
    json_decref(object);
    return NULL;
}

int json_finish(struct json_t *object, int failed)
{
    char *text = failed ? NULL : json_dumps(object, JSON_REAL_PRECISION(9) | JSON_ENSURE_ASCII);

    json_decref(object);
    if (!text) {
        report_error("out of memory for the JSON object");
        return STATUS_INPUT;
    }
    puts(text);
    free(text);
    return 0;
}
