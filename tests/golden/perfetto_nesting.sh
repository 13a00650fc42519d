#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The pictures that docs/examples/picture.c draws, looked at by programs that are not ours.
set -u
here=$(cd "$(dirname "$0")" && pwd)
place=$(mktemp -d) || exit 1
trap 'rm -rf "$place"' EXIT

report() { # status name
    if [ "$1" = 0 ]; then echo "ok $2"; else echo "not ok $2"; fi
}

"$BUILD/examples/picture" "$place/t.svg" "$place/t.json"
report $? "the example draws"

# twice 24 sends of each of two groups of four and 4 of each of four pairs
python3 "$here/perfetto_nesting.py" "$place/t.json" X:transfer:256 X:send:128 X:compute:16 X:reconfiguration:2 \
    "C:NIC memory:16" "C:circuits in use:4" s:dependency:10
report $? "trace: slices nest, arrows meet, counters return to zero"

# A checker that finds nothing would be no test.
sed 's/"dur":[0-9.]*/"dur":1000.0/' "$place/t.json" >"$place/bad.json"
if python3 "$here/perfetto_nesting.py" "$place/bad.json" >/dev/null; then report 1 "overlaps are found"
else report 0 "overlaps are found"; fi

if command -v rsvg-convert >/dev/null; then
    said=$(rsvg-convert "$place/t.svg" -o "$place/t.png" 2>&1) && [ -z "$said" ] && [ -s "$place/t.png" ]
    report $? "picture: librsvg renders it"
else
    echo "ok picture: librsvg renders it # SKIP no rsvg-convert"
fi
