/* See literal.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "literal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool literal_fail(literal *text, const char *format, ...) {
    if (text->reason[0] == '\0') {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(text->reason, sizeof text->reason, format, arguments);
        va_end(arguments);
    }
    return false;
}

char literal_peek(literal *text) {
    while (text->at < text->end && strchr(" \t\r\n\f", *text->at) && *text->at != '\0')
        text->at++;
    return text->at < text->end ? *text->at : '\0';
}

bool literal_accept(literal *text, char c) {
    if (literal_peek(text) != c || text->at == text->end)
        return false;
    text->at++;
    return true;
}

static bool unexpected(literal *text, const char *wanted) {
    if (text->at == text->end)
        return literal_fail(text, "its header ends where %s is expected", wanted);
    literal_text found = {text->at, 1};
    char shown[2];
    return literal_fail(text, "its header has '%s' at byte %td where %s is expected",
                        literal_printable(found, shown, sizeof shown), text->at - text->start, wanted);
}

bool literal_expect(literal *text, char c) {
    if (literal_accept(text, c))
        return true;
    const char wanted[] = {'\'', c, '\'', '\0'};
    return unexpected(text, wanted);
}

bool literal_string(literal *text, literal_text *content) {
    char c = literal_peek(text);
    if (c != '\0' && strchr("uUbB", c) && text->end - text->at > 1 && (text->at[1] == '\'' || text->at[1] == '"'))
        c = *++text->at;
    if (c != '\'' && c != '"')
        return unexpected(text, "a string");
    const char *start = ++text->at;
    for (; text->at < text->end && *text->at != '\n'; text->at++) {
        if (*text->at == c) {
            *content = (literal_text){start, (size_t)(text->at - start)};
            text->at++;
            return true;
        }
        if (*text->at == '\\' && text->end - text->at > 1)
            text->at++;
    }
    return literal_fail(text, "its header has a string at byte %td that does not end", start - text->start);
}

bool literal_integer(literal *text, int64_t *value) {
    char c = literal_peek(text);
    bool negative = c == '-';
    if (negative || c == '+')
        text->at++;
    if (text->at == text->end || *text->at < '0' || *text->at > '9')
        return unexpected(text, "a whole number");
    int64_t result = 0;
    for (; text->at < text->end && *text->at >= '0' && *text->at <= '9'; text->at++) {
        int64_t digit = negative ? '0' - *text->at : *text->at - '0';
        if (__builtin_mul_overflow(result, 10, &result) || __builtin_add_overflow(result, digit, &result))
            return literal_fail(text, "its header has a number that does not fit in 64 bits");
    }
    if (text->at < text->end && *text->at == 'L')
        text->at++;
    *value = result;
    return true;
}

bool literal_boolean(literal *text, bool *value) {
    literal_peek(text);
    size_t left = (size_t)(text->end - text->at);
    if (left >= 4 && memcmp(text->at, "True", 4) == 0) {
        *value = true;
        text->at += 4;
        return true;
    }
    if (left >= 5 && memcmp(text->at, "False", 5) == 0) {
        *value = false;
        text->at += 5;
        return true;
    }
    return unexpected(text, "True or False");
}

const char *literal_printable(literal_text content, char *out, size_t capacity) {
    size_t length = content.length < capacity - 1 ? content.length : capacity - 1;
    for (size_t i = 0; i < length; i++)
        out[i] = content.at[i] >= ' ' && content.at[i] <= '~' ? content.at[i] : '?';
    out[length] = '\0';
    return out;
}
