#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The names that the libraries show and the names that they use: headers, symbol maps and exports say the same; no
# global is without flux_; nothing that would end, print, or look around in the host process is even linked to.
set -u
LC_ALL=C
export LC_ALL
cd "$(dirname "$0")/../.." || exit 1
BUILD=${BUILD:-build}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

# verdict NAME FILE: ok where FILE is empty, else its lines are what is wrong
verdict() {
    if [ -s "$2" ]; then
        echo "not ok $1"
        sed 's/^/    /' "$2"
        failed=1
    else
        echo "ok $1"
    fi
}

# same NAME A B: two sorted lists
same() {
    comm -3 "$2" "$3" >"$work/difference"
    [ -s "$2" ] || echo "nothing in $2" >>"$work/difference"
    verdict "$1" "$work/difference"
}

# Functions marked FLUX_API in headers; comments and preprocessor lines taken away.
declared() {
    cat "$@" | sed '/^#/d' | tr '\n' ' ' | sed 's:/\*[^*]*\*\**\([^/*][^*]*\*\**\)*/: :g' | tr ';' '\n' |
        sed -n 's/^\(.*[ }]\)*FLUX_API \([^(]*[ *]\)\(flux_[a-z0-9_]*\)(.*/\3/p' | sort -u
}

mapped() {
    sed -n 's/^ *\(flux_[a-z0-9_]*\);.*/\1/p' "$1"
}

exported() {
    nm -D --defined-only "$1" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort -u
}

# library MAP SHARED STATIC NAME HEADERS...
library() {
    map=$1 shared=$2 static=$3 name=$4
    shift 4
    declared "$@" >"$work/declared"
    mapped "$map" >"$work/listed"
    sort "$work/listed" >"$work/mapped"
    same "$name: the map lists what the headers declare" "$work/declared" "$work/mapped"
    uniq -d "$work/mapped" >"$work/twice"
    verdict "$name: the map lists nothing twice" "$work/twice"
    if [ -e "$shared" ]; then
        exported "$shared" >"$work/exported"
        same "$name: the shared library exports what the map lists" "$work/exported" "$work/mapped"
        cat "$work/exported" >>"$work/all"
    else
        echo "ok $name: exports # SKIP $shared is not built"
    fi
    if [ -e "$static" ]; then
        nm -g --defined-only "$static" | awk 'NF == 3 && $3 !~ /^flux_/ { print $3 }' |
            grep -v -e '^__asan_' -e '^__odr_asan' -e '^__ubsan_' -e '^__sanitizer_' >"$work/strangers"
        verdict "$name: every global starts with flux_" "$work/strangers"
        # variables in .data and .bss, also static ones; constants that only await relocation are in .data.rel.ro
        nm -f sysv --defined-only "$static" | awk -F'|' '
            /^Symbols from/ { object = $0; sub(/.*\[/, "", object); sub(/\].*/, "", object) }
            $4 ~ /OBJECT|TLS/ && $7 ~ /^ *\.(data|bss|tdata|tbss|common)/ && $7 !~ /rel\.ro/ { print object ": " $1 }' |
            grep -v -e asan -e ubsan -e sanitizer | grep -v -E '^(glpk|cbc)[a-z_]*\.o: ' >"$work/writable"
        verdict "$name: no variable keeps state" "$work/writable"
    else
        echo "ok $name: globals # SKIP $static is not built"
    fi
}

: >"$work/all"
library libflux/libflux.map "$BUILD/libflux.so" "$BUILD/libflux.a" libflux include/libflux/*.h
library libflux/libflux-io.map "$BUILD/libflux-io.so" "$BUILD/libflux-io.a" libflux-io include/libflux/io/*.h

# forbidden STATIC NAME PATTERN: undefined symbols of every object but the solvers' own files, where hooks and a thread
# of their own keep such things away from the host
forbidden() {
    [ -e "$1" ] || {
        echo "ok $2 # SKIP $1 is not built"
        return
    }
    nm -u "$1" | awk '/^[^ ]*\.o:$/ { object = $1 } $1 == "U" { print object, $2 }' |
        grep -v -E '^(glpk|cbc)[a-z_]*\.o: ' | sed 's/@.*//' | grep -E ": ($3)\$" >"$work/used"
    verdict "$2" "$work/used"
}

