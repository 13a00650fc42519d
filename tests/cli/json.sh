#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What scripts read: JSON keys, CSV columns, and which stream carries what.
. "$(dirname "$0")/../support/cli.sh"
PAIR=$DATA/cli/pair.yaml

expect "info --json" 0 "" info "$PAIR" --json
json "info: the keys" '{"sends", "bytes", "circuits", "critical_path_ps", "gpus", "collectives"} <= set(o)'
json "info: the numbers" '(o["sends"], o["bytes"], o["circuits"], o["gpus"], o["collectives"]) == (3, 4000000, 3, 4, 0)'
json "info: the critical path is a, think, b" 'o["critical_path_ps"] == 25000000'

expect "bound --json" 0 "" bound "$PAIR" --json
json "bound: the keys" '{"bound_ps", "certificate"} <= set(o) and "kind" in o["certificate"]'
json "bound: the number is in the certificate, too" 'o["bound_ps"] == o["certificate"]["bound_ps"] == 25000000'

sed '/^schedule:/,$d' "$PAIR" >work.yaml
expect "schedule --json" 0 "" schedule work.yaml --json
json "schedule: the keys" '{"status", "makespan_ps", "bound_ps", "gap", "sends", "gpus", "switches",
    "reconfigurations", "seconds", "certificate"} <= set(o)'
json "schedule: an optimal one" 'o["status"] == "optimal" and o["makespan_ps"] == o["bound_ps"] == 25000000'
json "schedule: no gap" 'o["gap"] == 0 and (o["sends"], o["gpus"], o["switches"]) == (3, 4, 2)'
json "schedule: seconds" '0 <= o["seconds"] < 10'
[ ! -s err ]
verdict "nothing on standard error" $? "$(head -n 1 err)"

expect "a single switch" 0 "" schedule "$PAIR" --switches 1 --delay 10us --json
json "schedule: what has a gap is feasible, what has none is optimal" \
    '(o["status"] == "optimal") == (o["makespan_ps"] == o["bound_ps"])'
json "schedule: the gap is relative to the bound" \
    'abs(o["gap"] - (o["makespan_ps"] - o["bound_ps"]) / o["bound_ps"]) < 1e-8'

expect "schedule --second" 0 "" schedule work.yaml --second slack,reconfigurations --json
json "second: the keys" '{"reconfigurations_before", "reconfigurations", "memory_before", "memory", "slack_before_ps",
    "slack_ps", "seconds"} == set(o["second"]) and o["makespan_ps"] == 25000000'
json "second: the same figure twice" 'o["second"]["reconfigurations"] == o["reconfigurations"]'
expect "schedule --second all" 0 "" schedule work.yaml --second all --json
expect "another second objective" 2 "there are reconfigurations, memory, slack" schedule work.yaml --second memory,beauty

expect "every file at once" 0 "" schedule "$PAIR" -o o.yaml --csv o.csv --perfetto o.json --svg o.svg
[ "$(head -n 1 o.csv)" = "send,src,dst,switch,start_ps,end_ps" ]
verdict "CSV: the columns" $? "$(head -n 1 o.csv)"
[ "$(wc -l <o.csv)" -eq 4 ]
verdict "CSV: a row for each send" $?
python3 - <<'PYTHON'
import csv
rows = list(csv.DictReader(open("o.csv", encoding="utf-8")))
assert {(r["src"], r["dst"]) for r in rows} == {("0", "1"), ("1", "2"), ("3", "0")}
assert all(int(r["end_ps"]) > int(r["start_ps"]) >= 0 and r["switch"] in "01" for r in rows)
assert max(int(r["end_ps"]) for r in rows) == 25000000
PYTHON
verdict "CSV: the numbers" $?
python3 -c 'import json; assert json.load(open("o.json", encoding="utf-8"))["traceEvents"]'
verdict "Perfetto: JSON with events" $?
python3 -c 'import xml.dom.minidom as m; assert m.parse("o.svg").documentElement.tagName == "svg"'
verdict "SVG: well-formed" $?
grep -q "optimal" out && grep -q "o.yaml" out
verdict "the table says the status and what was written" $?

expect "the written document is an input" 0 "" check o.yaml --json
json "check: the keys" '{"valid", "makespan_ps", "violation"} <= set(o)'
json "check: valid" 'o["valid"] is True and o["makespan_ps"] == 25000000 and o["violation"] is None'
expect "JSON as the document" 0 "" schedule "$PAIR" -o o2.json
python3 -c 'import json; o = json.load(open("o2.json", encoding="utf-8")); assert {"workload", "fabric", "schedule"} <= set(o)'
verdict "a name that ends in .json makes JSON" $?
expect "the JSON document is an input" 0 "" check o2.json

run schedule "$PAIR" --csv -
[ "$STATUS" -eq 0 ] && [ "$(head -n 1 out)" = "send,src,dst,switch,start_ps,end_ps" ] && [ "$(wc -l <out)" -eq 4 ] &&
    grep -q makespan err
verdict "a CSV on standard output is alone there; the table moves to standard error" $?
"$FLUX" schedule - --json <"$PAIR" >out 2>err
verdict "a document on standard input" $? "$(head -n 1 err)"
json "a document on standard input, seen" 'o["makespan_ps"] == 25000000'

run schedule "$PAIR"
! grep -q "$(printf '\033')" out
verdict "no colour when standard output is no terminal" $?
run schedule "$PAIR" --json
cp out first
run schedule "$PAIR" --json
python3 - <<'PYTHON'
import json
a, b = (json.load(open(f, encoding="utf-8")) for f in ("first", "out"))
for o in a, b:
    del o["seconds"], o["timings"]
assert a == b
PYTHON
verdict "two runs say the same" $?

expect "convert to YAML" 0 "" convert "$PAIR" -o c.yaml
expect "convert to JSON" 0 "" convert "$PAIR" -o c.json
expect "convert back" 0 "" convert c.json -o d.yaml
cmp -s c.yaml d.yaml
verdict "YAML, JSON and back is the same document" $?
expect "convert without the schedule" 0 "" convert "$PAIR" --no-schedule -o e.yaml
expect "there is no schedule to check then" 3 "no schedule in it" check e.yaml
run convert "$PAIR"
cmp -s out c.yaml
verdict "convert writes to standard output by default" $?
expect "convert --json" 0 "" convert "$PAIR" --json -o f.yaml
json "convert: the keys" '{"output", "sends", "vertices", "edges", "gpus"} <= set(o)'
finish
