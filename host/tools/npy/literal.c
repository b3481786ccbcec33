/* See literal.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/npy/literal.h"

#include "host/tools/common/utf8.h"

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
    literal_text found = {text->at, 1, false};
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

/* Digits of a base, at most `most` of them. Returns how many there are. */
static size_t digits(const char *at, size_t left, size_t most, uint32_t base, uint32_t *value) {
    size_t count = 0;
    *value = 0;
    for (; count < most && count < left; count++) {
        char c = at[count];
        uint32_t digit = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
                         : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a') + 10
                         : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A') + 10
                                                : base;
        if (digit >= base)
            break;
        *value = *value * base + digit;
    }
    return count;
}

/* What a backslash and what follows it stand for; NOTHING for one at the end of a line. Returns how many bytes they are, or 0
 * where Python refuses them. An unknown escape is a backslash. */
#define NOTHING (UINT32_MAX - 1)

static size_t escape(const char *at, size_t left, uint32_t *code) {
    static const char letters[] = "\\'\"abfnrtv", meanings[] = "\\'\"\a\b\f\n\r\t\v";
    const char *letter = left > 1 && at[1] != '\0' ? strchr(letters, at[1]) : NULL;
    char kind = left > 1 ? at[1] : '\0';
    size_t wanted = kind == 'x' ? 2 : kind == 'u' ? 4 : kind == 'U' ? 8 : 0, count = 0;
    if (letter) {
        *code = (unsigned char)meanings[letter - letters];
        return 2;
    }
    if (kind == '\n') {
        *code = NOTHING;
        return 2;
    }
    if (kind == 'N')
        return 0;
    if (wanted > 0)
        return digits(at + 2, left - 2, wanted, 16, code) == wanted && *code <= 0x10FFFF ? 2 + wanted : 0;
    if (left > 1 && (count = digits(at + 1, left - 1, 3, 8, code)) > 0)
        return 1 + count;
    *code = '\\';
    return 1;
}

/* The next character of a string that was taken; false at its end. */
static bool next_character(const literal *text, literal_text *rest, uint32_t *code) {
    do {
        size_t bytes = 1;
        if (rest->length == 0)
            return false;
        *code = (unsigned char)*rest->at;
        if (*rest->at == '\\' && !rest->is_raw)
            bytes = escape(rest->at, rest->length, code);
        else if (text->is_utf8)
            bytes = utf8_next(rest->at, rest->length, code);
        bytes = bytes ? bytes : 1;
        rest->at += bytes;
        rest->length -= bytes;
    } while (*code == NOTHING);
    return true;
}

static bool has_good_escapes(literal_text content) {
    uint32_t code;
    for (size_t i = 0, bytes; !content.is_raw && i < content.length; i += bytes) {
        bytes = content.at[i] == '\\' ? escape(content.at + i, content.length - i, &code) : 1;
        if (bytes == 0)
            return false;
    }
    return true;
}

bool literal_string(literal *text, literal_text *content) {
    char c = literal_peek(text), prefix = '\0';
    if (c != '\0' && strchr("uUrR", c) && text->end - text->at > 1 && (text->at[1] == '\'' || text->at[1] == '"')) {
        prefix = c;
        c = *++text->at;
    }
    if (c != '\'' && c != '"')
        return unexpected(text, "a string");
    const char *start = ++text->at;
    for (; text->at < text->end && *text->at != '\n'; text->at++) {
        if (*text->at == c) {
            *content = (literal_text){start, (size_t)(text->at - start), prefix == 'r' || prefix == 'R'};
            text->at++;
            return has_good_escapes(*content) ||
                   literal_fail(text, "its header has a string at byte %td with an escape that stands for nothing",
                                start - text->start);
        }
        if (*text->at == '\\' && text->end - text->at > 1)
            text->at++;
    }
    return literal_fail(text, "its header has a string at byte %td that does not end", start - text->start);
}

bool literal_decode(const literal *text, literal_text content, char *out, size_t capacity) {
    size_t length = 0;
    uint32_t code = 0;
    while (next_character(text, &content, &code)) {
        if (code == 0 || code > 0x7FF || length + 3 > capacity) /* no dtype has characters of more bytes */
            return false;
        if (code > 0x7F)
            out[length++] = (char)(0xC0 | code >> 6);
        out[length++] = (char)(code > 0x7F ? 0x80 | (code & 0x3F) : code);
    }
    out[length] = '\0';
    return true;
}

int literal_compare(const literal *text, literal_text one, literal_text other) {
    for (;;) {
        uint32_t a = 0, b = 0;
        bool has_a = next_character(text, &one, &a), has_b = next_character(text, &other, &b);
        if (!has_a || !has_b)
            return has_a - has_b;
        if (a != b)
            return a < b ? -1 : 1;
    }
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
