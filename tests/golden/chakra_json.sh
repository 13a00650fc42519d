#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A trace as JSON, written by protobuf's own Python as chakra_jsonizer does, gives the same workload as the trace itself.
. "$(dirname "$0")/../support/cli.sh"

PYTHON=
for python in python3 /usr/bin/python3; do
    "$python" -c 'import google.protobuf' 2>/dev/null && PYTHON=$python && break
done
if [ -z "$PYTHON" ]; then
    echo "ok the JSON of traces is not compared: no protobuf for Python here (python3-protobuf)"
    exit 0
fi

# same NAME PREFIX RANKS ARGUMENT...: PREFIX.0.et ... as JSON, and the documents that both become.
same() {
    name=$1 prefix=$2 ranks=$3
    shift 3
    rm -rf json && mkdir json
    rank=0
    while [ "$rank" -lt "$ranks" ]; do
        file=$prefix.$rank.et
        [ -e "$file" ] || file=$file.gz
        "$PYTHON" "$ROOT/tests/support/chakra_schema.py" "$file" "json/t.$rank.json" || { not_ok "$name" "no JSON"; return; }
        [ $((rank % 2)) -eq 0 ] || gzip "json/t.$rank.json"
        rank=$((rank + 1))
    done
    "$FLUX" convert -q "$prefix" "$@" -o one.yaml && "$FLUX" convert -q json/t "$@" -o two.yaml && cmp one.yaml two.yaml
    verdict "$name" $?
}

STAGE=$DATA/stage-generated
for set in llama3-8b_L2_fsdp4 moe8e_L2_ep4; do
    same "$set as JSON" "$STAGE/$set/workload" 4 --size-scale 2 --groups "$STAGE/$set/comm_group.json"
done
same "L4 with pipeline stages as JSON" "$STAGE/llama3-8b_L4_tp2dp2pp2_mb2/workload" 8 --size-scale 2 \
    --groups "$STAGE/llama3-8b_L4_tp2dp2pp2_mb2/comm_group.json"
same "a ring of sends and receives as JSON" \
    "$DATA/astra-sim/examples/system/custom_collectives/custom_ring_allreduce_8npus_1MB/custom_allreduce" 8
same "a real PyTorch trace as JSON" "$DATA/chakra/chakra" 1

rm -rf json && mkdir json && cd json || exit 1
for rank in 0 1 2 3; do
    "$PYTHON" "$ROOT/tests/support/chakra_schema.py" \
        "$DATA/astra-sim/examples/workload/microbenchmarks/all_reduce/4npus_1MB/all_reduce.$rank.et" "t.$rank.json"
done
run info t.2.json --json
json "one file of a set stands for all" 'o["sends"] == 24 and o["format"] == "chakra-json"'
cat t.0.json | "$FLUX" info - --ranks 4 --json >out 2>err
json "standard input" 'o["sends"] == 24'
cat "$DATA/astra-sim/examples/workload/microbenchmarks/all_reduce/4npus_1MB/all_reduce.0.et" |
    "$FLUX" info - --ranks 4 --json >out 2>err
json "frames from standard input" 'o["sends"] == 24 and o["format"] == "chakra"'
mkfifo pipe
cat t.0.json >pipe &
run info pipe --ranks 4 --json
json "a pipe" 'o["sends"] == 24'

# stranger NAME TEXT WORDS: JSON that is none of ours.
stranger() {
    printf '%s' "$2" >other.json
    expect "$1" 3 "$3" info other.json
}
stranger "the feeder's JSON" '{"workload_graph": []}' "feeder"
stranger "a Kineto trace" '{"schemaVersion": 1, "traceEvents": []}' "chakra_trace_link"
stranger "a host trace" '{"schema": "1", "nodes": []}' "chakra_converter"
stranger "a group file" '{"1": [0]}' "other.json:1:1: JSON of no known kind"
stranger "no metadata" '{"id": "1", "type": "COMP_NODE"}' "begins with a node"
stranger "a member that no node has" '{}{"id": "1",
 "speed": 3}' "other.json:1:3: the speed of this object is no member"
stranger "a number that is none" '{}{"id": "1x"}' "the id of this object is no whole number"
stranger "a large number" '{}{"id": "99999999999999999999"}' "does not fit in 64 bits"
stranger "a type that is none" '{}{"type": "COMM_NODE"}' "the type of this object is none"
stranger "no JSON" '{}
{"id": 1,}' "other.json:2:"
stranger "no object" '{} []' "other.json:1:4: an object belongs here"
stranger "a file that is cut off" '{}{"id": "1"' "other.json:1:3: the file ends inside this object"
finish