# pthread_sigmask is not among them: a thread of our own starts with all signals blocked, so that none is handled there.
ends='abort|exit|_exit|_Exit|quick_exit|atexit|on_exit|__cxa_atexit|__assert_fail|__assert|raise|kill|err|errx|verr|verrx|longjmp|_longjmp|siglongjmp|__longjmp_chk'
prints='printf|__printf_chk|vprintf|__vprintf_chk|puts|putchar|putchar_unlocked|perror|psignal|warn|warnx|vwarn|vwarnx|syslog|__syslog_chk|vsyslog'
looks='getenv|secure_getenv|__secure_getenv|setenv|putenv|unsetenv|clearenv|environ|__environ|setlocale|uselocale|newlocale|localeconv|nl_langinfo|signal|sigaction|sigprocmask|sigaltstack|alarm|setitimer|chdir|dlopen|system|popen|fork|vfork|execve|posix_spawn'
locale='strtod|strtof|strtold|strtod_l|atof|scanf|sscanf|fscanf|vsscanf|__isoc99_scanf|__isoc99_sscanf|__isoc99_fscanf|__isoc99_vsscanf|wcstod|toupper|tolower|strcoll|strxfrm|__ctype_b_loc|__ctype_tolower_loc|__ctype_toupper_loc'
files='fopen|fopen64|freopen|fdopen|open|open64|creat|openat|read|write|writev|pwrite|pread|close|fputs|fputc|fputs_unlocked|putc|_IO_putc|fwrite|fwrite_unlocked|fread|fflush|fprintf|__fprintf_chk|vfprintf|__vfprintf_chk|dprintf|__dprintf_chk|vdprintf|__vdprintf_chk|stdout|stderr|stdin|mmap|mmap64|socket|connect|send|sendto|recv'
state='rand|srand|random|srandom|drand48|lrand48|strtok|localtime|gmtime|ctime|asctime|time|gettimeofday|strerror|umask'

forbidden "$BUILD/libflux.a" "libflux: nothing that ends the process" "$ends"
forbidden "$BUILD/libflux.a" "libflux: nothing that prints" "$prints"
forbidden "$BUILD/libflux.a" "libflux: nothing that looks at the environment, the locale or signals" "$looks"
forbidden "$BUILD/libflux.a" "libflux: nothing that the locale changes" "$locale"
forbidden "$BUILD/libflux.a" "libflux: no file, no descriptor" "$files"
forbidden "$BUILD/libflux.a" "libflux: no state of the process" "$state"
forbidden "$BUILD/libflux-io.a" "libflux-io: nothing that ends the process" "$ends"
forbidden "$BUILD/libflux-io.a" "libflux-io: nothing that prints on its own" "$prints|stderr"
forbidden "$BUILD/libflux-io.a" "libflux-io: nothing that looks at the environment, the locale or signals" "$looks"
forbidden "$BUILD/libflux-io.a" "libflux-io: nothing that the locale changes" "$locale"
forbidden "$BUILD/libflux-io.a" "libflux-io: no state of the process" "$state"

# The Flux resource manager has a C interface of the same prefix, and a program may link both.
declared include/libflux/*.h include/libflux/io/*.h >>"$work/all"
grep -v '^#' tests/data/other-flux-names.txt | sort -u >"$work/others"
sort -u "$work/all" | comm -12 - "$work/others" >"$work/met"
[ "$(wc -l <"$work/others")" -gt 500 ] || echo "tests/data/other-flux-names.txt is not the list" >>"$work/met"
verdict "no name meets one of the Flux resource manager's" "$work/met"

exit $failed
