#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The Python package against the shared libraries of this build. BUILD is the build folder.
[ -e "${BUILD:?is the folder that holds libflux.so.0}/libflux.so.0" ] || { echo "not ok $BUILD: no libflux.so.0" && exit 1; }
exec python3 -B "$(dirname "$0")/../../bindings/python/tests/run.py"
