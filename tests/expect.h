/* What a case should give: the oracle's dense steps, with plain loops over the views before and after.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_TESTS_EXPECT_H
#define CLMOVE_TESTS_EXPECT_H

#include "cases.h"

/* The result of a case's steps, dense. */
typedef struct expectation {
    uint32_t element_bits;
    int32_t rank;
    int64_t dims[CASE_MAX_RANK];
    int64_t elements;
    /* The bytes that the source memory must hold. */
    size_t src_bytes;
    /* The bytes from the start of the destination memory to the end of its last element. */
    size_t dst_bytes;
    /* NULL until expect_compute. */
    uint8_t *dense;
} expectation;

/* Shapes and sizes, no bytes. */
void expect_shapes(const test_case *it, expectation *result);

/* The bytes too, for a source memory of src_bytes. Fails the test when memory runs out. */
void expect_compute(const test_case *it, const uint8_t *src, expectation *result);

/* Stores the result where the case's destination has it; other bits keep their value. */
void expect_store(const test_case *it, const expectation *result, uint8_t *dst);

void expect_destroy(expectation *result);

#endif
