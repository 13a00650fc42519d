#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the completion scripts offer: subcommands, options, words for values, names of schedulers and solvers, files.
. "$(dirname "$0")/../support/cli.sh"

expect "a script for bash" 0 "" --completion bash
cp out bash.completion
expect "a script for zsh" 0 "" --completion zsh
cp out zsh.completion
expect "no script for another shell" 2 "bash or zsh" --completion fish
expect "no script without a shell" 2 "bash or zsh" --completion

# offered WORDS...: what bash offers for the last of the words, in one line
cat >offer.bash <<'SCRIPT'
source ./bash.completion
COMP_WORDS=(flux-ocs "$@")
COMP_CWORD=$#
_flux_ocs
echo "${COMPREPLY[*]}"
SCRIPT
# offers NAME EXPECTED WORDS...
offers() {
    name=$1 expected=$2
    shift 2
    got=$(bash --norc offer.bash "$@" 2>&1)
    [ "$got" = "$expected" ]
    verdict "bash: $name" $? "'$got', not '$expected'"
}
if command -v bash >/dev/null; then
    touch workload.yaml other.txt
    offers "subcommands" "convert" conv
    offers "all options of a subcommand" "--json --quiet --help" backends -
    offers "options by their beginning" "--svg --svg-from --svg-to --svg-width" schedule --sv
    offers "words for a value" "paper" schedule x --rule pa
    offers "words behind =" "duplex" schedule x --rule = du
    offers "words right at =" "port switch" schedule x --blocking =
    offers "a value that may be left out, behind =" "always" schedule x --exact = al
    offers "a value that may be left out, without =" "workload.yaml" schedule --exact work
    offers "solvers" "none" schedule x --backend no
    offers "files as operands" "workload.yaml" schedule wor
    offers "files as values" "other.txt" schedule x --fabric oth
    offers "files behind a short option" "other.txt" schedule x -o oth
    offers "nothing for a number" "" schedule x --switches ""
    offers "subcommands to get help for" "schedule" help sch
else
    echo "ok bash # SKIP no bash"
fi

# zsh's own functions are replaced by some that say what they were given.
cat >offer.zsh <<'SCRIPT'
_arguments() { print -rl -- "$@" }
_describe() { print -rl -- ${(P)${@[-1]}} }
_values() { print -rl -- "$@" }
words=(flux-ocs "$@")
CURRENT=$#words
source ./zsh.completion
SCRIPT
# specifies NAME LINE WORDS...
specifies() {
    name=$1 line=$2
    shift 2
    zsh -f offer.zsh "$@" >got 2>&1
    grep -qxF -e "$line" got
    verdict "zsh: $name" $? "$(head -5 got)"
}
if command -v zsh >/dev/null; then
    specifies "subcommands" "check:is this a schedule?" ""
    specifies "a value from a list" \
        "--rule=[which circuits of a switch exclude each other (paper)]:paper|duplex|simplex:(paper duplex simplex)" \
        schedule ""
    specifies "files as operands" "*:file:_files" check ""
    specifies "an option with a letter" "(-q --quiet)-q[no notes, no warnings, no progress]" backends ""
    specifies "shells" "zsh" --completion ""
else
    echo "ok zsh # SKIP no zsh"
fi

# Every option of every page is offered, and by both.
missing=
"$FLUX" help | sed -n 's/^  \([a-z]*\)  .*/\1/p' >names
while read -r name; do
    "$FLUX" help "$name" | sed -n 's/^  \(-[a-z], \)\{0,1\}\(--[a-z-]*\).*/\2/p' >options
    for option in $(cat options); do
        bash --norc offer.bash "$name" "$option" | tr ' ' '\n' | grep -q -x -e "$option=\{0,1\}" ||
            missing="$missing $name$option"
    done
done <names
[ -z "$missing" ] && [ -s names ]
verdict "no option is left out" $? "left out:$missing"
finish
