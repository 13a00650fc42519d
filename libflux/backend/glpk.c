/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/glpk.h"

#include "backend/registry.h"
#include "backend/value.h"
#include "base/fail.h"

#include <glpk.h>
#include <stddef.h>
#include <string.h>

struct glpk {
    struct flux_memory memory;
    struct flux_glpk_settings settings;
};

static const char *const on_off[] = {"off", "on"};
static const char *const simplexes[] = {"primal", "dual"};
static const char *const branchings[] = {"auto", "first", "last", "most_fractional", "driebeck_tomlin", "pseudocost"};
static const char *const selections[] = {"depth", "breadth", "best_bound", "best_projection"};

#define WORDS(list) .words = (list), .word_count = sizeof(list) / sizeof *(list)
#define AT(member) .offset = offsetof(struct flux_glpk_settings, member)

/* With words: an index of 32 bits. With `whole`: 64 bits. Else a double. */
struct setting {
    struct flux_backend_parameter shown;
    const char *const *words;
    uint32_t word_count;
    uint32_t whole;
    size_t offset;
    double least;
    double most;
};

static const struct setting settings[] = {
    {.shown = {"presolve", "on | off", "off", "GLPK's own preprocessor; points are then known only at the end"},
     WORDS(on_off),
     AT(presolve)},
    {.shown = {"simplex", "primal | dual", "dual", "method for the first relaxation"}, WORDS(simplexes), AT(simplex)},
    {.shown = {"branching", "auto | first | last | most_fractional | driebeck_tomlin | pseudocost", "auto",
               "which column to branch on; auto is by pseudocosts and can be stopped, GLPK's own pseudocost and "
               "driebeck_tomlin not"},
     WORDS(branchings),
     AT(branching)},
    {.shown = {"selection", "depth | breadth | best_bound | best_projection", "best_bound", "which node comes next"},
     WORDS(selections),
     AT(selection)},
    {.shown = {"mir_cuts", "on | off", "off", "mixed-integer rounding cuts"}, WORDS(on_off), AT(mir_cuts)},
    {.shown = {"gmi_cuts", "on | off", "off", "Gomory's mixed-integer cuts"}, WORDS(on_off), AT(gmi_cuts)},
    {.shown = {"cover_cuts", "on | off", "off", "mixed cover cuts"}, WORDS(on_off), AT(cover_cuts)},
    {.shown = {"clique_cuts", "on | off", "off", "clique cuts"}, WORDS(on_off), AT(clique_cuts)},
    {.shown = {"feasibility_pump", "on | off", "off", "look for a first point by the feasibility pump"},
     WORDS(on_off),
     AT(feasibility_pump)},
    {.shown = {"memory_mb", "0 .. 1000000", "0", "memory that GLPK may use, in MiB; 0: no limit"},
     .whole = 1,
     AT(memory_mb),
     .least = 0,
     .most = 1000000},
    {.shown = {"mip_gap", "0 .. 1", "0", "relative gap that is good enough"}, AT(mip_gap), .least = 0, .most = 1},
    {.shown = {"tol_int", "1e-9 .. 0.1", "1e-6", "how far from whole a binary may be"},
     AT(tol_int),
     .least = 1e-9,
     .most = 0.1},
    {.shown = {"tol_obj", "1e-12 .. 0.1", "1e-9", "relative difference of costs that counts as none"},
     AT(tol_obj),
     .least = 1e-12,
     .most = 0.1},
};

#define SETTINGS (sizeof settings / sizeof *settings)

static const char *glpk_version(void)
{
    return glp_version(); /* a literal in GLPK: touches no environment */
}

static const struct flux_backend_parameter *glpk_describe(uint32_t index)
{
    return index < SETTINGS ? &settings[index].shown : NULL;
}

static int assign(struct flux_glpk_settings *all, const struct setting *setting, const char *value,
                  struct flux_error *error)
{
    char *place = (char *)all + setting->offset;
    const char *key = setting->shown.key;
    uint32_t word;
    uint64_t whole;
    double real;
    int rc;
    if (setting->words) {
        rc = flux_value_word(key, value, setting->words, setting->word_count, &word, error);
        if (!rc)
            memcpy(place, &word, sizeof word);
    } else if (setting->whole) {
        rc = flux_value_whole(key, value, (uint64_t)setting->least, (uint64_t)setting->most, &whole, error);
        if (!rc)
            memcpy(place, &whole, sizeof whole);
    } else {
        rc = flux_value_real(key, value, setting->least, setting->most, &real, error);
        if (!rc)
            memcpy(place, &real, sizeof real);
    }
    return rc;
}

static int glpk_set(void *instance, const char *key, const char *value, struct flux_error *error)
{
    struct glpk *glpk = instance;
    for (size_t i = 0; i < SETTINGS; i++)
        if (!strcmp(settings[i].shown.key, key))
            return assign(&glpk->settings, &settings[i], value, error);
    return flux_fail(error, FLUX_E_ARGUMENT, "there is no parameter \"%.60s\"", key);
}

static int glpk_open(const struct flux_env *env, void **instance, struct flux_error *error)
{
    struct flux_memory memory;
    *instance = NULL;
    if (!glp_config("TLS"))
        return flux_fail(error, FLUX_E_BACKEND, "this GLPK was built without thread-local storage");
    int rc = flux_memory_init(&memory, env);
    if (rc)
        return flux_fail(error, rc, "the environment is not a valid one");
    struct glpk *glpk = flux_alloc_zero(&memory, 1, sizeof *glpk);
    if (!glpk)
        return flux_fail_memory(error);
    glpk->memory = memory;
    for (size_t i = 0; i < SETTINGS && !rc; i++)
        rc = assign(&glpk->settings, &settings[i], settings[i].shown.preset, error);
    if (rc) {
        flux_release(&memory, glpk, 1, sizeof *glpk);
        return rc;
    }
    *instance = glpk;
    return FLUX_OK;
}

static int glpk_solve(void *instance, const struct flux_milp *milp, const struct flux_milp_run *run,
                      struct flux_milp_result *result, struct flux_error *error)
{
    struct glpk *glpk = instance;
    return flux_glpk_solve(&glpk->memory, &glpk->settings, milp, run, result, error);
}

static void glpk_close(void *instance)
{
    struct glpk *glpk = instance;
    struct flux_memory memory = glpk->memory;
    flux_release(&memory, glpk, 1, sizeof *glpk);
}

const struct flux_backend flux_backend_glpk = {
    .abi = FLUX_BACKEND_ABI,
    .size = sizeof(struct flux_backend),
    .name = "glpk",
    .capabilities = FLUX_BACKEND_OPTIMAL | FLUX_BACKEND_BOUND | FLUX_BACKEND_START | FLUX_BACKEND_CANCEL |
                    FLUX_BACKEND_DETERMINISTIC | FLUX_BACKEND_SOLVES,
    .version = glpk_version,
    .describe = glpk_describe,
    .open = glpk_open,
    .set = glpk_set,
    .solve = glpk_solve,
    .close = glpk_close,
};
