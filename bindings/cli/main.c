/* SPDX-License-Identifier: Apache-2.0
 *
 * main.c - the command flux-ocs: which subcommand runs.
 */
#include "cli.h"
#include <string.h>

static const struct command *const commands[] = {
    &command_info, &command_bound, &command_schedule, &command_check,
    &command_replay, &command_replan, &command_compare, &command_demand, &command_convert, &command_model, &command_backends, &command_formats, &command_generate,
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static const struct command *command_find(const char *name)
{
    for (size_t i = 0; i < COMMANDS; i++) {
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    }
    return NULL;
}

static int command_unknown(const char *name)
{
    const char *nearest = NULL;
    unsigned best = UINT32_MAX;

    for (size_t i = 0; i < COMMANDS; i++) {
        if (nearest_better(name, commands[i]->name, &best))
            nearest = commands[i]->name;
    }
    if (nearest)
        return report_usage(NULL, "unknown subcommand '%s'; did you mean %s?", name, nearest);
    return report_usage(NULL, "unknown subcommand '%s'", name);
}

static int version_print(void)
{
    uint64_t capabilities = flux_capabilities();

    printf("flux-ocs %s%s%s\n", flux_version_text(), capabilities & FLUX_CAPABILITY_GLPK ? ", with GLPK" : "",
           capabilities & FLUX_CAPABILITY_CBC ? ", with CBC" : "");
    return output_finish(0);
}

/* `flux-ocs`, `flux-ocs help`, `flux-ocs help schedule`, `flux-ocs --help`. */
static int help_print(const char *name)
{
    const struct command *command = name ? command_find(name) : NULL;

    if (name && !command)
        return command_unknown(name);
    if (command)
        help_command(stdout, command);
    else
        help_overview(stdout, commands, COMMANDS);
    return output_finish(0);
}

int main(int argc, char **argv)
{
    const struct command *command;
    struct settings settings;
    int status;

    output_init();
    if (argc < 2) {
        help_overview(stderr, commands, COMMANDS);
        return STATUS_USAGE;
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)
        return version_print();
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0)
        return help_print(argc > 2 ? argv[2] : NULL);
    if (strcmp(argv[1], "--completion") == 0)
        return completion_print(stdout, argc > 2 ? argv[2] : NULL, commands, COMMANDS);
    if (argv[1][0] == '-')
        return report_usage(NULL, "the subcommand comes first, then its options; '%s' is none", argv[1]);
    command = command_find(argv[1]);
    if (!command)
        return command_unknown(argv[1]);

    settings_init(&settings, command);
    status = settings_parse(&settings, argc - 2, argv + 2);
    if (status)
        return status;
    if (settings.help) {
        help_command(stdout, command);
        return output_finish(0);
    }
    report_init(&settings);
    return command->run(&settings);
}
