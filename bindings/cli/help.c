/* SPDX-License-Identifier: Apache-2.0
 *
 * help.c - the help pages, made from the tables of subcommands and options.
 */
#include "cli.h"

void help_command(FILE *out, const struct command *command)
{
    fprintf(out, "usage: flux-ocs %s%s%s [options]\n\n%s\n", command->name, *command->operands ? " " : "",
            command->operands, command->description);
    options_print(out, command->groups);
    fprintf(out, "\nExit status: 0 done, 1 %s, 2 usage, 3 bad input.\n\nExample:\n%s",
            "the schedule fails the check or the problem is infeasible", command->example);
}

void help_overview(FILE *out, const struct command *const *commands, size_t count)
{
    fprintf(out, "usage: flux-ocs SUBCOMMAND INPUT [options]\n\n"
                 "Schedules optical circuit switches from the dependency graph of a training iteration.\n\n");
    for (size_t i = 0; i < count; i++)
        fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    fprintf(out, "\n  flux-ocs SUBCOMMAND --help   its options, and an example that works\n"
                 "  flux-ocs --version           the version, and what was compiled in\n"
                 "  flux-ocs --completion SHELL  a script that completes words, for bash or zsh\n\n"
                 "INPUT is a document in our own YAML (or JSON) or the prefix of a set of Chakra traces:\n"
                 "path/workload for path/workload.0.et, path/workload.1.et, ... \"-\" is standard input.\n");
}
