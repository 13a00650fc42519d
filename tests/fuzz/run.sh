#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs targets under libFuzzer, SECONDS each, and prints a line for each: executions, edges, findings.
#     SECONDS=600 tests/fuzz/run.sh BUILD [TARGET...]       without targets: all of them
# BUILD keeps what was learnt (corpus/NAME) and what was found (found/NAME.*), from run to run.
set -u
build=$1
shift
seconds=${SECONDS:-60}
[ $# -gt 0 ] || set -- $(sed -n 's/^    {"\([a-z-]*\)", fuzz_.*/\1/p' tests/fuzz/target.c)
status=0

# run NAME
run() {
    name=$1
    corpus=$build/corpus/$name begin=$build/seeds/$name log=$build/log/$name
    mkdir -p "$corpus" "$build/found" "$build/log"
    rm -rf "$begin"
    mkdir -p "$begin"
    number=0
    for pattern in "tests/fuzz/seeds/$name/*" $(sed -n "s/^$name //p" tests/fuzz/seeds.txt); do
        for seed in $pattern; do
            [ ! -f "$seed" ] || cp "$seed" "$begin/$((number += 1))-$(basename "$seed")"
        done
    done
    ln -sf fuzz "$build/fuzz-$name"
    words=tests/fuzz/words/$name
    if [ -f "$words" ]; then words=-dict=$words; else words=; fi
    "$build/fuzz-$name" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -max_len=16384 -print_final_stats=1 \
        -artifact_prefix="$build/found/$name." $words "$corpus" "$begin" >"$log" 2>&1 || status=1
    sed -n 's/.* cov: \([0-9]*\) ft: \([0-9]*\) .*/\1 \2/p' "$log" | tail -n 1 >"$log.coverage"
    read -r edges features <"$log.coverage" || edges=0 features=0
    executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    printf '%-12s %10s executions, %6s edges, %6s features, %s found\n' "$name" "${executions:-?}" "$edges" "$features" \
        "$(find "$build/found" -name "$name.*" | wc -l)"
}

for target; do
    run "$target"
done
exit "$status"
