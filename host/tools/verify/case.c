/* See case.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/verify/case.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* ---- noise ---- */

/* SplitMix64: each call gives 64 new bits. */
static uint64_t random_bits(uint64_t *state) {
    uint64_t x = *state += 0x9E3779B97F4A7C15U;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9U;
    x = (x ^ x >> 27) * 0x94D049BB133111EBU;
    return x ^ x >> 31;
}

static int32_t random_below(uint64_t *state, int32_t limit) {
    return (int32_t)(random_bits(state) % (uint64_t)limit);
}

static int64_t random_of(uint64_t *state, const int64_t *choices, size_t count) {
    return choices[random_below(state, (int32_t)count)];
}

void verify_noise(void *memory, size_t bytes, uint64_t seed) {
    unsigned char *at = memory;
    for (size_t i = 0; i < bytes; i += sizeof(uint64_t)) {
        uint64_t bits = random_bits(&seed);
        memcpy(at + i, &bits, bytes - i < sizeof bits ? bytes - i : sizeof bits);
    }
}

/* ---- shapes ---- */

static const int64_t EXTENTS[] = {1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 9, 13, 16, 17, 24, 32, 33, 64, 93, 144};

static int64_t random_extent(uint64_t *state) {
    return random_below(state, 60) == 0 ? 0 : random_of(state, EXTENTS, COUNT(EXTENTS));
}

/* Most cases are small, some fill a few work-groups. */
static int64_t random_limit(uint64_t *state) {
    return random_below(state, 8) == 0 ? 1 << 18 : 1 << 13;
}

/* Halves the largest of a and b until the product of all is at most limit. */
static void shrink(int32_t a_count, int64_t *a, int32_t b_count, int64_t *b, int64_t limit) {
    for (;;) {
        int64_t product = 1, *largest = NULL;
        for (int32_t i = 0; i < a_count + b_count; i++) {
            int64_t *entry = i < a_count ? &a[i] : &b[i - a_count];
            product *= *entry > 1 && product <= limit ? *entry : 1;
            if (!largest || *entry > *largest)
                largest = entry;
        }
        if (product <= limit)
            return;
        *largest = (*largest + 1) / 2;
    }
}

static void random_shape(task *what, uint64_t *state) {
    what->rank = random_below(state, 10);
    for (int32_t i = 0; i < what->rank; i++)
        what->dims[i] = random_extent(state);
    shrink(what->rank, what->dims, 0, NULL, random_limit(state));
}

/* ---- operations ---- */

static void make_tile(task *what, uint64_t *state) {
    static const int64_t repeats[] = {1, 1, 1, 2, 2, 3, 4, 5, 7, 8, 16};
    operation *op = &what->op;
    random_shape(what, state);
    op->by_axis = what->rank > 0 && random_below(state, 5) == 0;
    op->rules = op->by_axis || random_below(state, 3) == 0 ? CLMOVE_RULES_ONNX : CLMOVE_RULES_OPENVINO;
    op->axis = what->rank > 0 ? random_below(state, 2 * what->rank) - what->rank : 0;
    op->tiles = random_of(state, repeats, COUNT(repeats));
    op->count = op->rules == CLMOVE_RULES_ONNX ? what->rank : random_below(state, 10);
    for (int32_t i = 0; i < op->count; i++) {
        int32_t odd = op->rules == CLMOVE_RULES_OPENVINO ? random_below(state, 80) : 1 + random_below(state, 80);
        op->values[i] = odd == 0 ? -1 : odd == 1 ? 0 : random_of(state, repeats, COUNT(repeats));
    }
    shrink(what->rank, what->dims, op->by_axis ? 1 : op->count, op->by_axis ? &op->tiles : op->values, random_limit(state));
}

static void make_blocks(task *what, uint64_t *state) {
    static const int64_t blocks[] = {1, 2, 2, 2, 3, 4, 4, 5, 7, 8};
    operation *op = &what->op;
    int32_t spatial = 1 + random_below(state, 4);
    op->block_size = random_of(state, blocks, spatial > 2 ? 5 : COUNT(blocks));
    op->mode = random_below(state, 2) == 0 ? CLMOVE_BLOCKS_FIRST : CLMOVE_DEPTH_FIRST;
    what->rank = 2 + spatial;
    int64_t depth = 1;
    for (int32_t i = 0; i < what->rank; i++) {
        what->dims[i] = random_extent(state);
        depth *= i < 2 ? 1 : op->block_size;
    }
    int64_t limit = random_limit(state) / depth;
    shrink(what->rank, what->dims, 0, NULL, limit > 1 ? limit : 1);
    if (op->kind == OPERATION_DEPTH_TO_SPACE)
        what->dims[1] *= depth;
    else
        for (int32_t i = 2; i < what->rank; i++)
            what->dims[i] *= op->block_size;
    if (spatial == 2 && (op->kind == OPERATION_DEPTH_TO_SPACE || op->mode == CLMOVE_BLOCKS_FIRST) && random_below(state, 2) == 0)
        op->rules = CLMOVE_RULES_ONNX;
}

