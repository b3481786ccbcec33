/* SPDX-License-Identifier: Apache-2.0 */
#include "expect.h"

#include "support.h"
#include "tests/oracle/chain.h"

#include <stdlib.h>
#include <string.h>

/* A case's step in the oracle's words. */
static oracle_step step_of(const case_step *step) {
    static const oracle_operator operators[] = {
        [CASE_TILE] = ORACLE_TILE,
        [CASE_TILE_AXIS] = ORACLE_TILE_AXIS,
        [CASE_SPACE_TO_DEPTH] = ORACLE_SPACE_TO_DEPTH,
        [CASE_DEPTH_TO_SPACE] = ORACLE_DEPTH_TO_SPACE,
        [CASE_PERMUTE] = ORACLE_PERMUTE,
        [CASE_RESHAPE] = ORACLE_RESHAPE,
        [CASE_EXPAND] = ORACLE_EXPAND,
    };
    oracle_step result = {.what = operators[step->op], .mode = step->mode, .count = step->args.count};
    memcpy(result.values, step->args.values, (size_t)step->args.count * sizeof *result.values);
    return result;
}

static int32_t steps_of(const test_case *it, oracle_step steps[CASE_MAX_STEPS]) {
    int32_t count = 0;
    for (; count < CASE_MAX_STEPS && it->steps[count].op != CASE_END; count++)
        steps[count] = step_of(&it->steps[count]);
    return count;
}

static int64_t place_of(const oracle_shape *it, const case_view *view, const int64_t *index) {
    int64_t place = view->given ? view->offset : 0;
    for (int32_t i = 0; i < it->rank; i++)
        place = view->given ? place + index[i] * view->strides[i] : place * it->dims[i] + index[i];
    return place;
}

/* Elements from the start of the memory to the last one that a shape seen through a view has. */
static int64_t reach_of(const oracle_shape *it, const case_view *view) {
    int64_t last[CASE_MAX_RANK];
    for (int32_t i = 0; i < it->rank; i++) {
        if (it->dims[i] == 0)
            return 0;
        last[i] = view->given && view->strides[i] < 0 ? 0 : it->dims[i] - 1;
    }
    return place_of(it, view, last) + 1;
}

static oracle_shape source_shape(const test_case *it) {
    oracle_shape result = {.rank = it->dims.count};
    memcpy(result.dims, it->dims.values, (size_t)it->dims.count * sizeof *result.dims);
    return result;
}

void expect_shapes(const test_case *it, expectation *result) {
    oracle_shape now = source_shape(it);
    oracle_step steps[CASE_MAX_STEPS];
    *result = (expectation){.element_bits = it->element_bits, .src_bytes = bytes_of(it->element_bits, reach_of(&now, &it->src))};
    for (int32_t i = 0, count = steps_of(it, steps); i < count; i++)
        now = oracle_shape_after(&now, &steps[i]);
    result->rank = now.rank;
    memcpy(result->dims, now.dims, sizeof result->dims);
    result->elements = oracle_elements(&now);
    result->dst_bytes = bytes_of(it->element_bits, reach_of(&now, &it->dst));
}

/* So many elements, or none. */
static uint8_t *allocate(uint32_t bits, int64_t elements) {
    uint8_t *memory = calloc(1, bytes_of(bits, elements) + 1);
    if (!memory)
        fail_msg("out of memory for the expected result");
    return memory;
}

void expect_compute(const test_case *it, const uint8_t *src, expectation *result) {
    expect_shapes(it, result);
    oracle_shape from = source_shape(it);
    oracle_step steps[CASE_MAX_STEPS];
    const int32_t count = steps_of(it, steps);
    uint8_t *dense = allocate(it->element_bits, oracle_elements(&from));
    int64_t index[CASE_MAX_RANK] = {0}, element = 0;
    if (!it->src.given)
        memcpy(dense, src, result->src_bytes);
    else if (oracle_elements(&from) > 0)
        do
            copy_element(it->element_bits, src, place_of(&from, &it->src, index), dense, element++);
        while (next_index(from.rank, from.dims, index));
    result->dense = allocate(it->element_bits, result->elements);
    if (!oracle_chain(it->element_bits, &from, count, steps, dense, result->dense))
        fail_msg("out of memory in the oracle");
    free(dense);
}

void expect_store(const test_case *it, const expectation *result, uint8_t *dst) {
    oracle_shape now = {.rank = result->rank};
    memcpy(now.dims, result->dims, sizeof result->dims);
    int64_t index[CASE_MAX_RANK] = {0}, element = 0;
    if (!it->dst.given) {
        size_t whole = (size_t)result->elements * it->element_bits / 8; /* the bits of the last byte are not all ours */
        memcpy(dst, result->dense, whole);
        for (element = (int64_t)(whole * 8 / it->element_bits); element < result->elements; element++)
            copy_element(it->element_bits, result->dense, element, dst, element);
    } else if (result->elements > 0)
        do
            copy_element(it->element_bits, result->dense, element++, dst, place_of(&now, &it->dst, index));
        while (next_index(now.rank, now.dims, index));
}

void expect_destroy(expectation *result) {
    free(result->dense);
    result->dense = NULL;
}
