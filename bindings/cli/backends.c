/* SPDX-License-Identifier: Apache-2.0
 *
 * backends.c - flux-ocs backends: the solvers that are compiled in, and what can be set in them.
 */
#include "cli.h"
#include <jansson.h>
#include <libflux/backend.h>

static const char *version_of(const struct flux_backend *backend)
{
    return backend->version ? backend->version() : "";
}

static json_t *backend_json(const struct flux_backend *backend)
{
    const struct flux_backend_parameter *parameter;
    json_t *object = json_object(), *parameters = json_array();
    int failed = 0;

    failed |= json_put(object, "name", json_string(backend->name));
    failed |= json_put(object, "version", json_string(version_of(backend)));
    failed |= json_put(object, "solves", json_boolean((backend->capabilities & FLUX_BACKEND_SOLVES) != 0));
    for (uint32_t i = 0; backend->describe && (parameter = backend->describe(i)) != NULL; i++) {
        json_t *row = json_object();

        failed |= json_put(row, "key", json_string(parameter->key));
        failed |= json_put(row, "values", json_string(parameter->values));
        failed |= json_put(row, "default", json_string(parameter->preset));
        failed |= json_put(row, "about", json_string(parameter->about));
        failed |= json_array_append_new(parameters, row);
    }
    failed |= json_put(object, "parameters", parameters);
    if (!failed)
        return object;
    json_decref(object);
    return NULL;
}

static int backends_json(void)
{
    const struct flux_backend *backend;
    json_t *object = json_object(), *list = json_array();
    int failed = 0;

    for (uint32_t i = 0; (backend = flux_backend_builtin(i)) != NULL; i++)
        failed |= json_array_append_new(list, backend_json(backend));
    failed |= json_put(object, "backends", list);
    return json_finish(object, failed);
}

static void backend_print(const struct flux_backend *backend)
{
    const struct flux_backend_parameter *parameter;

    printf("%s %s%s\n", backend->name, version_of(backend),
           backend->capabilities & FLUX_BACKEND_SOLVES ? "" : " (solves nothing: a template for authors)");
    for (uint32_t i = 0; backend->describe && (parameter = backend->describe(i)) != NULL; i++)
        printf("  %s.%s=%s\n      %s (%s)\n", backend->name, parameter->key, parameter->values, parameter->about,
               parameter->preset);
}

static int backends_run(const struct settings *settings)
{
    const struct flux_backend *backend;

    if (settings->json) {
        int status = backends_json();

        return status ? status : output_finish(0);
    }
    for (uint32_t i = 0; (backend = flux_backend_builtin(i)) != NULL; i++)
        backend_print(backend);
    return output_finish(0);
}

const struct command command_backends = {
    .name = "backends",
    .operands = "",
    .operands_min = 0,
    .operands_max = 0,
    .groups = GROUP_COMMON,
    .summary = "the solvers that are compiled in, with version and parameters",
    .description = "Lists the solver backends, the default one first. A parameter is set with\n"
                   "flux-ocs schedule INPUT --parameter KEY=VALUE; its default stands in brackets.",
    .example = "  flux-ocs backends\n",
    .run = backends_run,
};
