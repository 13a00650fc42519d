#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# README says what is true: its program is the example that is compiled, and everything prints what README says.
. "$(dirname "$0")/../support/cli.sh"

# block WORD: what stands between ```WORD and ``` in README.
block() { awk -v want="$1" '/^```/ { if (inside) { inside = 0; next } inside = ($0 == "```" want); next } inside' "$ROOT/README.md"; }
# without_seconds FILE: the lines of the demo's table without their last column, the only one that differs from run to run.
without_seconds() { grep -E '^ *(delay|[0-9]+[um]s) ' "$1" | sed 's/ *[a-z0-9.]*$//'; }

block c >snippet.c
diff snippet.c "$ROOT/docs/examples/minimal.c" >difference
verdict "the C program in README is docs/examples/minimal.c" $? "$(head -n 5 difference)"
"${FLUX%/*}/examples/minimal" >printed
verdict "it runs" $?
block text >said
[ -s said ] && diff said printed >difference
verdict "it prints what README says" $? "$(head -n 5 difference)"

sh "$ROOT/tests/demo.sh" "$FLUX" "$WORK/demo" >demo.out 2>err
verdict "the demo runs" $? "$(tail -n 1 err)"
block console >said
without_seconds demo.out >printed
without_seconds said >promised
[ "$(wc -l <promised)" -eq 5 ] && diff promised printed >difference
verdict "the demo prints the table of README" $? "$(head -n 5 difference)"
[ "$(grep -c ' optimal ' printed)" -eq 4 ]
verdict "every line of it is optimal" $?
ls demo/timeline.svg demo/trace.json demo/schedule.yaml demo/schedule.csv >out 2>err && [ ! -s err ]
verdict "the demo leaves the files that it names" $? "$(head -n 1 err)"

mkdir build bin && ln -s "$ROOT/tests" tests && ln -s "$FLUX" bin/flux-ocs
block sh >commands
while read -r line; do
    (PATH=$WORK/bin:$PATH && eval "$line") >out 2>err </dev/null
    verdict "README: $line" $? "$(head -n 1 err)"
done <commands
[ -s build/llama.yaml ]
verdict "the commands of README wrote what they say" $?

"${FLUX%/*}/examples/from_trace" "$L8" picture.svg >out 2>err
verdict "the example that reads a trace runs" $? "$(head -n 1 err)"
[ -s picture.svg ] && grep -q "^optimal" out
verdict "it finds an optimal schedule and draws it" $? "$(cat out)"
for page in README.md docs/cli.md; do
    for link in $(grep -o '](\([^)#]*\)' "$ROOT/$page" | sed 's/](//' | grep -v '^https\{0,1\}:'); do
        [ -e "$(dirname "$ROOT/$page")/$link" ]
        verdict "$page links to $link" $? "no such file"
    done
done
finish
