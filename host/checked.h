/* Checked arithmetic on sizes.
 *
 * Each function with a result returns false, and leaves *result undefined, if the exact result is no int64_t.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_CHECKED_H
#define CLMOVE_HOST_CHECKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool clm_mul(int64_t a, int64_t b, int64_t *result) {
    return !__builtin_mul_overflow(a, b, result);
}

static inline bool clm_add(int64_t a, int64_t b, int64_t *result) {
    return !__builtin_add_overflow(a, b, result);
}

/* *result += a * b */
static inline bool clm_mul_add(int64_t a, int64_t b, int64_t *result) {
    int64_t product;
    return clm_mul(a, b, &product) && clm_add(*result, product, result);
}

/* a / b, rounded up. a is at least 0, b at least 1. */
static inline int64_t clm_divide_up(int64_t a, int64_t b) {
    return a / b + (a % b != 0);
}

/* The bytes of count elements, rounded up. count is at least 0; bits is 1, 2, 4 or a multiple of 8. */
static inline bool clm_bytes(int64_t count, uint32_t bits, int64_t *result) {
    if (bits >= 8)
        return clm_mul(count, bits / 8, result);
    *result = clm_divide_up(count, 8 / (int64_t)bits);
    return true;
}

/* Whether two ranges of memory share a byte. */
static inline bool clm_overlap(const void *a, size_t a_bytes, const void *b, size_t b_bytes) {
    uintptr_t first = (uintptr_t)a, second = (uintptr_t)b;
    return first < second ? second - first < a_bytes : first - second < b_bytes;
}

#endif
