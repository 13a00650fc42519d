# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
#
# What the tests of the command share. A test sources it, runs checks, and ends with `finish`. BUILD is the build folder.

FLUX=$(cd "${BUILD:?is the folder that holds flux-ocs}" && pwd)/flux-ocs
[ -x "$FLUX" ] || { echo "not ok $FLUX: no such program" && exit 1; }
ROOT=$(cd "$(dirname "$0")/../.." && pwd)
DATA=$ROOT/tests/data
# shellcheck disable=SC2034 # for the tests
L8=$DATA/stage-generated/llama3-8b_L8_tp4dp2/workload
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
trap 'exit 1' HUP INT TERM
cd "$WORK" || exit 1
NOT_OK=0

# ok NAME: the test passed.  not_ok NAME WHY: it did not.
ok() { printf 'ok %s\n' "$1"; }
not_ok() {
    printf 'not ok %s: %s\n' "$1" "$2"
    NOT_OK=1
}

# verdict NAME STATUS [WHY]: passed when STATUS is 0.
verdict() { if [ "$2" -eq 0 ]; then ok "$1"; else not_ok "$1" "${3:-failed}"; fi; }

# python_with_ortools: the first Python that has OR-Tools, by name; fails where none has.
python_with_ortools() {
    for python in "$ROOT/build/python/bin/python" python3; do
        "$python" -c 'from ortools.sat.python import cp_model' 2>/dev/null && echo "$python" && return
    done
    return 1
}

# run ARGUMENT...: runs the command; $STATUS, and the files out and err.
run() {
    STATUS=0
    "$FLUX" "$@" >out 2>err </dev/null || STATUS=$?
}

# expect NAME STATUS TEXT ARGUMENT...: the command ends with STATUS and says TEXT (a basic regular expression; "" for
# anything) on standard error.
expect() {
    name=$1 want=$2 text=$3
    shift 3
    run "$@"
    if [ "$STATUS" -ne "$want" ]; then
        not_ok "$name" "status $STATUS, not $want: $(head -n 3 err)"
    elif [ -n "$text" ] && ! grep -q -e "$text" err; then
        not_ok "$name" "standard error lacks '$text': $(head -n 3 err)"
    else
        ok "$name"
    fi
}

# json NAME EXPRESSION: standard output of the last run is one JSON object `o` for which the Python expression holds.
json() {
    if why=$(python3 - "$2" out 2>&1 <<'PYTHON'
import json, sys
text = open(sys.argv[2], encoding="utf-8").read()
o, end = json.JSONDecoder().raw_decode(text)
assert isinstance(o, dict), "not an object"
assert text[end:] == "\n", "more than one object"
assert eval(sys.argv[1]), "false: " + sys.argv[1] + " for " + text[:600]
PYTHON
    ); then ok "$1"; else not_ok "$1" "$(printf '%s' "$why" | tail -n 1)"; fi
}

finish() { exit "$NOT_OK"; }

# on_terminal ARGUMENT...: runs the command on a pseudo-terminal; $STATUS, and all that it says in the file out. Ctrl-C is
# typed when the word $INTERRUPT_AT appears.
on_terminal() {
    STATUS=0
    python3 - "${INTERRUPT_AT:-}" "$FLUX" "$@" <<'PYTHON' >out || STATUS=$?
import os, pty, signal, sys
interrupt_at = sys.argv[1].encode()
pid, terminal = pty.fork()
if pid == 0:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # who runs the tests in the background has it ignored
    os.execv(sys.argv[2], sys.argv[2:])
said = b""
while True:
    try:
        part = os.read(terminal, 4096)
    except OSError:
        break
    if not part:
        break
    said += part
    if interrupt_at and interrupt_at in said:
        os.write(terminal, b"\x03")
        interrupt_at = b""
status = os.waitpid(pid, 0)[1]
sys.stdout.buffer.write(said)
sys.exit(128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status))
PYTHON
}
