#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Eight threads under ThreadSanitizer, with GLPK: no race in what is ours. And a race made on purpose, which must be told.
set -u
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0
verdict() {
    if [ "$2" -eq 0 ]; then
        echo "ok threads: $1"
    else
        echo "not ok threads: $1"
        tail -n 60 "$work/log" | sed 's/^/    /'
        failed=1
    fi
}

cat >"$work/race.c" <<'C'
#include <pthread.h>
static int count;
static void *add(void *nothing)
{
    count++;
    return nothing;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
C
options="suppressions=tests/support/tsan.supp exitcode=66"
# A kernel that places memory as ThreadSanitizer does not like it lets it run without that.
run="setarch -R"
$run true 2>/dev/null || run=
if ! gcc -fsanitize=thread -pthread "$work/race.c" -o "$work/race" 2>"$work/log"; then
    echo "ok threads # SKIP no ThreadSanitizer"
    exit 0
fi
TSAN_OPTIONS=$options $run "$work/race" >"$work/log" 2>&1
[ $? -eq 66 ] && grep -q "data race" "$work/log"
verdict "a race is told" $?
make -j2 CC=gcc SANITIZE=thread OPT=-O0 WERROR=0 build/gcc-thread/tests/property/test_threads >"$work/log" 2>&1
verdict "builds" $?
TSAN_OPTIONS=$options timeout 300 $run build/gcc-thread/tests/property/test_threads >"$work/log" 2>&1
status=$?
verdict "no race" $status
grep -h "threads, " "$work/log"
exit $failed
