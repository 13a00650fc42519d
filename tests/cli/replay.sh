#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# flux-ocs replay: schedules run by the clock and in order, as planned and not.
. "$(dirname "$0")/../support/cli.sh"
PAIR=$DATA/cli/pair.yaml

expect "in order, as planned" 0 "" replay "$PAIR"
grep -q 'iteration  *25us$' out && grep -q '1 by order' out
verdict "it takes the makespan" $?
run replay "$PAIR" --mode clock --json
json "by the clock, as planned" 'o["mode"] == "clock" and o["runs"] == o["done"] == 1 and o["planned_ps"] == 25000000 and o["iteration_ps"] == {"least": 25000000, "median": 25000000, "p95": 25000000, "most": 25000000} and o["late"]["most"] == 0'
json "its figures" 'o["nic_memory_bytes"]["most"] == 3000000 and o["nic_memory_of_gpu_bytes"]["most"] == 2000000 and o["reconfigurations"] == 0 and o["waiting_ps"]["median"] == 23750000 and o["circuit_utilisation"] == 1 and o["port_utilisation"] == 0.4'

# think takes 5us on GPU 1 from 10us on, and b waits for it.
run replay "$PAIR" --stragglers 1=3 --json
json "a straggler" 'o["iteration_ps"]["most"] == 35000000 and o["late"]["most"] == 1 and o["latest_ps"]["most"] == 10000000'
run replay "$PAIR" --stragglers 0=7,1=1/5 --json
json "another GPU's compute, and a faster one" 'o["iteration_ps"]["most"] == 21000000'
run replay "$PAIR" --jitter 10% --seeds 500 --json
cp out first
json "jitter" 'o["jitter_ppm"] == 100000 and o["runs"] == 500 and 24500000 <= o["iteration_ps"]["least"] < 24520000 < 24900000 < o["iteration_ps"]["median"] < 25100000 < o["iteration_ps"]["p95"] < 25480000 < o["iteration_ps"]["most"] <= 25500000'
run replay "$PAIR" --jitter 10% --seeds 500 --json
python3 - first out <<'PYTHON'
import json, sys
a, b = (json.load(open(name, encoding="utf-8")) for name in sys.argv[1:])
a.pop("seconds"), b.pop("seconds")
sys.exit(a != b)
PYTHON
verdict "the same numbers again" $?

# One switch: b needs a change after d, which the clock makes at 30us whatever d does.
cat >tight.yaml <<'YAML'
flux: 1
workload:
  gpus: 3
  vertices:
    - {id: think, compute: 0, time: 10us}
    - {id: d, send: [0, 1], time: 20us}
    - {id: b, send: [2, 1], time: 5us}
  edges: [[think, d]]
fabric: {switches: 1, delay: 10us}
schedule:
  sends:
    - {id: d, switch: 0, start: 10us, end: 30us}
    - {id: b, switch: 0, start: 40us, end: 45us}
YAML
expect "a missed send is a finding, not a failure" 0 "" replay tight.yaml --mode clock --stragglers 0=1.1
grep -q 'not done  *1 of 1' out && grep -q 'missed sends  *1$' out
verdict "and is told" $? "$(cat out)"
run replay tight.yaml --mode clock --stragglers 0=1.1 --json
json "and in JSON" 'o["done"] == 0 and o["iteration_ps"] is None and o["missed"]["most"] == 1'
run replay tight.yaml --stragglers 0=1.1 --json
json "in order it waits" 'o["done"] == 1 and o["iteration_ps"]["most"] == 46000000 and o["reconfigurations"] == 1'
run replay tight.yaml --mode clock --jitter 5% --seeds 100 --json
json "some runs by the clock come to their end" '20 < o["done"] < 80 and o["iteration_ps"]["most"] == 45000000'

# Cycles and packets: a is 10us long, c 20us, b 10us and 5us after a.
expect "a rotor" 0 "" replay "$PAIR" --cycle rotor-direct --delay 1us
grep -q 'cycle  *rotor-direct, duty 90 %' out && grep -q '1 by clock' out && ! grep -q planned out
verdict "says what it is" $?
run replay "$PAIR" --cycle packet --json
json "packets, over both links" 'o["cycle"] == "packet" and o["mode"] == "clock" and o["planned_ps"] is None and o["iteration_ps"]["most"] == 15000000 and o["reconfigurations"] == 0'
run replay "$PAIR" --cycle packet --planes 4 --failed-planes 1 --json
json "three of four planes" 'o["iteration_ps"]["most"] == 6666667 + 5000000 + 6666667'
run replay "$PAIR" --cycle packet --planes 2 --spread hash --json
json "a plane for each send" 'o["iteration_ps"]["most"] == 25000000'
for cycle in rotor-direct rotor-direct-staggered rotor-vlb rotor-vlb-staggered packet; do
    run replay "$PAIR" --cycle $cycle --delay 1us --jitter 10% --seeds 20 --json --csv sends.csv --series held.csv --perfetto trace.json
    json "$cycle, many runs" "o['done'] == 20 and o['cycle'] == '$cycle' and o['waiting_ps']['least'] < o['waiting_ps']['most'] and (o['forwarded_bytes']['most'] > 0) == ('vlb' in '$cycle')"
    run replay "$PAIR" --cycle $cycle --delay 1us --jitter 10% --json
    python3 - <<'PYTHON'
