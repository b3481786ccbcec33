/* Pieces of a text, for reading the user's files: lines "key = value" below headers in brackets.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_SETTINGS_TEXT_H
#define CLMOVE_HOST_SETTINGS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A piece of a text, not ended by a 0. */
typedef struct clm_text {
    const char *at;
    size_t length;
} clm_text;

/* The arguments of %.*s for a piece, which is cut to 128 bytes. */
#define CLM_TEXT(piece) (int)((piece).length < 128 ? (piece).length : 128), (piece).at

/* Drops white space at both ends. */
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

/* Takes the next piece, up to a separator, from rest, and the separator too. False: there is none. */
static inline bool clm_text_next(clm_text *rest, char separator, clm_text *piece) {
    if (!rest->at)
        return false;
    const char *end = memchr(rest->at, separator, rest->length);
    *piece = (clm_text){rest->at, end ? (size_t)(end - rest->at) : rest->length};
    *rest = end ? (clm_text){end + 1, rest->length - piece->length - 1} : (clm_text){NULL, 0};
    return true;
}

/* Cuts key=value at the first equals sign. False: there is none. */
static inline bool clm_text_cut(clm_text text, clm_text *key, clm_text *value) {
    const char *sign = memchr(text.at, '=', text.length);
    if (!sign)
        return false;
    *key = clm_text_trim((clm_text){text.at, (size_t)(sign - text.at)});
    *value = clm_text_trim((clm_text){sign + 1, (size_t)(text.at + text.length - sign - 1)});
    return true;
}

/* Reads a whole number of decimal digits. False: it is none, or too large. */
static inline bool clm_text_number(clm_text text, int64_t *number) {
    *number = 0;
    for (size_t i = 0; i < text.length; i++)
        if (text.at[i] < '0' || text.at[i] > '9' || __builtin_mul_overflow(*number, 10, number) ||
            __builtin_add_overflow(*number, text.at[i] - '0', number))
            return false;
    return text.length > 0;
}

/* Takes a word and the white space after it from the beginning of text. False: it does not begin so. */
static inline bool clm_span_take_word(clm_text *text, const char *word) {
    size_t length = strlen(word);
    if (text->length <= length || memcmp(text->at, word, length) != 0 || !strchr(" \t", text->at[length]))
        return false;
    *text = clm_text_trim((clm_text){text->at + length, text->length - length});
    return true;
}

#endif
