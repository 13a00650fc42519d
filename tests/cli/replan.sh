#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# flux-ocs replan: an iteration that is under way, planned anew; what is written is a schedule, and the next replan's input.
. "$(dirname "$0")/../support/cli.sh"
PAIR=$DATA/cli/pair.yaml

# At 12us a is done on switch 0, think and c are under way, b is left: planned on switch 1 from 15us on.
expect "as planned" 0 "" replan "$PAIR" --at 12us
grep -v '^time' out >got
cat >want <<'TEXT'
workload         3 sends on 4 GPUs
fabric           2 switches, 800Gbps, 10us to change a circuit, rule paper
at               12us: 1 sends done, 1 under way, 1 left
different        nothing
planned          25us
right shift      25us
makespan         25us
regained         0ps
bound            25us by critical-path (1 vertices)
gap              0 % of what is left
changed          0 sends on another switch, 0 at another place in the order of their source
found by         shift, 1 plans, stopped: bound met
TEXT
cmp -s got want
verdict "is the old plan" $? "$(diff got want)"

# A change to b on switch 0 takes from now to 22us.
run replan "$PAIR" --at 12us --dead-port 1:1 --json -o anew.yaml --rest rest.yaml --csv anew.csv
json "a dead port" 'o["planned_ps"] == 25000000 and o["shifted_ps"] == o["makespan_ps"] == o["bound_ps"] == 32000000 and o["gap"] == 0 and o["done"] == o["under_way"] == o["left"] == o["moved"] == 1 and o["lost"] == o["reordered"] == 0 and o["at_ps"] == o["begin_ps"] == 12000000 and o["found_by"] == "shift"'
printf '%s\n' send,src,dst,switch,start_ps,end_ps a,0,1,0,0,10000000 b,1,2,0,22000000,32000000 c,3,0,1,0,20000000 >want
cmp -s anew.csv want
verdict "the whole iteration as a table" $? "$(cat anew.csv)"
expect "the whole iteration is a schedule" 0 "" check anew.yaml
expect "and so is the rest" 0 "" check rest.yaml --json
json "with its bound" 'o["valid"] and o["makespan_ps"] == o["bound_ps"] == 20000000 and o["certificate"]["confirmed"]'
expect "the next one goes on from there" 0 "" replan anew.yaml --at 15us --dead-port 1:1 --late 1=10us --json
json "with a GPU that stands still" 'o["planned_ps"] == 32000000 and o["makespan_ps"] == 35000000 and o["left"] == 1'

# c is lost at 12us: its 20us begin again as soon as there is a circuit, on switch 0 from 22us on.
run replan "$PAIR" --at 12us --dead-port 3:1 --json
json "a send that is lost" 'o["lost"] == 1 and o["under_way"] == 0 and o["left"] == 2 and o["makespan_ps"] == 42000000'
run replan "$PAIR" --at 12us --dead-switch 1 --json
json "a dead switch" 'o["lost"] == 1 and o["left"] == 2 and o["makespan_ps"] == 42000000'
run replan "$PAIR" --at 12us --dead-port 1:1,3:1 --json
json "two dead ports" 'o["lost"] == 1 and o["moved"] == 2'
expect "two dead switches" 1 "no switch" replan "$PAIR" --at 12us --dead-switch 0,1

# think ends at 18us instead of 15us; b can use its circuit then.
run replan "$PAIR" --at 12us --late 1=3us --json
json "a late GPU" 'o["shifted_ps"] == o["makespan_ps"] == 28000000'
run replan "$PAIR" --at 5us --stragglers 1=2 --json
json "a straggler" 'o["makespan_ps"] == 30000000 and o["under_way"] == 2'
grep -q straggl out || run replan "$PAIR" --at 5us --stragglers 1=2,0=1/2
grep -q 'different  *stragglers 1=2,0=1/2$' out
verdict "and is told" $?

# What really happened: a took until 14us.
printf 'vertex,start_ps,end_ps\na,0,14000000\nthink,,\n' >ran.csv
run replan "$PAIR" --at 12us --ran ran.csv --json -o anew.yaml
json "a slow send" 'o["done"] == 0 and o["under_way"] == 2 and o["makespan_ps"] == 29000000'
expect "and the schedule that comes of it" 0 "" check anew.yaml
printf 'send,src,start_ps,end_ps\r\n"a",0,0,\r\n\r\nthink,1,,\r\n' >ran.csv
run replan "$PAIR" --at 12us --ran ran.csv --json
json "one without an end" 'o["under_way"] == 2 and o["makespan_ps"] == 27000001'
printf 'vertex,start_ps,end_ps\na,13000000,14000000\n' >ran.csv
expect "facts that contradict each other" 3 "think" replan "$PAIR" --at 12us --ran ran.csv

