#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The generator against STAGE's trace of the same model: Llama 3 8B, 8 layers, tensor 4, data 2, sequence parallel.
. "$(dirname "$0")/../support/cli.sh"
python3 "$ROOT/tests/golden/generate_stage.py" "$FLUX" "$DATA" || NOT_OK=1
finish
