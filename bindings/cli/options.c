/* SPDX-License-Identifier: Apache-2.0
 *
 * options.c - reads the options of a subcommand by their table, and prints its help page.
 */
#include "option_table.h"
#include <string.h>

static const struct {
    uint32_t group;
    const char *heading;
} headings[] = {
    {GROUP_SCHEDULE_FILES, "Files (- is standard output)"},
    {GROUP_CONVERT_FILES, "Files (- is standard output)"},
    {GROUP_REPLAY, "Runs"},
    {GROUP_REPLAN, "How things stand"},
    {GROUP_COMPARE, "Comparison"},
    {GROUP_DEMAND, "Demand (default in brackets; - is standard output)"},
    {GROUP_FABRIC, "Fabric (default in brackets, where no document says otherwise)"},
    {GROUP_SEARCH, "Search"},
    {GROUP_SOLVER, "Solver"},
    {GROUP_MODEL, "Program"},
    {GROUP_TRACE, "Traces"},
    {GROUP_GENERATE, "Model and machine (default in brackets)"},
    {GROUP_COLLECTIVES, "Collectives"},
    {GROUP_COMMON, "Everywhere"},
};

void settings_init(struct settings *settings, const struct command *command)
{
    static const struct flux_import_options import = FLUX_IMPORT_OPTIONS_INIT;
    static const struct flux_generate_options training = FLUX_GENERATE_OPTIONS_INIT;

    memset(settings, 0, sizeof(*settings));
    settings->command = command;
    settings->import = import;
    settings->training = training;
    settings->switches = UNSET;
    settings->rule = UNSET;
    settings->blocking = UNSET;
    settings->dwell = TIME_UNSET;
    settings->propagation = TIME_UNSET;
    settings->at = TIME_UNSET;
    settings->threads = 1;
    settings->mode = FLUX_REPLAY_ORDER;
    settings->seeds = 1;
    settings->planes = 1;
    settings->duty_ppm = 900000;
    settings->generate = UNSET;
    settings->ports = 64;
}

/* The place of `word` in "one|two|three", or -1. */
static int choice_index(const char *list, const char *word)
{
    size_t length = strlen(word);

    for (int index = 0;; index++) {
        const char *bar = strchr(list, '|');
        size_t room = bar ? (size_t)(bar - list) : strlen(list);

        if (room == length && memcmp(list, word, length) == 0)
            return index;
        if (!bar)
            return -1;
        list = bar + 1;
    }
}

/* "--delay TIME[,TIME]": each of them is read here, so that a bad one is a usage error. */
static int times_check(const char *text, struct flux_error *error)
{
    char word[64];

    for (;;) {
        size_t length = strcspn(text, ",");
        int64_t time;

        if (length >= sizeof(word)) {
            snprintf(error->text, sizeof(error->text), "a number of %zu characters is no time", length);
            return -1;
        }
        memcpy(word, text, length);
        word[length] = '\0';
        if (flux_time_parse(word, &time, error))
            return -1;
        if (!text[length])
            return 0;
        text += length + 1;
    }
}

/* "--unit us": one of libflux/units.h without a number. */
static int unit_check(const char *text, struct flux_error *error)
{
    char one[16];
    uint64_t bytes;
    int64_t time;

    if (strlen(text) < sizeof(one) - 1 && (text[0] < '0' || text[0] > '9')) {
        snprintf(one, sizeof(one), "1%s", text);
        if (!flux_time_parse(one, &time, error) || !flux_bytes_parse(one, &bytes, error))
            return 0;
    }
    snprintf(error->text, sizeof(error->text), "no unit; say ps, ns, us, ms, s, or B, kB, MiB and the like");
    return -1;
}

