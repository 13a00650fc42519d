# SPDX-License-Identifier: Apache-2.0
# What the tests of the binary interface share. Sourced from the project's root; works in $work, which is taken away.
# shellcheck shell=sh disable=SC2034
LC_ALL=C
export LC_ALL
BUILD=${BUILD:-build}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

# verdict NAME STATUS: the lines of $work/log say what is wrong
verdict() {
    if [ "$2" -eq 0 ]; then
        echo "ok $1"
    else
        echo "not ok $1"
        sed 's/^/    /' "$work/log"
        failed=1
    fi
}

# The releases that this one must not break: those of the same soname, and this one as it was saved last.
saved_releases() {
    major=$(sed -n 's/^#define FLUX_VERSION_MAJOR //p' include/libflux/version.h)
    for folder in tests/abi/saved/"$major".*; do
        [ -d "$folder" ] && echo "${folder##*/}"
    done
}

# What to do about a change that was meant.
advice() {
    if [ -e "tests/abi/saved/$1/released" ]; then
        echo "$1 is released: programs that were linked with it would break. See docs/abi.md."
    else
        echo "$1 is not released yet: where this change is meant, \`make abi-save\` saves it."
    fi
}

# Appends at the end of structs that grow are compatible; everything else in a public struct is not. What is in opaque
# structs is nobody's business: they may be in private headers that bear the name of a public one.
suppressions() {
    for struct in $(python3 tests/abi/vintage.py opaque); do
        printf '[suppress_type]\nname = %s\ntype_kind = struct\n\n' "$struct"
    done
    for struct in $(python3 tests/abi/vintage.py structs); do
        printf '[suppress_type]\nname = %s\ntype_kind = struct\nhas_data_member_inserted_at = end\n\n' "$struct"
    done
}

# has_debug_info LIBRARY: without it abidiff finds no difference, ever
has_debug_info() {
    readelf -S "$1" | grep -q '\.debug_info'
}

# describe LIBRARY FILE
describe() {
    abidw --headers-dir include/libflux --drop-private-types --exported-interfaces-only --no-show-locs \
        --no-corpus-path --no-comp-dir-path --no-elf-needed --type-id-style hash --out-file "$2" "$1"
}

# compatible DESCRIPTION LIBRARY: may LIBRARY stand in for what DESCRIPTION is of?
compatible() {
    has_debug_info "$2" || {
        echo "$2 has no debug information: nothing can be said about it"
        return 1
    }
    [ -s "$work/suppressions" ] || suppressions >"$work/suppressions"
    abidiff --suppressions "$work/suppressions" --no-added-syms "$1" "$2"
}
