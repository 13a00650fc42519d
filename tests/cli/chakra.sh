#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Workloads as Chakra traces: what our own reader and Google's protobuf say of them.
set -u
. "$(dirname "$0")/../support/cli.sh"

run info "$L8" --size-scale 2 --json
mv out before
expect "convert to traces" 0 "" convert "$L8" --size-scale 2 -o plain.et
verdict "it says what is lost" "$(grep -q 'neither fabric' err && grep -q 'whole microseconds' err; echo $?)" "$(cat err)"
verdict "a file for each GPU" "$([ -s plain.0.et ] && [ -s plain.7.et ] && [ ! -e plain.8.et ]; echo $?)" "$(ls)"
expect "schedule to traces" 0 "" schedule "$L8" --size-scale 2 -o 'plan.%d.et'
verdict "%d stands for the rank" "$([ -s plan.0.et ] && [ -s plan.7.et ]; echo $?)" "$(ls)"

for set in plain plan; do
    run info "$set" --overlap-compute --json
    verdict "$set: the same sends and bytes" "$(python3 - <<'PYTHON'
import json
a, b = json.load(open("before")), json.load(open("out"))
keys = [key for key in ("gpus", "sends", "bytes") if key in a]
assert len(keys) == 3 and all(a[key] == b[key] for key in keys), (a, b)
PYTHON
    echo $?)" "$(head -c 300 out)"
done

# The plan's order is in one and not in the other; times are those of the original but for their rounding.
run schedule "$L8" --size-scale 2 --json
mv out planned
for set in plain plan; do
    run schedule "$set" --overlap-compute --json
    verdict "$set: the same makespan but for rounding" "$(python3 - <<'PYTHON'
import json
a, b = json.load(open("planned"))["makespan_ps"], json.load(open("out"))["makespan_ps"]
assert abs(a - b) < 5e-4 * a, (a, b)
PYTHON
    echo $?)" "$(head -c 200 out)"
done
verdict "the order is more to wait for" "$([ "$(cat plan.*.et | wc -c)" -gt "$(cat plain.*.et | wc -c)" ]; echo $?)" "$(ls -l)"

# Debian's package is for Debian's Python, whatever else stands first.
PYTHON=
for python in python3 /usr/bin/python3; do
    [ -n "$PYTHON" ] || ! "$python" -c 'import google.protobuf' 2>/dev/null || PYTHON=$python
done
if [ -n "$PYTHON" ]; then
    for set in plain plan; do
        if why=$("$PYTHON" "$ROOT/tests/support/chakra_protobuf.py" $set 2>&1 >told); then
            verdict "$set: protobuf reads the same" "$(python3 - <<'PYTHON'
import json
a, b = json.load(open("before")), json.load(open("told"))
assert (a["gpus"], a["sends"], a["bytes"]) == (b["ranks"], b["sends"], b["bytes"]), (a, b)
PYTHON
            echo $?)" "$(cat told)"
        else
            not_ok "$set: protobuf reads it" "$(printf '%s' "$why" | tail -n 1)"
        fi
    done
else
    ok "protobuf reads it # SKIP no python3-protobuf here"
fi

cat >cross.yaml <<'YAML'
flux: 1
workload:
  gpus: 3
  vertices: [{id: a, compute: 0, time: 1us}, {id: b, compute: 1, time: 1us}]
  edges: [[a, b]]
YAML
expect "what a trace cannot say" 3 "waits for 'a', which happens at other GPUs" convert cross.yaml -o cross.et
finish
