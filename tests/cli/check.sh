#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# flux-ocs check: verdicts, violations, and schedules in a file of their own.
. "$(dirname "$0")/../support/cli.sh"
PAIR=$DATA/cli/pair.yaml

expect "a good schedule" 0 "" check "$PAIR"
grep -q 'verdict  *valid' out && grep -q 'makespan  *25us' out
verdict "verdict and makespan are printed" $?

sed 's/start: 15us, end: 25us/start: 14us, end: 24us/' "$PAIR" >early.yaml
expect "a send before what it waits for" 1 "" check early.yaml
grep -q 'not valid' out && grep -q 'violation' out && grep -q 'think' out
verdict "the violation names the vertices" $? "$(tail -n 1 out)"
run check early.yaml --json
json "the violation in JSON" 'o["valid"] is False and o["makespan_ps"] is None and "think" in o["violation"]'

sed 's/id: c, switch: 1, start: 0us, end: 20us/id: c, switch: 0, start: 0us, end: 20us/' "$PAIR" >clash.yaml
expect "two sends at one port" 1 "" check clash.yaml
expect "the same under a rule that allows it" 0 "instead of the fabric" check clash.yaml --rule simplex
sed '/id: c, switch/d' "$PAIR" >missing.yaml
expect "a send without a slot" 1 "" check missing.yaml
expect "a schedule for a slower switch" 1 "" check clash.yaml --delay 1ms
expect "an empty schedule file" 3 "/dev/null" check "$PAIR" /dev/null

sed -n '/^flux:/p; /^schedule:/,$p' "$PAIR" >alone.yaml
sed '/^schedule:/,$d' "$PAIR" >work.yaml
expect "a workload without a schedule" 3 "no schedule in it" check work.yaml
expect "a schedule in a file of its own" 0 "" check work.yaml alone.yaml
sed 's/start: 15us, end: 25us/start: 14us, end: 24us/' alone.yaml >alone-early.yaml
expect "a bad one in a file of its own" 1 "" check work.yaml alone-early.yaml
sed 's/id: c/id: d/' alone.yaml >stranger.yaml
expect "a schedule of an unknown send" 3 "'*d'*" check work.yaml stranger.yaml

# The same sends in another order, as another program would write them.
python3 - work.yaml >turned.yaml <<'PYTHON'
import sys
lines = open(sys.argv[1], encoding="utf-8").read().splitlines()
at = [i for i, line in enumerate(lines) if "{id:" in line]
rows = [lines[i] for i in at][::-1]
for i, row in zip(at, rows):
    lines[i] = row
print("\n".join(lines))
PYTHON
sed -n '/^schedule:/,$p' "$PAIR" >>turned.yaml
expect "a document with the sends in another order" 0 "" check work.yaml turned.yaml
sed 's/start: 15us, end: 25us/start: 14us, end: 24us/' turned.yaml >turned-early.yaml
expect "a bad one in another order" 1 "" check work.yaml turned-early.yaml

expect "a schedule of a trace" 0 "" schedule "$L8" --size-scale 2 -o l8.yaml
expect "checked as a document" 0 "" check l8.yaml --json
json "checked as a document, seen" 'o["valid"] is True and o["sends"] == 2176'
expect "checked against the trace" 0 "" check "$L8" --size-scale 2 l8.yaml
expect "against the trace at another scale" 1 "" check "$L8" --size-scale 4 l8.yaml
finish
