/* See chain.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/oracle/chain.h"

#include "tests/oracle/oracle.h"

#include <stdlib.h>

/* ---- shapes ---- */

int64_t oracle_elements(const oracle_shape *shape) {
    int64_t elements = 1;
    for (int32_t i = 0; i < shape->rank; i++)
        if (shape->dims[i] == 0)
            return 0;
    for (int32_t i = 0; i < shape->rank; i++)
        elements *= shape->dims[i];
    return elements;
}

int64_t oracle_bytes(uint32_t element_bits, const oracle_shape *shape) {
    int64_t elements = oracle_elements(shape);
    return element_bits % 8 == 0 ? elements * (element_bits / 8) : (elements * element_bits + 7) / 8;
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

/* Puts 1s in front of the shorter of the shape and the values. */
static void promote(oracle_shape *shape, const oracle_step *step, int64_t full[CLMOVE_MAX_RANK]) {
    const oracle_shape before = *shape;
    shape->rank = step->count > before.rank ? step->count : before.rank;
    for (int32_t i = 0; i < shape->rank; i++) {
        shape->dims[i] = at_end(before.dims, before.rank, shape->rank - 1 - i, 1);
        full[i] = at_end(step->values, step->count, shape->rank - 1 - i, 1);
    }
}

static oracle_shape reshaped(const oracle_shape *before, const oracle_step *step) {
    oracle_shape after = {.rank = step->count};
    int32_t open = -1;
    for (int32_t i = 0; i < after.rank; i++) {
        after.dims[i] = step->values[i] == -1 ? 1 : step->values[i];
        open = step->values[i] == -1 ? i : open;
    }
    if (open >= 0)
        after.dims[open] = oracle_elements(before) / oracle_elements(&after);
    return after;
}

/* The axis counts from the end when it is negative. */
static int32_t axis_of(const oracle_shape *shape, const oracle_step *step) {
    return (int32_t)(step->values[1] < 0 ? step->values[1] + shape->rank : step->values[1]);
}

oracle_shape oracle_shape_after(const oracle_shape *before, const oracle_step *step) {
    oracle_shape after = *before;
    int64_t full[CLMOVE_MAX_RANK], block = step->values[0];
    switch (step->what) {
    case ORACLE_TILE:
        promote(&after, step, full);
        for (int32_t i = 0; i < after.rank; i++)
            after.dims[i] *= full[i] < 0 ? 0 : full[i];
        break;
    case ORACLE_TILE_AXIS:
        after.dims[axis_of(before, step)] *= step->values[0];
        break;
    case ORACLE_SPACE_TO_DEPTH:
        after.dims[1] *= power(block, after.rank - 2);
        for (int32_t i = 2; i < after.rank; i++)
            after.dims[i] /= block;
        break;
    case ORACLE_DEPTH_TO_SPACE:
        after.dims[1] /= power(block, after.rank - 2);
        for (int32_t i = 2; i < after.rank; i++)
            after.dims[i] *= block;
        break;
    case ORACLE_PERMUTE:
        for (int32_t i = 0; i < after.rank; i++)
            after.dims[i] = before->dims[step->values[i]];
        break;
    case ORACLE_RESHAPE:
        return reshaped(before, step);
    case ORACLE_EXPAND:
        promote(&after, step, full);
        for (int32_t i = 0; i < after.rank; i++)
            after.dims[i] = after.dims[i] == 1 ? full[i] : after.dims[i];
        break;
    }
    return after;
}

/* ---- bytes ---- */

static bool compute(uint32_t element_bits, const oracle_shape *from, const oracle_step *step, const void *src, void *dst) {
    int64_t repeats[CLMOVE_MAX_RANK];
    int32_t order[CLMOVE_MAX_RANK];
    const int64_t elements = oracle_elements(from);
    switch (step->what) {
    case ORACLE_TILE:
        return oracle_tile(element_bits, from->rank, from->dims, step->count, step->values, src, dst);
    case ORACLE_TILE_AXIS:
        for (int32_t i = 0; i < from->rank; i++)
            repeats[i] = i == axis_of(from, step) ? step->values[0] : 1;
        return oracle_tile(element_bits, from->rank, from->dims, from->rank, repeats, src, dst);
    case ORACLE_SPACE_TO_DEPTH:
        return oracle_space_to_depth(element_bits, from->rank, from->dims, step->values[0], step->mode, src, dst);
    case ORACLE_DEPTH_TO_SPACE:
        return oracle_depth_to_space(element_bits, from->rank, from->dims, step->values[0], step->mode, src, dst);
    case ORACLE_PERMUTE:
        for (int32_t i = 0; i < from->rank; i++)
            order[i] = (int32_t)step->values[i];
        return oracle_permute(element_bits, from->rank, from->dims, order, src, dst);
    case ORACLE_EXPAND:
        return oracle_expand(element_bits, from->rank, from->dims, step->count, step->values, src, dst);
    case ORACLE_RESHAPE:
        break;
    }
    /* The same elements in the same order: a permutation of one dimension, which leaves the bits after the last alone. */
    order[0] = 0;
    return oracle_permute(element_bits, 1, &elements, order, src, dst);
}

bool oracle_chain(uint32_t element_bits, const oracle_shape *shape, int32_t count, const oracle_step *steps, const void *src,
                  void *dst) {
    const oracle_step nothing = {.what = ORACLE_RESHAPE, .count = 1, .values = {-1}};
    oracle_shape now = *shape;
    void *present = NULL; /* NULL: src */
    bool done = true;
    for (int32_t i = 0; i + 1 < count && done; i++) {
        oracle_shape after = oracle_shape_after(&now, &steps[i]);
        void *next = calloc((size_t)oracle_bytes(element_bits, &after) + 1, 1);
        done = next && compute(element_bits, &now, &steps[i], present ? present : src, next);
        free(present);
        present = next;
        now = after;
    }
    done = done && compute(element_bits, &now, count == 0 ? &nothing : &steps[count - 1], present ? present : src, dst);
    free(present);
    return done;
}
