/* SPDX-License-Identifier: Apache-2.0 */
#include "expect.h"

#include "support.h"
#include "tests/oracle/oracle.h"

#include <stdlib.h>
#include <string.h>

typedef struct shape {
    int32_t rank;
    int64_t dims[CASE_MAX_RANK];
} shape;

static int64_t elements_of(const shape *it) {
    int64_t elements = 1;
    for (int32_t i = 0; i < it->rank; i++)
        elements *= it->dims[i];
    return elements;
}

static int64_t power(int64_t base, int32_t exponent) {
    int64_t result = 1;
    while (exponent-- > 0)
        result *= base;
    return result;
}

static int64_t at_end(const int64_t *values, int32_t count, int32_t from_end, int64_t otherwise) {
    return from_end < count ? values[count - 1 - from_end] : otherwise;
}

/* The repeats that a step means, one for each dimension; the shape is promoted with it. */
static void promote(shape *it, int32_t count, const int64_t *values, int64_t *full) {
    int32_t rank = count > it->rank ? count : it->rank;
    int64_t dims[CASE_MAX_RANK] = {0};
    for (int32_t i = 0; i < rank; i++) {
        dims[i] = at_end(it->dims, it->rank, rank - 1 - i, 1);
        full[i] = at_end(values, count, rank - 1 - i, 1);
    }
    it->rank = rank;
    memcpy(it->dims, dims, sizeof dims);
}

static shape shape_after(const shape *before, const case_step *step) {
    shape after = *before;
    const case_list *args = &step->args;
    int64_t full[CASE_MAX_RANK], block = args->values[0];
    switch (step->op) {
    case CASE_TILE:
        promote(&after, args->count, args->values, full);
        for (int32_t i = 0; i < after.rank; i++)
            after.dims[i] *= full[i] < 0 ? 0 : full[i];
        break;
    case CASE_TILE_AXIS:
        after.dims[args->values[1] < 0 ? args->values[1] + after.rank : args->values[1]] *= args->values[0];
        break;
    case CASE_SPACE_TO_DEPTH:
        after.dims[1] *= power(block, after.rank - 2);
        for (int32_t i = 2; i < after.rank; i++)
            after.dims[i] /= block;
        break;
    case CASE_DEPTH_TO_SPACE:
        after.dims[1] /= power(block, after.rank - 2);
        for (int32_t i = 2; i < after.rank; i++)
            after.dims[i] *= block;
        break;
    case CASE_PERMUTE:
        for (int32_t i = 0; i < after.rank; i++)
            after.dims[i] = before->dims[args->values[i]];
        break;
    case CASE_RESHAPE:
        after.rank = args->count;
        for (int32_t i = 0; i < after.rank; i++)
            after.dims[i] = args->values[i];
        for (int32_t i = 0; i < after.rank; i++)
            if (after.dims[i] == -1)
                after.dims[i] = -elements_of(before) / elements_of(&after);
        break;
    case CASE_EXPAND:
        promote(&after, args->count, args->values, full);
        for (int32_t i = 0; i < after.rank; i++)
            after.dims[i] = after.dims[i] == 1 ? full[i] : after.dims[i];
        break;
    case CASE_END:
        break;
    }
    return after;
}

