#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `make figure2`: the comparison of the paper's Figure 2 on public traces: Llama 3 8B with 8 and 16 layers, TP 4 x DP 2, on
# two switches, under every scheduler, from 1 us to 1 ms. usage: figure2.sh FLUX-OCS [FOLDER]
set -eu
flux=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
cd "$(dirname "$0")/.."
out=${2:-build/figure2}
mkdir -p "$out"
delays=1us,3us,10us,30us,100us,300us,1ms
threads=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)

# compare RULE LAYERS OPTION...: the comparison as CSV on standard output.
compare() {
    rule=$1 layers=$2
    shift 2
    "$flux" compare "tests/data/stage-generated/llama3-8b_L${layers}_tp4dp2/workload" --size-scale 2 --switches 2 \
        --rate 800Gbps --delays "$delays" --rule "$rule" --threads "$threads" --quiet --csv - "$@" 2>/dev/null
}

for rule in paper duplex simplex; do
    for layers in 8 16; do
        compare "$rule" "$layers" >"$out/$rule-L$layers.csv"
        compare "$rule" "$layers" --schedulers random --constructions 101 >"$out/$rule-L$layers-random.csv"
        delays=0us compare "$rule" "$layers" --schedulers flux >"$out/$rule-L$layers-floor.csv"
    done
done

# Matplotlib is a package of the system's Python, which need not be the first one on the path.
for python in python3 /usr/bin/python3 build/python/bin/python; do
    "$python" -c 'import matplotlib' 2>/dev/null && break
done
"$python" tests/figure2.py "$out"
