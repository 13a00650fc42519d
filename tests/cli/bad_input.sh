#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Bad input as people have it: the error names the file, the place and what to do, and nothing is half-written.
. "$(dirname "$0")/../support/cli.sh"
PAIR=$DATA/cli/pair.yaml

# refused NAME STATUS TEXT ARGUMENT...: as expect, with an output asked for, of which nothing may be there afterwards.
refused() {
    name=$1 want=$2 text=$3
    shift 3
    mkdir files
    expect "$name" "$want" "$text" schedule "$@" -o files/o.yaml --csv files/o.csv --perfetto files/p.json --svg files/o.svg
    [ -z "$(ls -A files)" ] && [ ! -s out ]
    verdict "$name: nothing is written" $? "$(ls -A files)"
    rm -rf files
}
# edit EXPRESSION: the document bad.yaml, from the good one.
edit() { sed "$1" "$PAIR" >bad.yaml; }

refused "no such file" 3 "nowhere" nowhere
refused "a folder" 3 "$WORK" "$WORK"
: >empty.yaml
refused "an empty file" 3 "empty.yaml" empty.yaml
echo "hello" >words.yaml
refused "a file of something else" 3 "words.yaml" words.yaml
printf '\000\001\002\003' >bytes
refused "bytes" 3 "bytes" bytes

# Traces.
cp -r "$(dirname "$L8")" trace && chmod -R u+w trace
refused "a number of ranks that the trace has not" 3 "rank" trace/workload --ranks 3
mv trace/workload.3.et gone
refused "a missing rank" 3 "workload.3" trace/workload
head -c 5000 gone >trace/workload.3.et
refused "a truncated trace" 3 "workload.3.et" trace/workload
{ head -c 5000 gone && head -c 5000 /dev/zero | tr '\0' '\377' && tail -c +10001 gone; } >trace/workload.3.et
refused "a corrupted trace" 3 "workload.3.et" trace/workload
mv gone trace/workload.3.et
gzip -k trace/workload.2.et && head -c 3000 trace/workload.2.et.gz >part.gz && rm trace/workload.2.et.gz &&
    mv trace/workload.2.et whole && mv part.gz trace/workload.2.et.gz
refused "a truncated gzip file" 3 "workload.2.et" trace/workload
rm trace/workload.2.et.gz && mv whole trace/workload.2.et
echo '{"1": [0, 1' >trace/groups.json
refused "a broken group file" 3 "groups.json" trace/workload --groups trace/groups.json
refused "no group file of that name" 3 "nowhere.json" trace/workload --groups nowhere.json
echo '{"1": [0, 1]}' >trace/groups.json
refused "a group that the file has not" 3 "group" trace/workload --groups trace/groups.json
refused "too many vertices" 3 "1000" trace/workload --vertices-max 1000
for case in collective_count collective_size group_deadlock group_rank_out_of_range size_mismatch unmatched_send \
    send_to_self dup_id not_a_trace; do
    if [ -e "$DATA/made-fixtures/et/$case/t.0.et" ]; then
        refused "trace: $case" 3 "" "$DATA/made-fixtures/et/$case/t"
    else
        not_ok "trace: $case" "no such fixture"
    fi
done

