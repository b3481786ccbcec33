/* What the command says on stderr, and what it returns to the shell.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_COMMON_MESSAGE_H
#define CLMOVE_HOST_TOOLS_COMMON_MESSAGE_H

#include <stdbool.h>

/* Exit statuses of the command. */
enum { STATUS_DONE = 0, STATUS_FAILED = 1, STATUS_MISUSED = 2 };

/* Each prints one sentence on stderr, after "clmove: " and made printable (printable.h). The arguments are printf's. The value of
 * failed is STATUS_FAILED, of misused STATUS_MISUSED, of refused false. */
#define failed(...) message_say(STATUS_FAILED, __VA_ARGS__)
#define misused(...) message_say(STATUS_MISUSED, __VA_ARGS__)
#define refused(...) message_say(false, __VA_ARGS__)
#define report(...) message_say(0, __VA_ARGS__)

/* What these are made of. Returns result. */
int message_say(int result, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
