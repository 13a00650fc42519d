/* SPDX-License-Identifier: Apache-2.0
 *
 * nearest.c - what a mistyped word was meant to be.
 */
#include "cli.h"
#include <string.h>

#define WORD_MAX 32

/* Optimal string alignment (Damerau-Levenshtein with neighbours swapped once), three rows at a time. */
unsigned nearest_distance(const char *a, const char *b)
{
    size_t m = strlen(a), n = strlen(b);
    unsigned rows[3][WORD_MAX + 1];

    if (m > WORD_MAX || n > WORD_MAX)
        return WORD_MAX;
    for (size_t j = 0; j <= n; j++)
        rows[0][j] = (unsigned)j;
    for (size_t i = 1; i <= m; i++) {
        unsigned *row = rows[i % 3], *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];

        row[0] = (unsigned)i;
        for (size_t j = 1; j <= n; j++) {
            unsigned cost = last[j - 1] + (a[i - 1] != b[j - 1]);

            if (last[j] + 1 < cost)
                cost = last[j] + 1;
            if (row[j - 1] + 1 < cost)
                cost = row[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1 < cost)
                cost = before[j - 2] + 1;
            row[j] = cost;
        }
    }
    return rows[m % 3][n];
}

int nearest_better(const char *word, const char *candidate, unsigned *best)
{
    unsigned distance = nearest_distance(word, candidate);
    size_t length = strlen(candidate);

    /* A third of the letters may be wrong; a word that is the beginning of an option is always near. */
    if (strlen(word) >= 4 && strncmp(word, candidate, strlen(word)) == 0)
        distance = 1;
    if (distance >= *best || distance > (length < 6 ? 2 : length / 3))
        return 0;
    *best = distance;
    return 1;
}
