/* SPDX-License-Identifier: Apache-2.0
 *
 * report.c - errors, warnings and notes: one line each on standard error.
 */
#include "cli.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint32_t quiet;

void report_init(const struct settings *settings)
{
    quiet = settings->quiet;
}

int report_colour(FILE *stream)
{
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

    if (no_color && *no_color)
        return 0;
    if (!term || !*term || strcmp(term, "dumb") == 0)
        return 0;
    return isatty(fileno(stream));
}

static void say(const char *kind, const char *colour, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

static void say(const char *kind, const char *colour, const char *format, va_list arguments)
{
    int coloured = *kind && report_colour(stderr);

    fprintf(stderr, "flux-ocs: %s%s%s", coloured ? colour : "", kind, coloured ? "\033[0m" : "");
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
}

void report_error(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    say("error: ", "\033[1;31m", format, arguments);
    va_end(arguments);
}

void report_warning(const char *format, ...)
{
    va_list arguments;

    if (quiet)
        return;
    va_start(arguments, format);
    say("warning: ", "\033[1;33m", format, arguments);
    va_end(arguments);
}

void report_note(const char *format, ...)
{
    va_list arguments;

    if (quiet)
        return;
    va_start(arguments, format);
    say("note: ", "\033[1m", format, arguments);
    va_end(arguments);
}

int report_usage(const struct command *command, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    say("", "", format, arguments);
    va_end(arguments);
    if (command)
        fprintf(stderr, "flux-ocs: 'flux-ocs %s --help' lists what it takes\n", command->name);
    else
        fprintf(stderr, "flux-ocs: 'flux-ocs --help' lists the subcommands\n");
    return STATUS_USAGE;
}

int report_failure(const char *path, const struct flux_error *error)
{
    const char *text = error->text[0] ? error->text : flux_error_name(error->code);

    if (path)
        report_error("%s: %s", strcmp(path, "-") == 0 ? "standard input" : path, text);
    else
        report_error("%s", text);
    return error->code == FLUX_E_INFEASIBLE ? STATUS_FAILED : STATUS_INPUT;
}
