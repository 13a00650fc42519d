#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every STAGE trace at every delay of the paper, and one under each rule and number of switches: SimGrid runs the
# schedule as it is planned. `make check-simgrid` builds what it needs.
set -u
. "$(dirname "$0")/../support/cli.sh"
REPLAY=$(dirname "$FLUX")/tests/simgrid/replay

# agree NAME ARGUMENT...: schedules and runs.
agree() {
    name=$1
    shift
    run schedule "$@" -o x.json --csv x.csv
    if [ "$STATUS" -ne 0 ]; then
        not_ok "$name" "$(head -n 1 err)"
        return
    fi
    said=$("$REPLAY" x.json x.csv 2>&1)
    verdict "$name: $said" $?
    printf '%s\n' "$said" >>all
}

for folder in "$DATA"/stage-generated/*/; do
    for delay in 1us 10us 100us 1ms; do
        agree "$(basename "$folder"), $delay" "$folder/workload" --size-scale 2 --delay $delay
    done
done
for rule in paper duplex simplex; do
    for switches in 1 3 4; do
        agree "L8, $rule, $switches switches" "$L8" --size-scale 2 --rule $rule --switches $switches --delay 30us --propagation 50ns
    done
done
# The example in docs/examples, whose sends SimGrid times.
for trace in llama3-8b_L8_tp4dp2 moe8e_L2_ep4; do
    said=$("${FLUX%/*}/examples/simgrid" "$DATA/stage-generated/$trace/workload" 2>/dev/null)
    verdict "docs/examples/simgrid.cpp, $trace: $said" \
        "$(printf '%s' "$said" | awk '{ exit !($2 > 0 && $5 - $2 < 1e-5 && $2 - $5 < 1e-5 && $7 == 0) }'; echo $?)"
done

# A send that is planned too early is seen: order and data make it late.
sed '2,$s/,[0-9]*,\([0-9]*\)$/,0,\1/' x.csv >early.csv
"$REPLAY" x.json early.csv >/dev/null 2>&1
verdict "another plan does not agree" "$([ $? -ne 0 ]; echo $?)"
finish
