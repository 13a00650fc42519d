/* SPDX-License-Identifier: Apache-2.0 */
#include "prove/clauses.h"

#include "prove/activity.h"

#include <libflux/error.h>
#include <string.h>

#define SIZE 0u
#define RANK 1u /* how many levels a learned clause speaks of; 0: original */
#define LINKS 2u
#define LITERALS 4u
#define REASON_GIVEN (UINT32_C(1) << 31)
#define LEARNED_WORDS (UINT32_C(1) << 20)
#define NO_CLAUSE UINT32_MAX

int flux_clauses_init(struct flux_clauses *clauses, uint32_t capacity, uint32_t words, uint32_t given,
                      struct flux_arena *arena)
{
    memset(clauses, 0, sizeof *clauses);
    clauses->capacity = capacity;
    clauses->pool_capacity = words + LEARNED_WORDS;
    clauses->given_capacity = given;
    clauses->bump = 16;
    clauses->value = flux_arena_zero(arena, capacity, 2);
    clauses->phase = flux_arena_zero(arena, capacity, 1);
    clauses->level_of = flux_arena_zero(arena, capacity, sizeof *clauses->level_of);
    clauses->reason = flux_arena_zero(arena, capacity, sizeof *clauses->reason);
    clauses->trail = flux_arena_alloc(arena, capacity, sizeof *clauses->trail);
    clauses->levels = flux_arena_alloc(arena, (uint64_t)capacity + 1, sizeof *clauses->levels);
    clauses->pool = flux_arena_alloc(arena, clauses->pool_capacity, sizeof *clauses->pool);
    clauses->watch = flux_arena_alloc(arena, capacity, 2 * sizeof *clauses->watch);
    clauses->given = flux_arena_alloc(arena, given, sizeof *clauses->given);
    clauses->activity = flux_arena_zero(arena, capacity, sizeof *clauses->activity);
    clauses->heap = flux_arena_zero(arena, capacity, sizeof *clauses->heap);
    clauses->heap_at = flux_arena_zero(arena, capacity, sizeof *clauses->heap_at);
    clauses->conflict = flux_arena_alloc(arena, capacity, 2 * sizeof *clauses->conflict);
    clauses->lesson = flux_arena_alloc(arena, capacity, sizeof *clauses->lesson);
    clauses->seen = flux_arena_zero(arena, capacity, 1);
    if (!clauses->value || !clauses->phase || !clauses->level_of || !clauses->reason || !clauses->trail ||
        !clauses->levels || !clauses->pool || !clauses->watch || !clauses->given || !clauses->activity ||
        !clauses->heap || !clauses->heap_at || !clauses->conflict || !clauses->lesson || !clauses->seen)
        return FLUX_E_MEMORY;
    uint32_t constant = flux_clauses_variable(clauses);
    flux_clauses_enqueue(clauses, constant, FLUX_NO_REASON);
    return FLUX_OK;
}

uint32_t flux_clauses_variable(struct flux_clauses *clauses)
{
    uint32_t variable = clauses->variables++;
    clauses->watch[2 * variable] = clauses->watch[2 * variable + 1] = NO_CLAUSE;
    flux_activity_put(clauses, variable);
    return 2 * variable;
}

void flux_clauses_hide(struct flux_clauses *clauses, uint32_t count)
{
    clauses->hidden = count;
    while (count--)
        (void)flux_clauses_variable(clauses);
}

void flux_clauses_enqueue(struct flux_clauses *clauses, uint32_t literal, uint32_t reason)
{
    uint32_t variable = literal / 2;
    clauses->value[literal] = 1;
    clauses->value[literal ^ 1] = -1;
    clauses->level_of[variable] = clauses->level;
    clauses->reason[variable] = clauses->level ? reason : FLUX_NO_REASON;
    clauses->trail[clauses->trail_count++] = literal;
}

int flux_clauses_imply(struct flux_clauses *clauses, uint32_t literal, const uint32_t *because, uint32_t count)
{
    if (count + 1 > clauses->given_capacity - clauses->given_count)
        return 0;
    uint32_t at = clauses->given_count;
    clauses->given[at] = count;
    memcpy(clauses->given + at + 1, because, count * sizeof *because);
    clauses->given_count += count + 1;
    flux_clauses_enqueue(clauses, literal, at | REASON_GIVEN);
    return 1;
}