static int option_store(struct settings *settings, const struct option *option, const char *value)
{
    const struct command *command = settings->command;
    const char *choices = option->choices ? option->choices : option->value;
    char *member = (char *)settings + option->member;
    struct flux_error error = {0};
    uint64_t number = 0;
    int index, bad = 0;

    switch (option->kind) {
    case FLAG:
        *(uint32_t *)(void *)member = 1;
        return 0;
    case TEXT:
        if (!*value)
            return report_usage(command, "%s needs a %s, not an empty word", option->name, option->value);
        *(const char **)(void *)member = value;
        bad = ((option->member == AT(delays) || option->member == AT(delay_list)) && times_check(value, &error)) ||
              (option->member == AT(import.unit) && unit_check(value, &error));
        break;
    case CHOICE:
        index = choice_index(choices, value);
        if (index < 0)
            return report_usage(command, "%s is one of %s, not '%s'", option->name, choices, value);
        *(uint32_t *)(void *)member = (uint32_t)index;
        return 0;
    case MODE:
        index = choice_index(choices, value ? value : strrchr(choices, '|') + 1);
        if (index < 0)
            return report_usage(command, "%s is one of %s, not '%s'", option->name, choices, value);
        *(uint32_t *)(void *)member = (uint32_t)index;
        return 0;
    case PAIR:
        if (*value == '=' || !strchr(value, '='))
            return report_usage(command, "%s is like glpk.mip_gap=0.01, not '%s'", option->name, value);
        if (settings->parameter_count == PARAMETERS_MAX)
            return report_usage(command, "%s: no more than %d of them", option->name, PARAMETERS_MAX);
        settings->parameters[settings->parameter_count++] = value;
        return 0;
    case FILES:
        if (*value == '=' || !strchr(value, '='))
            return report_usage(command, "%s is like all-reduce=FILE.xml, not '%s'", option->name, value);
        if (settings->import.algorithm_count == ALGORITHMS_MAX)
            return report_usage(command, "%s: no more than %d of them", option->name, ALGORITHMS_MAX);
        settings->collective_files[settings->import.algorithm_count++] = value;
        settings->import.algorithms = settings->collective_files;
        return 0;
    case COUNT:
        if (count_parse(value, option->max, &number) || number < option->min)
            return report_usage(command, "%s is a whole number from %u to %u, not '%s'", option->name, option->min,
                                option->max, value);
        *(uint32_t *)(void *)member = (uint32_t)number;
        return 0;
    case WHOLE:
        if (count_parse(value, UINT64_MAX, &number) || number < option->min)
            return report_usage(command, "%s is a whole number from %u to 2^64 - 1, not '%s'", option->name,
                                option->min, value);
        *(uint64_t *)(void *)member = number;
        return 0;
    case TIME:
        bad = flux_time_parse(value, (int64_t *)(void *)member, &error);
        break;
    case RATE:
        bad = flux_rate_parse(value, (uint64_t *)(void *)member, &error);
        if (!bad && *(uint64_t *)(void *)member == 0)
            return report_usage(command, "%s: a port needs more than %s", option->name, value);
        break;
    case BYTES:
        bad = flux_bytes_parse(value, (uint64_t *)(void *)member, &error);
        break;
    case PART:
        if (percent_parse(value, (uint32_t *)(void *)member))
            return report_usage(command, "%s is a percentage up to 100%% such as 5%% or 0.25%%, not '%s'", option->name,
                                value);
        return 0;
    case SIZE:
        bad = flux_bytes_parse(value, (uint64_t *)(void *)member, &error);
        break;
    case RATIO:
        if (ratio_parse(value, (uint64_t *)(void *)member, (uint64_t *)(void *)member + 1))
            return report_usage(command, "%s is a number above 0 such as 2, 0.5 or 1/2, not '%s'", option->name, value);
        return 0;
    case FLOPS:
        if (flops_parse(value, (double *)(void *)member))
            return report_usage(command, "%s is a number with GFLOPS, TFLOPS or PFLOPS, such as 312TFLOPS, not '%s'",
                                option->name, value);
        return 0;
    case MEMORY:
        if (memory_rate_parse(value, (double *)(void *)member))
            return report_usage(command, "%s is a number with MB/s, GB/s or TB/s, such as 2.039TB/s, not '%s'",
                                option->name, value);
        return 0;
    }
    if (bad)
        return report_usage(command, "%s %s: %s", option->name, value, error.text);
    return 0;
}

/* The row that `word` (`length` bytes of it) names for this subcommand. NULL: none, and *elsewhere is the row that
 * another subcommand has. */
static const struct option *option_find(const struct command *command, const char *word, size_t length,
                                        const struct option **elsewhere)
{
    *elsewhere = NULL;
    for (size_t i = 0; i < option_count; i++) {
        const struct option *option = &options[i];
        int same = word[1] == '-' ? strlen(option->name) == length && memcmp(option->name, word, length) == 0
                                  : option->letter && word[1] == option->letter;

        if (!same)
            continue;
        if (option->group & command->groups)
            return option;
        *elsewhere = option;
    }
    return NULL;
}

