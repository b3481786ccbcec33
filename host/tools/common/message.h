/* What the command says on stderr, and what it returns to the shell.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_COMMON_MESSAGE_H
#define CLMOVE_HOST_TOOLS_COMMON_MESSAGE_H

#include <stdbool.h>

/* Exit statuses of the command. */
enum { STATUS_DONE = 0, STATUS_FAILED = 1, STATUS_MISUSED = 2 };

/* Each prints "clmove: ", one sentence, fit for a terminal as printable.h has it, and a newline on stderr. failed returns
 * STATUS_FAILED, misused STATUS_MISUSED, refused false. */
int failed(const char *format, ...) __attribute__((format(printf, 1, 2)));
int misused(const char *format, ...) __attribute__((format(printf, 1, 2)));
bool refused(const char *format, ...) __attribute__((format(printf, 1, 2)));
void report(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
