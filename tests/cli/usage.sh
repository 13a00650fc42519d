#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the command says to a person who does not know it yet: help, version, and words it cannot use.
. "$(dirname "$0")/../support/cli.sh"
PAIR=$DATA/cli/pair.yaml

expect "no subcommand is a usage error with the list" 2 "usage: flux-ocs"
expect "a mistyped subcommand names the nearest" 2 "did you mean schedule" shedule x
expect "a word that is near nothing" 2 "unknown subcommand 'frobnicate'" frobnicate
expect "an option before the subcommand" 2 "subcommand comes first" --json
expect "a mistyped option names the nearest" 2 "did you mean --delay" schedule "$PAIR" --dleay 10us
expect "the beginning of an option is not the option" 2 "did you mean --switches" schedule "$PAIR" --switch 2
expect "an option of another subcommand" 2 "--csv is no option of 'flux-ocs info'" info "$PAIR" --csv x
expect "an option without its value" 2 "--delay needs a value" schedule "$PAIR" --delay
expect "a flag with a value" 2 "takes no value" schedule "$PAIR" --json=yes
expect "no input" 2 "INPUT is missing" schedule --json
expect "one word too many" 2 "one word too many" info "$PAIR" "$PAIR"
expect "a unit is missing on the command line" 2 "unit" schedule "$PAIR" --delay 10
expect "a time finer than a picosecond" 2 "--delay" schedule "$PAIR" --delay 0.5ps
expect "zero switches" 2 "from 1 to 1024" schedule "$PAIR" --switches 0
expect "a rate of nothing" 2 "--rate" schedule "$PAIR" --rate 0Gbps
expect "a word for a rule that is none" 2 "paper|duplex|simplex" schedule "$PAIR" --rule star
expect "a number that is none" 2 "whole number" schedule "$PAIR" --threads many
expect "a number that does not fit" 2 "whole number" schedule "$PAIR" --seed 18446744073709551616
expect "an empty file name" 2 "empty" schedule "$PAIR" -o ""
expect "a scale of nothing" 2 "above 0" schedule "$PAIR" --size-scale 0
expect "operations without a unit" 2 "TFLOPS" info "$PAIR" --peak-flops 312
expect "two delays for three switches" 2 "2 times for 3 switches" schedule "$PAIR" --switches 3 --delay 1us,2us
expect "a picture that ends before it begins" 2 "svg-to" schedule "$PAIR" --svg-from 2us --svg-to 1us
expect "two outputs on standard output" 2 "both want standard output" schedule "$PAIR" --json --csv -
expect "two outputs in one file" 2 "are both same" schedule "$PAIR" -o same --csv same
[ -e same ]
verdict "nothing is written after a usage error" $((1 - $?)) "a file appeared"

expect "help is no error" 0 "" --help
grep -q "schedule" out
verdict "help lists the subcommands" $?
expect "the version" 0 "" --version
grep -q '^flux-ocs [0-9]*\.[0-9]*\.[0-9]*' out
verdict "the version has three numbers" $?
for subcommand in info bound schedule check convert model backends generate; do
    expect "$subcommand --help" 0 "" "$subcommand" --help
    grep -q "^usage: flux-ocs $subcommand" out && grep -q '^Example:' out && grep -q '^Exit status: 0 done, 1' out &&
        [ "$(wc -l <out)" -le 100 ]
    verdict "$subcommand --help is one page with usage, an example and the exit statuses" $?
    cp out page
    run help "$subcommand"
    cmp -s out page
    verdict "help $subcommand is the same page" $?
done

expect "an option with an equals sign" 0 "" info "$PAIR" --switches=3
expect "the last of two wins" 0 "" schedule "$PAIR" --switches 3 --switches 2 --json
json "the last of two wins, seen" 'o["switches"] == 2'
expect "a fraction as scale" 0 "" info "$PAIR" --size-scale 3/2
expect "operations with a unit" 0 "" info "$PAIR" --peak-flops 312TFLOPS --memory-rate "2.039 TB/s"
cp "$PAIR" ./-x.yaml
expect "a file name that begins with a dash" 0 "" info -- -x.yaml
finish
