#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Programs and libraries of different versions. tests/abi/caller.c is compiled with the headers of saved releases (as it was then), with
# those of today, and with those of a version to come, whose structs have a member more; each program then runs with
# today's library and with the one to come.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/abi.sh

# The library to come: today's sources with the headers to come. Everything that is not about structs is as it was.
mkdir "$work/tree"
cp -r Makefile libflux "$work/tree"
python3 tests/abi/vintage.py future "$work/tree/include"
oldest=tests/abi/saved/$(saved_releases | sort -V | head -n 1)
INCLUDE=$oldest python3 tests/abi/vintage.py past "$work/headers-past"
make -C "$work/tree" -j2 O="$work/coming" CC="${CC:-gcc}" CFLAGS=-O0 WITH_GLPK=0 shared >"$work/log" 2>&1
verdict "the library to come builds" $?

# caller NAME SOURCE INCLUDE FLAGS...: $work/NAME
caller() {
    name=$1 source=$2/caller.c include=$3
    shift 3
    ${CC:-gcc} -std=c11 -Wall -Wextra -Wno-missing-field-initializers "$@" "-I$include" "$source" "-L$BUILD" \
        -lflux-io -lflux -o "$work/$name" >"$work/log" 2>&1 || verdict "the program $name compiles" 1
}

# run PROGRAM LIBRARIES taken|refused: its lines, with the combination before each
run() {
    LD_LIBRARY_PATH=$2 "$work/$1" "$3" tests/data/cli/pair.yaml >"$work/log" 2>&1
    status=$?
    case $2 in "$BUILD") library="today's library" ;; *) library="the library to come" ;; esac
    sed -n "s/^\(ok\|not ok\) /\1 $4 with $library: /p" "$work/log"
    verdict "$4 with $library: $3 throughout" $status
}

for release in $(saved_releases); do
    caller "caller-$release" "tests/abi/saved/$release" "tests/abi/saved/$release"
    run "caller-$release" "$BUILD" taken "a program of $release"
    run "caller-$release" "$work/coming" taken "a program of $release"
done
caller today tests/abi include
run today "$work/coming" taken "a program of today"
caller future tests/abi "$work/tree/include" -DNEW
run future "$BUILD" taken "a program to come"
caller wants tests/abi "$work/tree/include" -DNEW -DSET
run wants "$BUILD" refused "a program to come that sets the new member"
run wants "$work/coming" taken "a program to come that sets the new member"
caller past "$oldest" "$work/headers-past" -DOLD
run past "$BUILD" refused "a program with structs that are too small"
exit $failed