static void random_order(operation *op, int32_t count, uint64_t *state) {
    op->count = count;
    for (int32_t i = 0; i < op->count; i++) {
        int32_t place = random_below(state, i + 1);
        op->values[i] = op->values[place];
        op->values[place] = i;
    }
}

static void make_permute(task *what, uint64_t *state) {
    random_shape(what, state);
    random_order(&what->op, what->rank, state);
}

static void make_expand(task *what, uint64_t *state) {
    operation *op = &what->op;
    random_shape(what, state);
    int32_t more = random_below(state, 10 - what->rank);
    op->count = what->rank + more;
    for (int32_t i = 0; i < op->count; i++)
        op->values[i] = random_extent(state);
    shrink(op->count, op->values, 0, NULL, random_limit(state));
    for (int32_t i = 0; i < what->rank; i++)
        what->dims[i] = random_below(state, 2) == 0 ? 1 : op->values[more + i];
}

/* ---- moves ---- */

/* The same shape with one dimension split, or two made one, or a 1 put in; one number may be left to be computed. */
static bool add_reshape(operation *op, const oracle_shape *now, uint64_t *state) {
    int32_t at = random_below(state, now->rank + 1), how = random_below(state, 3), dim = 0;
    const bool splits = how == 0 && at < now->rank, joins = how == 1 && at + 1 < now->rank;
    int64_t part = 2 + random_below(state, 7);
    if (splits && now->dims[at] % part != 0)
        part = 1;
    for (int32_t i = 0; i < now->rank; i++) {
        if (i == at && !joins)
            op->values[op->count++] = splits ? part : 1;
        op->values[op->count++] = i == at && splits ? now->dims[i] / part : now->dims[i];
        if (i == at && joins)
            op->values[op->count - 1] *= now->dims[++i];
    }
    if (at == now->rank)
        op->values[op->count++] = 1;
    dim = random_below(state, 2 * op->count);
    if (dim < op->count && oracle_elements(now) > 0)
        op->values[dim] = -1;
    return true;
}

static bool add_tile(operation *op, const oracle_shape *now, uint64_t *state) {
    op->count = now->rank + random_below(state, 2);
    for (int32_t i = 0; i < op->count; i++)
        op->values[i] = random_below(state, 3) == 0 ? 2 + random_below(state, 3) : 1;
    return true;
}

static bool add_expand(operation *op, const oracle_shape *now, uint64_t *state) {
    int32_t more = random_below(state, 2);
    op->count = now->rank + more;
    for (int32_t i = 0; i < op->count; i++) {
        int64_t dim = i < more ? 1 : now->dims[i - more];
        op->values[i] = dim == 1 && random_below(state, 2) == 0 ? 1 + random_below(state, 5) : dim;
    }
    return true;
}

static bool add_blocks(operation *op, const oracle_shape *now, uint64_t *state) {
    bool fits = now->rank > 2 && now->rank < 6;
    int64_t depth = 1;
    op->block_size = 2 + random_below(state, 2);
    op->mode = random_below(state, 2) == 0 ? CLMOVE_BLOCKS_FIRST : CLMOVE_DEPTH_FIRST;
    for (int32_t i = 2; i < now->rank && fits; i++) {
        depth *= op->block_size;
        fits = op->kind == OPERATION_DEPTH_TO_SPACE || now->dims[i] % op->block_size == 0;
    }
    return fits && (op->kind == OPERATION_SPACE_TO_DEPTH || now->dims[1] % depth == 0);
}

