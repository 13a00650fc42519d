#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The demo prints what README shows of it, and the examples that README names run. Its snippets: tests/docs/snippets.py.
. "$(dirname "$0")/../support/cli.sh"

# block WORD: what stands between ```WORD and ``` in README.
block() { awk -v want="$1" '/^```/ { if (inside) { inside = 0; next } inside = ($0 == "```" want); next } inside' "$ROOT/README.md"; }
# without_seconds FILE: the lines of the demo's table without their last column, the only one that differs from run to run.
without_seconds() { grep -E '^ *(delay|[0-9]+[um]s) ' "$1" | sed 's/ *[a-z0-9.]*$//'; }

"${FLUX%/*}/examples/minimal" >printed
[ "$(tail -n 1 printed)" = "makespan 1492177280 ps; no schedule beats 1492177280 ps" ]
verdict "the smallest example runs" $? "$(tail -n 1 printed)"

sh "$ROOT/tests/demo.sh" "$FLUX" "$WORK/demo" >demo.out 2>err
verdict "the demo runs" $? "$(tail -n 1 err)"
block console >said
without_seconds demo.out >printed
without_seconds said >promised
[ "$(wc -l <promised)" -eq 5 ] && diff promised printed >difference
verdict "the demo prints the table of README" $? "$(head -n 5 difference)"
[ "$(grep -c ' optimal ' printed)" -eq 4 ]
verdict "every line of it is optimal" $?
ls demo/timeline.svg demo/trace.json demo/schedule.yaml demo/schedule.csv >out 2>err && [ ! -s err ]
verdict "the demo leaves the files that it names" $? "$(head -n 1 err)"

"${FLUX%/*}/examples/from_trace" "$L8" picture.svg >out 2>err
verdict "the example that reads a trace runs" $? "$(head -n 1 err)"
[ -s picture.svg ] && grep -q "^optimal" out
verdict "it finds an optimal schedule and draws it" $? "$(cat out)"

# What README says is proven, as far as that takes no time.
while read -r trace delay; do
    run schedule "$DATA/stage-generated/$trace/workload" --size-scale 2 --delay "$delay"
    grep -q "^status *optimal" out
    verdict "$trace at $delay is proven best" $? "$(grep -E '^(status|gap)' out | tr '\n' ' ')"
done <<END
llama3-8b_L8_tp4dp2 10ms
llama3-8b_L16_tp4dp2 1us
llama3-8b_L16_tp4dp2 1ms
moe8e_L2_ep4 10us
moe8e_L2_ep4 100us
moe8e_L2_ep4 1ms
END
finish
