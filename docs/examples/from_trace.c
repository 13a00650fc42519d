/* SPDX-License-Identifier: Apache-2.0
 *
 * from_trace.c - a set of Chakra traces to a schedule and a picture of it, with every error handled.
 *
 *     from_trace PREFIX [PICTURE.svg]        PREFIX.0.et, PREFIX.1.et, ... hold a rank each
 */
#include <libflux/flux.h>
#include <libflux/io/import.h>
#include <libflux/io/write.h>
#include <stdio.h>

/* Two switches that take 10 us to change a circuit, 800 Gbps per port. */
static int fabric_make(uint32_t gpus, struct flux_fabric **fabric, struct flux_error *error)
{
    int rc = flux_fabric_new(NULL, gpus, 2, fabric);

    if (!rc)
        rc = flux_fabric_set_delay(*fabric, FLUX_ALL_SWITCHES, 10 * FLUX_US);
    if (rc)
        snprintf(error->text, sizeof(error->text), "no fabric for %u GPUs: %s", gpus, flux_error_name(rc));
    return rc;
}

static void result_print(const struct flux_schedule *schedule)
{
    char makespan[FLUX_UNITS_TEXT], bound[FLUX_UNITS_TEXT];

    printf("%s: makespan %s, lower bound %s (%s), %llu reconfigurations\n",
           flux_schedule_status(schedule) == FLUX_OPTIMAL ? "optimal" : "feasible",
           flux_time_format(flux_schedule_makespan(schedule), makespan, sizeof(makespan)),
           flux_time_format(flux_schedule_bound(schedule), bound, sizeof(bound)),
           flux_certificate_kind_name(flux_certificate_kind(flux_schedule_certificate(schedule))),
           (unsigned long long)flux_schedule_reconfigurations(schedule));
}

int main(int argc, char **argv)
{
    struct flux_import_options options = FLUX_IMPORT_OPTIONS_INIT;
    struct flux_svg_options window = FLUX_SVG_OPTIONS_INIT;
    struct flux_import *import = NULL;
    struct flux_fabric *fabric = NULL;
    struct flux_schedule *schedule = NULL;
    struct flux_error error = {0};
    int rc;

    if (argc < 2) {
        fprintf(stderr, "usage: from_trace PREFIX [PICTURE.svg]\n");
        return 2;
    }
    options.scale_num = 2; /* this generator counts elements of two bytes */
    options.scale_den = 1;
    window.from = 115 * FLUX_MS;
    window.to = 123 * FLUX_MS;
    rc = flux_import(NULL, argv[1], &options, &import, &error);
    for (uint64_t i = 0; i < flux_import_warnings(import); i++)
        fprintf(stderr, "warning: %s\n", flux_import_warning(import, i));
    if (!rc)
        rc = fabric_make(flux_graph_gpus(flux_import_graph(import)), &fabric, &error);
    if (!rc)
        rc = flux_schedule(flux_import_graph(import), fabric, NULL, &schedule, &error);
    if (!rc)
        result_print(schedule);
    if (!rc && argc > 2)
        rc = flux_write_svg(argv[2], flux_import_graph(import), fabric, schedule, &window, &error);
    if (rc)
        fprintf(stderr, "from_trace: %s\n", error.text);
    flux_schedule_free(schedule);
    flux_fabric_free(fabric);
    flux_import_free(import);
    return rc ? 1 : 0;
}
