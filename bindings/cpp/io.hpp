/* SPDX-License-Identifier: Apache-2.0
 *
 * libflux/io.hpp - files in C++: workloads, matrices and models in, documents, traces and pictures out. A program that
 * uses it links libflux-io.
 */
#ifndef LIBFLUX_IO_HPP
#define LIBFLUX_IO_HPP

#include "generate.hpp"
#include "import.hpp"
#include "matrix.hpp"
#include "names.hpp"
#include "write.hpp"

#endif
