/* See suggest.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/common/suggest.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 32 };

const suggest_alias SUGGEST_OPERATIONS[] = {{"s2d", "space-to-depth"},
                                            {"space2depth", "space-to-depth"},
                                            {"spacetodepth", "space-to-depth"},
                                            {"pixel-unshuffle", "space-to-depth"},
                                            {"pixelunshuffle", "space-to-depth"},
                                            {"d2s", "depth-to-space"},
                                            {"depth2space", "depth-to-space"},
                                            {"depthtospace", "depth-to-space"},
                                            {"pixel-shuffle", "depth-to-space"},
                                            {"pixelshuffle", "depth-to-space"},
                                            {"repeat", "tile"},
                                            {"repmat", "tile"},
                                            {"transpose", "permute"},
                                            {"swapaxes", "permute"},
                                            {"moveaxis", "permute"},
                                            {"chain", "move"},
                                            {"benchmark", "bench"},
                                            {"list", "devices"},
                                            {"calibration", "calibrate"},
                                            {0}};

static char folded(char c) {
    return c == '_' ? '-' : (char)tolower((unsigned char)c);
}

static bool is_same(const char *one, const char *other) {
    while (*one && folded(*one) == folded(*other)) {
        one++;
        other++;
    }
    return folded(*one) == folded(*other);
}

static size_t least(size_t one, size_t other) {
    return one < other ? one : other;
}

/* Letters put in, left out, changed, or swapped with the next one. */
static size_t edits(const char *from, const char *to) {
    size_t rows[3][LONGEST + 1], length = strlen(to);
    size_t *before_last = rows[0], *last = rows[1], *now = rows[2];
    for (size_t k = 0; k <= length; k++)
        last[k] = k;
    for (size_t i = 1; from[i - 1]; i++) {
        now[0] = i;
        for (size_t k = 1; k <= length; k++) {
            char a = folded(from[i - 1]), b = folded(to[k - 1]);
            now[k] = least(least(last[k], now[k - 1]) + 1, last[k - 1] + (a != b));
            if (i > 1 && k > 1 && a == folded(to[k - 2]) && b == folded(from[i - 2]))
                now[k] = least(now[k], before_last[k - 2] + 1);
        }
        size_t *free_row = before_last;
        before_last = last;
        last = now;
        now = free_row;
    }
    return last[length];
}

const char *suggest(const char *given, const char *before, const char *const *words, const suggest_alias *aliases,
                    char text[SUGGESTION]) {
    const char *found = NULL;
    size_t length = strlen(given), fewest = length / 3 + 1; /* one edit in each three letters is a slip */
    text[0] = '\0';
    for (; aliases && aliases->word && !found; aliases++)
        if (is_same(given, aliases->word))
            found = aliases->means;
    for (bool looks = !found && length >= 2 && length <= LONGEST; looks && *words; words++) {
        size_t count = strlen(*words) <= LONGEST ? edits(given, *words) : fewest;
        if (count < fewest) {
            fewest = count;
            found = *words;
        }
    }
    if (found)
        snprintf(text, SUGGESTION, " (did you mean %s%s?)", before, found);
    return text;
}
