/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "read_back.h"

#include <libflux/io/import.h>
#include <libflux/io/names.h>
#include <stdlib.h>
#include <string.h>

static int compare_sends(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct flux_send));
}

/* All sends without their times, sorted. */
static struct flux_send *sends_of(const struct flux_graph *graph, uint32_t *count)
{
    struct flux_send *sends = calloc(flux_graph_vertices(graph) + 1u, sizeof *sends);
    *count = 0;
    for (uint32_t v = 0; v < flux_graph_vertices(graph); v++)
        if (flux_graph_is_send(graph, v)) {
            flux_graph_get_send(graph, v, &sends[*count]);
            sends[*count].duration = sends[*count].release = 0;
            (*count)++;
        }
    qsort(sends, *count, sizeof *sends, compare_sends);
    return sends;
}

void read_back_same_sends(const struct flux_graph *a, const struct flux_graph *b)
{
    uint32_t a_count, b_count;
    struct flux_send *a_sends = sends_of(a, &a_count), *b_sends = sends_of(b, &b_count);
    assert_int_equal(a_count, b_count);
    assert_memory_equal(a_sends, b_sends, a_count * sizeof *a_sends);
    free(a_sends);
    free(b_sends);
}

/* The vertex of the read-back graph that is send v: its label is "rSRC/NODE/ID". */
static uint32_t find_send(const struct flux_graph *graph, const char *id)
{
    for (uint32_t v = 0; v < flux_graph_vertices(graph); v++) {
        const char *label = flux_graph_label(graph, v), *slash = strchr(label, '/');
        slash = slash ? strchr(slash + 1, '/') : NULL;
        if (flux_graph_is_send(graph, v) && slash && strcmp(slash + 1, id) == 0)
            return v;
    }
    fail_msg("no send '%s'", id);
    return FLUX_NONE;
}

/* The planned slots are a schedule of what was read, with the same makespan: every order in it is the plan's. */
void read_back_same_schedule(const struct flux_graph *graph, const struct flux_fabric *fabric,
                             const struct flux_schedule *schedule, const struct flux_graph *back, int64_t later)
{
    struct flux_names *names;
    struct flux_error error = {0};
    uint64_t count;
    int64_t makespan;
    const struct flux_slot *slot = flux_schedule_slots(schedule, &count);
    struct flux_slot *slots = calloc(count + 1, sizeof *slots);
    assert_int_equal(flux_names_new(NULL, graph, &names), 0);
    for (uint64_t i = 0; i < count; i++) {
        slots[i] = slot[i];
        slots[i].send = find_send(back, flux_names_of(names, slot[i].send));
    }
    if (flux_check(back, fabric, slots, count, &makespan, &error))
        fail_msg("%s", error.text);
    assert_true(makespan >= flux_schedule_makespan(schedule));
    assert_true(makespan <= flux_schedule_makespan(schedule) + later);
    flux_names_free(names);
    free(slots);
}

int64_t read_back_path(const struct flux_graph *graph, const struct flux_fabric *fabric)
{
    struct flux_certificate *certificate;
    int64_t longest;
    assert_int_equal(flux_bound(graph, fabric, &certificate, NULL), 0);
    longest = flux_certificate_bound(certificate);
    flux_certificate_free(certificate);
    return longest;
}

void read_back_refused(const char *path, int code, const char *phrase)
{
    struct flux_import *import;
    struct flux_error error;
    int rc = flux_import(NULL, path, NULL, &import, &error);
    if (rc != code || !strstr(error.text, phrase))
        fail_msg("%d: %s", rc, rc ? error.text : "no error");
    assert_null(import);
}
