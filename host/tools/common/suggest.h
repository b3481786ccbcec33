/* The known word that an unknown one probably stands for.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_COMMON_SUGGEST_H
#define CLMOVE_HOST_TOOLS_COMMON_SUGGEST_H

#include <stdbool.h>

/* Words of other libraries for one of clmove's. */
typedef struct suggest_alias {
    /* A NULL after the last word. */
    const char *means, *words[6];
} suggest_alias;

enum { SUGGESTION = 96 };

/* Writes " (did you mean WORD?)", or "" if no word is close: an alias' meaning, else the word that is fewest edits away,
 * if they are few. Case does not matter, and _ is -. words and aliases end with a NULL; aliases may be NULL. before: what stands
 * in front of each word, such as "--". Returns text. */
const char *suggest(const char *given, const char *before, const char *const *words, const suggest_alias *aliases,
                    char text[SUGGESTION]);

/* The same for the operations that are subcommands. */
extern const suggest_alias SUGGEST_OPERATIONS[];

#endif
