/* SPDX-License-Identifier: Apache-2.0
 *
 * compare/registry.c - the schedulers by number and by name.
 */
#include "compare/compare.h"

#include <string.h>

static const struct {
    const char *name;
    uint32_t kind;
    flux_compare_function *run;
    const char *source;
} schedulers[] = {
    {"", 0, NULL, ""},
    {"flux", FLUX_SCHEDULER_KIND_SCHEDULE, flux_compare_flux, "this library: the whole workload, sends uncut"},
    {"random", FLUX_SCHEDULER_KIND_SCHEDULE, flux_compare_random,
     "control: random priorities in the same constructor, as many schedules as flux built"},
    {"phase", FLUX_SCHEDULER_KIND_SCHEDULE, flux_compare_phase,
     "after Opus (arXiv 2602.12521): a configuration per dimension of parallelism"},
    {"static", FLUX_SCHEDULER_KIND_CYCLE, flux_compare_static, "one configuration, never changed"},
    {"rotor-direct", FLUX_SCHEDULER_KIND_CYCLE, flux_compare_rotor,
     "RotorNet (Mellette et al., SIGCOMM 2017), one hop, all switches change at once"},
    {"rotor-direct-staggered", FLUX_SCHEDULER_KIND_CYCLE, flux_compare_rotor,
     "RotorNet (Mellette et al., SIGCOMM 2017), one hop, switches change in turn"},
    {"rotor-vlb", FLUX_SCHEDULER_KIND_FORWARD, flux_compare_rotor,
     "RotorNet (Mellette et al., SIGCOMM 2017), two hops by RotorLB, all switches change at once"},
    {"rotor-vlb-staggered", FLUX_SCHEDULER_KIND_FORWARD, flux_compare_rotor,
     "RotorNet (Mellette et al., SIGCOMM 2017), two hops by RotorLB, switches change in turn"},
    {"bvn", FLUX_SCHEDULER_KIND_CYCLE, flux_compare_periodic,
     "Birkhoff - von Neumann (1946, 1953): bottleneck matchings of the stuffed demand, slots without the delay"},
    {"solstice", FLUX_SCHEDULER_KIND_CYCLE, flux_compare_periodic, "Solstice (Liu et al., CoNEXT 2015)"},
    {"eclipse", FLUX_SCHEDULER_KIND_CYCLE, flux_compare_periodic,
     "Eclipse (Bojja Venkatakrishnan et al., SIGMETRICS 2016)"},
    {"spectra", FLUX_SCHEDULER_KIND_CYCLE, flux_compare_periodic, "after Spectra (Liang et al., arXiv 2603.07373)"},
    {"sunflow", FLUX_SCHEDULER_KIND_SCHEDULE, flux_compare_sunflow,
     "Sunflow (Huang et al., CoNEXT 2016): collectives as coflows, first come first served"},
    {"packet", FLUX_SCHEDULER_KIND_PACKET, flux_compare_packet,
     "packet switches with the same links: max-min fair shares, no delay, nothing full between GPUs"},
    {"multiplane", FLUX_SCHEDULER_KIND_PACKET, flux_compare_packet,
     "packet switches in planes (arXiv 2605.21187): every send hashed to one of them"},
    {"multiplane-failed", FLUX_SCHEDULER_KIND_PACKET, flux_compare_packet,
     "packet switches in planes (arXiv 2605.21187): every send sprayed over all of them, one of which has failed"},
};

#define COUNT ((uint32_t)(sizeof schedulers / sizeof *schedulers))

static uint32_t known(uint32_t scheduler)
{
    return scheduler < COUNT && schedulers[scheduler].run ? scheduler : 0;
}

flux_compare_function *flux_compare_find(uint32_t scheduler)
{
    return schedulers[known(scheduler)].run;
}

uint32_t flux_scheduler_count(void)
{
    return COUNT - 1;
}

const char *flux_scheduler_name(uint32_t scheduler)
{
    return schedulers[known(scheduler)].name;
}

uint32_t flux_scheduler_find(const char *name)
{
    for (uint32_t i = 1; name && i < COUNT; i++)
        if (schedulers[i].run && strcmp(schedulers[i].name, name) == 0)
            return i;
    return 0;
}

const char *flux_scheduler_source(uint32_t scheduler)
{
    return schedulers[known(scheduler)].source;
}

uint32_t flux_scheduler_kind(uint32_t scheduler)
{
    return schedulers[known(scheduler)].kind;
}
