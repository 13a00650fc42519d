#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# deb.sh FOLDER: the packages in FOLDER. lintian has no error; as root they are installed, used, and taken away again.
set -eu
cd "$1"
lintian --fail-on error --tag-display-limit 0 ./*.changes
[ "$(id -u)" = 0 ] || { echo "deb: not root, so the packages are not installed"; exit 0; }
work=$(mktemp -d)
packages="libflux-ocs0 libflux-ocs-io0 libflux-ocs-dev flux-ocs python3-libflux"
trap 'dpkg --purge $packages >/dev/null 2>&1; rm -rf "$work"' EXIT
# shellcheck disable=SC2046
dpkg -i $(for package in $packages; do ls ./"${package}"_*.deb; done) >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
flux-ocs --version
man -P cat libflux_graph >/dev/null 2>&1 || [ -e /usr/share/man/man3/libflux_graph.3.gz ] ||
    [ -e /etc/dpkg/dpkg.cfg.d/docker ] # which leaves out manuals
cat >"$work/core.c" <<'C'
#include <libflux/flux.h>
#include <stdio.h>
int main(void)
{
    printf("libflux %s\n", flux_version_text());
    return flux_version() != FLUX_VERSION;
}
C
# shellcheck disable=SC2046
gcc -Wall -Werror "$work/core.c" -o "$work/core" $(pkg-config --cflags --libs libflux)
"$work/core"
(cd "$work" && /usr/bin/python3 -m libflux)
dpkg --purge $packages >/dev/null
for package in $packages; do
    dpkg-query -W -f '${Status}\n' "$package" 2>/dev/null | grep -q 'ok installed' && echo "deb: $package is still there" && exit 1
done
[ -z "$(find /usr/include/libflux /usr/lib/python3/dist-packages/libflux /usr/bin/flux-ocs 2>/dev/null)" ]
echo "deb: installed, used, and taken away again"
