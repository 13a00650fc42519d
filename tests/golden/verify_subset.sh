#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The stranger's check of a few sends searched to the end, tests/verify_subset.py, on a pipeline: it confirms the number, and
# no more than that.
set -u
. "$(dirname "$0")/../support/cli.sh"
SOLVER=$(python_with_ortools)
PIPELINE=$ROOT/tests/data/stage-generated/llama3-8b_L4_tp2dp2pp2_mb2/workload

# says NAME STATUS TEXT: what the check says of x.json.
says() {
    got=$("${SOLVER:-python3}" "$ROOT"/tests/verify_subset.py x.json)
    status=$?
    if [ -z "$SOLVER" ] && [ "$status" -eq 77 ] && [ "$2" -eq 0 ]; then
        ok "$1: not settled by the search here, and OR-Tools is not installed"
        return
    fi
    verdict "$1" "$([ "$status" -eq "$2" ] && printf '%s' "$got" | grep -q -e "$3"; echo $?)" "status $status, $got"
}

# bend CODE: x.json with its schedule changed.
bend() {
    python3 - "$1" <<'PYTHON'
import json, sys
o = json.load(open("x.json"))
s = o["schedule"]
c = s["certificate"]
exec(sys.argv[1])
json.dump(o, open("x.json", "w"))
PYTHON
}

for delay in 50us 100us; do
    run schedule "$PIPELINE" --size-scale 2 --delay "$delay" --exact=never -o x.json --json
    json "a pipeline, $delay" 'o["certificate"]["kind"] == "subset" and o["bound_ps"] == o["makespan_ps"]'
    says "$delay: confirmed" 0 "by themselves do not end before"
done
run check x.json --json
json "the library does not repeat the search" 'o["valid"] and o["certificate"]["confirmed"] is None'
bend 'c["vertices" if "vertices" in c else "sends"] *= 2'
says "a send twice" 1 "or one twice"
run schedule "$PIPELINE" --size-scale 2 --delay 100us --exact=never -o x.json --json
bend 'key = "vertices" if "vertices" in c else "sends"; c[key] = c[key][:20]; s["bound"] = "160ms"'
says "a few of them end sooner" 1 "can end before"
bend 'c["kind"] = "port-load"'
says "another kind" 1 "of another kind"
finish
