/* SPDX-License-Identifier: Apache-2.0
 *
 * bound/port_edges.c - the load of a GPU's ports with the first starts and the last ends on them: the bound of
 * J. Carlier, "Scheduling jobs with release dates and tails on identical machines to minimize the makespan", European
 * Journal of Operational Research 29 (1987), with setups.
 */
#include "bound/search.h"

#include <string.h>

static flux_wide by_load(const struct flux_load *load, int64_t head, int64_t tail)
{
    flux_wide busy = load->load + flux_setup_time(load->circuits, load->links, load->delay);
    return head + tail + flux_ceil_div(busy, load->links);
}

static flux_wide by_edges(const struct flux_load *load)
{
    flux_wide busy = load->load + flux_setup_time(load->circuits, load->links, load->delay);
    return flux_ceil_div(busy + load->heads + load->tails, load->links);
}

void flux_bound_port_edges(struct flux_bound_search *search, const struct flux_port *port)
{
    if (port->count > 0)
        flux_bound_try_window(search, port, port->head[port->count - 1], port->tail[port->by_tail[port->count - 1]]);
}

void flux_bound_try_window(struct flux_bound_search *search, const struct flux_port *port, int64_t head, int64_t tail)
{
    struct flux_load load;
    flux_port_measure(search->problem, &search->sides, port, head, tail, &load);
    if (load.sends == 0)
        return;
    flux_bound_raise(search, port, FLUX_CERTIFICATE_PORT_LOAD, head, tail, by_load(&load, head, tail));
    if (load.sends >= load.links)
        flux_bound_raise(search, port, FLUX_CERTIFICATE_PORT_EDGES, head, tail, by_edges(&load));
}

void flux_bound_raise(struct flux_bound_search *search, const struct flux_port *port, uint32_t kind, int64_t head,
                      int64_t tail, flux_wide value)
{
    struct flux_bound_value *best = &search->best;
    if (value > FLUX_TIME_MAX) {
        search->overflow = 1;
        return;
    }
    if (value <= best->bound)
        return;
    *best = (struct flux_bound_value){
        .bound = (int64_t)value, .kind = kind, .gpu = port->gpu, .side = port->side, .head = head, .tail = tail};
    memcpy(best->switches, port->switches, search->sides.words * sizeof *best->switches);
}
