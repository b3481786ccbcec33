/* The case table of the suite: data only.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_TESTS_CASES_H
#define CLMOVE_TESTS_CASES_H

#include <clmove/clmove.h>

#define CASE_MAX_RANK 20
#define CASE_MAX_STEPS 4

typedef enum case_op {
    /* No step here, and none after it. */
    CASE_END,
    CASE_TILE,
    CASE_TILE_AXIS,
    CASE_SPACE_TO_DEPTH,
    CASE_DEPTH_TO_SPACE,
    CASE_PERMUTE,
    CASE_RESHAPE,
    CASE_EXPAND,
} case_op;

typedef struct case_list {
    int32_t count;
    int64_t values[CASE_MAX_RANK];
} case_list;

typedef struct case_step {
    case_op op;
    clmove_mode mode;
    /* By op: repeats, or tiles and axis, or block size, or order, or dims. */
    case_list args;
} case_step;

typedef struct case_view {
    bool given;
    int64_t offset;
    int64_t strides[CASE_MAX_RANK];
} case_view;

/* One case: a source of shape dims, dense or seen through src, goes through steps into a destination, dense or seen
 * through dst. All cases are legal under the OpenVINO rules. */
typedef struct test_case {
    const char *name;
    uint32_t element_bits;
    case_list dims;
    case_view src;
    case_step steps[CASE_MAX_STEPS];
    case_view dst;
} test_case;

extern const test_case test_cases[];
extern const size_t test_case_count;

/* Destinations larger than caches, and more work than a launch has items: few, because each takes a while. */
extern const test_case large_cases[];
extern const size_t large_case_count;

#endif
