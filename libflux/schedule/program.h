/* SPDX-License-Identifier: Apache-2.0
 *
 * schedule/program.h - the circuit program: a schedule seen from the switches.
 */
#ifndef FLUX_SCHEDULE_PROGRAM_H
#define FLUX_SCHEDULE_PROGRAM_H

#include "schedule/audit.h"

/* How many rows the program has: one per tenure that serves a send. */
uint64_t flux_program_rows(const struct flux_audit *audit);

/* Writes them, by switch, then `up`, then source; `tenures` (may be NULL) gets the tenure of each, `changes` becomes
 * the number of rows with `changed` set. After flux_audit_begins(). Errors: MEMORY. */
int flux_program_write(const struct flux_audit *audit, struct flux_circuit *rows, uint32_t *tenures, uint64_t *changes);

#endif
