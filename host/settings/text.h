/* Pieces of a text, for what reads the user's files: lines of `key = value` below headers in brackets.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_SETTINGS_TEXT_H
#define CLMOVE_HOST_SETTINGS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A piece of the text. */
typedef struct clm_text {
    const char *at;
    size_t length;
} clm_text;

#define CLM_TEXT(piece) (int)((piece).length < 128 ? (piece).length : 128), (piece).at

static inline clm_text clm_text_trim(clm_text text) {
    while (text.length > 0 && strchr(" \t\r", text.at[0]) && text.at[0])
        text = (clm_text){text.at + 1, text.length - 1};
    while (text.length > 0 && strchr(" \t\r", text.at[text.length - 1]) && text.at[text.length - 1])
        text.length--;
    return text;
}

static inline bool clm_text_is(clm_text text, const char *word) {
    return text.length == strlen(word) && memcmp(text.at, word, text.length) == 0;
}

/* The next piece up to a separator, which is taken from rest with it. False: there is none. */
static inline bool clm_text_next(clm_text *rest, char separator, clm_text *piece) {
    if (!rest->at)
        return false;
    const char *end = memchr(rest->at, separator, rest->length);
    *piece = (clm_text){rest->at, end ? (size_t)(end - rest->at) : rest->length};
    *rest = end ? (clm_text){end + 1, rest->length - piece->length - 1} : (clm_text){NULL, 0};
    return true;
}

/* Cuts key=value. False: there is no sign of equality. */
static inline bool clm_text_cut(clm_text text, clm_text *key, clm_text *value) {
    const char *sign = memchr(text.at, '=', text.length);
    if (!sign)
        return false;
    *key = clm_text_trim((clm_text){text.at, (size_t)(sign - text.at)});
    *value = clm_text_trim((clm_text){sign + 1, (size_t)(text.at + text.length - sign - 1)});
    return true;
}

static inline bool clm_text_number(clm_text text, int64_t *number) {
    *number = 0;
    for (size_t i = 0; i < text.length; i++)
        if (text.at[i] < '0' || text.at[i] > '9' || __builtin_mul_overflow(*number, 10, number) ||
            __builtin_add_overflow(*number, text.at[i] - '0', number))
            return false;
    return text.length > 0;
}

/* Whether text begins with a word and white space, which are taken from it. */
static inline bool clm_text_take_word(clm_text *text, const char *word) {
    size_t length = strlen(word);
    if (text->length <= length || memcmp(text->at, word, length) != 0 || !strchr(" \t", text->at[length]))
        return false;
    *text = clm_text_trim((clm_text){text->at + length, text->length - length});
    return true;
}

#endif