import csv, json
one = json.load(open("out", encoding="utf-8"))
sends = list(csv.DictReader(open("sends.csv", encoding="utf-8")))
held = [{k: int(v) for k, v in row.items()} for row in csv.DictReader(open("held.csv", encoding="utf-8"))]
trace = json.load(open("trace.json", encoding="utf-8"))
assert [row["send"] for row in sends] == ["a", "b", "c"]
assert max(int(row["end_ps"]) for row in sends) == one["iteration_ps"]["most"] == int(trace["otherData"]["iteration_ps"])
assert all(int(row["end_ps"]) - int(row["ready_ps"]) == int(row["delay_ps"]) > 0 for row in sends)
assert max(row["bytes"] for row in held) == one["nic_memory_of_gpu_bytes"]["most"]
last, counter, moved, total = {}, {}, {}, {"a": 1000000, "b": 1000000, "c": 2000000}
for row in held:
    last[row["gpu"]] = row["bytes"]
for event in trace["traceEvents"]:
    if event["ph"] == "C" and event["name"] == "NIC memory":
        counter[event["pid"]] = event["args"]["bytes"]
    if event["ph"] == "X" and event["cat"] == "send":
        moved[event["name"]] = moved.get(event["name"], 0) + event["args"]["bytes"]
assert set(last.values()) == set(counter.values()) == {0}
assert sum(moved.values()) == sum(total.values()) + one["forwarded_bytes"]["most"] or one["forwarded_bytes"]["most"]
assert all(moved[name] >= total[name] for name in total)
PYTHON
    verdict "$cycle: files of its first run" $?
done
run replay "$PAIR" --csv sends.csv --series held.csv --perfetto trace.json --json
python3 -c 'import csv; rows = list(csv.DictReader(open("sends.csv"))); assert max(int(r["end_ps"]) for r in rows) == 25000000'
verdict "files of a schedule's run" $?
expect "a send that was missed" 0 "" replay tight.yaml --mode clock --stragglers 0=1.1 --csv sends.csv
grep -q '^d,0,1,.*,,,$' sends.csv
verdict "has no times" $? "$(cat sends.csv)"
expect "a cycle and a schedule" 2 "leave out" replay "$PAIR" "$PAIR" --cycle packet
expect "a cycle that is none" 2 "rotor-vlb" replay "$PAIR" --cycle rotor
expect "a duty of nothing" 2 "duty" replay "$PAIR" --cycle rotor-vlb --duty 0%
expect "a duty of all" 2 "duty" replay "$PAIR" --cycle rotor-vlb --duty 100%
expect "slots that are none" 3 "follow from its delay" replay "$PAIR" --cycle rotor-vlb --delay 0us
expect "no plane left" 2 "leaves none" replay "$PAIR" --cycle packet --planes 2 --failed-planes 2
expect "an output in a folder that is not there" 3 "no file can be written" replay "$PAIR" --csv none/x.csv
expect "two files in one" 2 "both" replay "$PAIR" --csv x --series x
echo '{flux: 1, workload: {gpus: 3, vertices: [{id: a, send: [0, 1], size: 1MB}]}, fabric: {switches: 1, delay: 1us}}' >odd.yaml
expect "an odd number of GPUs" 3 "is odd" replay odd.yaml --cycle rotor-direct

expect "a schedule that is none" 1 "too early" replay tight.yaml --delay 11us
sed -n '/^flux:/p; /^schedule:/,$p' "$PAIR" >alone.yaml
sed '/^schedule:/,$d' "$PAIR" >work.yaml
expect "a schedule in a file of its own" 0 "" replay work.yaml alone.yaml
expect "no schedule: one is made" 0 "one is made" replay work.yaml
expect "a schedule file without a schedule" 3 "no schedule in it" replay work.yaml work.yaml
expect "a trace" 0 "one is made" replay "$L8" --size-scale 2 --jitter 5% --seeds 20 --json
json "a trace, seen" 'o["done"] == 20 and o["planned_ps"] == 220554313778 and o["iteration_ps"]["least"] > o["planned_ps"]'

expect "a jitter without its unit" 2 "percentage" replay "$PAIR" --jitter 5
expect "a jitter above all" 2 "percentage" replay "$PAIR" --jitter 100.1%
expect "a jitter too fine" 2 "percentage" replay "$PAIR" --jitter 0.00001%
expect "no runs" 2 "from 1 to" replay "$PAIR" --seeds 0
expect "a mode that is none" 2 "clock|order" replay "$PAIR" --mode random
expect "a straggler that is not there" 2 "no GPU" replay "$PAIR" --stragglers 4=2
expect "a straggler without a factor" 2 "like 3=1.2" replay "$PAIR" --stragglers 1
expect "a factor that is none" 2 "no factor" replay "$PAIR" --stragglers 1=fast
expect "a factor beyond all" 2 "no factor" replay "$PAIR" --stragglers 1=4000
expect "a comma too many" 2 "comma" replay "$PAIR" --stragglers 1=2,
finish
