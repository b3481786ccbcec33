/* Filling memory of the host's with a pattern.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_REPEAT_H
#define CLMOVE_HOST_REPEAT_H

#include <stddef.h>
#include <string.h>

/* Repeats a pattern; bytes is a multiple of pattern_bytes. */
static inline void clm_repeat(unsigned char *first, size_t bytes, const void *pattern, size_t pattern_bytes) {
    const size_t block = (size_t)1 << 16; /* what is read again and again, so that it stays in the caches */
    size_t filled = pattern_bytes, most = block - block % pattern_bytes;
    memcpy(first, pattern, pattern_bytes);
    while (filled < bytes) {
        size_t more = filled < most || most == 0 ? filled : most;
        more = more < bytes - filled ? more : bytes - filled;
        memcpy(first + filled, first, more);
        filled += more;
    }
}

#endif
