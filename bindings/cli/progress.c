/* SPDX-License-Identifier: Apache-2.0
 *
 * progress.c - what a person sees and does while a run goes on.
 */
#include "cli.h"
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define PATIENCE 0.5 /* seconds before anything is shown */
#define REFRESH 0.1  /* seconds between two versions of the line */

void progress_init(struct progress_line *line, const struct settings *settings)
{
    line->begin = clock_seconds();
    line->wanted = !settings->quiet && isatty(STDERR_FILENO);
    line->shown = 0;
    line->next = PATIENCE;
}

int progress_show(void *user, const struct flux_progress *progress)
{
    struct progress_line *line = user;
    double elapsed = clock_seconds() - line->begin;
    char makespan[FLUX_UNITS_TEXT];

    if (!line->wanted || elapsed < line->next)
        return 0;
    line->next = elapsed + REFRESH;
    if (progress->makespan < 0)
        fprintf(stderr, "\r%-10s %6.1f s%40s", flux_phase_name(progress->phase), elapsed, "");
    else
        fprintf(stderr, "\r%-10s %6.1f s  makespan %s, gap %.3f %%%10s", flux_phase_name(progress->phase), elapsed,
                flux_time_format(progress->makespan, makespan, sizeof(makespan)),
                100.0 * gap_of(progress->makespan, progress->bound), "");
    fflush(stderr);
    line->shown = 1;
    return 0;
}

void progress_count(struct progress_line *line, const char *what, uint64_t done, uint64_t total)
{
    static const char full[] = "##############################";
    const int width = (int)sizeof(full) - 1;
    double elapsed = clock_seconds() - line->begin;
    int part = total ? (int)((double)done / (double)total * width) : width;

    if (!line->wanted || elapsed < line->next)
        return;
    line->next = elapsed + REFRESH;
    fprintf(stderr, "\r%-10s [%.*s%*s] %llu of %llu %6.1f s ", what, part, full, width - part, "",
            (unsigned long long)done, (unsigned long long)total, elapsed);
    fflush(stderr);
    line->shown = 1;
}

void progress_end(struct progress_line *line)
{
    if (line->shown)
        fprintf(stderr, "\r%78s\r", "");
    line->shown = 0;
}

/* A signal handler has no other way to its object. */
static struct flux_cancel *volatile interrupted;

static void on_interrupt(int number)
{
    struct flux_cancel *cancel = interrupted;

    (void)number;
    if (cancel)
        flux_cancel_request(cancel);
}

void interrupt_catch(struct flux_cancel *cancel)
{
    struct sigaction action, old;

    memset(&action, 0, sizeof(action));
    action.sa_handler = on_interrupt;
    action.sa_flags = (int)(SA_RESETHAND | SA_RESTART);
    interrupted = cancel;
    /* A command in the background of a script has SIGINT ignored, and keeps it so. */
    if (sigaction(SIGINT, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
        sigaction(SIGINT, &action, NULL);
}

void interrupt_release(void)
{
    struct sigaction old;

    if (sigaction(SIGINT, NULL, &old) == 0 && old.sa_handler == on_interrupt)
        signal(SIGINT, SIG_DFL);
    interrupted = NULL;
}
