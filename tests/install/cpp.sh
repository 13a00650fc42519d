#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# bindings/cpp: each header alone, everything used, with g++ and clang++, with exceptions and with results, under the
# address sanitizer too; both kinds in one program; and the example of docs/cpp.md. BUILD is the build folder.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${BUILD:?is the folder that holds libflux.so.0}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0
flags="-std=c++17 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -I$root/include -I$root/bindings/cpp"
libraries="-L$build -lflux-io -lflux -Wl,-rpath,$build"

verdict() {
    if [ "$2" -eq 0 ]; then echo "ok $1"; else
        echo "not ok $1"
        sed 's/^/    /' log
        failed=1
    fi
}

# use NAME COMPILER FLAGS...: builds and runs tests/install/cpp_use.cpp; a line per expectation that fails
use() {
    name=$1 compiler=$2
    shift 2
    # shellcheck disable=SC2086
    "$compiler" $flags "$@" "$root/tests/install/cpp_use.cpp" -o use $libraries >log 2>&1
    verdict "$name: compiles without a warning" $?
    mkdir -p out && ./use out >log 2>&1 && [ "$(grep -c '^ok' log)" -gt 90 ] && ! grep -q '^not ok' log
    verdict "$name: does what it says" $?
    rm -rf use out
}

for header in "$root"/bindings/cpp/*.hpp; do
    printf '#include "%s"\n#include "%s"\n' "$header" "$header" >one.cpp
    # shellcheck disable=SC2086
    g++ $flags -fsyntax-only one.cpp >log 2>&1 && g++ $flags -DLIBFLUX_RESULTS -fno-exceptions -fsyntax-only one.cpp >>log 2>&1
    verdict "$(basename "$header") alone" $?
done
for compiler in g++ clang++; do
    command -v "$compiler" >/dev/null || { echo "ok $compiler # SKIP it is not here" && continue; }
    use "$compiler, exceptions" "$compiler"
    use "$compiler, results" "$compiler" -DLIBFLUX_RESULTS -fno-exceptions -fno-rtti
    use "$compiler, C++20" "$compiler" -std=c++20
done
use "g++, exceptions, address sanitizer" g++ -g -fsanitize=address,undefined -fno-sanitize-recover=undefined
use "g++, results, address sanitizer" g++ -g -DLIBFLUX_RESULTS -fsanitize=address,undefined -fno-sanitize-recover=undefined

cat >a.cpp <<'END'
#include "flux.hpp"
int gpus() { return static_cast<int>(libflux::graph(4).gpus()); }
END
cat >b.cpp <<'END'
#define LIBFLUX_RESULTS
#include "flux.hpp"
int gpus();
int main() { return libflux::graph::make(0).has_value() || gpus() != 4 || libflux::graph::make(3)->gpus() != 3; }
END
# shellcheck disable=SC2086
g++ $flags a.cpp b.cpp -o both $libraries >log 2>&1 && ./both >>log 2>&1
verdict "exceptions and results in one program" $?

awk '/^```cpp/ {on = 1; next} /^```/ {on = 0} on' "$root/docs/cpp.md" >page.cpp
# shellcheck disable=SC2086
mkdir -p there/libflux && cp "$root"/bindings/cpp/*.hpp "$root"/include/libflux/*.h there/libflux &&
    g++ $flags -Ithere page.cpp -o page $libraries >log 2>&1 && ./page >out 2>>log
verdict "the program of docs/cpp.md" $?
awk '/^```text/ {on = 1; next} /^```/ {on = 0} on' "$root/docs/cpp.md" | diff - out >log
verdict "docs/cpp.md shows what its program prints" $?
exit $failed
