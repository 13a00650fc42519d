#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The documents under native/written, read by programs that are not ours: JSON is JSON, and YAML says the same.
set -u
here=$(cd "$(dirname "$0")" && pwd)

python3 - "$here/native/written" <<'PYTHON'
import glob, json, os, sys

def no_repeats(pairs):
    assert len(dict(pairs)) == len(pairs), pairs
    return dict(pairs)

try:
    import yaml
except ImportError:
    yaml = None
bad = 0
files = sorted(glob.glob(os.path.join(sys.argv[1], "*.json")))
assert len(files) >= 5
for path in files:
    name = os.path.basename(path)
    try:
        with open(path, encoding="utf-8") as file:
            told = json.load(file, object_pairs_hook=no_repeats)
        assert told["flux"] == 1
        print("ok %s is JSON" % name)
        if yaml is None:
            print("ok %s # SKIP no PyYAML here" % name)
            continue
        with open(path[:-5] + ".yaml", encoding="utf-8") as file:
            assert yaml.safe_load(file) == told
        print("ok %s.yaml says the same to PyYAML" % name[:-5])
    except (AssertionError, ValueError) as fault:
        print("not ok %s: %r" % (name, fault))
        bad = 1
sys.exit(bad)
PYTHON
