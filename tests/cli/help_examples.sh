#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every example on every help page runs as printed, from the top of the source tree.
. "$(dirname "$0")/../support/cli.sh"
mkdir build bin
ln -s "$ROOT/tests" tests
ln -s "$FLUX" bin/flux-ocs
ran=0
for subcommand in $("$FLUX" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
    "$FLUX" "$subcommand" --help | sed '1,/^Example:/d' | sed -e ':a' -e '/\\$/{N; s/\\\n *//; ta' -e '}' |
        sed 's/^ *//' >examples
    while read -r line; do
        [ -n "$line" ] || continue
        case $line in flux-ocs\ *) ;; *) not_ok "$subcommand" "not a command: $line" ;; esac
        if (PATH=$WORK/bin:$PATH && eval "$line") >out 2>err </dev/null; then
            ok "$line"
        else
            not_ok "$line" "$(head -n 2 err)"
        fi
        ran=$((ran + 1))
    done <examples
done
[ "$ran" -ge 5 ]
verdict "each subcommand has an example" $? "only $ran"
[ -s build/llama.yaml ] && [ -s build/llama.svg ] && [ -s build/llama.json ]
verdict "the examples wrote what they say" $?
finish
