#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Programs in files: solvers that are not ours read them, and their best is our best. And the solver options of schedule.
. "$(dirname "$0")/../support/cli.sh"
PAIR=$DATA/cli/pair.yaml

# document SEED FABRIC: ten sends among four GPUs, some after others.
document() {
    python3 - "$1" "$2" <<'PYTHON'
import random, sys
r = random.Random(int(sys.argv[1]))
print("flux: 1\nworkload:\n  gpus: 4\n  vertices:")
n = 9
for v in range(n):
    a, b = r.sample(range(4), 2)
    print("    - {id: s-%d, send: [%d, %d], time: %dus}" % (v, a, b, r.randint(2, 9)))
print("  edges:")
for v in range(1, n):
    print("    - [s-%d, s-%d, %dus]" % (r.randrange(v), v, r.randint(0, 4)))
print("fabric: {switches: 2, delay: %s}" % sys.argv[2])
PYTHON
}

glpsol_says() {
    case $1 in *.lp) how=--lp ;; *) how=--freemps ;; esac
    glpsol $how "$1" --tmlim 60 -o solution >glpsol.out 2>&1 || true
    grep -q 'INTEGER OPTIMAL\|^Status: *OPTIMAL' solution && sed -n 's/^Objective: .* = \([0-9.e+]*\).*/\1/p' solution
}

cbc_says() {
    cbc "$1" -seconds 60 -solve -quit 2>/dev/null | sed -n 's/^Objective value: *\([0-9.]*\).*/\1/p' | head -n 1
}

equal() { python3 -c 'import sys; a, b = map(float, sys.argv[1:]); sys.exit(not abs(a - b) <= 1e-6 * b)' "$1" "$2"; }

try() {
    name=$1 input=$2
    shift 2
    run schedule "$input" --exact=always --json "$@"
    ours=$(python3 -c 'import json; o = json.load(open("out")); assert o["status"] == "optimal"; print(o["makespan_ps"])') ||
        { not_ok "$name" "not solved: $(head -n 2 err)" && return; }
    for formulation in paper tight; do
        for format in lp mps; do
            run model "$input" --formulation $formulation --format $format -o file.$format --json "$@"
            best=$(python3 -c 'import json; print(int("'"$ours"'") / json.load(open("out"))["step_ps"])')
            for solver in glpsol cbc; do
                command -v $solver >/dev/null || continue
                theirs=$(${solver}_says file.$format)
                equal "${theirs:-0}" "$best"
                verdict "$name: $solver reads $formulation.$format and agrees" $? "'$theirs', not $best"
            done
        done
    done
}

try "three sends" "$PAIR"
for seed in 1 2 3; do
    document $seed 3us >random.yaml
    try "random $seed" random.yaml
done
document 4 '[1us, 5us], initial: [[0, 0, 1]], forbidden: [[1, 2, 3]]' >random.yaml
try "two kinds of switches" random.yaml
document 5 '3us' >random.yaml
try "duplex" random.yaml --rule duplex
try "simplex" random.yaml --rule simplex

expect "the paper's equations" 0 "" model "$PAIR" --formulation paper
cp out first
expect "the same text each time" 0 "" model "$PAIR" --formulation paper
cmp -s first out
verdict "the same text each time, seen" $?
grep -q '^ one_a: x_a_k0 + x_a_k1 = 1$' first
verdict "columns are called after the sends" $?
expect "a folder that is not there" 3 "no file can be written" model "$PAIR" -o nowhere/file.lp
expect "a format that is none" 2 "lp|mps" model "$PAIR" --format nl
if [ -c /dev/full ]; then
    expect "a full disk" 3 "No space left" model "$PAIR" -o /dev/full
    [ -c /dev/full ]
    verdict "a device stays one" $?
fi
expect "the library's list" 0 "" backends --json
json "each backend has a name and parameters" \
    'all(b["name"] and isinstance(b["parameters"], list) for b in o["backends"]) and o["backends"][-1]["name"] == "none"'
grep -q . out
verdict "the list in JSON" $?
expect "a backend that is not there" 3 "no solver backend is called gurobi" schedule "$PAIR" --backend gurobi
expect "a backend that solves nothing, alone" 3 "found no schedule" schedule "$PAIR" --exact --backend none
expect "a parameter without its value" 2 "glpk.mip_gap" schedule "$PAIR" --parameter glpk
expect "a word for --exact that is none" 2 "auto|never|always|only" schedule "$PAIR" --exact=perhaps
run backends
if grep -q '^glpk ' out; then
    expect "the paper's method alone" 0 "" schedule "$PAIR" --exact --formulation paper --backend glpk --json
    json "the paper's method finds the best" 'o["makespan_ps"] == 25000000 and o["search"] == "backend" and o["backend_used"]'
    expect "an unknown parameter" 3 "no_such" schedule "$PAIR" --backend glpk --parameter glpk.no_such=1
fi
finish
