/* See message.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/common/message.h"

#include "host/tools/common/printable.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Messages have text of others: file names, dtypes, sentences of drivers. One call writes the whole line, so that lines of
 * several processes do not mix. */
int message_say(int result, const char *format, ...) {
    char *text = NULL, *shown = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) >= 0) {
        const size_t capacity = PRINTABLE_GROWTH * strlen(text) + 1;
        shown = malloc(capacity);
        if (shown)
            printable_text(text, shown, capacity);
        free(text);
    }
    va_end(arguments);
    fprintf(stderr, "clmove: %s\n", shown ? shown : "there is no memory to say what is wrong");
    free(shown);
    return result;
}
