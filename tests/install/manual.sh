#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The manual: nothing to complain about for mandoc, every public function and every option of the command in it, and
# examples that compile with all warnings and run.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=$(cd "${BUILD:?is the build folder}" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0
verdict() {
    if [ "$2" -eq 0 ]; then
        echo "ok manual: $1"
    else
        echo "not ok manual: $1"
        sed 's/^/    /' "$work/log"
        failed=1
    fi
}

python3 -B docs/man/header_pages.py "$work/man" >"$work/log" 2>&1 &&
    python3 -B docs/man/command_page.py "$build/flux-ocs" "$work/man" >>"$work/log" 2>&1
verdict "the pages are made" $?
if command -v mandoc >/dev/null; then
    mandoc -Tlint -Wwarning "$work"/man/* >"$work/log" 2>&1
    verdict "mandoc has no warning" $?
else
    echo "ok manual: mandoc has no warning # SKIP no mandoc"
fi

# Each function of the headers is in the NAME section of a page, and described there.
sed -n 's/^ *\(flux_[a-z0-9_]*\);$/\1/p' libflux/libflux.map libflux/libflux-io.map | sort -u >"$work/public"
for function in $(cat "$work/public"); do
    grep -q "^\.Nm $function\( ,\)\{0,1\}$" "$work"/man/libflux_*.3 && grep -q "^\.Fo $function$" "$work"/man/libflux_*.3 &&
        grep -q "^\(\.It\|\.Fn\) .*$function\|^\.Fn $function" "$work"/man/libflux_*.3 ||
        echo "$function is in no page"
done >"$work/log"
[ -s "$work/public" ] && [ ! -s "$work/log" ]
verdict "every public function is in a page" $?
for header in include/libflux/*.h include/libflux/io/*.h; do
    name=$(basename "$header" .h)
    case $name in flux | export) continue ;; esac
    for section in NAME SYNOPSIS DESCRIPTION THREADS EXAMPLES "SEE ALSO"; do
        grep -q "^\.Sh $section$" "$work/man/libflux_$name.3" || echo "libflux_$name(3) has no section $section"
    done
done >"$work/log" 2>&1
[ ! -s "$work/log" ]
verdict "every header has a page with all sections" $?

# Each option of each help page, read from the help pages alone.
"$build/flux-ocs" help | sed -n 's/^  \([a-z]*\)  .*/\1/p' >"$work/names"
for name in $(cat "$work/names"); do
    grep -q "^\.Ss $name\>" "$work/man/flux-ocs.1" || echo "flux-ocs(1) has no subcommand $name"
    for option in $("$build/flux-ocs" help "$name" | sed -n 's/^  \(-[a-z], \)\{0,1\}\(--[a-z-]*\).*/\2/p'); do
        grep -q "^\.It.* Fl ${option#-}\( \|$\)" "$work/man/flux-ocs.1" || echo "flux-ocs(1) has no $option of $name"
    done
done >"$work/log"
[ -s "$work/names" ] && [ ! -s "$work/log" ]
verdict "every subcommand and option of the command is in its page" $?

: >"$work/log"
for source in docs/man/examples/*.c; do
    name=$(basename "$source" .c)
    gcc -std=c11 -Wall -Wextra -Wpedantic -Werror -Iinclude "$source" "-L$build" -lflux-io -lflux -o "$work/$name" \
        >>"$work/log" 2>&1 || echo "$source does not compile" >>"$work/log"
    (cd "$work" && LD_LIBRARY_PATH=$build "./$name" "$OLDPWD/tests/data/cli/pair.yaml" >out 2>err && [ ! -s err ]) ||
        { echo "$source fails" && cat "$work/err"; } >>"$work/log"
done
awk 'length > 78 { print FILENAME ": " $0 }' docs/man/examples/*.c >>"$work/log"
[ ! -s "$work/log" ]
verdict "the examples of the pages compile and run, and fit a page" $?
sed -n '/^\.Sh EXAMPLES/,/^\.Ed/p' docs/man/libflux.3 | sed '1,2d;$d;s/\\e/\\/g' >"$work/heart.c"
gcc -std=c11 -Wall -Wextra -Wpedantic -Werror -Iinclude "$work/heart.c" "-L$build" -lflux -o "$work/heart" >"$work/log" 2>&1 &&
    LD_LIBRARY_PATH=$build "$work/heart" | grep -qx '1492177280 ps'
verdict "the example of libflux(3) compiles and runs" $?
exit $failed
