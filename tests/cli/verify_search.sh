#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Bounds of our own search, put to another solver: below them there is nothing, and above them there is what we found.
. "$(dirname "$0")/../support/cli.sh"

# document NAME GPUS SENDS SEED: sends that wait for some before them, on two switches with a long delay.
document() {
    python3 - "$@" <<'PYTHON'
import json, random, sys
name, gpus, count, seed = sys.argv[1], *map(int, sys.argv[2:])
dice = random.Random(seed)
vertices = [{"id": "s%d" % v, "send": dice.sample(range(gpus), 2), "time": "%dus" % dice.randint(50, 500)} for v in range(count)]
edges = [["s%d" % dice.randrange(max(0, v - 6), v), "s%d" % v, "%dus" % dice.randint(0, 300)] for v in range(1, count, 2)]
rule = ("paper", "duplex", "simplex")[seed % 3]
fabric = {"switches": 2, "rule": rule, "delay": ["1ms", "1ms" if seed % 2 else "700us"], "initial": [[0, 0, 1]] if seed % 4 == 2 else []}
with open(name, "w", encoding="utf-8") as out:
    json.dump({"flux": 1, "workload": {"gpus": gpus, "vertices": vertices, "edges": edges}, "fabric": fabric}, out)
PYTHON
}

PYTHON=$(python_with_ortools) || { ok "bounds of the search, not put to another solver: no OR-Tools here" && finish; }

searched=0
for seed in 1 2 3 4 5; do
    document "$seed.json" 6 16 "$seed"
    run schedule "$seed.json" -o "made$seed.json" --quiet --exact=never
    grep -q '"kind": "search"' "made$seed.json" && searched=$((searched + 1))
    "$PYTHON" "$ROOT/tests/verify_search.py" "made$seed.json" >said 2>&1
    verdict "nothing is below the bound of problem $seed" $? "$(tail -n 1 said)"
    # A bound that is one picosecond too large is one that the schedule itself is below.
    python3 - "made$seed.json" >large.json <<'PYTHON'
import json, sys
o = json.load(open(sys.argv[1], encoding="utf-8"))
o["schedule"]["bound"] = "%dps" % (1 + max(int(float(s["end"][:-2]) * {"us": 10**6, "ms": 10**9}[s["end"][-2:]]) for s in o["schedule"]["sends"]))
print(json.dumps(o))
PYTHON
    "$PYTHON" "$ROOT/tests/verify_search.py" large.json >said 2>&1
    [ $? -eq 1 ] && grep -q "below the bound of" said
    verdict "something is below more than that, problem $seed" $? "$(tail -n 1 said)"
done
[ "$searched" -ge 2 ]
verdict "some bounds are of the search" $? "$searched"
finish
