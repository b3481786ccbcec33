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

/* Half of what is said is text of others: file names, dtypes, sentences of drivers. One call writes the line, so that those of
 * several processes do not mix. */
static void print(const char *format, va_list arguments) {
    char *text = NULL, *shown = NULL;
    if (vasprintf(&text, format, arguments) >= 0) {
        const size_t capacity = PRINTABLE_GROWTH * strlen(text) + 1;
        shown = malloc(capacity);
        if (shown)
            printable_text(text, shown, capacity);
        free(text);
    }
    fprintf(stderr, "clmove: %s\n", shown ? shown : "there is no memory to say what is wrong");
    free(shown);
}

int failed(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print(format, arguments);
    va_end(arguments);
    return STATUS_FAILED;
}

int misused(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print(format, arguments);
    va_end(arguments);
    return STATUS_MISUSED;
}

bool refused(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print(format, arguments);
    va_end(arguments);
    return false;
}

void report(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print(format, arguments);
    va_end(arguments);
}
