/* SPDX-License-Identifier: Apache-2.0 */
#include "search/crew.h"

#include "search/run.h"

#include <libflux/error.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

#define POOL_FIRST (UINT64_C(1) << 18)
#define POOL_PER_NODE 256u
#define NODES_PER_THREAD 512u /* a turn that places fewer is done before a thread has begun */

struct shift {
    struct flux_crew *crew;
    atomic_int *stop;
    uint32_t first; /* attempts first, first + step, ... */
    uint32_t step;
};

/* Blocks are taken one after another and go all at once. */
static void *pool_alloc(void *user, uint64_t size)
{
    struct flux_pool *pool = user;
    uint64_t bytes = (size + 15) / 16 * 16;
    if (bytes < size || bytes > pool->size - pool->used)
        return NULL;
    void *block = pool->block + pool->used;
    pool->used += bytes;
    return block;
}

static void *pool_resize(void *user, void *block, uint64_t old_size, uint64_t new_size)
{
    void *fresh = pool_alloc(user, new_size);
    if (fresh)
        memcpy(fresh, block, (size_t)(old_size < new_size ? old_size : new_size));
    return fresh;
}

static void pool_release(void *user, void *block, uint64_t size)
{
    (void)user;
    (void)block;
    (void)size;
}

static int construct(struct flux_run *run, const struct flux_batches *batches, struct flux_attempt *attempt)
{
    const struct flux_direction forward = flux_direction_of(run->problem, 0);
    if (attempt->rounds)
        return flux_run_batches(run, batches, attempt->key, &attempt->plan);
    uint32_t *order = flux_arena_alloc(run->arena, run->problem->nodes, sizeof *order);
    int rc = order ? flux_sequence_make(run->problem, &forward, attempt->key, 0, order, run->arena) : FLUX_E_MEMORY;
    return rc ? rc : flux_run_insertion(run, &forward, order, &attempt->plan);
}

static void make(struct flux_crew *crew, uint32_t i, struct flux_control *control, atomic_int *stop)
{
    struct flux_attempt *attempt = &crew->attempt[i];
    struct flux_memory memory = *crew->control->memory;
    struct flux_arena arena;
    memory.env.alloc = pool_alloc;
    memory.env.resize = pool_resize;
    memory.env.release = pool_release;
    memory.env.user = &crew->pool[i];
    crew->pool[i].used = 0;
    flux_arena_init(&arena, &memory);
    struct flux_run run = {
        .problem = crew->problem, .arena = &arena, .control = control, .stop = stop, .limit = crew->limit};
    attempt->rc = atomic_load(stop) ? FLUX_RUN_STOPPED : construct(&run, crew->batches, attempt);
    attempt->work = run.work + run.placed + 1;
    if (!attempt->rc)
        flux_plan_measure(&attempt->plan, crew->problem);
    if (!attempt->rc && attempt->plan.makespan > crew->limit)
        attempt->rc = FLUX_RUN_LATE;
}

static void *work(void *user)
{
    const struct shift *shift = user;
    for (uint32_t i = shift->first; i < shift->crew->count; i += shift->step)
        make(shift->crew, i, NULL, shift->stop);
    return NULL;
}

/* Threads must not take signals that are meant for the host's. */
static int start(pthread_t *thread, struct shift *shift)
{
    sigset_t all, before;
    sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &before))
        return 0;
    int started = !pthread_create(thread, NULL, work, shift);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

static void make_all(struct flux_crew *crew)
{
    atomic_int stop = 0;
    struct shift shift[FLUX_CREW_SIZE];
    pthread_t thread[FLUX_CREW_SIZE];
    uint32_t threads = crew->threads < crew->count ? crew->threads : crew->count, started = 1;
    if ((uint64_t)crew->problem->nodes * crew->count < (uint64_t)NODES_PER_THREAD * threads)
        threads = 1;
    for (uint32_t t = 0; t < threads; t++)
        shift[t] = (struct shift){crew, &stop, t, threads};
    while (started < threads && start(&thread[started], &shift[started]))
        started++;
    for (uint32_t i = 0; i < crew->count; i++)
        if (i % threads == 0 || i % threads >= started)
            make(crew, i, crew->control, &stop);
    for (uint32_t t = 1; t < started; t++)
        pthread_join(thread[t], NULL);
}

static int enlarge(struct flux_crew *crew, struct flux_pool *pool, uint64_t size)
{
    const struct flux_memory *memory = crew->control->memory;
    if (pool->block)
        flux_release(memory, pool->block, pool->size, 1);
    pool->size = 0;
    pool->block = flux_alloc(memory, size, 1);
    if (!pool->block)
        return FLUX_E_MEMORY;
    pool->size = size;
    return FLUX_OK;
}

int flux_crew_init(struct flux_crew *crew, const struct flux_problem *problem, const struct flux_batches *batches,
                   struct flux_control *control, struct flux_arena *arena)
{
    int rc = FLUX_OK;
    memset(crew, 0, sizeof *crew);
    crew->problem = problem;
    crew->batches = batches;
    crew->control = control;
    crew->threads = control->options->threads ? control->options->threads : 1;
    for (uint32_t i = 0; i < FLUX_CREW_SIZE && !rc; i++) {
        crew->attempt[i].key = flux_arena_alloc(arena, problem->nodes, sizeof *crew->attempt[i].key);
        rc = crew->attempt[i].key ? flux_plan_alloc(&crew->attempt[i].plan, problem, arena) : FLUX_E_MEMORY;
    }
    return rc;
}

void flux_crew_free(struct flux_crew *crew)
{
    for (uint32_t i = 0; i < FLUX_CREW_SIZE; i++)
        if (crew->pool[i].block)
            flux_release(crew->control->memory, crew->pool[i].block, crew->pool[i].size, 1);
}

/* Where its memory was too small an attempt is made again in more. */
static int make_again(struct flux_crew *crew, uint32_t i)
{
    atomic_int stop = 0;
    int rc = FLUX_OK;
    while (crew->attempt[i].rc == FLUX_E_MEMORY && !rc) {
        rc = enlarge(crew, &crew->pool[i], 2 * crew->pool[i].size);
        if (!rc)
            make(crew, i, crew->control, &stop);
    }
    return rc;
}

int flux_crew_turn(struct flux_crew *crew)
{
    uint64_t placed = 0;
    int rc = FLUX_OK;
    for (uint32_t i = 0; i < crew->count && !rc; i++)
        if (!crew->pool[i].block)
            rc = enlarge(crew, &crew->pool[i], POOL_FIRST + (uint64_t)crew->problem->nodes * POOL_PER_NODE);
    if (rc)
        return rc;
    make_all(crew);
    for (uint32_t i = 0; i < crew->count && !rc; i++) {
        rc = make_again(crew, i);
        placed += crew->attempt[i].work;
        if (!rc && crew->attempt[i].rc == FLUX_RUN_STOPPED)
            rc = FLUX_RUN_STOPPED;
    }
    (void)flux_control_poll(crew->control, placed);
    return rc;
}
