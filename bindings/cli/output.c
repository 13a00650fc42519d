/* SPDX-License-Identifier: Apache-2.0
 *
 * output.c - standard output, and whether the files that were asked for can be written.
 */
#include "cli.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int closed_from_start;

/* A descriptor that the caller closed is taken by /dev/null, opened so that writing to it fails: otherwise the next
 * file that is opened would get its number, and our messages would go into that file. */
void output_init(void)
{
    for (int fd = 0; fd <= 2; fd++) {
        int got;

        if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF)
            continue;
        if (fd == 1)
            closed_from_start = 1;
        got = open("/dev/null", fd == 0 ? O_WRONLY : fd == 1 ? O_RDONLY : O_WRONLY);
        if (got >= 0 && got != fd) {
            (void)dup2(got, fd);
            close(got);
        }
    }
}

static int path_check(const char *option, const char *path)
{
    char folder[4096];
    const char *slash = strrchr(path, '/');
    struct stat found;
    int exists = stat(path, &found) == 0;

    if (exists && S_ISDIR(found.st_mode)) {
        report_error("%s %s: that is a folder; name a file in it", option, path);
        return STATUS_INPUT;
    }
    if (exists && !S_ISREG(found.st_mode))
        return 0;
    if (slash && (size_t)(slash - path) >= sizeof(folder)) {
        report_error("%s: the path is too long", option);
        return STATUS_INPUT;
    }
    snprintf(folder, sizeof(folder), "%.*s", slash == path ? 1 : slash ? (int)(slash - path) : 1, slash ? path : ".");
    if (access(folder, W_OK | X_OK)) {
        report_error("%s %s: no file can be written in %s: %s; name another place", option, path, folder,
                     strerror(errno));
        return STATUS_INPUT;
    }
    return 0;
}

int output_check(const struct settings *settings)
{
    const struct {
        const char *option;
        const char *path;
    } files[] = {{"--output", settings->output},
                 {"--rest", settings->rest},
                 {"--csv", settings->csv},
                 {"--series", settings->series},
                 {"--perfetto", settings->perfetto},
                 {"--svg", settings->svg}};
    const char *standard = settings->json ? "--json" : NULL;

    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        if (!files[i].path)
            continue;
        for (size_t j = 0; j < i; j++) {
            if (files[j].path && strcmp(files[i].path, files[j].path) == 0 && strcmp(files[i].path, "-") != 0)
                return report_usage(settings->command, "%s and %s are both %s", files[j].option, files[i].option,
                                    files[i].path);
        }
        if (strcmp(files[i].path, "-") == 0) {
            if (standard)
                return report_usage(settings->command, "%s and %s both want standard output", standard,
                                    files[i].option);
            standard = files[i].option;
        } else if (path_check(files[i].option, files[i].path)) {
            return STATUS_INPUT;
        }
    }
    return 0;
}

int output_settle(const struct settings *settings, struct settings *changed)
{
    *changed = *settings;
    if (!changed->output)
        changed->output = "-";
    return output_check(changed);
}

FILE *output_table(const struct settings *settings)
{
    const char *files[] = {settings->output,   settings->rest, settings->csv, settings->series,
                           settings->perfetto, settings->svg};

    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        if (files[i] && strcmp(files[i], "-") == 0)
            return stderr;
    }
    return stdout;
}

int output_finish(int elsewhere)
{
    int failed = ferror(stdout) || fflush(stdout);

    if (!failed || (closed_from_start && elsewhere))
        return STATUS_DONE;
    report_error("standard output could not be written: %s", closed_from_start ? "it is closed" : strerror(errno));
    return STATUS_INPUT;
}
