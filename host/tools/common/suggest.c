/* See suggest.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/common/suggest.h"

#include <ctype.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 32 };

const suggest_alias SUGGEST_OPERATIONS[] = {
    {"space-to-depth", {"s2d", "space2depth", "spacetodepth", "pixel-unshuffle", "pixelunshuffle"}},
    {"depth-to-space", {"d2s", "depth2space", "depthtospace", "pixel-shuffle", "pixelshuffle"}},
    {"tile", {"repeat", "repmat"}},
    {"permute", {"transpose", "swapaxes", "moveaxis"}},
    {"move", {"chain"}},
    {"bench", {"benchmark"}},
    {"devices", {"list"}},
    {"calibrate", {"calibration"}},
    {0}};

static char folded(char c) {
    return c == '_' ? '-' : (char)tolower((unsigned char)c);
}

static size_t least(size_t one, size_t other) {
    return one < other ? one : other;
}

/* Letters put in, left out, changed, or swapped with the next one. Long words are far from all others. */
static size_t edits(const char *from, const char *to) {
    size_t table[LONGEST + 1][LONGEST + 1]; /* of how many letters of each */
    const size_t rows = strlen(from), columns = strlen(to);
    if (rows > LONGEST || columns > LONGEST)
        return SIZE_MAX;
    for (size_t i = 0; i <= rows; i++)
        table[i][0] = i;
    for (size_t k = 0; k <= columns; k++)
        table[0][k] = k;
    for (size_t i = 1; i <= rows; i++)
        for (size_t k = 1; k <= columns; k++) {
            char a = folded(from[i - 1]), b = folded(to[k - 1]);
            table[i][k] = least(least(table[i - 1][k], table[i][k - 1]) + 1, table[i - 1][k - 1] + (a != b));
            if (i > 1 && k > 1 && a == folded(to[k - 2]) && b == folded(from[i - 2]))
                table[i][k] = least(table[i][k], table[i - 2][k - 2] + 1);
        }
    return table[rows][columns];
}

const char *suggest(const char *given, const char *before, const char *const *words, const suggest_alias *aliases,
                    char text[SUGGESTION]) {
    const char *found = NULL;
    size_t length = strlen(given), fewest = length / 3 + 1; /* one edit in each three letters is a slip */
    text[0] = '\0';
    for (; aliases && aliases->means && !found; aliases++)
        for (const char *const *word = aliases->words; *word; word++)
            found = edits(given, *word) == 0 ? aliases->means : found;
    for (bool looks = !found && length >= 2; looks && *words; words++) {
        size_t count = edits(given, *words);
        if (count < fewest) {
            fewest = count;
            found = *words;
        }
    }
    if (found)
        snprintf(text, SUGGESTION, " (did you mean %s%s?)", before, found);
    return text;
}