/* Appends a step that the shape allows, that keeps the tensor small and that the map so far can take. */
static void add_step(task *what, oracle_shape *now, int64_t limit, uint64_t *state) {
    static const operation_kind kinds[] = {OPERATION_RESHAPE,        OPERATION_RESHAPE,        OPERATION_PERMUTE, OPERATION_TILE,
                                           OPERATION_SPACE_TO_DEPTH, OPERATION_DEPTH_TO_SPACE, OPERATION_EXPAND};
    static bool (*const adders[])(operation *, const oracle_shape *, uint64_t *) = {[OPERATION_TILE] = add_tile,
                                                                                    [OPERATION_SPACE_TO_DEPTH] = add_blocks,
                                                                                    [OPERATION_DEPTH_TO_SPACE] = add_blocks,
                                                                                    [OPERATION_EXPAND] = add_expand,
                                                                                    [OPERATION_RESHAPE] = add_reshape};
    operation *op = &what->steps[what->step_count];
    clmove_error error;
    clmove_map map;
    *op = (operation){.kind = kinds[random_below(state, COUNT(kinds))]};
    if (op->kind == OPERATION_PERMUTE)
        random_order(op, now->rank, state);
    else if (!adders[op->kind](op, now, state))
        return;
    const oracle_step step = operation_definition(op);
    const oracle_shape after = oracle_shape_after(now, &step);
    what->step_count++;
    if (after.rank <= 12 && oracle_elements(&after) <= limit && task_describe(what, &map, &error) != CLMOVE_UNSUPPORTED)
        *now = after;
    else
        what->step_count--;
}

/* Half of the sources have spatial dimensions that blocks divide. A move that nothing could be added to permutes. */
static void make_move(task *what, uint64_t *state) {
    oracle_shape now;
    const int64_t limit = random_limit(state) * 4;
    const int32_t tries = 3 + random_below(state, 6);
    random_shape(what, state);
    if (random_below(state, 2) == 0) {
        what->rank = 3 + random_below(state, 3);
        for (int32_t i = 0; i < what->rank; i++)
            what->dims[i] = i < 2 ? 1 + random_below(state, 4) : 6 * (1 + random_below(state, what->rank == 5 ? 1 : 3));
    }
    now.rank = what->rank;
    memcpy(now.dims, what->dims, sizeof now.dims);
    for (int32_t i = 0; i < tries; i++)
        add_step(what, &now, limit, state);
    if (what->step_count == 0) {
        operation *op = &what->steps[what->step_count++];
        *op = (operation){.kind = OPERATION_PERMUTE};
        random_order(op, now.rank, state);
    }
}

void verify_case_make(verify_case *one, uint64_t seed, uint64_t number) {
    static const int64_t widths[] = {1, 2, 4, 8, 8, 16, 16, 24, 32, 32, 32, 64, 64, 96, 128, 40, 192};
    static void (*const makers[OPERATION_KINDS])(task *, uint64_t *) = {
        [OPERATION_TILE] = make_tile,       [OPERATION_SPACE_TO_DEPTH] = make_blocks, [OPERATION_DEPTH_TO_SPACE] = make_blocks,
        [OPERATION_PERMUTE] = make_permute, [OPERATION_EXPAND] = make_expand,         [OPERATION_MOVE] = make_move};
    static const operation_kind kinds[] = {OPERATION_TILE,           OPERATION_TILE,           OPERATION_SPACE_TO_DEPTH,
                                           OPERATION_SPACE_TO_DEPTH, OPERATION_DEPTH_TO_SPACE, OPERATION_DEPTH_TO_SPACE,
                                           OPERATION_PERMUTE,        OPERATION_PERMUTE,        OPERATION_EXPAND,
                                           OPERATION_MOVE,           OPERATION_MOVE,           OPERATION_MOVE};
    uint64_t state = seed;
    state = random_bits(&state) ^ number;
    *one = (verify_case){0};
    one->what.op.kind = kinds[random_below(&state, COUNT(kinds))];
    one->what.element_bits = (uint32_t)random_of(&state, widths, COUNT(widths));
    one->what.fortran_order = random_below(&state, 8) == 0;
    one->through_buffers = random_below(&state, 2) == 0;
    bool is_aligned = random_below(&state, 2) == 0;
    one->src_shift = is_aligned ? 0 : (size_t)random_below(&state, 64);
    one->dst_shift = is_aligned ? 0 : (size_t)random_below(&state, 64);
    makers[one->what.op.kind](&one->what, &state);
}

void verify_case_text(const verify_case *one, char text[VERIFY_CASE_TEXT]) {
    const task *what = &one->what;
    char shape[SHAPE_TEXT], steps[TASK_STEPS_TEXT];
    task_steps_text(what, steps, sizeof steps);
    snprintf(text, VERIFY_CASE_TEXT, "%s of %s%s, %" PRIu32 "-bit elements, with%s", operation_name(what->op.kind),
             shape_text(what->rank, what->dims, shape), what->fortran_order ? " in Fortran order" : "", what->element_bits,
             steps);
}
