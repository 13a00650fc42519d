#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dist.sh TARBALL: is it whole? Unpacked elsewhere it builds, passes a brief check, installs below DESTDIR, and takes away
# all of that again; and nothing of it lands among its own files.
set -eu
tarball=$(readlink -f "$1")
make=${MAKE:-make}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
tar -xzf "$tarball"
cd libflux-*
files() { find . ! -name . | sort; }
files >"$work/before"
export PYTHONDONTWRITEBYTECODE=1
flags="O=$work/objects"
$make -j2 "$flags" static shared cli
$make -j2 "$flags" check-brief
$make "$flags" DESTDIR="$work/dest" prefix=/usr install
echo "distcheck: $(find "$work/dest" ! -type d | wc -l) files installed"
$make "$flags" DESTDIR="$work/dest" prefix=/usr uninstall
[ ! -e "$work/dest" ] || { echo "distcheck: left after uninstall:" && find "$work/dest" && exit 1; }
files | diff "$work/before" - || { echo "distcheck: the build wrote among its sources"; exit 1; }
echo "distcheck: $(basename "$tarball") builds, passes, installs, and leaves nothing"
