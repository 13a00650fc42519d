/* SPDX-License-Identifier: Apache-2.0
 *
 * compare_jobs.c - the schedulers of a comparison on several threads. Graph and fabrics are only read; every job has
 * its own place for what comes out of it, so that nothing depends on which thread does what.
 */
#include "compare.h"
#include <pthread.h>
#include <time.h>

struct crew {
    struct compare *compare;
    pthread_mutex_t lock;
    pthread_cond_t finished;
    uint32_t wave; /* 0: flux, whose number of schedules random wants to know; 1: all others */
    uint32_t next;
    uint32_t at_work; /* threads */
    struct progress_line line;
};

static uint32_t wave_of(const struct compare_job *job)
{
    return job->scheduler != FLUX_SCHEDULER_FLUX;
}

static uint32_t constructions_of_flux(const struct compare *compare, uint32_t delay)
{
    const struct compare_job *job = compare_done(compare, delay, FLUX_SCHEDULER_FLUX);

    return job ? job->summary.constructions : 0;
}

static void job_run(const struct compare *compare, struct compare_job *job)
{
    struct flux_compare_options options = FLUX_COMPARE_OPTIONS_INIT;
    struct flux_options schedule = FLUX_OPTIONS_INIT;
    const struct settings *settings = compare->settings;

    schedule.time_limit_ns = ((uint64_t)settings->time_limit + FLUX_NS - 1) / FLUX_NS;
    schedule.seed = settings->seed;
    schedule.cancel = compare->cancel;
    options.schedule = &schedule;
    options.seed = settings->seed;
    options.duty_ppm = settings->duty_ppm;
    options.repeats = settings->repeats;
    options.constructions = settings->constructions;
    if (!options.constructions && job->scheduler == FLUX_SCHEDULER_RANDOM)
        options.constructions = constructions_of_flux(compare, job->delay);
    job->summary = (struct flux_comparison_summary)FLUX_COMPARISON_SUMMARY_INIT;
    if (!flux_compare(compare->input.graph, compare->fabrics[job->delay], job->scheduler, &options, &job->comparison,
                      &job->error)) {
        job->error.code = 0;
        (void)flux_comparison_summary(job->comparison, &job->summary);
    }
}

static void *work(void *user)
{
    struct crew *crew = user;
    struct compare *compare = crew->compare;

    pthread_mutex_lock(&crew->lock);
    while (crew->next < compare->job_count && !flux_cancel_requested(compare->cancel)) {
        struct compare_job *job = &compare->jobs[crew->next++];

        if (wave_of(job) != crew->wave)
            continue;
        pthread_mutex_unlock(&crew->lock);
        job_run(compare, job);
        pthread_mutex_lock(&crew->lock);
        compare->done += job->comparison != NULL;
        pthread_cond_signal(&crew->finished);
    }
    crew->at_work--;
    pthread_cond_signal(&crew->finished);
    pthread_mutex_unlock(&crew->lock);
    return NULL;
}

/* Shows how far it is until nobody works any more. */
static void wait_for_all(struct crew *crew)
{
    pthread_mutex_lock(&crew->lock);
    while (crew->at_work) {
        struct timespec until;

        progress_count(&crew->line, "compare", crew->compare->done, crew->compare->job_count);
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 100000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&crew->finished, &crew->lock, &until);
    }
    pthread_mutex_unlock(&crew->lock);
}

/* A thread that cannot be made is done without; with none at all the caller's does the work. */
static void wave_run(struct crew *crew, uint32_t wave)
{
    uint32_t wanted = crew->compare->settings->threads, made = 0;
    pthread_t threads[1024];

    crew->wave = wave;
    crew->next = 0;
    crew->at_work = wanted;
    while (made < wanted && made < sizeof(threads) / sizeof(threads[0]) &&
           pthread_create(&threads[made], NULL, work, crew) == 0)
        made++;
    pthread_mutex_lock(&crew->lock);
    crew->at_work -= wanted - made;
    pthread_mutex_unlock(&crew->lock);
    if (!made) {
        crew->at_work = 1;
        work(crew);
    }
    wait_for_all(crew);
    while (made)
        pthread_join(threads[--made], NULL);
}

/* The first error, in the order of the jobs. A job that Ctrl-C cut is none. */
static int errors_say(const struct compare *compare)
{
    for (uint32_t i = 0; i < compare->job_count; i++) {
        const struct compare_job *job = &compare->jobs[i];

        if (job->error.code && job->error.code != FLUX_E_CANCELLED)
            return report_failure(compare->settings->operands[0], &job->error);
    }
    if (!compare->done && compare->job_count) {
        report_error("interrupted before anything was done");
        return STATUS_INPUT;
    }
    if (compare->done < compare->job_count)
        report_note("interrupted; what follows is the %u of %u that were done", compare->done, compare->job_count);
    return 0;
}

int compare_run_jobs(struct compare *compare)
{
    struct crew crew = {.compare = compare};

    pthread_mutex_init(&crew.lock, NULL);
    pthread_cond_init(&crew.finished, NULL);
    progress_init(&crew.line, compare->settings);
    for (uint32_t wave = 0; wave < 2 && !flux_cancel_requested(compare->cancel); wave++)
        wave_run(&crew, wave);
    progress_end(&crew.line);
    pthread_cond_destroy(&crew.finished);
    pthread_mutex_destroy(&crew.lock);
    return errors_say(compare);
}