static void watch(struct flux_clauses *clauses, uint32_t clause, uint32_t which)
{
    uint32_t *words = clauses->pool + clause;
    uint32_t literal = words[LITERALS + which];
    words[LINKS + which] = clauses->watch[literal];
    clauses->watch[literal] = clause;
}

/* Of two or more literals; the first two are watched. NO_CLAUSE where there is no room. */
static uint32_t put(struct flux_clauses *clauses, const uint32_t *literals, uint32_t count, uint32_t rank)
{
    uint32_t clause = clauses->pool_count;
    if (count + LITERALS > clauses->pool_capacity - clause) {
        clauses->full = 1;
        return NO_CLAUSE;
    }
    uint32_t *words = clauses->pool + clause;
    words[SIZE] = count;
    words[RANK] = rank;
    memcpy(words + LITERALS, literals, count * sizeof *literals);
    clauses->pool_count += LITERALS + count;
    watch(clauses, clause, 0);
    watch(clauses, clause, 1);
    return clause;
}

void flux_clauses_add(struct flux_clauses *clauses, const uint32_t *literals, uint32_t count)
{
    uint32_t *kept = clauses->conflict, kept_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (clauses->value[literals[i]] > 0)
            return;
        if (clauses->value[literals[i]] == 0)
            kept[kept_count++] = literals[i];
    }
    if (kept_count == 0)
        clauses->hopeless = 1;
    else if (kept_count == 1)
        flux_clauses_enqueue(clauses, kept[0], FLUX_NO_REASON);
    else
        (void)put(clauses, kept, kept_count, 0);
    clauses->original = clauses->pool_count;
}

/* A literal of the clause that is not false takes the place of the watched one. */
static int rewatch(struct flux_clauses *clauses, uint32_t clause, uint32_t which, uint32_t *link)
{
    uint32_t *words = clauses->pool + clause, *literals = words + LITERALS;
    for (uint32_t j = 2; j < words[SIZE]; j++)
        if (clauses->value[literals[j]] >= 0) {
            uint32_t old = literals[which];
            *link = words[LINKS + which];
            literals[which] = literals[j];
            literals[j] = old;
            watch(clauses, clause, which);
            return 1;
        }
    return 0;
}

static int propagate_false(struct flux_clauses *clauses, uint32_t literal)
{
    uint32_t *link = &clauses->watch[literal], clause;
    while ((clause = *link) != NO_CLAUSE) {
        uint32_t *words = clauses->pool + clause;
        uint32_t which = words[LITERALS] == literal ? 0 : 1;
        uint32_t other = words[LITERALS + 1 - which];
        if (clauses->value[other] <= 0 && rewatch(clauses, clause, which, link))
            continue;
        link = &words[LINKS + which];
        if (clauses->value[other] < 0) {
            clauses->conflict_count = words[SIZE];
            memcpy(clauses->conflict, words + LITERALS, words[SIZE] * sizeof *clauses->conflict);
            return 1;
        }
        if (clauses->value[other] == 0)
            flux_clauses_enqueue(clauses, other, clause);
    }
    return 0;
}

int flux_clauses_propagate(struct flux_clauses *clauses)
{
    while (clauses->looked_at < clauses->trail_count)
        if (propagate_false(clauses, flux_literal_not(clauses->trail[clauses->looked_at++])))
            return 1;
    return 0;
}

static void open_level(struct flux_clauses *clauses, uint32_t literal)
{
    clauses->levels[clauses->level++] = (struct flux_level){clauses->trail_count, clauses->given_count};
    flux_clauses_enqueue(clauses, literal, FLUX_NO_REASON);
}

void flux_clauses_assume(struct flux_clauses *clauses, uint32_t literal)
{
    open_level(clauses, literal);
    clauses->base = 1;
    clauses->assumed = literal;
}

int flux_clauses_decide(struct flux_clauses *clauses)
{
    uint32_t variable;
    do {
        if (clauses->heap_count == 0)
            return 0;
        variable = flux_activity_take(clauses);
    } while (clauses->value[2 * variable]);
    open_level(clauses, 2 * variable + !clauses->phase[variable]);
    return 1;
}

