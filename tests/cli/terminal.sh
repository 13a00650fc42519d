#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What is different on a terminal: colour, unless NO_COLOR says no. A pseudo-terminal stands in for one.
. "$(dirname "$0")/../support/cli.sh"
PAIR=$DATA/cli/pair.yaml

# on_terminal ARGUMENT...: runs the command on a pseudo-terminal; all that it says is in the file out.
on_terminal() {
    python3 - "$FLUX" "$@" <<'PYTHON' >out
import os, pty, sys
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
said = b""
while True:
    try:
        part = os.read(terminal, 4096)
    except OSError:
        break
    if not part:
        break
    said += part
os.waitpid(pid, 0)
sys.stdout.buffer.write(said)
PYTHON
}
escape=$(printf '\033')

export TERM=xterm
unset NO_COLOR
on_terminal schedule "$PAIR"
grep -q "$escape\[1;32moptimal" out
verdict "the status is coloured on a terminal" $?
on_terminal info nowhere
grep -q "$escape\[1;31merror: " out
verdict "so is the word error" $?
export NO_COLOR=1
on_terminal schedule "$PAIR"
grep -q optimal out && ! grep -q "$escape" out
verdict "NO_COLOR is obeyed" $?
unset NO_COLOR
export TERM=dumb
on_terminal schedule "$PAIR"
grep -q optimal out && ! grep -q "$escape" out
verdict "so is a terminal that knows no colour" $?
finish
