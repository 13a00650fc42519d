#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Sizes, offsets, constants and prototypes of the public headers against the saved lists of releases; then changes made
# on purpose, to see that each kind is told.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/abi.sh

for release in $(saved_releases); do
    python3 tests/abi/layout.py --against "tests/abi/saved/$release/layout.txt" >"$work/log" 2>&1
    status=$?
    [ $status -eq 0 ] || advice "$release" >>"$work/log"
    verdict "layout: what $release had is as it was" $status
done
python3 tests/abi/layout.py --holes >"$work/log" 2>&1
verdict "layout: no struct has a hole" $?
for struct in $(python3 tests/abi/vintage.py structs); do
    grep -q "\"[a-z_, ]*$struct[a-z_, ]*\"" tests/abi/caller.c || echo "struct $struct is in no verdict of tests/abi/caller.c"
done >"$work/log"
[ ! -s "$work/log" ]
verdict "layout: every struct that grows is tried with callers of other versions" $?

# change NAME VERDICT FILE SCRIPT: VERDICT is fine or breaks
python3 tests/abi/layout.py >"$work/now.txt"
change() {
    rm -rf "$work/include" && cp -r include "$work"
    sed -i "$4" "$work/include/libflux/$3"
    if cmp -s "include/libflux/$3" "$work/include/libflux/$3"; then
        echo "the script changes nothing in $3" >"$work/log"
        verdict "layout: $1" 1
        return
    fi
    python3 tests/abi/layout.py --include "$work/include" --against "$work/now.txt" >"$work/log" 2>&1
    status=$?
    case $2 in
        breaks) verdict "layout: $1 is told" "$((status == 0 || ! $(grep -c . "$work/log")))" ;;
        *) verdict "layout: $1 passes" $status ;;
    esac
}
change "a function more" fine error.h '/^FLUX_END_DECLS/i FLUX_API int flux_error_count(void);'
change "a constant more" fine error.h 's/^#define FLUX_OK 0/&\n#define FLUX_E_MORE (-300)/'
change "a member at the end of options" fine schedule.h '/^struct flux_options {/,/^};/s/^};/    uint64_t more;\n};/'
change "a constant of another value" breaks error.h 's/^#define FLUX_E_MEMORY (-200)/#define FLUX_E_MEMORY (-204)/'
change "a constant less" breaks schedule.h '/^#define FLUX_STOPPED_GAP/d'
change "a member at the end of a frozen row" breaks schedule.h '/^struct flux_slot {/,/^};/s/^};/    int64_t more;\n};/'
change "a member before the others" breaks schedule.h '/^    uint64_t time_limit_ns;/i\    uint64_t more;'
change "two members the other way round" breaks graph.h 's/^    uint32_t src;/    uint32_t dst_;/; s/^    uint32_t dst;/    uint32_t src;/'
change "an unsigned member" breaks graph.h '/^struct flux_edge {/,/^};/s/int64_t lag/uint64_t lag/'
exit $failed
