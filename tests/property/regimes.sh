#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A few problems of every regime: bound <= makespan, the checker, the certificate, incumbents that only improve, and the same
# schedule twice under the same limit of work.
set -u
cd "$(dirname "$0")/../.." || exit 1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -B tests/bench/regimes/run.py --build "${BUILD:?is the folder that holds flux-ocs}" --short --out "$folder"
