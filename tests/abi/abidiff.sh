#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The libraries against the saved descriptions of releases: what they had is there and has not changed. Then changes made
# on purpose, to see that each kind is told: a library that is compatible passes, every other one does not.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/abi.sh

if ! command -v abidiff >/dev/null; then
    echo "ok abidiff # SKIP no abidiff: apt-get install abigail-tools"
    exit 0
fi
for release in $(saved_releases); do
    for name in libflux libflux-io; do
        compatible "tests/abi/saved/$release/$name.abi" "$BUILD/$name.so" >"$work/log" 2>&1
        status=$?
        [ $status -eq 0 ] || advice "$release" >>"$work/log"
        verdict "abidiff: $name still has what $name $release had" $status
    done
done

# build NAME: $work/NAME.so, with the interface of the headers in $work/NAME and the names of $work/NAME.map
build() {
    python3 tests/abi/stub.py "$work/$1" core >"$work/$1.c" &&
        gcc -std=c11 -g -fPIC -fvisibility=hidden -shared "-I$work/$1" "$work/$1.c" \
            "-Wl,--version-script=$work/$1.map" -Wl,-soname,libflux.so.0 -o "$work/$1.so"
}

# change NAME VERDICT FILE SCRIPT: a copy of the headers (or of the map) with one change; VERDICT is same, fine or breaks
change() {
    name=$1 expected=$2 file=$3 script=$4
    cp -r include "$work/$name" && cp libflux/libflux.map "$work/$name.map"
    case $file in map) path=$work/$name.map ;; *) path=$work/$name/libflux/$file ;; esac
    cp "$path" "$work/before"
    sed -i "$script" "$path"
    if [ "$expected" != same ] && cmp -s "$path" "$work/before"; then
        echo "the script changes nothing in $file" >"$work/log"
        verdict "abidiff: $name" 1
        return
    fi
    build "$name" >"$work/log" 2>&1 || {
        verdict "abidiff: $name" 1
        return
    }
    compatible "$work/now.abi" "$work/$name.so" "$work/$name" >"$work/log" 2>&1
    status=$?
    case $expected in
        breaks) verdict "abidiff: $name is told" $((status == 0)) ;;
        *) verdict "abidiff: $name passes" $status ;;
    esac
}

describe "$BUILD/libflux.so" "$work/now.abi"
change "nothing changed" same map ''
change "a function more" fine error.h '/^FLUX_END_DECLS/i FLUX_API int flux_error_count(void);'
change "a member at the end of options" fine schedule.h '/^struct flux_options {/,/^};/s/^};/    uint64_t more;\n};/'
change "a function less" breaks map '/^    flux_bound;/d'
change "a member at the end of a frozen row" breaks schedule.h '/^struct flux_slot {/,/^};/s/^};/    int64_t more;\n};/'
change "a member in the middle of options" breaks schedule.h '/^    uint64_t work_limit;/i\    uint64_t more;'
change "a member of another type" breaks graph.h '/^struct flux_edge {/,/^};/s/int64_t lag/int32_t lag/'
change "a member gone from options" breaks schedule.h '/^    struct flux_cancel \*cancel;/d'
change "an argument more" breaks fabric.h 's/\(flux_fabric_set_rule(.*\));/\1, uint32_t more);/'
change "another type of result" breaks version.h 's/^FLUX_API uint32_t flux_version/FLUX_API uint64_t flux_version/'

strip --strip-debug "$work/nothing changed.so" -o "$work/stripped.so"
compatible "$work/now.abi" "$work/stripped.so" >"$work/log" 2>&1
verdict "abidiff: a library without debug information is told" $(($? == 0))
exit $failed
