#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# docs/formats.md says what is true: its document is read, passes the check, and every key that it shows is one.
. "$(dirname "$0")/../support/cli.sh"

awk '/^```/ { inside = ($0 == "```yaml"); next } inside' "$ROOT/docs/formats.md" >document.yaml
expect "the document of docs/formats.md is valid" 0 "says of itself: optimal, makespan 1.10848864ms" check document.yaml --json
json "its makespan is the one that it claims" 'o["valid"] and o["makespan_ps"] == 1108488640'
expect "it becomes JSON" 0 "" convert document.yaml -o document.json
python3 - <<'PYTHON'
import json
o = json.load(open("document.json", encoding="utf-8"))
f = o["fabric"]
assert o["workload"]["gpus"] == 4 and len(o["workload"]["vertices"]) == 3 and o["workload"]["edges"][1][2] == "10us"
assert f["switches"] == 2 and f["delay"] == ["10us", "1ms"] and f["dead"] == [[3, 0]]
assert f["port_rate"] == [[0, 1, "400Gbps"]] and f["forbidden"] == [[0, 2, 3]] and f["initial"] == [[1, 3, 2]]
assert ["all", "all", "50ns"] in f["propagation"] and [0, 1, "60ns"] in f["propagation"], f["propagation"]
assert [s["id"] for s in o["schedule"]["sends"]] == ["a", "b"]
PYTHON
verdict "everything in it comes out again" $?
# Each key away from its place is refused, so each key shown is known at its place.
for key in gpus vertices edges switches rule rate delay blocking dwell dead port_rate forbidden initial propagation status \
    makespan bound sends certificate; do
    sed "s/^  $key:/  x$key:/" document.yaml >renamed.yaml
    run info renamed.yaml
    [ "$STATUS" -eq 3 ] && grep -q "x$key" err
    verdict "the key $key" $? "status $STATUS: $(head -n 1 err)"
done
finish
