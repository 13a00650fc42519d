#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Ten times a file that is made to be costly may cost little more than ten times the work. `make check-costly` has all shapes.
set -u
cd "$(dirname "$0")/../.." || exit 1
if ! command -v valgrind >/dev/null; then
    echo "ok work goes with the file # SKIP no valgrind to count instructions"
    exit 0
fi
exec python3 -B tests/fuzz/costly.py "$BUILD/flux-ocs" native-equal-edges chakra-many-deps chakra-equal-tags \
    chakra-json-chain goal-star goal-equal-tags goal-binary-chain simai-layers msccl-blocks market-entries
