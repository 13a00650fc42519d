#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs what building and testing need, on Debian and its relatives; elsewhere says what is missing.
set -eu

packages="gcc clang make pkg-config python3 python3-venv libglpk-dev libyaml-dev zlib1g-dev libjansson-dev libnanopb-dev \
libexpat1-dev libcmocka-dev glpk-utils coinor-cbc coinor-libcbc-dev valgrind librsvg2-bin g++ libsimgrid-dev \
abigail-tools mandoc graphviz libclang-rt-dev zsh cmake meson ninja-build locales debhelper dh-python lintian \
python3-protobuf python3-numpy python3-networkx python3-pandas python3-matplotlib mypy"

# highspy and OR-Tools, which only PyPI has, in an environment that sees Debian's packages. Without them their tests are
# skipped.
environment() {
    place=$(dirname "$0")/../build/python
    highspy
    "$place/bin/python" -c 'import ortools' 2>/dev/null && return
    timeout 300 "$place/bin/pip" install -q --disable-pip-version-check --no-input 'ortools>=9.8,<10' >/dev/null 2>&1 ||
        echo "setup: no OR-Tools from PyPI: bounds of the exact search are not put to another solver" >&2
}

highspy() {
    "$place/bin/python" -c 'import highspy' 2>/dev/null && return
    if ! { /usr/bin/python3 -m venv --system-site-packages "$place" &&
        timeout 180 "$place/bin/pip" install -q --disable-pip-version-check --no-input 'highspy>=1.7,<2'; } >/dev/null 2>&1; then
        echo "setup: no highspy from PyPI: the tests of the backend in Python are skipped" >&2
    fi
}

# With arguments, those packages alone: `make setup-docs`.
[ $# -eq 0 ] || { packages=$* && environment() { :; }; }

missing=
for package in $packages; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
done
[ -n "$missing" ] || { environment; echo "setup: everything is there"; exit 0; }

if ! command -v apt-get >/dev/null; then
    echo "setup: no apt-get here. Install what these Debian packages hold:$missing" >&2
    exit 1
fi
sudo=
[ "$(id -u)" = 0 ] || sudo=sudo
echo "setup: installing$missing"
export DEBIAN_FRONTEND=noninteractive
$sudo apt-get update -qq
# shellcheck disable=SC2086
$sudo apt-get install -y -qq --no-install-recommends $missing >/dev/null
environment
echo "setup: done"
