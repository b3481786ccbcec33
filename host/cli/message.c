/* See message.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "message.h"

#include <stdarg.h>
#include <stdio.h>

static void print(const char *format, va_list arguments) {
    fputs("clmove: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
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

void report(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print(format, arguments);
    va_end(arguments);
}
