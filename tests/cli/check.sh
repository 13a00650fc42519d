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

grep -q 'certificate' out
verdict "nothing of a certificate where there is none" "$([ $? -ne 0 ]; echo $?)"

# The certificate that comes with a schedule is recomputed.
expect "a schedule with its certificate" 0 "" schedule work.yaml -o whole.yaml
expect "confirmed" 0 "" check whole.yaml
grep -q 'certificate .*confirmed' out && ! grep -q 'not confirmed' out
verdict "confirmed, in words" $? "$(tail -n 1 out)"
run check whole.yaml --json
json "confirmed, in JSON" 'o["certificate"]["confirmed"] is True and o["certificate"]["bound_ps"] == o["bound_ps"]'
sed 's/^  bound: .*/  bound: 1s/' whole.yaml >boast.yaml
expect "a bound that its certificate does not show" 1 "" check boast.yaml
grep -q 'certificate .*not confirmed' out
verdict "not confirmed, in words" $? "$(tail -n 1 out)"
run check boast.yaml --json
json "not confirmed, in JSON" 'o["valid"] is True and o["certificate"]["confirmed"] is False and o["certificate"]["doubt"]'
expect "with the workload of another file" 0 "" check work.yaml whole.yaml
expect "not confirmed with the workload of another file" 1 "" check work.yaml boast.yaml
sed 's/kind: [a-z-]*,/kind: solver,/' boast.yaml >word.yaml
expect "a solver's word" 0 "" check word.yaml
python3 "$ROOT"/tests/bench/synthetic.py --layers 2 --delay 1ms >iteration.yaml
run schedule iteration.yaml -o sequence.json --exact=never
run check sequence.json --json
json "the best sequence at one GPU" 'o["certificate"]["kind"] == "port-sequence" and o["certificate"]["confirmed"] is True'
run schedule "$DATA"/stage-generated/moe8e_L2_ep4/workload --size-scale 2 -o lifted.yaml --exact=never
run check lifted.yaml --json
json "a lifted one" 'o["certificate"]["kind"].startswith("lifted") and o["certificate"]["confirmed"] is True'
run check "$DATA"/stage-generated/moe8e_L2_ep4/workload --size-scale 2 lifted.yaml --json
json "a lifted one, numbered anew" 'o["certificate"]["confirmed"] is True'

expect "a schedule of a trace" 0 "" schedule "$L8" --size-scale 2 -o l8.yaml
expect "checked as a document" 0 "" check l8.yaml --json
json "checked as a document, seen" 'o["valid"] is True and o["sends"] == 2176'
expect "checked against the trace" 0 "" check "$L8" --size-scale 2 l8.yaml
expect "against the trace at another scale" 1 "" check "$L8" --size-scale 4 l8.yaml
finish
