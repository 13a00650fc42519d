#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The stranger's check, tests/verify.py, on schedules of the golden documents and of real traces: it agrees. And JSON that
# went through a stranger's reader and writer is read as the same document.
set -u
. "$(dirname "$0")/../support/cli.sh"
SOLVER=$(python_with_ortools) # the few sends of some bounds take one
VERIFY="${SOLVER:-python3} $ROOT/tests/verify.py"

# agree NAME ARGUMENT...: schedules, and the stranger finds the same makespan and bound.
agree() {
    name=$1
    shift
    run schedule "$@" -o x.json --json
    if [ "$STATUS" -ne 0 ]; then
        not_ok "$name" "not scheduled: $(head -n 1 err)"
        return
    fi
    want=$(python3 -c 'import json; o = json.load(open("out")); print("makespan %d ps, bound %d ps" % (o["makespan_ps"], o["bound_ps"]))')
    got=$($VERIFY x.json)
    if [ -z "$SOLVER" ] && printf '%s' "$got" | grep -q "is not settled without OR-Tools"; then
        ok "$name # SKIP a few sends, searched to the end: OR-Tools, which would repeat it, is not installed"
        return
    fi
    verdict "$name" "$([ "$got" = "x.json: valid, $want" ]; echo $?)" "it says '$got', not $want"
}

for document in "$ROOT"/tests/golden/native/good/* "$DATA"/cli/pair.yaml; do
    case $document in *only-* | */everything.*) continue ;; esac # no fabric, or none that can carry its workload
    agree "$(basename "$document")" "$document"
done
for rule in paper duplex simplex; do
    for switches in 1 2; do
        agree "L8, $rule, $switches" "$L8" --size-scale 2 --rule $rule --switches $switches --delay 100us
    done
    agree "L8, $rule, dark switches" "$L8" --size-scale 2 --rule $rule --blocking switch --dwell 30us --propagation 70ns
done
for folder in "$DATA"/stage-generated/*/; do
    agree "$(basename "$folder")" "$folder/workload" --size-scale 2 --delay 30us
done

# What is wrong, in a sentence, and status 1.
fault() {
    name=$1 text=$2 code=$3
    python3 - "$code" <<'PYTHON'
import json, sys
o = json.load(open("x.json"))
s = o["schedule"]
exec(sys.argv[1])
json.dump(o, open("bent.json", "w"))
PYTHON
    got=$($VERIFY bent.json)
    status=$?
    verdict "$name" "$([ $status -eq 1 ] && printf '%s' "$got" | grep -q -e "$text"; echo $?)" "status $status, $got"
}

agree "the one that is bent" "$DATA"/cli/pair.yaml
fault "an unknown send" "is no send" 's["sends"][0]["id"] = "nobody"'
fault "a send twice" "scheduled twice" 's["sends"].append(s["sends"][0])'
fault "a send without a slot" "has no slot" 's["sends"].pop()'
fault "a wrong length" "takes" 's["sends"][0]["end"] = "1s"'
fault "a switch that is not there" "cannot carry" 's["sends"][0]["switch"] = 9'
fault "a wrong makespan" "makespan is" 's["makespan"] = "1ps"'
fault "a bound that is not shown" "certificate gives" 's["bound"] = "1s"'
fault "called optimal" "called optimal" 's["status"] = "optimal"; s["certificate"] = {"kind": "none"}; s["bound"] = "0ps"'
fault "a solver's word" "cannot be recomputed" 's["certificate"] = {"kind": "solver"}'
fault "no number" "no such document" 's["bound"] = 17'
fault "a cycle" "cycle" 'e = o["workload"]["edges"]; v = o["workload"]["vertices"]; e += [[v[0]["id"], v[1]["id"]], [v[1]["id"], v[0]["id"]]]'

# The best sequence at one GPU, which is confirmed by search: its number, and no picosecond more.
sequence() {
    what=$1
    shift
    agree "$what" "$@" --exact=never
    kind=$(python3 -c 'import json; print(json.load(open("x.json"))["schedule"]["certificate"]["kind"])')
    verdict "$what: by the best sequence" "$([ "$kind" = port-sequence ]; echo $?)" "it is $kind"
    fault "$what: a picosecond more" "can end before" \
        's.update(status="feasible", bound="%dps" % (json.load(open("out"))["bound_ps"] + 1))'
    fault "$what: half of its sends" "can end before" 'c = s["certificate"]; c["sends"] = c["sends"][::2]'
}

python3 "$ROOT"/tests/bench/synthetic.py --layers 2 --delay 1ms >iteration.yaml
sequence "two layers, 1ms" iteration.yaml
fault "another GPU's send" "not of the window" 's["certificate"]["gpu"] += 1'
sequence "two layers, simplex" iteration.yaml --rule simplex --switches 1 --delay 1ms
sequence "L8, 10ms" "$L8" --size-scale 2 --delay 10ms

# All-to-all on more links than divide its sends: whole sends are counted.
python3 - >each.yaml <<'PYTHON'
sends = [(a, b) for a in range(8) for b in range(8) if a != b]
print("flux: 1\nworkload:\n  gpus: 8\n  vertices:")
for a, b in sends:
    print("    - {id: s%d-%d, send: [%d, %d], time: 1ms}" % (a, b, a, b))
print("  edges: []\nfabric: {switches: 4, delay: 100us}")
PYTHON
agree "all to all" each.yaml --exact=never
fault "all to all: a picosecond more" "fit on their links" \
    's.update(status="feasible", bound="%dps" % (json.load(open("out"))["bound_ps"] + 1))'
fault "all to all: without a send" "fit on their links" 's["certificate"]["sends"].pop()'
fault "all to all: another GPU's send" "not of the window" 's["certificate"]["gpu"] += 1'

# Through a stranger's reader and writer: other spaces, other escapes, other order of keys.
for document in "$ROOT"/tests/golden/native/written/*.json; do
    name=$(basename "$document")
    python3 - "$document" <<'PYTHON'
import json, sys
o = json.load(open(sys.argv[1], encoding="utf-8"))
json.dump(o, open("ascii.json", "w"), sort_keys=True)
json.dump(o, open("indent.json", "w", encoding="utf-8"), indent=7, ensure_ascii=False)
json.dump(o, open("tight.json", "w", encoding="utf-8"), separators=(",", ":"), ensure_ascii=False)
PYTHON
    case $name in only-fabric*) continue ;; esac
    for style in ascii indent tight; do
        run convert $style.json -o again.json
        verdict "$name, $style" "$([ "$STATUS" -eq 0 ] && cmp -s again.json "$document"; echo $?)" "$(head -n 1 err)"
    done
done
finish
