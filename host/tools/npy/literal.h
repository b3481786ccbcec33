/* Reads the part of Python's literal syntax that .npy headers are written in: strings, whole numbers, True and False.
 *
 * Each function returns false when the text is something else; the first reason for that, one sentence without a full stop, is
 * kept.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_NPY_LITERAL_H
#define CLMOVE_HOST_TOOLS_NPY_LITERAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct literal {
    /* In a string with a terminator. */
    const char *start, *at;
    /* "" until something failed. */
    char reason[256];
    /* False: a byte is a character, as in Latin-1. */
    bool is_utf8;
} literal;

/* A piece of the text that was read. */
typedef struct literal_text {
    const char *at;
    size_t length;
    /* A backslash is one. */
    bool is_raw;
} literal_text;

/* Notes why the text is refused, unless a reason was noted before. Returns false. */
bool literal_fail(literal *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The next character after white space, without taking it; 0 at the end. */
char literal_peek(literal *text);

/* Takes c if it comes next, after white space. */
bool literal_accept(literal *text, char c);

/* Takes c, or fails with a sentence that says c was wanted. */
bool literal_expect(literal *text, char c);

/* Takes a quoted string, with its prefix u or r if there is one; *content is what stands between the quotes, escapes as written.
 * They are in order: \x has two digits, and so on. \N, a character by its name, is refused. */
bool literal_string(literal *text, literal_text *content);

/* What the string says, in UTF-8, for strings that may be dtypes. False: it does not fit, or has a 0 or a letter of three bytes.
 */
bool literal_decode(const literal *text, literal_text content, char *out, size_t capacity);

/* Orders two strings by what they say; 0: they say the same. */
int literal_compare(const literal *text, literal_text one, literal_text other);

/* Takes a decimal whole number, with Python 2's suffix L if there is one. */
bool literal_integer(literal *text, int64_t *value);

/* Takes True or False. */
bool literal_boolean(literal *text, bool *value);

/* Writes content as printable_text does. Returns out. */
const char *literal_printable(literal_text content, char *out, size_t capacity);

#endif