void flux_clauses_back(struct flux_clauses *clauses, uint32_t level)
{
    if (level >= clauses->level)
        return;
    const struct flux_level *begin = &clauses->levels[level];
    for (uint32_t i = clauses->trail_count; i-- > begin->trail;) {
        uint32_t literal = clauses->trail[i];
        clauses->value[literal] = clauses->value[literal ^ 1] = 0;
        clauses->phase[literal / 2] = !(literal & 1);
        flux_activity_put(clauses, literal / 2);
    }
    clauses->trail_count = clauses->looked_at = begin->trail;
    clauses->given_count = begin->reasons;
    clauses->level = level;
    if (level == 0)
        clauses->base = 0;
}

uint32_t flux_clauses_conflict_level(const struct flux_clauses *clauses)
{
    uint32_t level = 0;
    for (uint32_t i = 0; i < clauses->conflict_count; i++) {
        uint32_t of = clauses->level_of[clauses->conflict[i] / 2];
        level = of > level ? of : level;
    }
    return level;
}

/* Why a variable has its value: literals that are all false, besides its own. */
static const uint32_t *reason_of(const struct flux_clauses *clauses, uint32_t variable, uint32_t *count)
{
    uint32_t reason = clauses->reason[variable];
    *count = 0;
    if (reason == FLUX_NO_REASON)
        return NULL;
    if (reason & REASON_GIVEN) {
        const uint32_t *given = clauses->given + (reason & ~REASON_GIVEN);
        *count = given[0];
        return given + 1;
    }
    *count = clauses->pool[reason + SIZE];
    return clauses->pool + reason + LITERALS;
}

/* Whatever is true at level 1 follows from the assumption: it is named once. */
static void name_assumption(struct flux_clauses *clauses)
{
    if (clauses->seen[clauses->assumed / 2])
        return;
    clauses->seen[clauses->assumed / 2] = 1;
    clauses->lesson[clauses->lesson_count++] = flux_literal_not(clauses->assumed);
}

/* Marks literals; those of the level itself are only counted, those below it go into the lesson. */
static uint32_t resolve(struct flux_clauses *clauses, const uint32_t *literals, uint32_t count)
{
    uint32_t open = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t variable = literals[i] / 2, level = clauses->level_of[variable];
        if (clauses->seen[variable] || level == 0 || clauses->value[literals[i]] > 0)
            continue;
        if (level <= clauses->base) {
            name_assumption(clauses);
            continue;
        }
        clauses->seen[variable] = 1;
        flux_activity_bump(clauses, variable);
        if (level == clauses->level)
            open++;
        else
            clauses->lesson[clauses->lesson_count++] = literals[i];
    }
    return open;
}

/* Does the rest of the lesson imply this literal's falsehood already? */
static int redundant(const struct flux_clauses *clauses, uint32_t literal)
{
    uint32_t count;
    const uint32_t *because = reason_of(clauses, literal / 2, &count);
    if (!because)
        return 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t variable = because[i] / 2, level = clauses->level_of[variable];
        if (level && level <= clauses->base)
            variable = clauses->assumed / 2;
        if (variable != literal / 2 && !clauses->seen[variable] && level)
            return 0;
    }
    return 1;
}

static void shorten(struct flux_clauses *clauses)
{
    uint32_t dropped = clauses->lesson_count;
    uint32_t *lesson = clauses->lesson;
    /* Dropped ones go behind the kept ones, still marked until all were looked at. */
    for (uint32_t i = 1; i < dropped;)
        if (redundant(clauses, lesson[i])) {
            uint32_t swap = lesson[--dropped];
            lesson[dropped] = lesson[i];
            lesson[i] = swap;
        } else {
            i++;
        }
    for (uint32_t i = 0; i < clauses->lesson_count; i++)
        clauses->seen[lesson[i] / 2] = 0;
    clauses->lesson_count = dropped;
}

/* The second literal is to be the one that became false last; its level is where to go back to. */
static uint32_t second_level(struct flux_clauses *clauses)
{
    uint32_t best = 1, *lesson = clauses->lesson;
    if (clauses->lesson_count < 2)
        return 0;
    for (uint32_t i = 2; i < clauses->lesson_count; i++)
        if (clauses->level_of[lesson[i] / 2] > clauses->level_of[lesson[best] / 2])
            best = i;
    uint32_t swap = lesson[1];
    lesson[1] = lesson[best];
    lesson[best] = swap;
    return clauses->level_of[lesson[1] / 2];
}

