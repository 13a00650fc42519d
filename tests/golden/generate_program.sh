#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a generated GPU does: one compute after the other, and as much as its operations say.
. "$(dirname "$0")/../support/cli.sh"
python3 "$ROOT/tests/golden/generate_program.py" "$FLUX" || NOT_OK=1
finish