# Documents.
edit 's/delay: 10us/delay: 10/'
refused "a unit is missing" 3 "bad.yaml:16:.*unit" bad.yaml
edit 's/switches: 2/switches: 0/'
refused "zero switches" 3 "bad.yaml:14:.*switches" bad.yaml
edit 's/{id: b, send: \[1, 2\]/{id: b, send: [1, 1]/'
refused "a send to itself" 3 "bad.yaml:8:" bad.yaml
edit 's/{id: b, send: \[1, 2\]/{id: b, send: [1, 4]/'
refused "a GPU out of range" 3 "bad.yaml:8:.*4" bad.yaml
edit 's/{id: b, send: \[1, 2\]/{id: a, send: [1, 2]/'
refused "two vertices of one id" 3 "bad.yaml:8:.*a" bad.yaml
edit 's/- \[think, b\]/- [think, nobody]/'
refused "an edge to nobody" 3 "bad.yaml:12:.*nobody" bad.yaml
edit 's/- \[think, b\]/- [think, b]\n    - [b, a]/'
refused "a cycle" 3 "think" bad.yaml
edit 's/size: 2MB/size: 99999999TB/'
refused "a size that overflows" 3 "" bad.yaml
edit 's/size: 2MB/time: 99999999999999s/'
refused "a time that overflows" 3 "bad.yaml:9:" bad.yaml
edit 's/  rate: /  colour: red\n  rate: /'
refused "a key that nobody knows" 3 "bad.yaml:15:.*colour" bad.yaml
edit 's/  rate: .*/  rate: 800Gbps\n  rate: 400Gbps/'
refused "a key twice" 3 "bad.yaml:16:.*rate" bad.yaml
head -c 200 "$PAIR" >bad.yaml
refused "a truncated document" 3 "bad.yaml" bad.yaml
edit 's/  delay: 10us/  delay: 10us\n  dead: [[3, 0], [3, 1]]/'
refused "a send that no switch can carry is named" 1 "c" bad.yaml
grep -q "'c'\|\"c\"\|send c\| c " err
verdict "it is called by its name" $? "$(head -n 1 err)"
edit 's/  delay: 10us/  delay: 10us\n  initial: [[0, 0, 1], [0, 1, 2]]/'
refused "initial circuits that compete" 3 "initial" bad.yaml

# Outputs.
expect "a folder that is not there" 3 "no/such" schedule "$PAIR" -o no/such/place.yaml
mkdir folder
expect "a folder as output" 3 "folder" schedule "$PAIR" --csv folder
touch old && chmod 0400 old && echo "what was there" >old 2>/dev/null || echo "what was there" >old
expect "an input that fails leaves the old output" 3 "" schedule nowhere -o old
[ "$(cat old)" = "what was there" ]
verdict "the old output is as it was" $?
if [ -e /dev/full ]; then
    STATUS=0
    "$FLUX" schedule "$PAIR" >/dev/full 2>err || STATUS=$?
    [ "$STATUS" -eq 3 ] && grep -q "standard output" err
    verdict "a full disk behind standard output" $? "status $STATUS: $(head -n 1 err)"
    expect "a full disk behind a file" 3 "/dev/full" schedule "$PAIR" --csv /dev/full
    [ -c /dev/full ]
    verdict "a device is written, not replaced" $?
fi
mkfifo pipe
timeout 20 cat pipe >through &
reader=$!
run schedule "$PAIR" --csv pipe
wait "$reader"
[ "$STATUS" -eq 0 ] && [ "$(wc -l <through)" -eq 4 ] && [ -p pipe ]
verdict "a pipe as output" $? "status $STATUS"
STATUS=0
(ulimit -f 8 2>/dev/null && trap '' XFSZ && exec "$FLUX" schedule "$L8" --size-scale 2 -o big.yaml) >out 2>err || STATUS=$?
[ "$STATUS" -eq 3 ] && [ ! -e big.yaml ] && [ -z "$(find . -maxdepth 1 -name '.flux-*')" ]
verdict "a disk that is full half-way leaves nothing" $? "status $STATUS, $(ls -A)"

# Descriptors that the caller closed.
STATUS=0
"$FLUX" schedule "$PAIR" -o closed.yaml --csv closed.csv >&- 2>&- <&- || STATUS=$?
run schedule "$PAIR" -o open.yaml --csv open.csv
[ "$STATUS" -eq 0 ] && cmp -s closed.yaml open.yaml && cmp -s closed.csv open.csv
verdict "descriptors 0, 1 and 2 closed: the files hold what they should" $? "status $STATUS"
STATUS=0
"$FLUX" schedule "$PAIR" --json >&- 2>err || STATUS=$?
[ "$STATUS" -eq 3 ] && grep -q "closed" err
verdict "standard output closed and wanted is an error" $? "status $STATUS: $(head -n 1 err)"
STATUS=0
"$FLUX" schedule nowhere >&- 2>&- || STATUS=$?
[ "$STATUS" -eq 3 ]
verdict "an error with no place to say it still has its status" $? "status $STATUS"

# A reader that goes away: no message about it, and the usual end by the signal.
(
    trap - PIPE
    "$FLUX" convert "$L8" --size-scale 2 --quiet 2>err
    echo $? >code
) | head -n 1 >/dev/null
[ ! -s err ] && [ "$(cat code)" -eq 141 ]
verdict "a reader that goes away" $? "status $(cat code), $(head -n 1 err)"
finish
