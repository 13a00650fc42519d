#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# flux-ocs generate: what it makes, and what it says of options that do not go together.
. "$(dirname "$0")/../support/cli.sh"

# made NAME SENDS OPTION...: the workload has so many sends, is no cycle, and is read back as the same graph.
made() {
    name=$1 sends=$2
    shift 2
    expect "$name" 0 "" generate "$@" -o made.yaml --json --quiet
    json "$name: $sends sends" "o['sends'] == $sends"
    cp out first.json
    expect "$name, read back" 0 "" info made.yaml --json
    python3 - <<'PYTHON'
import json
a, b = (json.load(open(name, encoding="utf-8")) for name in ("first.json", "out"))
assert all(a[key] == b[key] for key in ("gpus", "sends", "bytes", "edges")), (a, b)
PYTHON
    verdict "$name is read back as it was made" $?
}
# Worked out by hand. A ring of 4 has 24 sends for an all-reduce and 12 otherwise, one of 2 has 4 and 2.
# dense: 2 tensor groups x (4 all-reduces x 2 layers + embedding, loss, head) x 24 + 4 data pairs x 4 buckets x 4
# sequence parallel: 2 x (10 x 12 x 2 layers + 84 at the ends) + 64; interleaved: 3 boundaries x 4 x 2
# ZeRO 3: gathered are embedding, layer, head, and head and layer again: 5 x 12; 3 buckets x 12
# experts: 4 all-to-alls of 12; 3 buckets x 24. latents: 2 x (3 x 120 + 60 + 84) + 4 x 56 + 4 pairs x 6 buckets x 4
made "dense, tensor and data" 592 llama3-8b --tp 4 --dp 2 --layers 2
made "sequence parallel" 712 llama3-8b --tp 4 --dp 2 --layers 2 --sequence-parallel
made "one GPU" 0 llama3-8b --layers 1
made "data alone" 72 llama3-8b --dp 4 --layers 1 --bucket 1GB
made "pipeline" 8 llama3-8b --pp 2 --layers 2 --micro-batches 4
made "interleaved" 24 llama3-8b --pp 2 --layers 4 --micro-batches 4 --interleave 2
made "context" 108 llama3-8b --cp 4 --layers 1
made "ZeRO 1" 72 llama3-8b --dp 4 --layers 1 --zero 1
made "ZeRO 2" 108 llama3-8b --dp 4 --layers 1 --zero 2 --micro-batches 2
made "ZeRO 3" 96 llama3-8b --dp 4 --layers 1 --zero 3
made "experts" 120 mixtral-8x7b --dp 4 --ep 4 --layers 1
made "experts by Zipf" 120 mixtral-8x7b --dp 4 --ep 4 --layers 1 --routing zipf --skew 1.2
made "experts on data ranks" 96 mixtral-8x7b --dp 4 --ep 2 --layers 1
made "latents and shared experts" 1328 deepseek-v3 --tp 4 --sequence-parallel --dp 2 --ep 8 --layers 4
made "recomputation" 120 llama3-8b --cp 4 --layers 1 --recompute full
made "twice" 216 llama3-8b --cp 4 --layers 1 --repeat 2
made "other algorithms" 24 llama3-8b --dp 4 --layers 1 --all-reduce recursive-doubling

expect "from a pipe" 0 "" generate llama3-8b --tp 2 --layers 1 --quiet
cp out piped.yaml
expect "what came out of the pipe is scheduled" 0 "" schedule piped.yaml --json
json "without a gap" 'o["gap"] < 0.05'
run generate mixtral-8x7b --dp 4 --ep 4 --layers 2 --routing lognormal --seed 7 --quiet && cp out a.yaml
run generate mixtral-8x7b --dp 4 --ep 4 --layers 2 --routing lognormal --seed 7 --quiet && cmp -s out a.yaml
verdict "the same seed, the same tokens" $?
run generate mixtral-8x7b --dp 4 --ep 4 --layers 2 --routing lognormal --seed 8 --quiet
cmp -s out a.yaml
verdict "another seed, others" $((1 - $?))
expect "a pipeline that is not full is told" 0 "do not fill a pipeline of 4 stages" generate llama3-8b --pp 4 --layers 4
expect "operations" 0 "" generate llama3-8b --tp 4 --operations
grep -q '^qkv,forward,32,25769803776,35651584,' out
verdict "operations are those of the formulas" $?
cat >times.yaml <<'YAML'
times:
  - {operation: qkv, forward: 1ms, weight: 2ms}
