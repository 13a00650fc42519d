#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What is different on a terminal: colour, unless NO_COLOR says no; progress; Ctrl-C. A pseudo-terminal stands in for one.
. "$(dirname "$0")/../support/cli.sh"
PAIR=$DATA/cli/pair.yaml

escape=$(printf '\033')

export TERM=xterm
unset NO_COLOR
on_terminal schedule "$PAIR"
grep -q "$escape\[1;32moptimal" out
verdict "the status is coloured on a terminal" $?
on_terminal info nowhere
grep -q "$escape\[1;31merror: " out
verdict "so is the word error" $?
export NO_COLOR=1
on_terminal schedule "$PAIR"
grep -q optimal out && ! grep -q "$escape" out
verdict "NO_COLOR is obeyed" $?
unset NO_COLOR
export TERM=dumb
on_terminal schedule "$PAIR"
grep -q optimal out && ! grep -q "$escape" out
verdict "so is a terminal that knows no colour" $?

# A workload that keeps the search busy for seconds: no order, many circuits, and changes that stop the whole switch.
export TERM=xterm
python3 - >busy.yaml <<'PYTHON'
print("flux: 1\nworkload:\n  gpus: 64\n  vertices:")
state = 1
for i in range(120000):
    state = state * 6364136223846793005 + 1442695040888963407 & (1 << 64) - 1
    src, hop, size = state >> 58, (state >> 48) % 63 + 1, (state >> 40) % 8 + 1
    print("    - {id: s%d, send: [%d, %d], size: %dMB}" % (i, src, (src + hop) % 64, size))
PYTHON
INTERRUPT_AT="construct "
on_terminal schedule busy.yaml --delay 300us --blocking switch --csv busy.csv
unset INTERRUPT_AT
grep -q 'construct  *[0-9.]* s' out
verdict "a long run shows its progress on a terminal" $?
[ "$STATUS" -eq 0 ] && grep -q 'interrupted; this is the best so far' out && grep -q '^.*makespan  *[0-9]' out
verdict "Ctrl-C ends the search and the best so far is printed" $? "status $STATUS: $(tail -n 3 out)"
[ "$(wc -l <busy.csv)" -eq 120001 ]
verdict "and written" $?
run schedule busy.yaml --delay 300us --blocking switch --time-limit 600ms
[ "$STATUS" -eq 0 ] && ! grep -q construct err
verdict "no progress where standard error is no terminal" $? "$(head -n 1 err)"
grep -q 'stopped: time' out
verdict "the time limit ends the search" $? "$(grep stopped out)"
finish
