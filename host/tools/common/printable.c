/* See printable.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/common/printable.h"

#include "host/tools/common/utf8.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Controls (C0, DEL, C1), and what Unicode has to turn the direction of text, to break lines, and to be invisible. */
static bool is_hidden(uint32_t code) {
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x061C || (code >= 0x200B && code <= 0x200F) ||
           (code >= 0x2028 && code <= 0x202E) || (code >= 0x2060 && code <= 0x206F) || code == 0xFEFF ||
           (code >= 0xFFF9 && code <= 0xFFFB) || (code >= 0xE0000 && code <= 0xE007F);
}

/* How the first character is shown; returns its bytes. */
static size_t show_next(const char *at, size_t length, char shown[16]) {
    uint32_t code = 0;
    size_t bytes = utf8_next(at, length, &code);
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

char *printable_text(const char *text, size_t length, char *out, size_t capacity) {
    size_t used = 0;
    char shown[16];
    for (size_t i = 0; i < length;) {
        i += show_next(text + i, length - i, shown);
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
    size_t length = strlen(text);
    bool is_clean = true;
    for (size_t i = 0, bytes; is_clean && i < length; i += bytes) {
        uint32_t code = 0;
        bytes = utf8_next(text + i, length - i, &code);
        is_clean = bytes > 0 && !is_hidden(code);
    }
    return is_clean ? text : printable_text(text, length, buffers[next++ % 8], sizeof buffers[0]);
}