YAML
run generate llama3-8b --tp 4 --operations --times times.yaml
grep -q '^qkv,forward,.*,1000000000$' out && grep -q '^qkv,weight,.*,2000000000$' out
verdict "measured times replace them" $?
cat >own.yaml <<'YAML'
models:
  - {name: tiny, layers: 2, hidden: 256, heads: 4, ffn: 512, vocabulary: 1000}
  - {name: llama3-8b, layers: 1, hidden: 256, heads: 4, ffn: 512, vocabulary: 1000}
gpus:
  - {name: mine, peak: {bf16: 10TFLOPS}, memory: [{rate: 1TB/s}]}
YAML
made "a model and a GPU of one's own" 28 tiny --models own.yaml --gpu mine --tp 2 --layers 1 --pp 1 --all-reduce direct --chunks 1
expect "which may replace one of the table" 0 "" generate llama3-8b --models own.yaml --json -o x.yaml --quiet

printf '0,8388608,1048576,1\n1,0,1,2\n1,1,0,1\n9,1,1,0\n' >routing.csv
run generate mixtral-8x7b --dp 4 --ep 4 --layers 1 --routing-matrix routing.csv -o matrix.yaml --quiet
grep -q 'L0.dispatch, send: \[0, 1\], size: 8MiB' matrix.yaml && grep -q 'L0.combine, send: \[1, 0\], size: 8MiB' matrix.yaml &&
    grep -q 'L0.dispatch, send: \[0, 3\], size: 8KiB' matrix.yaml
verdict "a matrix of routing, there and back, in whole tokens" $?
expect "Chakra traces" 0 "whole microseconds" generate llama3-8b --tp 2 --pp 2 --layers 4 --micro-batches 2 -o traces.et
expect "they are read" 0 "" schedule traces --overlap-compute --json --quiet
cp out chakra.json
run generate llama3-8b --tp 2 --pp 2 --layers 4 --micro-batches 2 -o native.yaml --quiet
expect "and what they were made of" 0 "" schedule native.yaml --json --quiet
python3 - <<'PYTHON'
import json
a, b = (json.load(open(name, encoding="utf-8")) for name in ("chakra.json", "out"))
assert a["sends"] == b["sends"] and abs(a["makespan_ps"] / b["makespan_ps"] - 1) < 0.001, (a, b)
PYTHON
verdict "both have the same sends and, but for rounded times, the same makespan" $?

