/* SPDX-License-Identifier: Apache-2.0
 *
 * schedule/ports.h - who has which port of one switch, while the audit goes through its sends in the order of time.
 */
#ifndef FLUX_SCHEDULE_PORTS_H
#define FLUX_SCHEDULE_PORTS_H

#include "schedule/audit.h"

/* The tenure at every port of one switch, FLUX_NONE where there was none yet. Under SIMPLEX a GPU has two ports, one to
 * transmit and one to receive; otherwise both are one. */
struct flux_ports {
    uint32_t *transmit; /* by GPU */
    uint32_t *receive;
};

/* Ports of a switch on which nothing happened. 0 or FLUX_E_MEMORY. */
int flux_ports_open(struct flux_audit *audit, struct flux_ports *ports);

/* The same again, after a switch whose tenures are those from `first` on. */
void flux_ports_clear(const struct flux_audit *audit, const struct flux_ports *ports, uint32_t first);

/* A new tenure takes both its ports; its number. */
uint32_t flux_ports_take(struct flux_audit *audit, const struct flux_ports *ports, uint32_t k, uint32_t src,
                         uint32_t dst);

/* Takes the ports of switch k for its initial circuits. `next` is where they begin in audit->initials; it moves past
 * them. MISMATCH where two compete. */
int flux_ports_start(struct flux_audit *audit, const struct flux_ports *ports, uint32_t k, uint64_t *next);

/* 1 where the tenure's circuit is (src, dst); under DUPLEX also where it is (dst, src). */
int flux_ports_same_circuit(const struct flux_audit *audit, const struct flux_tenure *tenure, uint32_t src,
                            uint32_t dst);

#endif