# The bad input, each with a sentence.
expect "no time" 2 "at TIME is missing" replan "$PAIR"
expect "a time that is none" 2 "at soon" replan "$PAIR" --at soon
expect "a port that is not there" 2 "no GPU from 0 to 3" replan "$PAIR" --at 12us --dead-port 4:0
expect "a port of no switch" 2 "no switch from 0 to 1" replan "$PAIR" --at 12us --dead-port 1:2
expect "a port without a switch" 2 "GPU:SWITCH" replan "$PAIR" --at 12us --dead-port 1
expect "a switch that is not there" 2 "no switch from 0 to 1" replan "$PAIR" --at 12us --dead-switch 2
expect "a late GPU that is not there" 2 "no GPU" replan "$PAIR" --at 12us --late 4=1us
expect "a late GPU without a time" 2 "like 3=2ms" replan "$PAIR" --at 12us --late 1
expect "a lateness without a unit" 2 "unit" replan "$PAIR" --at 12us --late 1=5
expect "a lateness beyond all" 3 "2^62" replan "$PAIR" --at 12us --late 1=4611686s
expect "a comma too many" 2 "comma" replan "$PAIR" --at 12us --late 1=1us,
expect "a comma too many, of switches" 2 "comma" replan "$PAIR" --at 12us --dead-switch 1,
expect "a straggler without a factor" 2 "like 3=1.2" replan "$PAIR" --at 12us --stragglers 1
expect "a deadline without a unit" 2 "unit" replan "$PAIR" --at 12us --deadline 50
expect "a table that is not there" 3 "No such file" replan "$PAIR" --at 12us --ran none.csv
: >ran.csv
expect "an empty table" 3 "empty" replan "$PAIR" --at 12us --ran ran.csv
echo 'a,0,1' >ran.csv
expect "a table without a head" 3 "ran.csv:1: the first line names" replan "$PAIR" --at 12us --ran ran.csv
printf 'vertex,start_ps,end_ps\nz,0,1\n' >ran.csv
expect "a vertex that is not there" 3 "ran.csv:2: the workload has no 'z'" replan "$PAIR" --at 12us --ran ran.csv
printf 'vertex,start_ps,end_ps\na,0us,1\n' >ran.csv
expect "a time with a unit" 3 "picoseconds" replan "$PAIR" --at 12us --ran ran.csv
printf 'vertex,start_ps,end_ps\na,,1\n' >ran.csv
expect "an end without a start" 3 "without a start" replan "$PAIR" --at 12us --ran ran.csv
printf 'vertex,start_ps,end_ps\na\n' >ran.csv
expect "a short row" 3 "fewer fields" replan "$PAIR" --at 12us --ran ran.csv
expect "two files in one" 2 "both" replan "$PAIR" --at 12us -o x --rest x
sed -n '/^flux:/p; /^schedule:/,$p' "$PAIR" >alone.yaml
sed '/^schedule:/,$d' "$PAIR" >work.yaml
expect "a schedule in a file of its own" 0 "" replan work.yaml alone.yaml --at 12us
expect "no schedule: one is made" 0 "one is made" replan work.yaml --at 12us
sed 's/start: 15us, end: 25us/start: 14us, end: 24us/' "$PAIR" >early.yaml
expect "a schedule that is none" 1 "too early" replan early.yaml --at 12us

# A trace, half way: the new plan is better than the right shift, and a schedule with the late GPU in it.
"$FLUX" schedule "$L8" --size-scale 2 --switches 2 --delay 10us --quiet -o llama.yaml >/dev/null
expect "a trace, a dead port" 0 "" replan llama.yaml --at 115ms --dead-port 0:0 --quiet --json -o anew.yaml --rest rest.yaml
json "is better than the right shift" 'o["planned_ps"] < o["bound_ps"] <= o["makespan_ps"] < o["shifted_ps"] and o["moved"] > 0 and o["found_by"] == "search" and o["done"] + o["under_way"] + o["left"] == 2176'
cp out first
expect "it is a schedule" 0 "" check anew.yaml --quiet
expect "and so is its rest" 0 "" check rest.yaml --quiet --json
json "whose bound is confirmed" 'o["valid"] and o["certificate"]["confirmed"]'
expect "a trace, a late GPU" 0 "" replan llama.yaml --at 115ms --late 0=5ms --quiet --json -o late.yaml
expect "it is a schedule of what runs" 0 "" check late.yaml --quiet --json
LATE=$(python3 -c 'import json; print(json.load(open("out"))["makespan_ps"])')
run replan llama.yaml --at 115ms --late 0=5ms --quiet --json
json "with the same makespan" "o['makespan_ps'] == $LATE"
expect "a deadline of nothing" 0 "" replan llama.yaml --at 115ms --dead-port 0:0 --deadline 1ns --quiet --json
json "still has the first plans" 'o["makespan_ps"] <= o["shifted_ps"] and o["stopped"] == "time limit"'
run replan llama.yaml --at 115ms --dead-port 0:0 --quiet --json
python3 - first out <<'PYTHON'
import json, sys
a, b = (json.load(open(name, encoding="utf-8")) for name in sys.argv[1:])
a.pop("seconds"), b.pop("seconds")
sys.exit(a != b)
PYTHON
verdict "the same plan again" $?
finish
