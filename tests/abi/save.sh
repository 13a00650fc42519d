#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Saves what this version promises, for the tests beside this file: headers, their caller, layout, and abidw's description of both
# libraries. BUILD has shared libraries with debug information. A released version is never saved again.
set -eu
cd "$(dirname "$0")/../.."
. tests/support/abi.sh
number() { sed -n "s/^#define FLUX_VERSION_$1 //p" include/libflux/version.h; }
release=$(number MAJOR).$(number MINOR)
folder=tests/abi/saved/$release
[ ! -e "$folder/released" ] || { echo "abi-save: $release is released, and stays as it is" >&2; exit 1; }
for name in libflux libflux-io; do
    has_debug_info "$BUILD/$name.so" || { echo "abi-save: $BUILD/$name.so has no debug information" >&2; exit 1; }
done
rm -rf "$folder"
mkdir -p "$folder"
python3 tests/abi/vintage.py same "$folder"
cp tests/abi/caller.c "$folder"
python3 tests/abi/layout.py >"$folder/layout.txt"
for name in libflux libflux-io; do describe "$BUILD/$name.so" "$folder/$name.abi"; done
echo "abi-save: $folder"
