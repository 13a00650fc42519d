#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `make demo`: one training iteration of Llama 3 8B (8 layers, TP 4 x DP 2, 8 GPUs) on two optical circuit switches, at
# four switching speeds. usage: demo.sh FLUX-OCS [FOLDER]
set -eu
flux=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
cd "$(dirname "$0")/.."
trace=tests/data/stage-generated/llama3-8b_L8_tp4dp2/workload
out=${2:-build/demo}
mkdir -p "$out"

echo "Llama 3 8B, 8 layers, TP 4 x DP 2, on 8 GPUs; 2 optical circuit switches, 800 Gbps per port"
echo
for delay in 1us 10us 100us 1ms; do
    "$flux" schedule "$trace" --size-scale 2 --switches 2 --rate 800Gbps --delay "$delay" --quiet --json \
        >"$out/$delay.json"
done
python3 - "$out" 1us 10us 100us 1ms <<'PYTHON'
import json
import sys

head = ("delay", "makespan", "lower bound", "gap", "status", "reconfigurations", "seconds")
rows = []
for delay in sys.argv[2:]:
    with open("%s/%s.json" % (sys.argv[1], delay), encoding="utf-8") as text:
        o = json.load(text)
    rows.append((delay, "%.6f ms" % (o["makespan_ps"] / 1e9), "%.6f ms" % (o["bound_ps"] / 1e9),
                 "%.2f %%" % (100 * o["gap"]), o["status"], str(o["reconfigurations"]), "%.4f" % o["seconds"]))
widths = [max(len(row[i]) for row in [head] + rows) for i in range(len(head))]
for row in [head] + rows:
    print("  ".join(cell.rjust(width) for cell, width in zip(row, widths)))
PYTHON
"$flux" schedule "$trace" --size-scale 2 --switches 2 --rate 800Gbps --delay 1ms --quiet \
    -o "$out/schedule.yaml" --csv "$out/schedule.csv" --perfetto "$out/trace.json" \
    --svg "$out/timeline.svg" --svg-from 115ms --svg-to 123ms >/dev/null
"$flux" check "$out/schedule.yaml" --quiet >/dev/null

echo
echo "The schedule at 1ms, checked:"
echo "  $out/timeline.svg    8 ms of it as a picture, for any browser"
echo "  $out/trace.json      all of it, for https://ui.perfetto.dev"
echo "  $out/schedule.yaml   workload, fabric and schedule; 'flux-ocs check' verifies it"
echo "  $out/schedule.csv    a row per send"
