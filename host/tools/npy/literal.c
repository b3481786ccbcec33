/* See literal.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/npy/literal.h"

#include "host/tools/common/printable.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
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
    text->at += strspn(text->at, " \t\r\n\f");
    return *text->at;
}

bool literal_accept(literal *text, char c) {
    bool comes = literal_peek(text) == c;
    text->at += comes;
    return comes;
}

static bool unexpected(literal *text, const char *wanted) {
    char shown[8];
    if (*text->at == '\0')
        return literal_fail(text, "its header ends where %s is expected", wanted);
    return literal_fail(text, "its header has '%s' at byte %td where %s is expected",
                        literal_printable((literal_text){text->at, 1, false}, shown, sizeof shown), text->at - text->start,
                        wanted);
}

bool literal_expect(literal *text, char c) {
    if (literal_accept(text, c))
        return true;
    const char wanted[] = {'\'', c, '\'', '\0'};
    return unexpected(text, wanted);
}

/* The digits of a base, 8 or 16, that come next, `most` of them at most. Returns how many there are. */
static size_t digits(const char *at, size_t most, int base, uint32_t *value) {
    char text[9];
    size_t count = strspn(at, base == 8 ? "01234567" : "0123456789abcdefABCDEF");
    count = count < most ? count : most;
    snprintf(text, sizeof text, "%.*s", (int)count, at);
    *value = (uint32_t)strtoul(text, NULL, base);
    return count;
}

/* What a backslash and what follows it stand for; NOTHING for one at the end of a line. Returns how many bytes they are, or 0
 * where Python refuses them. An unknown escape is a backslash. */
#define NOTHING (UINT32_MAX - 1)

static size_t escape(const char *at, uint32_t *code) {
    static const char letters[] = "\\'\"abfnrtv", meanings[] = "\\'\"\a\b\f\n\r\t\v";
    const char kind = at[1], *letter = kind ? strchr(letters, kind) : NULL;
    const size_t wanted = kind == 'x' ? 2 : kind == 'u' ? 4 : kind == 'U' ? 8 : 0;
    if (letter || kind == '\n') {
        *code = letter ? (uint32_t)meanings[letter - letters] : NOTHING;
        return 2;
    }
    if (kind == 'N')
        return 0;
    if (wanted > 0)
        return digits(at + 2, wanted, 16, code) == wanted && *code <= 0x10FFFF ? 2 + wanted : 0;
    size_t count = digits(at + 1, 3, 8, code);
    *code = count > 0 ? *code : '\\';
    return 1 + count;
}

/* The next character of a string that was taken; false at its end. */
static bool next_character(const literal *text, literal_text *rest, uint32_t *code) {
    do {
        size_t bytes = 1;
        if (rest->length == 0)
            return false;
        *code = (unsigned char)*rest->at;
        if (*rest->at == '\\' && !rest->is_raw)
            bytes = escape(rest->at, code);
        else if (text->is_utf8)
            bytes = utf8_next(rest->at, code);
        rest->at += bytes;
        rest->length -= bytes;
    } while (*code == NOTHING);
    return true;
}

bool literal_string(literal *text, literal_text *content) {
    literal_peek(text);
    const bool has_prefix = strspn(text->at, "uUrR") == 1, is_raw = has_prefix && strchr("rR", *text->at);
    const char *quote = text->at + has_prefix, *start = quote + 1, *end = start;
    bool is_good = true;
    uint32_t code;
    if (*quote != '\'' && *quote != '"')
        return unexpected(text, "a string");
    while (*end != '\0' && *end != '\n' && *end != *quote) {
        is_good = is_good && (is_raw || *end != '\\' || escape(end, &code) > 0);
        end += *end == '\\' && end[1] != '\0' ? 2 : 1;
    }
    if (*end != *quote)
        return literal_fail(text, "its header has a string at byte %td that does not end", start - text->start);
    if (!is_good)
        return literal_fail(text, "its header has a string at byte %td with an escape that stands for nothing",
                            start - text->start);
    *content = (literal_text){start, (size_t)(end - start), is_raw};
    text->at = end + 1;
    return true;
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
    const char sign = literal_peek(text), *first = text->at + (sign == '-' || sign == '+');
    char *end;
    if (*first < '0' || *first > '9')
        return unexpected(text, "a whole number");
    errno = 0;
    *value = strtoll(text->at, &end, 10);
    if (errno != 0)
        return literal_fail(text, "its header has a number that does not fit in 64 bits");
    text->at = end + (*end == 'L');
    return true;
}

bool literal_boolean(literal *text, bool *value) {
    literal_peek(text);
    *value = strncmp(text->at, "True", 4) == 0;
    if (!*value && strncmp(text->at, "False", 5) != 0)
        return unexpected(text, "True or False");
    text->at += *value ? 4 : 5;
    return true;
}

const char *literal_printable(literal_text content, char *out, size_t capacity) {
    enum { MOST = 256 };
    char copy[MOST];
    const size_t length = content.length < MOST - 1 ? content.length : MOST - 1;
    memcpy(copy, content.at, length);
    copy[length] = '\0';
    return printable_text(copy, out, capacity);
}
