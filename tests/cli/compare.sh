#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# flux-ocs compare: schedulers side by side, on one thread and several, cut short, and with what makes no sense.
. "$(dirname "$0")/../support/cli.sh"
PAIR=$DATA/cli/pair.yaml

expect "a comparison" 0 "" compare "$PAIR" --delays 1us,1ms
grep -q '^flux ' out && grep -q '^bvn .* x ' out && grep -q '^rotor-direct .* x ' out && grep -q '^lower bound ' out
verdict "its table" $? "$(cat out)"
run compare "$PAIR" --delays 1us,10us --json --csv rows.csv
json "as JSON" 'o["complete"] and o["gpus"] and {r["delay_ps"] for r in o["results"]} == {1000000, 10000000}'
json "flux is never beaten by what uses circuits" 'all(r["iteration_ps"] >= f["iteration_ps"] for f in o["results"] if f["scheduler"] == "flux" for r in o["results"] if r["applies"] and r["delay_ps"] == f["delay_ps"] and not r["scheduler"].startswith(("rotor-vlb", "packet", "multiplane")))'
[ "$(head -n 1 rows.csv | cut -d, -f1-6)" = scheduler,delay_ps,iteration_ps,nic_memory_bytes,reconfigurations,bound_ps ]
verdict "the columns that scripts rely on" $? "$(head -n 1 rows.csv)"
python3 - rows.csv out <<'PYTHON'
import csv, json, sys
rows = list(csv.DictReader(open(sys.argv[1], encoding="utf-8", newline="")))
results = json.load(open(sys.argv[2], encoding="utf-8"))["results"]
for row, result in zip(rows, results):
    assert row["scheduler"] == result["scheduler"] and int(row["delay_ps"]) == result["delay_ps"]
    assert (row["iteration_ps"] == "") == (not result["applies"]), row
    assert not result["applies"] or int(row["iteration_ps"]) == result["iteration_ps"]
    assert int(row["bound_ps"]) == result["bound_ps"] and row["note"] == result["note"]
sys.exit(len(rows) != len(results) or len(rows) < 16)
PYTHON
verdict "rows and JSON say the same" $?
cp out one
for threads in 2 5; do
    run compare "$PAIR" --delays 1us,10us --json --threads $threads
    python3 - one out <<'PYTHON'
import json, sys
a, b = (json.load(open(name, encoding="utf-8")) for name in sys.argv[1:])
a.pop("seconds"), b.pop("seconds")
sys.exit(a != b)
PYTHON
    verdict "the same on $threads threads" $?
done
run compare "$PAIR" --schedulers bvn,flux --csv - --delay 3us
[ "$STATUS" -eq 0 ] && [ "$(cut -d, -f1,2 out | tr '\n' ' ')" = "scheduler,delay_ps bvn,3000000 flux,3000000 " ]
verdict "rows on standard output, in the order asked for" $? "$(cat out)"
run compare "$PAIR" --schedulers random,flux --constructions 9 --json
json "as many random orders as asked for" 'o["results"][0]["constructions"] == 9 and o["results"][0]["best_ps"] <= o["results"][0]["iteration_ps"]'
run compare "$PAIR" --schedulers bvn --repeats 3 --json
json "as many repeats" 'o["results"][0]["repeats"] == 3'

# Three GPUs: a rotor joins them in pairs and cannot; the others can.
cat >three.yaml <<'YAML'
flux: 1
workload:
  gpus: 3
  vertices:
    - {id: a, send: [0, 1], time: 10us}
    - {id: b, send: [1, 2], time: 10us}
  edges: [[a, b]]
YAML
run compare three.yaml --json
json "an odd number of GPUs is no error" 'all(r["applies"] != r["scheduler"].startswith("rotor") for r in o["results"])'
json "and says why" 'all("odd" in r["note"] for r in o["results"] if not r["applies"])'
run compare three.yaml --csv three.csv
grep -q 'rotor-direct does not apply: .*odd' out && grep -q '^rotor-direct,10000000,,,,' three.csv
verdict "in the table and the rows, too" $? "$(cat out three.csv)"
run compare three.yaml --delays 0us --json
json "nor a delay of 0" 'all("delay" in r["note"] or "odd" in r["note"] for r in o["results"] if not r["applies"])'
cat >idle.yaml <<'YAML'
flux: 1
workload:
  gpus: 2
  vertices: [{id: think, compute: 0, time: 7us}]
YAML
run compare idle.yaml --json
json "nothing to send" 'all(r["applies"] and r["iteration_ps"] == 7000000 and r["reconfigurations"] == 0 for r in o["results"])'

expect "an unknown scheduler" 2 "there is no 'bvm'; there are all, flux, random" compare "$PAIR" --schedulers flux,bvm
expect "one that is named twice" 2 "names bvn twice" compare "$PAIR" --schedulers bvn,flux,bvn
expect "a list that ends in a comma" 2 "there is no ''" compare "$PAIR" --schedulers bvn,
expect "one that begins with it" 2 "there is no ''" compare "$PAIR" --schedulers ,bvn
expect "all and another one" 2 "there is no 'all'" compare "$PAIR" --schedulers all,bvn
expect "a delay without a unit" 2 "delays 10" compare "$PAIR" --delays 10
expect "a delay that is none" 2 "delays 1us,fast" compare "$PAIR" --delays 1us,fast
expect "an empty delay" 2 "delays 1us,,3us" compare "$PAIR" --delays 1us,,3us
expect "a delay twice" 2 "names 1000ns twice" compare "$PAIR" --delays 1us,1000ns
expect "both kinds of delay" 2 "one of the two" compare "$PAIR" --delays 1us --delay 3us
expect "a duty of 0" 2 "duty is above 0%" compare "$PAIR" --duty 0%
expect "a duty of all" 2 "below 100%" compare "$PAIR" --duty 100%
expect "no repeats" 2 "repeats is a whole number" compare "$PAIR" --repeats 0
expect "no threads" 2 "threads is a whole number" compare "$PAIR" --threads 0
expect "an input that is not there" 3 nowhere compare nowhere.yaml
expect "rows that cannot be written" 3 "no file can be written" compare "$PAIR" --csv nowhere/rows.csv
cat >dead.yaml <<'YAML'
flux: 1
workload:
  gpus: 2
  vertices: [{id: a, send: [0, 1], time: 10us}]
fabric: {switches: 1, dead: [[0, 0]]}
YAML
expect "a send that no switch can carry" 1 "a" compare dead.yaml

# Long enough for Ctrl-C: a rotor that turns every 10 ns for 20 s.
cat >slow.yaml <<'YAML'
flux: 1
workload:
  gpus: 8
  vertices: [{id: a, send: [0, 1], time: 10us}, {id: think, compute: 0, time: 20s}, {id: b, send: [1, 0], time: 10us}]
  edges: [[a, think], [think, b]]
YAML
INTERRUPT_AT=" of 8"
on_terminal compare slow.yaml --delays 1ns,10us --schedulers flux,phase,bvn,rotor-direct --csv cut.csv
grep -q 'compare  *\[#* *\] [0-9]* of 8' out
verdict "a long comparison shows how far it is" $? "$(head -c 300 out)"
[ "$STATUS" -eq 0 ] && grep -q 'interrupted; what follows is the [0-9] of 8 that were done' out && grep -q 'not done' out
verdict "Ctrl-C ends it with what is done" $? "status $STATUS: $(tail -n 3 out)"
[ "$(grep -c '^flux,' cut.csv)" -eq 2 ] && [ "$(wc -l <cut.csv)" -lt 9 ]
verdict "and that is written" $? "$(cat cut.csv)"
finish
