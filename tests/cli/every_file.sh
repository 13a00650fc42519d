#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every file of tests/data is read, or refused with a sentence: nothing is skipped without a word. And `flux-ocs formats`
# lists what is read; pipes and gzip are read like files.
. "$(dirname "$0")/../support/cli.sh"

python3 "$ROOT/tests/bench/every_file.py" "$DATA" --build "$(dirname "$FLUX")" --info >rows 2>err
verdict "every file is read, or refused in words" $? "$(tail -n 1 rows err; grep BROKEN rows | head -n 3)"
[ "$(grep -c '^read ' rows)" -ge 60 ] && [ "$(grep -c '^refused ' rows)" -ge 20 ]
verdict "both happen" $? "$(tail -n 1 rows)"

run formats --json
json "formats are listed" '{"native", "chakra", "chakra-json", "goal", "goal-binary", "simai", "msccl"} <= set(f["name"] for f in o["formats"])'
json "each says how it is recognised" 'all(f["about"] and f["recognised"] and f["options"] for f in o["formats"])'
run formats
grep -q '^goal-binary' out
verdict "and in words" $?

# through FORMAT FILE ARGUMENT...: the file, compressed, by a pipe and by standard input, gives the same document.
through() {
    format=$1 path=$DATA/$2
    shift 2
    rm -f pipe packed
    mkfifo pipe
    "$FLUX" convert -q "$path" "$@" -o direct.yaml
    gzip -c "$path" >packed
    cat packed >pipe &
    "$FLUX" convert -q pipe "$@" -o piped.yaml && cmp direct.yaml piped.yaml &&
        "$FLUX" convert -q - "$@" -o read.yaml <"$path" && cmp direct.yaml read.yaml
    verdict "$format by a pipe, compressed, and by standard input" $?
}
through goal loggopsim/generated/allreduce_ring_8_1048576.goal
through goal-binary loggopsim/generated/allreduce_ring_8_1048576.bin
through simai simai/example/microAllReduce.txt
through msccl msccl-tools-generated/allreduce_rhd_8.xml --collective-size 4MiB
through native cli/pair.yaml

MICRO=$DATA/astra-sim/examples/workload/microbenchmarks/all_reduce/8npus_1MB/all_reduce
run info "$MICRO" --collective-algorithm "all-reduce=$DATA/msccl-tools-generated/allreduce_rhd_8.xml" --json
json "an algorithm replaces the ring" 'o["sends"] == 48 and o["bytes"] == 14 << 20'
expect "an algorithm for another collective" 3 "is an algorithm for all-reduce" info "$MICRO" \
    --collective-algorithm "all-gather=$DATA/msccl-tools-generated/allreduce_rhd_8.xml"
expect "no equals sign" 2 "is like all-reduce=FILE.xml" info "$MICRO" --collective-algorithm all-reduce
run info "$DATA/made-fixtures/goal/no_labels.goal" --endpoints nic --json
json "interfaces as GPUs" 'o["gpus"] == 6'
run info "$DATA/made-fixtures/simai/minimal.txt" --fold --compute-unit 1us --json
json "folding and a unit" 'o["gpus"] == 4 and o["critical_path_ps"] > 1000000000'
expect "AICB's CSV" 3 "without compute times" info \
    "$DATA/aicb/workload/physical/model_workload/L7B-M1-C04_Llama7B_megatron_tp2_pp1_mbs1.csv"
finish