uint32_t flux_clauses_learn(struct flux_clauses *clauses)
{
    const uint32_t *because = clauses->conflict;
    uint32_t count = clauses->conflict_count, at = clauses->trail_count, open = 0;
    clauses->lesson_count = 1;
    if (clauses->level == 0) {
        clauses->hopeless = 1;
        return 0;
    }
    if (clauses->level == clauses->base) {
        clauses->lesson[0] = flux_literal_not(clauses->assumed);
        return 0;
    }
    for (;;) {
        open += resolve(clauses, because, count);
        while (!clauses->seen[clauses->trail[--at] / 2]) {
        }
        if (--open == 0)
            break;
        uint32_t variable = clauses->trail[at] / 2;
        clauses->seen[variable] = 0;
        because = reason_of(clauses, variable, &count);
    }
    clauses->lesson[0] = flux_literal_not(clauses->trail[at]);
    shorten(clauses);
    flux_activity_decay(clauses);
    return second_level(clauses);
}

static uint32_t rank_of(struct flux_clauses *clauses)
{
    uint32_t rank = 0;
    for (uint32_t i = 0; i < clauses->lesson_count; i++) {
        uint32_t level = clauses->level_of[clauses->lesson[i] / 2];
        if (!(clauses->seen[level] & 2)) {
            clauses->seen[level] |= 2;
            rank++;
        }
    }
    for (uint32_t i = 0; i < clauses->lesson_count; i++)
        clauses->seen[clauses->level_of[clauses->lesson[i] / 2]] &= (uint8_t)~2u;
    return rank;
}

void flux_clauses_assert_lesson(struct flux_clauses *clauses)
{
    uint32_t reason = FLUX_NO_REASON;
    if (clauses->lesson_count > 1) {
        reason = put(clauses, clauses->lesson, clauses->lesson_count, rank_of(clauses) + 1);
        if (reason == NO_CLAUSE)
            return; /* no room: nothing is asserted, and a restart makes room */
        clauses->learned++;
    }
    flux_clauses_enqueue(clauses, clauses->lesson[0], reason);
}

/* Moves a clause down to `to` without its false literals; 0 where it holds anyway. */
static uint32_t move(struct flux_clauses *clauses, uint32_t from, uint32_t to)
{
    const uint32_t *words = clauses->pool + from;
    uint32_t *out = clauses->pool + to, kept = 0, size = words[SIZE], rank = words[RANK];
    for (uint32_t i = 0; i < size; i++)
        if (clauses->value[words[LITERALS + i]] > 0)
            return 0;
    for (uint32_t i = 0; i < size; i++)
        if (clauses->value[words[LITERALS + i]] == 0)
            out[LITERALS + kept++] = words[LITERALS + i];
    out[SIZE] = kept;
    out[RANK] = rank;
    return LITERALS + kept;
}

/* The rank above which half of what was learned is. */
static uint32_t middle_rank(const struct flux_clauses *clauses)
{
    uint32_t by_rank[64] = {0}, sum = 0, rank = 0;
    for (uint32_t c = clauses->original; c < clauses->pool_count; c += LITERALS + clauses->pool[c + SIZE])
        by_rank[clauses->pool[c + RANK] < 63 ? clauses->pool[c + RANK] : 63]++;
    while (rank < 63 && (sum += by_rank[rank]) < clauses->learned / 2)
        rank++;
    return rank > 3 ? rank : 3;
}

void flux_clauses_reduce(struct flux_clauses *clauses)
{
    uint32_t limit = middle_rank(clauses), to = 0, end = clauses->pool_count, original = clauses->original;
    uint32_t young = original + (end - original) / 2; /* what was learned lately stays anyway */
    clauses->learned = 0;
    clauses->original = 0;
    for (uint32_t c = 0, next; c < end; c = next) {
        next = c + LITERALS + clauses->pool[c + SIZE];
        if (c >= original && (clauses->full || (clauses->pool[c + RANK] > limit && c < young)))
            continue;
        to += move(clauses, c, to);
        if (c < original)
            clauses->original = to;
    }
    clauses->pool_count = to;
    for (uint32_t i = 0; i < 2 * clauses->variables; i++)
        clauses->watch[i] = NO_CLAUSE;
    for (uint32_t c = 0; c < to; c += LITERALS + clauses->pool[c + SIZE]) {
        watch(clauses, c, 0);
        watch(clauses, c, 1);
        clauses->learned += c >= clauses->original;
    }
    clauses->full = 0;
}
