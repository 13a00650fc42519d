/* SPDX-License-Identifier: Apache-2.0 */
#include <libflux/fabric.h>
#include <libflux/graph.h>
#include <stdio.h>

int main(void)
{
    struct flux_fabric *fabric;
    int64_t time;

    if (flux_fabric_new(NULL, 8, 2, &fabric))
        return 1;
    flux_fabric_set_rule(fabric, FLUX_RULE_DUPLEX);
    flux_fabric_set_delay(fabric, FLUX_ALL_SWITCHES, 10 * FLUX_US);
    flux_fabric_set_delay(fabric, 1, 25 * FLUX_MS);
    flux_fabric_set_dead(fabric, 3, 0, 1); /* GPU 3, switch 0 */
    flux_fabric_duration(fabric, 1, 3, 4, 1 << 20, &time);
    printf("1 MiB takes %lld ps\n", (long long)time);
    flux_fabric_free(fabric);
    return 0;
}
