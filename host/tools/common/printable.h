/* Text from outside (names of files, devices and fields, messages of drivers) made safe to print on a terminal. Characters that
 * would move its cursor, change its colours or reverse the order of letters are printed as numbers.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_COMMON_PRINTABLE_H
#define CLMOVE_HOST_TOOLS_COMMON_PRINTABLE_H

#include <stddef.h>
#include <stdint.h>

/* How many bytes the first character of a text has, and which it is. 0: the text ends, or has bytes that are not UTF-8: a stray
 * or missing continuation byte, an overlong form, a surrogate, or more than U+10FFFF. */
size_t utf8_next(const char *at, uint32_t *code);

/* The most characters that one byte of text becomes. */
enum { PRINTABLE_GROWTH = 4 };

/* Writes text with \n, \t and \r for these three, \x1b for other control characters and for bytes that are not UTF-8, and
 * \u202e for invisible characters that change how others are displayed. Text that does not fit is cut; there is always a final 0.
 * Returns out. */
char *printable_text(const char *text, char *out, size_t capacity);

/* The same for an argument of printf. Returns text itself where it has nothing of the kind, else one of eight buffers in turn;
 * what is longer than 4 KiB then loses its end. From the main thread. */
const char *printable(const char *text);

/* Text as one word of a POSIX shell: in single quotes, if a shell would not take it as it is. NULL: there is no memory. The
 * caller frees it. */
char *shell_word(const char *text);

#endif
