#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# One matrix over parallel switches: files, generators, results, and everything that can be wrong with them.
. "$(dirname "$0")/../support/cli.sh"
M=$DATA/cli/demand.csv

expect "a matrix file alone is enough" 0 "" demand "$M"
for name in bvn bottleneck solstice eclipse spectra first-fit best sunflow; do
    grep -q "^$name  *[0-9.]*us  *[0-9.]* " out
    verdict "$name is in the table" $? "$(cat out)"
done
expect "JSON" 0 "" demand "$M" --switches 4 --delay 10us --rate 400Gbps --json
json "every algorithm, none below the bound" 'len(o["plans"]) == 8 and all(p["makespan_ps"] >= p["bound_ps"] > 0 for p in o["plans"])'
json "best is the least of those that stop the switch" 'min(p["makespan_ps"] for p in o["plans"] if p["algorithm"] != "sunflow") == [p for p in o["plans"] if p["algorithm"] == "best"][0]["makespan_ps"]'
json "what was asked for" 'o["ports"] == 6 and o["switches"] == 4 and o["delay_ps"] == 10000000 and o["matrices"] == 1'
expect "CSV" 0 "" demand "$M" --algorithm spectra,best --csv r.csv
[ "$(head -n 1 r.csv)" = "matrix,algorithm,found_by,makespan_ps,bound_ps,ratio,configurations,matchings" ] && [ "$(wc -l <r.csv)" -eq 3 ]
verdict "CSV: columns and rows" $? "$(cat r.csv)"
run demand "$M" --algorithm eclipse --csv - --quiet
[ "$(sed -n 2p out | cut -d, -f1-3)" = "0,eclipse,eclipse" ] && grep -q eclipse err
verdict "CSV on standard output, the table on standard error" $?

# Sizes need the rate, times do not.
run demand "$M" --algorithm spectra --rate 400Gbps --delay 0us --switches 1 --json
json "sizes take time by the rate" 'o["plans"][0]["bound_ps"] == 157286400'
run demand "$M" --algorithm spectra --unit ns --delay 0us --switches 1 --json
json "times are what they are" 'o["plans"][0]["bound_ps"] == 7864320000'
"$FLUX" demand - --json <"$M" >out 2>err
json "standard input" 'o["ports"] == 6'
gzip -c "$M" >m.gz
expect "gzip" 0 "" demand m.gz --json
json "gzip, seen" 'o["ports"] == 6'
cat "$M" >two.csv && echo >>two.csv && cat "$M" >>two.csv
expect "a sequence" 0 "" demand two.csv --algorithm best,bvn --json
json "each matrix by itself" 'o["matrices"] == 2 and [p["matrix"] for p in o["plans"]] == [0, 0, 1, 1] and o["plans"][0]["makespan_ps"] == o["plans"][2]["makespan_ps"]'

for kind in standard moe-multinomial moe-lognormal moe-pairs; do
    expect "generate $kind" 0 "" demand --generate $kind --ports 12 --seed 3 --algorithm spectra --json -o g.mtx
    cp out first
    expect "generate $kind again, as a table" 0 "" demand --generate $kind --ports 12 --seed 3 --algorithm spectra --json -o g.csv
    "$FLUX" demand g.csv --algorithm spectra --json >second 2>err && "$FLUX" demand g.mtx --algorithm spectra --json >third 2>>err
    python3 - <<'PYTHON'
import json
a, b, c, d = (json.load(open(f, encoding="utf-8"))["plans"][0] for f in ("first", "out", "second", "third"))
for x in (a, b, c, d):
    x.pop("seconds")
assert a == b == c == d, (a, b, c, d)
PYTHON
    verdict "generate $kind: the files hold that matrix" $?
done

# The same file is a workload.
expect "a matrix is scheduled" 0 "" schedule "$M" --json
json "its entries are sends" 'o["sends"] == 24 and o["gpus"] == 6 and o["makespan_ps"] >= o["bound_ps"]'
expect "a sequence is scheduled" 0 "" schedule two.csv --step-compute 1ms --json -o two.yaml
json "step after step" 'o["sends"] == 48 and o["makespan_ps"] > 1000000000'
expect "the schedule holds" 0 "" check two.yaml
expect "info" 0 "" info "$M" --unit us --json
json "times in a workload" 'o["sends"] == 24 and o["bytes"] == 0'

expect "no file" 2 "missing" demand
expect "a file and a generator" 2 "one of them" demand "$M" --generate standard
expect "an output without a generator" 2 "generate" demand "$M" -o x.csv
expect "a unit for a generator" 2 "unit" demand --generate standard --unit us
expect "an unknown generator" 2 "standard" demand --generate nonsense
expect "an unknown algorithm" 2 "did you mean spectra" demand "$M" --algorithm spectre
expect "no algorithm" 2 "is none" demand "$M" --algorithm bvn,
expect "an algorithm twice" 2 "twice" demand "$M" --algorithm bvn,bvn
expect "two delays" 2 "no time\|not a time" demand "$M" --delay 1us,2us
expect "no such unit" 2 "no unit" demand "$M" --unit furlong
expect "too many ports" 2 "4096" demand --generate standard --ports 5000
expect "no such file" 3 "nowhere" demand nowhere.csv
: >empty.csv
expect "an empty file" 3 "is empty" demand empty.csv
bad() { printf '%b' "$3" >bad.csv && expect "$1" 3 "bad.csv:$2" demand bad.csv; }
bad "negative" "2:1: '-1' is negative" '0,5\n-1,0\n'
bad "not a number" "1:3: 'NaN' is no demand" '0,NaN\n1,0\n'
bad "infinite" "1:3: '-inf' is no demand" '0,-inf\n1,0\n'
bad "ragged" "2:2: 1 entries" '0,5\n1\n'
bad "diagonal" "2:3: port 1 sends to itself" '0,5\n1,2\n'
bad "not square" "3:1: row 3" '0,5\n1,0\n1,0\n'
bad "zeros" "1:1: a matrix of zeros" '0,0\n0,0\n'
bad "cut off" "3:1: the matrix ends after 0 of 1 entries" '%%MatrixMarket matrix coordinate real general\n2 2 1\n'
printf '0,9e17\n1,0\n' >bad.csv
expect "times that no plan can add" 3 "2^50" demand bad.csv --unit ps
finish
