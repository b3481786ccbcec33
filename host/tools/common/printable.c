/* See printable.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/common/printable.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t utf8_next(const char *at, uint32_t *code) {
    static const uint32_t smallest[] = {0, 0x80, 0x800, 0x10000};
    uint32_t c = (unsigned char)at[0];
    size_t more = c < 0x80 ? 0 : (c & 0xE0) == 0xC0 ? 1 : (c & 0xF0) == 0xE0 ? 2 : (c & 0xF8) == 0xF0 ? 3 : SIZE_MAX;
    if (c == 0 || more == SIZE_MAX)
        return 0;
    uint32_t result = more == 0 ? c : c & (0x3FU >> more);
    for (size_t i = 1; i <= more; i++) {
        if (((unsigned char)at[i] & 0xC0) != 0x80)
            return 0;
        result = result << 6 | ((unsigned char)at[i] & 0x3FU);
    }
    if (result < smallest[more] || result > 0x10FFFF || (result >= 0xD800 && result <= 0xDFFF))
        return 0;
    *code = result;
    return more + 1;
}

/* Controls (C0, DEL, C1), and what Unicode has to turn the direction of text, to break lines, and to be invisible. */
static bool is_hidden(uint32_t code) {
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x061C || (code >= 0x200B && code <= 0x200F) ||
           (code >= 0x2028 && code <= 0x202E) || (code >= 0x2060 && code <= 0x206F) || code == 0xFEFF ||
           (code >= 0xFFF9 && code <= 0xFFFB) || (code >= 0xE0000 && code <= 0xE007F);
}

/* How the first character is shown; returns its bytes. */
static size_t show_next(const char *at, char shown[16]) {
    uint32_t code = 0;
    size_t bytes = utf8_next(at, &code);
    const char *short_form = bytes == 0 ? NULL : code == '\n' ? "\\n" : code == '\t' ? "\\t" : code == '\r' ? "\\r" : NULL;
    if (bytes == 0 || (bytes == 1 && is_hidden(code)))
        snprintf(shown, 16, "\\x%02x", (unsigned char)*at);
    else if (is_hidden(code))
        snprintf(shown, 16, code > 0xFFFF ? "\\U%08" PRIx32 : "\\u%04" PRIx32, code);
    else
        snprintf(shown, 16, "%.*s", (int)bytes, at);
    if (short_form)
        snprintf(shown, 16, "%s", short_form);
    return bytes ? bytes : 1;
}

char *printable_text(const char *text, char *out, size_t capacity) {
    size_t used = 0;
    char shown[16];
    while (*text) {
        text += show_next(text, shown);
        size_t more = strlen(shown);
        if (more >= capacity - used)
            break;
        memcpy(out + used, shown, more);
        used += more;
    }
    out[used] = '\0';
    return out;
}

const char *printable(const char *text) {
    static char buffers[8][4096];
    static unsigned next;
    uint32_t code = 0;
    const char *at = text;
    for (size_t bytes; (bytes = utf8_next(at, &code)) > 0 && !is_hidden(code);)
        at += bytes;
    return *at ? printable_text(text, buffers[next++ % 8], sizeof buffers[0]) : text;
}

char *shell_word(const char *text) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%";
    static const char quote[] = "'\\''"; /* ends the quotes, and begins them again behind a quote */
    const size_t length = strlen(text);
    const bool is_plain = length > 0 && strspn(text, plain) == length;
    char *word = malloc(length * (sizeof quote - 1) + sizeof "''"), *to = word;
    if (!word || is_plain)
        return word ? strcpy(word, text) : NULL;
    *to++ = '\'';
    for (; *text; text++)
        if (*text == '\'')
            to = stpcpy(to, quote);
        else
            *to++ = *text;
    strcpy(to, "'");
    return word;
}
