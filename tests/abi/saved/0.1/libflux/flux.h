/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIBFLUX_FLUX_H
#define LIBFLUX_FLUX_H
#include <libflux/certificate.h>
#include <libflux/compare.h>
#include <libflux/demand.h>
#include <libflux/env.h>
#include <libflux/error.h>
#include <libflux/export.h>
#include <libflux/fabric.h>
#include <libflux/formulation.h>
#include <libflux/graph.h>
#include <libflux/program.h>
#include <libflux/replan.h>
#include <libflux/schedule.h>
#include <libflux/simulate.h>
#include <libflux/units.h>
#include <libflux/version.h>
#endif
