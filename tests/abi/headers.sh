#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every public header alone, as C and as C++, with all warnings as errors: a stranger may include any of them first.
set -u
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0
warnings="-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wundef -Werror"

# compile COMPILER LANGUAGE STANDARD EXTRA...: each header alone, and twice, so that its guard is tried too
compile() {
    compiler=$1 language=$2 standard=$3
    shift 3
    name="headers with $compiler -std=$standard"
    if ! command -v "$compiler" >/dev/null; then
        echo "ok $name # SKIP no $compiler"
        return
    fi
    : >"$work/log"
    for header in include/libflux/*.h include/libflux/io/*.h; do
        include=${header#include/}
        printf '#include <%s>\n#include <%s>\nint probe(void);\nint probe(void)\n{\n    return 0;\n}\n' "$include" \
            "$include" >"$work/probe.$language"
        # shellcheck disable=SC2086
        "$compiler" -std="$standard" $warnings "$@" -Iinclude -fsyntax-only "$work/probe.$language" >>"$work/log" 2>&1 ||
            echo "$include does not compile" >>"$work/log"
    done
    if [ -s "$work/log" ]; then
        echo "not ok $name"
        sed 's/^/    /' "$work/log"
        failed=1
    else
        echo "ok $name"
    fi
}

for compiler in gcc clang; do
    for standard in c99 c11 c17; do
        compile "$compiler" c "$standard" -Wstrict-prototypes -Wold-style-definition
    done
done
for compiler in g++ clang++; do
    for standard in c++11 c++17 c++20; do
        compile "$compiler" cc "$standard" -Wold-style-cast
    done
done

# The _INIT macros are initialisers in both languages, and set the size.
cat >"$work/init.c" <<'END'
#include <libflux/flux.h>
#include <libflux/io/generate.h>
#include <libflux/io/import.h>
#include <libflux/io/write.h>

int main(void)
{
    struct flux_env env = FLUX_ENV_INIT;
    struct flux_options options = FLUX_OPTIONS_INIT;
    struct flux_statistics statistics = FLUX_STATISTICS_INIT;
    struct flux_import_options import_options = FLUX_IMPORT_OPTIONS_INIT;
    struct flux_svg_options svg_options = FLUX_SVG_OPTIONS_INIT;
    struct flux_generate_options generate_options = FLUX_GENERATE_OPTIONS_INIT;
    return env.size == sizeof env && options.size == sizeof options && statistics.size == sizeof statistics &&
                   import_options.size == sizeof import_options && svg_options.size == sizeof svg_options && generate_options.size == sizeof generate_options
               ? 0
               : 1;
}
END
cp "$work/init.c" "$work/init.cc"
for try in "gcc -std=c99 c" "clang -std=c11 c" "g++ -std=c++11 cc" "clang++ -std=c++17 cc"; do
    # shellcheck disable=SC2086
    set -- $try
    if ! command -v "$1" >/dev/null; then
        echo "ok initialisers with $1 $2 # SKIP no $1"
        continue
    fi
    # shellcheck disable=SC2086
    if "$1" "$2" $warnings -Iinclude "$work/init.$3" -o "$work/init" >"$work/out" 2>&1 && "$work/init"; then
        echo "ok initialisers with $1 $2"
    else
        echo "not ok initialisers with $1 $2"
        sed 's/^/    /' "$work/out"
        failed=1
    fi
done

exit $failed
