#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Collective algorithms from the command line and from a file of rules.
. "$(dirname "$0")/../support/cli.sh"

TRACE=$DATA/stage-generated/llama3-8b_L2_tp4dp2_nosp/workload # 20 all-reduces of 4 GPUs and 16 of 2; 2 other collectives of 12 sends
sends() {
    expect "$1" 0 "" info "$TRACE" --size-scale 2 --json --quiet $3
    json "$1: $2 sends" "o['sends'] == $2"
}
sends "rings" 568 ""
sends "bidirectional rings have twice as many" 1112 "--all-reduce bidirectional-ring"
sends "recursive doubling" 216 "--all-reduce recursive-doubling"
sends "binomial trees" 176 "--all-reduce binomial-tree"
sends "double binary trees" 328 "--all-reduce double-binary-tree"
sends "nodes of two GPUs: rings of two and two, and across" 408 "--all-reduce hierarchical --node 4"

awk '/^```/ { inside = ($0 == "```yaml"); next } inside' "$ROOT/docs/collectives.md" >documented.yaml
expect "the rules of docs/collectives.md are valid" 0 "" info "$TRACE" --size-scale 2 --collectives documented.yaml
cat >rules.yaml <<'YAML'
collectives:
  - {collective: all-reduce, members: [3, 64], algorithm: binomial-tree}
  - {collective: all-reduce, size: [1B, 1KiB], algorithm: direct}
YAML
sends "a rule for some sizes of groups leaves the others" 208 "--collectives rules.yaml"
printf 'collectives:\n  - {collective: any, algorithm: double-binary-tree}\n' >any.yaml
sends "a rule for any collective" 328 "--collectives any.yaml"
printf 'collectives:\n  - {collective: all-reduce, chunks: 2}\n' >chunks.yaml
sends "a rule may choose the chunks alone" 328 "--collectives chunks.yaml --all-reduce binomial-tree"

refuse() {
    printf '%s\n' "$2" >bad.yaml
    expect "$1" 3 "$3" info "$TRACE" --collectives bad.yaml
}
refuse "an algorithm that does not do it" 'collectives: [{collective: all-to-all, algorithm: binomial-tree}]' \
    "bad.yaml:1:40: binomial-tree is no algorithm for all-to-all"
refuse "broadcast by halving and doubling" 'collectives: [{collective: broadcast, algorithm: halving-doubling}]' \
    "halving-doubling is no algorithm for broadcast"
refuse "hierarchical without a node" 'collectives: [{collective: any, algorithm: hierarchical}]' "needs the GPUs of a node"
refuse "an unknown algorithm" 'collectives: [{collective: any, algorithm: rink}]' "bad.yaml:1:44: algorithm"
refuse "an unknown collective" 'collectives: [{collective: gather, algorithm: ring}]' "bad.yaml:1:28: collective"
refuse "an unknown key" 'collectives: [{collective: any, algoritm: ring}]' "algoritm"
refuse "a rule for nothing" 'collectives: [{algorithm: ring}]' "says which collective"
refuse "a rule that chooses nothing" 'collectives: [{collective: any}]' "a rule chooses"
refuse "sizes the wrong way round" 'collectives: [{collective: any, chunks: 2, size: [2KiB, 1KiB]}]' "least is more"
refuse "one size" 'collectives: [{collective: any, chunks: 2, size: [2KiB]}]' "two numbers"
refuse "three sizes" 'collectives: [{collective: any, chunks: 2, size: [1KiB, 2KiB, 3KiB]}]' "two numbers"
refuse "a group of one" 'collectives: [{collective: any, chunks: 2, members: 1}]' "members"
refuse "no rules" '{}' "there are no rules"
refuse "an empty file" '' "bad.yaml"
expect "a file that is not there" 3 "nowhere.yaml" info "$TRACE" --collectives nowhere.yaml
expect "hierarchical by option without a node" 3 "how many GPUs a node has" info "$TRACE" --all-reduce hierarchical
expect "an option that does not do it" 3 "binomial-tree is no algorithm for all_to_all" info "$TRACE" \
    --all-to-all binomial-tree
finish
