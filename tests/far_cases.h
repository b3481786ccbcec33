/* Maps of a few units whose places in the destination, or in the source, are more bytes apart than 32 bits count, but fewer
 * units: a kernel with indices of 32 bits that makes bytes of them too early goes wrong.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_TESTS_FAR_CASES_H
#define CLMOVE_TESTS_FAR_CASES_H

#include "expect.h"

/* The axes of a map, which its views alone make. Strides in units. */
typedef struct far_case {
    const char *variant, *what;
    int32_t rank;
    int64_t dims[4];
    int64_t src[4], dst[4];
} far_case;

extern const far_case far_cases[];
extern const size_t far_case_count;

/* The case for units of 2, 4 or 8 bytes. */
void far_make(const far_case *row, uint32_t unit_bytes, test_case *it);

/* Memory of which only the pages that are touched are there. */
typedef struct far_memories {
    uint8_t *src, *dst;
    size_t src_bytes, dst_bytes;
} far_memories;

/* Makes both memories with noise in the places that are read, and computes what is expected. False, and nothing is made: there is
 * no address space for them. */
bool far_create(const test_case *it, expectation *expected, far_memories *made);

/* Fails unless the destination's places hold what is expected. */
void far_check(const test_case *it, const expectation *expected, const far_memories *made);

/* Frees the expectation too. */
void far_destroy(expectation *expected, far_memories *made);

#endif
