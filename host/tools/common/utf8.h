/* UTF-8, one character at a time.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_COMMON_UTF8_H
#define CLMOVE_HOST_TOOLS_COMMON_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* How many of the length bytes are the first character, and which it is. 0: none, or bytes that are not UTF-8: a stray or missing
 * continuation byte, an overlong form, a surrogate, or more than U+10FFFF. */
size_t utf8_next(const char *at, size_t length, uint32_t *code);

#endif
