/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading a native document while memory runs out: at every single allocation, ours or libyaml's, the import fails
 * with MEMORY, gives everything back, and works again afterwards.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <libflux/io/import.h>
#include <libflux/io/names.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLE "tests/golden/native/good/everything.yaml"

/* Allocations are counted; number `fail_at` fails, and with `sticky` all after it. */
struct account {
    uint64_t calls;
    uint64_t fail_at; /* 0: never */
    int sticky;
    uint64_t held; /* bytes */
};

static int refuses(struct account *account)
{
    account->calls++;
    if (!account->fail_at)
        return 0;
    return account->sticky ? account->calls >= account->fail_at : account->calls == account->fail_at;
}

static void *account_alloc(void *user, uint64_t size)
{
    struct account *account = user;
    if (refuses(account))
        return NULL;
    account->held += size;
    return malloc((size_t)size);
}

static void *account_resize(void *user, void *block, uint64_t old_size, uint64_t new_size)
{
    struct account *account = user;
    if (refuses(account))
        return NULL;
    account->held += new_size - old_size;
    return realloc(block, (size_t)new_size);
}

static void account_release(void *user, void *block, uint64_t size)
{
    struct account *account = user;
    account->held -= size;
    free(block);
}

/* libyaml has no allocator of the caller's, but reaches its own through the dynamic linker: these stand in for it. */
static struct account yaml_account;

__attribute__((visibility("default"))) void *yaml_malloc(size_t size);
__attribute__((visibility("default"))) void *yaml_realloc(void *block, size_t size);
__attribute__((visibility("default"))) unsigned char *yaml_strdup(const unsigned char *text);

void *yaml_malloc(size_t size)
{
    return refuses(&yaml_account) ? NULL : malloc(size ? size : 1);
}

void *yaml_realloc(void *block, size_t size)
{
    return refuses(&yaml_account) ? NULL : realloc(block, size ? size : 1);
}

unsigned char *yaml_strdup(const unsigned char *text)
{
    size_t size = text ? strlen((const char *)text) + 1 : 0;
    char *copy = text && !refuses(&yaml_account) ? malloc(size) : NULL;
    return copy ? memcpy(copy, text, size) : NULL;
}

static int import_once(struct account *account)
{
    struct flux_env env = FLUX_ENV_INIT;
    struct flux_import *import;
    struct flux_error error;
    env.alloc = account_alloc;
    env.resize = account_resize;
    env.release = account_release;
    env.user = account;
    account->calls = account->held = 0;
    yaml_account.calls = 0;
    int rc = flux_import(&env, SAMPLE, NULL, &import, &error);
    if (rc) {
        assert_null(import);
        assert_int_equal(rc, FLUX_E_MEMORY);
        assert_int_equal(error.code, FLUX_E_MEMORY);
        assert_string_equal(error.text, "out of memory");
    } else {
        assert_int_equal(flux_graph_vertices(flux_import_graph(import)), 7);
        flux_import_free(import);
    }
    assert_int_equal(account->held, 0);
    return rc;
}

static void test_our_memory(void **state)
{
    (void)state;
    struct account account = {0, 0, 0, 0};
    assert_int_equal(import_once(&account), 0);
    uint64_t calls = account.calls;
    assert_true(calls > 40);
    for (int sticky = 0; sticky < 2; sticky++) {
        for (uint64_t n = 1; n <= calls; n++) {
            account.fail_at = n;
            account.sticky = sticky;
            assert_int_equal(import_once(&account), FLUX_E_MEMORY);
        }
    }
    account.fail_at = 0;
    assert_int_equal(import_once(&account), 0);
}

static void test_memory_of_libyaml(void **state)
{
    (void)state;
    struct account account = {0, 0, 0, 0};
    assert_int_equal(import_once(&account), 0);
    uint64_t calls = yaml_account.calls;
    assert_true(calls > 100); /* else nothing stands in */
    for (int sticky = 0; sticky < 2; sticky++) {
        for (uint64_t n = 1; n <= calls; n++) {
            yaml_account.fail_at = n;
            yaml_account.sticky = sticky;
            assert_int_equal(import_once(&account), FLUX_E_MEMORY);
        }
    }
    yaml_account.fail_at = 0;
    assert_int_equal(import_once(&account), 0);
}

static void test_names(void **state)
{
    (void)state;
    struct account account = {0, 0, 0, 0};
    struct flux_env env = FLUX_ENV_INIT;
    struct flux_graph *graph;
    struct flux_names *names;
    env.alloc = account_alloc;
    env.resize = account_resize;
    env.release = account_release;
    env.user = &account;
    assert_int_equal(flux_graph_new(NULL, 2, &graph), 0);
    for (uint32_t v = 0; v < 200; v++) {
        assert_int_equal(flux_graph_add_compute(graph, 0, 0, NULL), 0);
        assert_int_equal(flux_graph_set_label(graph, v, v % 3 ? "same" : NULL), 0);
    }
    assert_int_equal(flux_names_new(&env, graph, &names), 0);
    flux_names_free(names);
    uint64_t calls = account.calls;
    assert_true(calls > 5);
    for (uint64_t n = 1; n <= calls; n++) {
        account.calls = 0;
        account.fail_at = n;
        assert_int_equal(flux_names_new(&env, graph, &names), FLUX_E_MEMORY);
        assert_null(names);
        assert_int_equal(account.held, 0);
    }
    flux_graph_free(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_our_memory),
        cmocka_unit_test(test_memory_of_libyaml),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