static bool move(uint32_t bits, const shape *from, const case_step *step, const uint8_t *src, uint8_t *dst) {
    const case_list *args = &step->args;
    int64_t repeats[CASE_MAX_RANK];
    int32_t order[CASE_MAX_RANK];
    switch (step->op) {
    case CASE_TILE:
        return oracle_tile(bits, from->rank, from->dims, args->count, args->values, src, dst);
    case CASE_TILE_AXIS:
        for (int32_t i = 0; i < from->rank; i++)
            repeats[i] = i == args->values[1] || i == args->values[1] + from->rank ? args->values[0] : 1;
        return oracle_tile(bits, from->rank, from->dims, from->rank, repeats, src, dst);
    case CASE_SPACE_TO_DEPTH:
        return oracle_space_to_depth(bits, from->rank, from->dims, args->values[0], step->mode, src, dst);
    case CASE_DEPTH_TO_SPACE:
        return oracle_depth_to_space(bits, from->rank, from->dims, args->values[0], step->mode, src, dst);
    case CASE_PERMUTE:
        for (int32_t i = 0; i < from->rank; i++)
            order[i] = (int32_t)args->values[i];
        return oracle_permute(bits, from->rank, from->dims, order, src, dst);
    case CASE_EXPAND:
        return oracle_expand(bits, from->rank, from->dims, args->count, args->values, src, dst);
    case CASE_RESHAPE:
    case CASE_END:
        break;
    }
    memcpy(dst, src, bytes_of(bits, elements_of(from)));
    return true;
}

static int64_t place_of(const shape *it, const case_view *view, const int64_t *index) {
    int64_t place = view->given ? view->offset : 0;
    for (int32_t i = 0; i < it->rank; i++)
        place = view->given ? place + index[i] * view->strides[i] : place * it->dims[i] + index[i];
    return place;
}

/* Elements from the start of the memory to the last one that a shape seen through a view has. */
static int64_t reach_of(const shape *it, const case_view *view) {
    int64_t last[CASE_MAX_RANK];
    for (int32_t i = 0; i < it->rank; i++) {
        if (it->dims[i] == 0)
            return 0;
        last[i] = view->given && view->strides[i] < 0 ? 0 : it->dims[i] - 1;
    }
    return place_of(it, view, last) + 1;
}

static shape source_shape(const test_case *it) {
    shape result = {.rank = it->dims.count};
    memcpy(result.dims, it->dims.values, sizeof result.dims);
    return result;
}

void expect_shapes(const test_case *it, expectation *result) {
    shape now = source_shape(it);
    *result = (expectation){.element_bits = it->element_bits, .src_bytes = bytes_of(it->element_bits, reach_of(&now, &it->src))};
    for (int i = 0; i < CASE_MAX_STEPS && it->steps[i].op != CASE_END; i++)
        now = shape_after(&now, &it->steps[i]);
    result->rank = now.rank;
    memcpy(result->dims, now.dims, sizeof now.dims);
    result->elements = elements_of(&now);
    result->dst_bytes = bytes_of(it->element_bits, reach_of(&now, &it->dst));
}

/* Elements of the tensor between two steps, or none. */
static uint8_t *allocate(uint32_t bits, const shape *it) {
    uint8_t *memory = calloc(1, bytes_of(bits, elements_of(it)) + 1);
    if (!memory)
        fail_msg("out of memory for the expected result");
    return memory;
}

void expect_compute(const test_case *it, const uint8_t *src, expectation *result) {
    expect_shapes(it, result);
    shape now = source_shape(it);
    uint8_t *present = allocate(it->element_bits, &now);
    int64_t index[CASE_MAX_RANK] = {0}, element = 0;
    if (!it->src.given)
        memcpy(present, src, result->src_bytes);
    else if (elements_of(&now) > 0)
        do
            copy_element(it->element_bits, src, place_of(&now, &it->src, index), present, element++);
        while (next_index(now.rank, now.dims, index));
    for (int i = 0; i < CASE_MAX_STEPS && it->steps[i].op != CASE_END; i++) {
        shape after = shape_after(&now, &it->steps[i]);
        uint8_t *next = allocate(it->element_bits, &after);
        if (!move(it->element_bits, &now, &it->steps[i], present, next))
            fail_msg("out of memory in the oracle");
        free(present);
        present = next;
        now = after;
    }
    result->dense = present;
}

void expect_store(const test_case *it, const expectation *result, uint8_t *dst) {
    shape now = {.rank = result->rank};
    memcpy(now.dims, result->dims, sizeof now.dims);
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
