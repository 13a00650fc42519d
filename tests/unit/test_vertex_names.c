/* SPDX-License-Identifier: Apache-2.0
 *
 * The ids that vertices have in files, as a user of the library sees them.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <libflux/io/names.h>
#include <stdlib.h>
#include <string.h>

static struct flux_graph *graph_of(const char *const *labels, uint32_t count)
{
    struct flux_graph *graph;

    assert_int_equal(flux_graph_new(NULL, 2, &graph), 0);
    for (uint32_t v = 0; v < count; v++) {
        assert_int_equal(flux_graph_add_send(graph, 0, 1, 1, NULL), 0);
        assert_int_equal(flux_graph_set_label(graph, v, labels[v]), 0);
    }
    return graph;
}

static void labels_are_ids_and_the_rest_have_numbers(void **state)
{
    static const char *const labels[] = {"first", NULL, "third"};
    struct flux_graph *graph = graph_of(labels, 3);
    struct flux_names *names;

    (void)state;
    assert_int_equal(flux_names_new(NULL, graph, &names), 0);
    flux_graph_free(graph);
    assert_string_equal(flux_names_of(names, 0), "first");
    assert_string_equal(flux_names_of(names, 1), "v1");
    assert_string_equal(flux_names_of(names, 2), "third");
    assert_string_equal(flux_names_of(names, 3), "");
    flux_names_free(names);
}

static void every_id_finds_its_vertex(void **state)
{
    static const char *const labels[] = {"x", "x", NULL, "v2", "x_v1", "x", ""};
    struct flux_graph *graph = graph_of(labels, 7);
    struct flux_names *names;

    (void)state;
    assert_int_equal(flux_names_new(NULL, graph, &names), 0);
    for (uint32_t v = 0; v < 7; v++) {
        assert_true(flux_names_of(names, v)[0] != '\0');
        assert_int_equal(flux_names_find(names, flux_names_of(names, v)), v);
    }
    assert_string_equal(flux_names_of(names, 0), "x");
    assert_string_equal(flux_names_of(names, 3), "v2");
    assert_int_equal(flux_names_find(names, "nobody"), FLUX_NONE);
    assert_int_equal(flux_names_find(names, ""), FLUX_NONE);
    flux_names_free(names);
    flux_graph_free(graph);
}

static void wrong_calls_are_refused(void **state)
{
    struct flux_graph *graph = graph_of(NULL, 0);
    struct flux_names *names = NULL;
    struct flux_env half = FLUX_ENV_INIT;

    (void)state;
    half.size = 4;
    assert_int_equal(flux_names_new(NULL, NULL, &names), FLUX_E_ARGUMENT);
    assert_int_equal(flux_names_new(NULL, graph, NULL), FLUX_E_ARGUMENT);
    assert_int_equal(flux_names_new(&half, graph, &names), FLUX_E_ABI);
    assert_null(names);
    assert_string_equal(flux_names_of(NULL, 0), "");
    assert_int_equal(flux_names_find(NULL, "x"), FLUX_NONE);
    flux_names_free(NULL);
    flux_graph_free(graph);
}

/* An allocator that fails from the n-th call on. */
static uint64_t calls_left, blocks;

static void *counted_alloc(void *user, uint64_t size)
{
    (void)user;
    if (!calls_left)
        return NULL;
    calls_left--;
    blocks++;
    return malloc(size ? size : 1);
}

static void *counted_resize(void *user, void *block, uint64_t old_size, uint64_t new_size)
{
    void *fresh = counted_alloc(user, new_size);

    if (fresh && block) {
        memcpy(fresh, block, old_size < new_size ? old_size : new_size);
        free(block);
        blocks--;
    }
    return fresh;
}

static void counted_release(void *user, void *block, uint64_t size)
{
    (void)user;
    (void)size;
    blocks -= block != NULL;
    free(block);
}

static void nothing_leaks_when_memory_is_out(void **state)
{
    static const char *const labels[] = {"x", "x", NULL, "y"};
    struct flux_graph *graph = graph_of(labels, 4);
    struct flux_env env = FLUX_ENV_INIT;
    struct flux_names *names;
    uint64_t limit = 0;
    int rc;

    (void)state;
    env.alloc = counted_alloc;
    env.resize = counted_resize;
    env.release = counted_release;
    do {
        calls_left = limit++;
        rc = flux_names_new(&env, graph, &names);
        if (rc) {
            assert_int_equal(rc, FLUX_E_MEMORY);
            assert_null(names);
        } else {
            flux_names_free(names);
        }
        assert_int_equal(blocks, 0);
    } while (rc);
    assert_true(limit > 3);
    flux_graph_free(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_are_ids_and_the_rest_have_numbers),
        cmocka_unit_test(every_id_finds_its_vertex),
        cmocka_unit_test(wrong_calls_are_refused),
        cmocka_unit_test(nothing_leaks_when_memory_is_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
