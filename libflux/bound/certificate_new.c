/* SPDX-License-Identifier: Apache-2.0
 *
 * bound/certificate_new.c - a certificate from its parts, as somebody else wrote them down.
 */
#include "bound/bound.h"

#include "base/abi.h"
#include "base/fail.h"

#include <inttypes.h>
#include <string.h>

static int check_parts(const struct flux_certificate_parts *parts, struct flux_error *error)
{
    if ((!parts->vertices && parts->vertex_count) || (!parts->lifts && parts->lift_count))
        return flux_fail(error, FLUX_E_ARGUMENT, "vertices or lifts of the certificate are NULL");
    if (parts->bound < 0 || parts->head < 0 || parts->tail < 0)
        return flux_fail(error, FLUX_E_ARGUMENT, "a time of the certificate is below 0");
    if (parts->side > FLUX_SIDE_RECEIVE)
        return flux_fail(error, FLUX_E_ARGUMENT, "there is no side %" PRIu32 " of a GPU", parts->side);
    return FLUX_OK;
}

static int copy_parts(struct flux_certificate *certificate, const struct flux_certificate_parts *parts)
{
    const struct flux_memory *memory = &certificate->memory;
    certificate->kind = parts->kind;
    certificate->gpu = parts->gpu;
    certificate->side = parts->side;
    certificate->bound = parts->bound;
    certificate->head = parts->head;
    certificate->tail = parts->tail;
    if (parts->vertex_count) {
        certificate->vertices = flux_alloc(memory, parts->vertex_count, sizeof *certificate->vertices);
        if (!certificate->vertices)
            return FLUX_E_MEMORY;
        certificate->vertex_count = parts->vertex_count;
        memcpy(certificate->vertices, parts->vertices, parts->vertex_count * sizeof *certificate->vertices);
    }
    if (parts->lift_count) {
        certificate->lifts = flux_alloc(memory, parts->lift_count, sizeof *certificate->lifts);
        if (!certificate->lifts)
            return FLUX_E_MEMORY;
        certificate->lift_count = parts->lift_count;
        memcpy(certificate->lifts, parts->lifts, parts->lift_count * sizeof *certificate->lifts);
    }
    return FLUX_OK;
}

int flux_certificate_new(const struct flux_env *env, const struct flux_certificate_parts *parts,
                         struct flux_certificate **certificate, struct flux_error *error)
{
    struct flux_certificate_parts ours = FLUX_CERTIFICATE_PARTS_INIT;
    struct flux_memory memory;
    if (!certificate)
        return flux_fail(error, FLUX_E_ARGUMENT, "no place for the certificate");
    *certificate = NULL;
    if (!parts)
        return flux_fail(error, FLUX_E_ARGUMENT, "the parts of the certificate are NULL");
    int rc = flux_abi_import(&ours, sizeof ours, parts, FLUX_ABI_LEAST(struct flux_certificate_parts, lift_count),
                             "flux_certificate_parts", error);
    if (!rc)
        rc = check_parts(&ours, error);
    if (!rc && (rc = flux_memory_init(&memory, env)))
        rc = flux_fail(error, rc, "struct flux_env is of another version, or has half an allocator");
    if (rc)
        return rc;
    struct flux_certificate *fresh = flux_alloc_zero(&memory, 1, sizeof *fresh);
    if (!fresh)
        return flux_fail_memory(error);
    fresh->memory = memory;
    if (copy_parts(fresh, &ours)) {
        flux_certificate_free(fresh);
        return flux_fail_memory(error);
    }
    *certificate = fresh;
    return FLUX_OK;
}
