#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A wheel with the libraries of this build, installed into a clean environment as a new user would, and used from there.
# BUILD is the build folder.
ROOT=$(cd "$(dirname "$0")/../.." && pwd)
BUILD=$(cd "${BUILD:?is the folder that holds libflux.so.0}" && pwd)
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
cd "$WORK" || exit 1
NOT_OK=0
verdict() {
    if [ "$2" -eq 0 ]; then echo "ok wheel: $1"; else
        echo "not ok wheel: $1"
        cat log
        NOT_OK=1
    fi
}

python3 "$ROOT/bindings/python/make_wheel.py" --build "$BUILD" --out a >log 2>&1 &&
    python3 "$ROOT/bindings/python/make_wheel.py" --build "$BUILD" --out b >>log 2>&1
verdict "it is packed" $?
cmp a/*.whl b/*.whl >log 2>&1
verdict "the same files make the same wheel" $?
python3 -m venv env >log 2>&1 && env -i PATH="$PATH" HOME="$WORK" env/bin/pip install --no-index --no-deps a/*.whl >>log 2>&1
verdict "pip installs it" $?
env -i env/bin/python -m libflux >log 2>&1 && grep -q "env/lib/.*/libflux/lib/libflux.so.0 (inside the package)" log &&
    grep -q "env/lib/.*/libflux/lib/libflux-io.so.0 (beside libflux)" log
verdict "python -m libflux says that the library is inside the package" $?

# The example of the README and of the page, as they are there.
for page in README.md docs/python.md; do
    awk '/^```python/ {on = ++n == 1; next} /^```/ {on = 0} on' "$ROOT/$page" >example.py
    env -i env/bin/python example.py >log 2>&1 && grep -qx 'optimal 1352177280 1352177280 0.0' log
    verdict "the example of $page" $?
done
awk '/^```text/ {on = ++n == 1; next} /^```/ {on = 0} on' "$ROOT/docs/python.md" | cmp - log >>log 2>&1
verdict "docs/python.md shows what its example prints" $?
env -i PATH="$PATH" HOME="$WORK" env/bin/pip uninstall -y libflux >log 2>&1 && [ -z "$(find env -path '*libflux*')" ]
verdict "pip removes all of it" $?
mkdir tree && cp -r "$ROOT/bindings" "$ROOT/include" "$ROOT/docs" "$ROOT/LICENSE" tree &&
    env -i PATH="$PATH" HOME="$WORK" env/bin/pip install --no-index --no-deps tree/bindings/python >log 2>&1 &&
    env -i LIBFLUX_LIBRARY="$BUILD" env/bin/python example.py >>log 2>&1
verdict "pip installs the package alone, for a library that is there" $?
exit $NOT_OK
