#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# An installed tree is whole, serves C programs that are built with pkg-config (shared and static), CMake and Meson, and
# leaves nothing behind.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${BUILD:?}
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
cd "$root" || exit 1
log=$tree/log dest=$tree/dest

ok() { echo "ok $1"; }
not_ok() { echo "not ok $1"; sed 's/^/    /' "$log" 2>/dev/null; }
try() { # NAME COMMAND...
    name=$1; shift
    if "$@" >"$log" 2>&1; then ok "$name"; else not_ok "$name"; fi
}
has() { command -v "$1" >/dev/null || { echo "ok $2 # SKIP no $1"; return 1; }; }

# The flavour under test is built already: its own variables, so that nothing is built again. The prefix is the tree's
# own, as a person without root has it; the paths in the tree are then the real ones.
flags=$(cat "$build/flags" 2>/dev/null)
prefix=$tree/dest/opt
# shellcheck disable=SC2086
try "install" make install O="$build" $flags prefix="$prefix"
export PKG_CONFIG_PATH="$prefix/lib/pkgconfig" LD_LIBRARY_PATH="$prefix/lib"
for file in lib/libflux.so lib/libflux-io.so lib/libflux.a lib/libflux-io.a include/libflux/flux.h \
    include/libflux/io/import.h lib/cmake/libflux/libfluxConfig.cmake lib/cmake/libflux/libfluxConfigVersion.cmake \
    share/libflux/models.yaml share/man/man1/flux-ocs.1 share/man/man3/libflux_graph.3 share/man/man5/libflux.5 \
    share/bash-completion/completions/flux-ocs share/zsh/site-functions/_flux-ocs; do
    [ -s "$prefix/$file" ] || echo "$file is missing"
done >"$log"
if [ -s "$log" ]; then not_ok "every kind of file is there"; else ok "every kind of file is there"; fi

mkdir "$tree/consumer"
cp tests/install/consumer/* "$tree/consumer"
cp docs/examples/minimal.c "$tree/consumer/core.c"
cp docs/examples/from_trace.c "$tree/consumer/files.c"
trace=$root/tests/data/stage-generated/llama3-8b_L2_fsdp4/workload
cd "$tree/consumer" || exit 1

runs() { # NAME FOLDER PROGRAM...: each of them; files* gets a trace
    what=$1 folder=$2; shift 2
    for program; do
        case $program in files*) set -- "$trace" ;; *) set -- ;; esac
        try "$what: $program runs" "$folder/$program" "$@"
    done
}
use() { # NAME SOURCE FLAGS...
    name=$1; source=$2; shift 2
    try "pkg-config: $name compiles" gcc -std=c11 -Wall -Werror "$source" -o "$name" "$@"
}
# shellcheck disable=SC2046
use core core.c $(pkg-config --cflags --libs libflux)
# shellcheck disable=SC2046
use files files.c $(pkg-config --cflags --libs libflux-io libflux)
static() { pkg-config --static --libs "$1" | sed 's/-lflux-io/-l:libflux-io.a/; s/-lflux\b/-l:libflux.a/'; }
# shellcheck disable=SC2046
use core-static core.c $(pkg-config --cflags libflux) $(static libflux)
# shellcheck disable=SC2046
use files-static files.c $(pkg-config --cflags libflux-io) $(static libflux-io)
runs "pkg-config" . core files
LD_LIBRARY_PATH='' runs "pkg-config" . core-static files-static

if has cmake "CMake"; then
    try "CMake: configures" cmake -S . -B with-cmake -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_STANDARD=11 \
        -DCMAKE_C_FLAGS="-Wall -Werror"
    try "CMake: builds" cmake --build with-cmake -j2
    runs "CMake" with-cmake core files core-static files-static
fi
if has meson "Meson" && has ninja "Meson"; then
    try "Meson: configures" env CMAKE_PREFIX_PATH="$prefix" meson setup with-meson
    try "Meson: builds" ninja -C with-meson
    runs "Meson" with-meson core files found-by-cmake
fi
echo "a program that was linked with the static library needs the shared one" >"$log"
if readelf -d core-static | grep -q 'NEEDED.*libflux'; then not_ok "static is static"; else ok "static is static"; fi

cd "$root" || exit 1
# shellcheck disable=SC2046
try "C++ compiles from the installed headers" g++ -std=c++17 -Wall -Wextra -Wconversion -Werror -DINSTALLED \
    "$root/tests/install/cpp_use.cpp" -o "$tree/cpp_use" $(pkg-config --cflags --libs libflux-io libflux) -Wl,-rpath,"$prefix/lib"
mkdir -p "$tree/cpp_out" && try "C++ runs" "$tree/cpp_use" "$tree/cpp_out"
try "the command runs" "$prefix/bin/flux-ocs" --version
want=$(pkg-config --modversion libflux)
have=$("$prefix/bin/flux-ocs" --version | head -n 1)
case "$have" in *"$want"*) ok "versions agree" ;; *) echo "$want against $have" >"$log"; not_ok "versions agree" ;; esac
# shellcheck disable=SC2086
try "uninstall" make uninstall O="$build" $flags prefix="$prefix"
find "$dest" >"$log" 2>/dev/null
if [ ! -s "$log" ]; then ok "nothing is left, no folder either"; else not_ok "nothing is left, no folder either"; fi

# The same below DESTDIR, with a multiarch library folder: nothing lands elsewhere, and files name the real places.
# shellcheck disable=SC2086
try "install below DESTDIR" make install O="$build" $flags DESTDIR="$dest" prefix=/usr libdir=/usr/lib/x86_64-linux-gnu
grep -rl "$tree" "$dest" --include='*.pc' --include='*.cmake' >"$log" 2>&1
if [ ! -s "$log" ]; then ok "DESTDIR is in no file"; else not_ok "DESTDIR is in no file"; fi
# shellcheck disable=SC2086
try "uninstall below DESTDIR" make uninstall O="$build" $flags DESTDIR="$dest" prefix=/usr \
    libdir=/usr/lib/x86_64-linux-gnu
find "$dest" >"$log" 2>/dev/null
if [ ! -s "$log" ]; then ok "nothing is left below DESTDIR"; else not_ok "nothing is left below DESTDIR"; fi
