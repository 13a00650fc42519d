/* SPDX-License-Identifier: Apache-2.0
 *
 * Demand matrices and the results of their schedulers to files.
 */
#include "io/fail.h"
#include "io/output.h"

#include <libflux/io/matrix.h>
#include <string.h>

__extension__ typedef __int128 wide;

static void put_market(struct flux_io_output *out, uint64_t ports, const int64_t *demand)
{
    uint64_t entries = 0;
    for (uint64_t i = 0; i < ports * ports; i++)
        entries += demand[i] != 0;
    flux_io_put(out, "%%MatrixMarket matrix coordinate integer general\n% unit: ps\n");
    for (int i = 0; i < 2; i++) {
        flux_io_put_u64(out, ports);
        flux_io_put_char(out, ' ');
    }
    flux_io_put_u64(out, entries);
    flux_io_put_char(out, '\n');
    for (uint64_t i = 0; i < ports * ports; i++) {
        if (!demand[i])
            continue;
        flux_io_put_u64(out, i / ports + 1);
        flux_io_put_char(out, ' ');
        flux_io_put_u64(out, i % ports + 1);
        flux_io_put_char(out, ' ');
        flux_io_put_i64(out, demand[i]);
        flux_io_put_char(out, '\n');
    }
}

static void put_table(struct flux_io_output *out, uint64_t ports, const int64_t *demand)
{
    flux_io_put(out, "# unit: ps\n");
    for (uint64_t i = 0; i < ports * ports; i++) {
        flux_io_put_i64(out, demand[i]);
        flux_io_put_char(out, (i + 1) % ports ? ',' : '\n');
    }
}

int flux_write_matrix(const char *path, uint32_t ports, const int64_t *demand, struct flux_error *error)
{
    struct flux_io_output out;
    size_t length = path ? strlen(path) : 0;
    if (!demand || ports < 2)
        return flux_io_fail(error, FLUX_E_ARGUMENT, "flux_write_matrix: no matrix of 2 ports or more");
    int rc = flux_io_output_open(&out, path, error);
    if (rc)
        return rc;
    if (length > 4 && strcmp(path + length - 4, ".mtx") == 0)
        put_market(&out, ports, demand);
    else
        put_table(&out, ports, demand);
    return flux_io_output_close(&out, error);
}

static void put_plan(struct flux_io_output *out, uint64_t matrix, const struct flux_demand_plan *plan)
{
    int64_t makespan = flux_demand_plan_makespan(plan), bound = flux_demand_plan_bound(plan);
    flux_io_put_u64(out, matrix);
    flux_io_put_char(out, ',');
    flux_io_put(out, flux_demand_name(flux_demand_plan_requested(plan)));
    flux_io_put_char(out, ',');
    flux_io_put(out, flux_demand_name(flux_demand_plan_algorithm(plan)));
    flux_io_put_char(out, ',');
    flux_io_put_i64(out, makespan);
    flux_io_put_char(out, ',');
    flux_io_put_i64(out, bound);
    flux_io_put_char(out, ',');
    flux_io_put_fixed(out, bound ? (int64_t)((wide)makespan * 1000000 / bound) : 1000000, 6);
    flux_io_put_char(out, ',');
    flux_io_put_u64(out, flux_demand_plan_configurations(plan));
    flux_io_put_char(out, ',');
    flux_io_put_u64(out, flux_demand_plan_matchings(plan));
    flux_io_put_char(out, '\n');
}

int flux_write_demand(const char *path, struct flux_demand_plan **plans, uint64_t count,
                      uint64_t per_matrix, struct flux_error *error)
{
    struct flux_io_output out;
    for (uint64_t i = 0; i < count; i++)
        if (!plans || !plans[i] || !per_matrix)
            return flux_io_fail(error, FLUX_E_ARGUMENT, "flux_write_demand: a plan is NULL, or per_matrix is 0");
    int rc = flux_io_output_open(&out, path, error);
    if (rc)
        return rc;
    flux_io_put(&out, "matrix,algorithm,found_by,makespan_ps,bound_ps,ratio,configurations,matchings\n");
    for (uint64_t i = 0; i < count; i++)
        put_plan(&out, i / per_matrix, plans[i]);
    return flux_io_output_close(&out, error);
}