static int option_unknown(const struct command *command, const char *word, size_t length,
                          const struct option *elsewhere)
{
    char name[64];
    const char *nearest = NULL;
    unsigned best = UINT32_MAX;

    if (elsewhere)
        return report_usage(command, "%s is no option of 'flux-ocs %s'", elsewhere->name, command->name);
    snprintf(name, sizeof(name), "%.*s", (int)(length < 60 ? length : 60), word);
    for (size_t i = 0; i < option_count; i++) {
        if ((options[i].group & command->groups) && nearest_better(name, options[i].name, &best))
            nearest = options[i].name;
    }
    if (nearest)
        return report_usage(command, "unknown option %s; did you mean %s?", name, nearest);
    return report_usage(command, "unknown option %s", name);
}

/* One option at words[*at], with its value. */
static int option_read(struct settings *settings, int count, char **words, int *at)
{
    const char *word = words[*at], *value = NULL;
    int is_long = word[1] == '-';
    size_t length = is_long ? strcspn(word, "=") : 2;
    const struct option *option, *elsewhere;

    option = option_find(settings->command, word, length, &elsewhere);
    if (!option)
        return option_unknown(settings->command, word, length, elsewhere);
    if (word[length])
        value = word + length + (is_long ? 1 : 0);
    if (option->kind == FLAG) {
        if (value)
            return report_usage(settings->command, "%s takes no value", option->name);
    } else if (!value && option->kind != MODE) {
        if (*at + 1 >= count)
            return report_usage(settings->command, "%s needs a value: %s", option->name, option->value);
        value = words[++*at];
    }
    return option_store(settings, option, value);
}

int settings_parse(struct settings *settings, int count, char **words)
{
    const struct command *command = settings->command;
    int only_operands = 0;

    for (int i = 0; i < count; i++) {
        if (!only_operands && strcmp(words[i], "--") == 0) {
            only_operands = 1;
        } else if (!only_operands && words[i][0] == '-' && words[i][1]) {
            int status = option_read(settings, count, words, &i);

            if (status)
                return status;
        } else if (settings->operand_count < command->operands_max) {
            settings->operands[settings->operand_count++] = words[i];
        } else {
            return report_usage(command, "'%s' is one word too many", words[i]);
        }
    }
    if (!settings->help && settings->operand_count < command->operands_min)
        return report_usage(command, "%s is missing", command->operands);
    return 0;
}

#define HELP_COLUMN 28

static void option_print(FILE *out, const struct option *option)
{
    const char *gap = option->kind == MODE ? "[=" : " ", *close = option->kind == MODE ? "]" : "";
    char left[96];
    int width;

    if (option->letter)
        width = snprintf(left, sizeof(left), "-%c, %s%s%s", option->letter, option->name, option->value ? " " : "",
                         option->value ? option->value : "");
    else
        width = snprintf(left, sizeof(left), "%s%s%s%s", option->name, option->value ? gap : "",
                         option->value ? option->value : "", close);
    if (width >= HELP_COLUMN)
        fprintf(out, "  %s\n  %*s %s\n", left, HELP_COLUMN, "", option->help);
    else
        fprintf(out, "  %-*s %s\n", HELP_COLUMN, left, option->help);
}

void options_print(FILE *out, uint32_t groups)
{
    for (size_t h = 0; h < sizeof(headings) / sizeof(headings[0]); h++) {
        if (!(headings[h].group & groups))
            continue;
        fprintf(out, "\n%s:\n", headings[h].heading);
        for (size_t i = 0; i < option_count; i++) {
            if (options[i].group == headings[h].group)
                option_print(out, &options[i]);
        }
    }
}

int option_row(uint32_t groups, size_t index, struct option_row *row)
{
    for (size_t i = 0; i < option_count; i++) {
        const struct option *option = &options[i];

        if (!(option->group & groups) || index--)
            continue;
        row->name = option->name;
        row->letter = option->letter;
        row->optional = option->kind == MODE;
        row->value = option->value;
        row->choices = option->kind != CHOICE && option->kind != MODE ? NULL
                       : option->choices                              ? option->choices
                                                                      : option->value;
        row->help = option->help;
        return 1;
    }
    return 0;
}
