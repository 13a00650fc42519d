#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What an author of a backend is told, done: the pieces of docs/backends.md are a backend that compiles and conforms, and
# the example in docs/examples/backend is built against public headers, conforms, and schedules.
set -u
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0
CC=${CC:-cc}
flags="-std=c11 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Wpedantic -Wconversion -Werror"

verdict() {
    if [ "$2" -eq 0 ]; then
        echo "ok $1"
    else
        echo "not ok $1"
        sed 's/^/    /' "$work/log"
        failed=1
    fi
}

# conforms NAME BACKEND HEADER SOURCE
conforms() {
    # shellcheck disable=SC2086
    $CC $flags -Iinclude -Itests/support "-DBACKEND=$2" "-DHEADER=\"$3\"" tests/backend/author.c \
        tests/support/conformance*.c tests/support/program.c "$4" -pthread -lm -o "$work/conforms" >"$work/log" 2>&1
    verdict "$1: builds with public headers alone" $?
    [ -x "$work/conforms" ] && "$work/conforms" || failed=1
    rm -f "$work/conforms"
}

awk '/^```c$/ { on = 1; next } /^```$/ { on = 0 } on' docs/backends.md >"$work/lower.c"
echo '#include <libflux/backend.h>
extern const struct flux_backend lower_backend;' >"$work/lower.h"
[ "$(grep -c lower_backend "$work/lower.c")" -ge 2 ]
verdict "docs/backends.md has its pieces" $?
conforms "the backend of docs/backends.md" lower_backend "$work/lower.h" "$work/lower.c"
conforms "the example backend" tiny_backend ../../docs/examples/backend/tiny.h docs/examples/backend/tiny.c

# shellcheck disable=SC2086
$CC $flags -Iinclude docs/examples/backend/*.c -L"$BUILD" -lflux -Wl,-rpath,"$BUILD" -lm -o "$work/tiny" >"$work/log" 2>&1
verdict "the example program builds" $?
"$work/tiny" >"$work/log" 2>&1 && grep -q makespan "$work/log"
verdict "the example program schedules" $?
exit $failed
