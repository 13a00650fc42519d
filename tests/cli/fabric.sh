#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Which fabric counts: the document's, --fabric's, single parameters of the command line, or the defaults.
. "$(dirname "$0")/../support/cli.sh"
PAIR=$DATA/cli/pair.yaml
sed '/^fabric:/,$d' "$PAIR" >work.yaml

run schedule work.yaml
grep -q '2 switches, 800Gbps, 10us to change a circuit, rule paper' out
verdict "the defaults" $? "$(grep fabric out)"
run schedule work.yaml --switches 3 --delay 1us,2us,3us --rate 400Gbps --rule simplex
grep -q '3 switches, 400Gbps, 1us - 3us to change a circuit, rule simplex' out
verdict "all from the command line" $? "$(grep fabric out)"

cat >fabric.yaml <<'YAML'
flux: 1
fabric:
  switches: 3
  rate: 200Gbps
  delay: [1us, 2us, 3us]
  port_rate: [[0, 1, 100Gbps]]
  dead: [[3, 0]]
  forbidden: [[1, 0, 1]]
  initial: [[2, 1, 0]]
  propagation: 50ns
YAML
expect "a fabric in a file of its own" 0 "" schedule work.yaml --fabric fabric.yaml -o out.yaml
grep -q '3 switches, 100Gbps - 200Gbps, 1us - 3us' out
verdict "all of it counts" $? "$(grep fabric out)"
expect "it replaces the document's, and that is said" 0 "replaces" schedule "$PAIR" --fabric fabric.yaml
expect "a single parameter is changed, and that is said" 0 "note: --delay" schedule "$PAIR" --delay 1us --json
json "a single parameter is changed" 'o["makespan_ps"] == 25000000'
expect "quiet says nothing" 0 "" schedule "$PAIR" --delay 1us --quiet
[ ! -s err ]
verdict "quiet says nothing, seen" $?

# What the command line does not change stays as the file has it: written out and read back.
expect "the rule is changed, the rest is kept" 0 "" convert work.yaml --fabric fabric.yaml --rule duplex -o a.json
expect "nothing is changed" 0 "" convert work.yaml --fabric fabric.yaml -o b.json
python3 - <<'PYTHON'
import json
a, b = (json.load(open(f, encoding="utf-8"))["fabric"] for f in ("a.json", "b.json"))
assert a.pop("rule") == "duplex"
assert b.pop("rule", "paper") == "paper"
assert a == b, (a, b)
PYTHON
verdict "everything else of the fabric is the same" $?
expect "fewer switches" 0 "" convert work.yaml --fabric fabric.yaml --switches 2 -o c.json
python3 - <<'PYTHON'
import json
f = json.load(open("c.json", encoding="utf-8"))["fabric"]
assert f["switches"] == 2 and f["dead"] == [[3, 0]] and f["forbidden"] == [[1, 0, 1]] and not f.get("initial"), f
PYTHON
verdict "what belongs to a switch that is gone is gone" $?
expect "more switches than the file describes" 2 "differ" schedule work.yaml --fabric fabric.yaml --switches 4
expect "more of switches that are alike" 0 "" schedule "$PAIR" --switches 4 --json
json "more of switches that are alike, seen" 'o["switches"] == 4'
expect "no fabric in the file" 3 "no fabric in it" schedule work.yaml --fabric work.yaml
expect "no such file" 3 "nowhere.yaml" schedule work.yaml --fabric nowhere.yaml
finish
