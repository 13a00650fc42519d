#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# An installed tree is whole, serves a C program shared and static, and leaves nothing behind.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${BUILD:?}
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
cd "$root" || exit 1

ok() { echo "ok $1"; }
not_ok() { echo "not ok $1"; sed 's/^/    /' "$tree.log" 2>/dev/null; }
try() { # NAME COMMAND...
    name=$1; shift
    if "$@" >"$tree.log" 2>&1; then ok "$name"; else not_ok "$name"; fi
}

# The flavour under test is built already: its own variables, so that nothing is built again.
flags=$(cat "$build/flags" 2>/dev/null)
# shellcheck disable=SC2086
try "install" make install O="$build" $flags DESTDIR="$tree/dest" prefix=/usr
export PKG_CONFIG_SYSROOT_DIR="$tree/dest" PKG_CONFIG_PATH="$tree/dest/usr/lib/pkgconfig"
export PKG_CONFIG_ALLOW_SYSTEM_LIBS=1 PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1

use() { # NAME SOURCE OUTPUT-FLAGS...
    name=$1; source=$2; shift 2
    # shellcheck disable=SC2068
    try "$name compiles" gcc -std=c11 -Wall -Werror "$source" -o "$tree/$name" $@
}
# shellcheck disable=SC2046
use shared docs/examples/minimal.c $(pkg-config --cflags --libs libflux)
try "shared runs" env LD_LIBRARY_PATH="$tree/dest/usr/lib" "$tree/shared"
# shellcheck disable=SC2046
use static docs/examples/minimal.c $(pkg-config --cflags libflux) "$tree/dest/usr/lib/libflux.a" \
    $(pkg-config --static --libs-only-l libflux | sed 's/-lflux//g')
try "static runs" "$tree/static"
# shellcheck disable=SC2046
use io docs/examples/from_trace.c $(pkg-config --cflags --libs libflux-io libflux)
try "io runs" env LD_LIBRARY_PATH="$tree/dest/usr/lib" "$tree/io" tests/data/stage-generated/llama3-8b_L2_fsdp4/workload
try "the command runs" "$tree/dest/usr/bin/flux-ocs" --version
want=$(pkg-config --modversion libflux)
have=$("$tree/dest/usr/bin/flux-ocs" --version | head -n 1)
case "$have" in *"$want"*) ok "versions agree" ;; *) echo "    $want against $have"; not_ok "versions agree" ;; esac

# shellcheck disable=SC2086
try "uninstall" make uninstall O="$build" $flags DESTDIR="$tree/dest" prefix=/usr
left=$(find "$tree/dest" ! -type d 2>/dev/null)
if [ -z "$left" ]; then ok "nothing is left"; else echo "$left" >"$tree.log"; not_ok "nothing is left"; fi
rm -f "$tree.log"
