#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The examples of docs/embedding.md do what it says of them.
set -u
. "$(dirname "$0")/../support/cli.sh"
EXAMPLES=${FLUX%/*}/examples

"$EXAMPLES/event_loop" 10 >out
verdict "event_loop runs" $?
sed -n 's/^planned *//p' out >planned
sed -n 's/^compute as planned *//p' out >same
verdict "as planned it takes what was planned" "$([ -s planned ] && cmp -s planned same; echo $?)" "$(cat out)"
verdict "with more compute it takes longer" "$(awk 'NR == 2 { a = $NF } NR == 3 { b = $NF } END { exit !(b + 0 > a + 0) }' out; echo $?)" \
    "$(cat out)"

"$EXAMPLES/controller" >out
verdict "controller runs" $?
verdict "it plans twice" "$([ "$(grep -c '^an iteration' out)" -eq 2 ]; echo $?)" "$(cat out)"
verdict "it tells what is up when the iteration is cancelled" "$(grep -q '^  up on switch 0: 0->2$' out; echo $?)" "$(cat out)"
verdict "after that the first circuits of switch 0 cost a change" \
    "$(tail -n 3 out | grep -q '^  at 0ps: switch 0 0->1 2->3$'; echo $?)" "$(cat out)"

# What the page shows is what the program printed.
sed -n '/^    an iteration/,/^$/s/^    //p' "$ROOT/docs/embedding.md" | sed '/^$/d' >shown
verdict "docs/embedding.md shows what controller prints" "$([ -s shown ] && cmp -s shown out; echo $?)" "$(diff shown out | head -n 5)"
finish
