#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What convert writes for others: GOAL, which we read again; DOT, which Graphviz draws; JSON, which NetworkX loads.
set -u
. "$(dirname "$0")/../support/cli.sh"

ALGORITHM=$DATA/msccl-tools-generated/allreduce_ring_4_1ch.xml

# same FILE ARGUMENT...: the same sends, bytes and makespan as the file has that was written from them
same() {
    file=$1
    shift
    "$FLUX" schedule -q "$@" --exact=never --json >before && "$FLUX" schedule -q "$file" --exact=never --json >after &&
        python3 - <<'PYTHON'
import json
a, b = json.load(open("before")), json.load(open("after"))
assert all(a[key] == b[key] for key in ("gpus", "sends", "bound_ps")), (a, b)
assert abs(a["makespan_ps"] - b["makespan_ps"]) <= a["makespan_ps"] // 100, (a["makespan_ps"], b["makespan_ps"])
PYTHON
}

expect "an algorithm becomes GOAL" 0 "neither fabric nor schedule" convert "$ALGORITHM" -o ring.goal
why=$(same ring.goal "$ALGORITHM" 2>&1)
verdict "it is the same workload" $? "$why"
expect "GOAL again" 0 "" convert ring.goal -o - --to goal
mv out again.goal
why=$(same again.goal ring.goal 2>&1)
verdict "and again" $? "$why"
expect "a trace becomes GOAL" 0 "" convert "$L8" --size-scale 2 -q -o l8.goal
run info "$L8" --size-scale 2 --json
mv out before
run info l8.goal --json
verdict "with all that is sent" "$(python3 - <<'PYTHON'
import json
a, b = json.load(open("before")), json.load(open("out"))
assert all(a[key] == b[key] for key in ("gpus", "sends", "bytes", "circuits")), (a, b)
assert abs(a["critical_path_ps"] - b["critical_path_ps"]) <= 10**6, (a, b)
PYTHON
echo $?)" "$(head -c 300 out)"

cat >own.yaml <<'YAML'
flux: 1
workload:
  gpus: 3
  vertices:
    - {id: a, send: [0, 1], size: 1kB, time: 5.4ns}
    - {id: b, compute: 2, time: 1.3ns}
  edges: [[a, b]]
YAML
expect "what is lost is told" 0 "1 sends have a time beside their size: GOAL holds the size alone" convert own.yaml -o own.goal
verdict "and by how much times are off" "$(grep -q 'off by 300ps' err; echo $?)" "$(cat err)"
verdict "GPUs hear of each other by sends of no size" "$(grep -q 'send 0b to 2' own.goal; echo $?)" "$(cat own.goal)"
expect "which are no sends for us" 0 "" info own.goal --json
json "one send is left" 'o["sends"] == 1 and o["bytes"] == 1000'
expect "a Chakra trace tells it, too" 3 "a Chakra trace holds the size alone" convert own.yaml -o own.et
expect "Chakra traces need a place" 2 "name them with --output" convert own.yaml --to chakra
printf 'flux: 1\nworkload:\n  gpus: 2\n  vertices: [{id: a, send: [0, 1], time: 1us}]\n' >timed.yaml
expect "a send without a size" 3 "send 'a' has a time and no size" convert timed.yaml -o timed.goal
verdict "is not written" "$([ ! -e timed.goal ]; echo $?)"
expect "no such format" 2 "auto|document|chakra|goal|dot|networkx" convert own.yaml --to pdf
expect "a schedule stays a schedule" 0 "" schedule own.yaml -q -o plan.goal
verdict "whatever its file is called" "$(grep -q '^schedule:' plan.goal; echo $?)" "$(head -n 3 plan.goal)"

expect "a picture" 0 "" convert "$DATA/cli/pair.yaml" --no-schedule -o pair.dot
expect "a picture to standard output" 0 "" convert own.yaml --to dot
expect "a large picture" 3 "nobody could read the picture" convert "$L8" -q -o l8.gv
if command -v dot >/dev/null; then
    for input in "$DATA/cli/pair.yaml" "$ALGORITHM" own.yaml; do
        why=$("$FLUX" convert -q "$input" --to dot | dot -Tsvg 2>&1 >drawn.svg)
        verdict "Graphviz draws $(basename "$input")" "$([ -z "$why" ] && grep -q '</svg>' drawn.svg; echo $?)" "$why"
    done
else
    ok "Graphviz draws it # SKIP no dot here"
fi

PYTHON=
for python in python3 /usr/bin/python3; do
    [ -n "$PYTHON" ] || ! "$python" -c 'import networkx' 2>/dev/null || PYTHON=$python
done
expect "JSON for NetworkX" 0 "" convert "$L8" --size-scale 2 -o l8.networkx.json
if [ -n "$PYTHON" ]; then
    run convert "$L8" --size-scale 2 --json -o l8.yaml
    why=$("$PYTHON" - 2>&1 <<'PYTHON'
import json
import networkx
data, counts = json.load(open("l8.networkx.json")), json.load(open("out"))
try:
    graph = networkx.node_link_graph(data, edges="edges")
except TypeError:  # before 3.4
    graph = networkx.node_link_graph(dict(data, links=data["edges"]))
assert type(graph) is networkx.DiGraph and networkx.is_directed_acyclic_graph(graph)
assert graph.graph["gpus"] == counts["gpus"], graph.graph
assert graph.number_of_nodes() == counts["vertices"] and graph.number_of_edges() <= counts["edges"]
assert sum(kind == "send" for _, kind in graph.nodes(data="kind")) == counts["sends"]
PYTHON
)
    verdict "NetworkX loads it" $? "$(printf '%s' "$why" | tail -n 1)"
else
    ok "NetworkX loads it # SKIP no python3-networkx here"
fi
finish