# refuse NAME STATUS TEXT OPTION...
refuse() {
    name=$1 status=$2 text=$3
    shift 3
    rm -f refused.yaml
    expect "$name" "$status" "$text" generate "$@" -o refused.yaml
    [ ! -e refused.yaml ]
    verdict "$name: nothing is written" $?
}
refuse "an unknown model" 3 "there is no model 'llama4'; known are llama3-8b, llama3-70b, .*deepseek-v3" llama4
refuse "an unknown GPU" 3 "there is no GPU 'h999'; known are a100, h100, h200, b200" llama3-8b --gpu h999
refuse "heads that are not divided" 3 "32 attention heads, which tensor parallelism of 3" llama3-8b --tp 3
refuse "layers that are not divided" 3 "32 layers do not go evenly on 5 pipeline stages" llama3-8b --pp 5
refuse "layers that are not interleaved" 3 "do not make 3 equal parts" llama3-8b --pp 2 --interleave 3 --micro-batches 2
refuse "interleaving without a pipeline" 3 "needs a pipeline" llama3-8b --interleave 2
refuse "interleaving with odd micro-batches" 3 "multiples of its 2 stages" llama3-8b --pp 2 --interleave 2 --micro-batches 3
refuse "experts of a dense model" 3 "llama3-8b has no experts" llama3-8b --dp 2 --ep 2
refuse "more GPUs than experts" 3 "8 experts, which 16 GPUs" mixtral-8x7b --dp 16 --ep 16
refuse "experts over GPUs that are not there" 3 "does not divide the 4 GPUs of a stage" mixtral-8x7b --dp 4 --ep 8
refuse "experts and tensors without sequence parallelism" 3 "need sequence parallelism" mixtral-8x7b --tp 2 --dp 2 --ep 4
refuse "a sequence that does not split" 3 "does not split over 3 context ranks" llama3-8b --cp 3
refuse "tokens that do not split" 3 "tokens do not split over 4 tensor ranks" llama3-8b --tp 4 --seq 2047 --sequence-parallel
refuse "ZeRO alone" 3 "there is one; give more" llama3-8b --zero 1
refuse "a precision that the GPU has not got" 3 "a100 has no peak in fp8" llama3-8b --precision fp8
refuse "no micro-batches" 2 "micro-batches is a whole number from 1" llama3-8b --micro-batches 0
refuse "no GPUs" 2 "tp is a whole number from 1" llama3-8b --tp 0
refuse "ZeRO 4" 2 "from 1 to 3" llama3-8b --zero 4
refuse "gradients of three bytes" 3 "none of its values" llama3-8b --dp 2 --gradient-bytes 3
refuse "too many GPUs" 3 "more than 1048576 GPUs" llama3-8b --tp 8 --dp 1048576
refuse "too many tokens" 3 "more than 2^36" llama3-8b --batch 1048576 --seq 1073741824
refuse "too many vertices" 3 "which is the limit" llama3-8b --dp 1048576
refuse "a limit" 3 "limit is 100" llama3-8b --dp 2 --layers 1 --vertices-max 100 --repeat 4 --bucket 1MB --chunks 16
refuse "days of compute" 3 "longer than 2^62 ps" llama3-405b --seq 1073741824 --batch 64 --layers 1
printf '0,1\n1,0\n' >two.csv
refuse "a matrix of another size" 3 "two.csv: is a matrix of 2 GPUs, and experts are spread over 4" mixtral-8x7b --dp 4 --ep 4 \
    --routing-matrix two.csv
refuse "a matrix without experts that are spread" 3 "give expert parallelism" mixtral-8x7b --dp 4 --routing-matrix two.csv
refuse "no model" 2 "MODEL is missing"

table() {
    printf '%s\n' "$2" >bad.yaml
    expect "$1" 3 "$3" generate llama3-8b --layers 1 --models bad.yaml -o refused.yaml
}
table "a model without layers" 'models: [{name: a, hidden: 8, heads: 2, ffn: 8, vocabulary: 8}]' "bad.yaml:1:10: a model needs"
table "heads that do not divide" 'models: [{name: a, layers: 1, hidden: 9, heads: 2, ffn: 8, vocabulary: 8}]' "head (its width)"
table "top_k beyond the experts" \
    'models: [{name: a, layers: 1, hidden: 8, heads: 2, ffn: 8, vocabulary: 8, experts: 2, top_k: 3, expert_ffn: 4}]' "top_k"
table "top_k without experts" 'models: [{name: a, layers: 1, hidden: 8, heads: 2, ffn: 8, vocabulary: 8, top_k: 3}]' "with experts"
table "a number that is too large" 'models: [{name: a, layers: 1, hidden: 99999999, heads: 2, ffn: 8, vocabulary: 8}]' "hidden"
table "an unknown key" 'models: [{name: a, layer: 1}]' "layer"
table "a GPU without memory" 'gpus: [{name: g, peak: {bf16: 1TFLOPS}}]' "a GPU needs"
table "a peak without a unit" 'gpus: [{name: g, peak: {bf16: 312}, memory: [{rate: 1TB/s}]}]' "written like 312TFLOPS"
table "efficiencies out of order" \
    'gpus: [{name: g, peak: {bf16: 1TFLOPS}, memory: [{rate: 1TB/s}], efficiency: [{above: 2GFLOP, percent: 5}, {above: 1GFLOP, percent: 6}]}]' \
    "above the one before"
expect "a table that is not there" 3 "nowhere.yaml: no such file" generate llama3-8b --models nowhere.yaml
printf 'times: [{operation: core}]\n' >times.yaml
expect "a time without a time" 3 "times.yaml:1:9: a time names" generate llama3-8b --times times.yaml
printf 'times: [{operation: softmax, forward: 1us}]\n' >times.yaml
expect "a time of an unknown operation" 3 "operation must be one of norm" generate llama3-8b --times times.yaml
finish
