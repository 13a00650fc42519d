#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The Python package against the shared libraries of this build. BUILD is the build folder.
[ -e "${BUILD:?is the folder that holds libflux.so.0}/libflux.so.0" ] || { echo "not ok $BUILD: no libflux.so.0" && exit 1; }
root=$(cd "$(dirname "$0")/../.." && pwd)
# The first Python that sees the packages of tests/setup.sh; where none does, their tests are skipped with a sentence.
for python in "$root/build/python/bin/python" /usr/bin/python3 python3; do
    "$python" -c 'import numpy, networkx, pandas, matplotlib' 2>/dev/null && break
done
"$python" -c '' || exit 1
exec "$python" -B "$root/bindings/python/tests/run.py"
