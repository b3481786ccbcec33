/* See task.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/move/task.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

int32_t task_steps(const task *what, const operation **steps) {
    bool is_move = what->op.kind == OPERATION_MOVE;
    *steps = is_move ? what->steps : &what->op;
    return is_move ? what->step_count : 1;
}

/* Which step it was, and what counts as one before it. */
static void name_step(const task *what, int32_t number, clmove_error *error) {
    clmove_error said = *error;
    bool is_backwards = said.status == CLMOVE_UNSUPPORTED && what->fortran_order;
    int length = snprintf(error->text, sizeof error->text, "step %" PRId32 " (%s): ", number + 1,
                          operation_name(what->steps[number].kind));
    snprintf(error->text + length, sizeof error->text - (size_t)length, "%s%s", said.text,
             is_backwards ? " (the source is in Fortran order, which counts as an earlier step)" : "");
}

clmove_status task_describe(const task *what, clmove_map *map, clmove_error *error) {
    clmove_status status = clmove_map_init(map, what->element_bits, what->rank, what->dims, error);
    if (status == CLMOVE_OK && what->fortran_order && clmove_map_src_bytes(map) > 0) {
        int64_t strides[CLMOVE_MAX_RANK], stride = 1;
        for (int32_t i = 0; i < what->rank; i++) {
            strides[i] = stride;
            stride *= what->dims[i];
        }
        status = clmove_map_view_src(map, strides, 0, error);
    }
    const operation *steps;
    for (int32_t i = 0, count = task_steps(what, &steps); i < count && status == CLMOVE_OK; i++) {
        status = operation_describe(&steps[i], map, error);
        if (status != CLMOVE_OK && what->op.kind == OPERATION_MOVE)
            name_step(what, i, error);
    }
    if (status == CLMOVE_OK && (clmove_map_src_bytes(map) > PTRDIFF_MAX || clmove_map_dst_bytes(map) > PTRDIFF_MAX)) {
        status = CLMOVE_OVERFLOW;
        *error = (clmove_error){.status = status};
        snprintf(error->text, sizeof error->text, "%" PRId64 " bytes become %" PRId64 ", and this process has room for %td",
                 clmove_map_src_bytes(map), clmove_map_dst_bytes(map), PTRDIFF_MAX);
    }
    return status;
}

/* An array in Fortran order is the transpose of one in C order that has the dimensions backwards: one step more. */
bool task_compute(const task *what, const void *src, void *dst) {
    const operation *steps;
    const int32_t rank = what->rank, count = task_steps(what, &steps), first = what->fortran_order ? 0 : 1;
    oracle_step definitions[1 + TASK_STEPS] = {{.what = ORACLE_PERMUTE, .count = rank}};
    oracle_shape shape = {.rank = rank};
    for (int32_t i = 0; i < rank; i++) {
        definitions[0].values[i] = rank - 1 - i;
        shape.dims[i] = what->dims[what->fortran_order ? rank - 1 - i : i];
    }
    for (int32_t i = 0; i < count; i++)
        definitions[1 + i] = operation_definition(&steps[i]);
    return oracle_chain(what->element_bits, &shape, 1 + count - first, definitions + first, src, dst);
}

uint64_t task_compute_bytes(const task *what, uint64_t src_bytes, uint64_t dst_bytes) {
    const operation *steps;
    const int32_t count = task_steps(what, &steps);
    /* No step makes a tensor smaller, unless it makes it empty: what lies between two steps is at most the destination. */
    return (what->fortran_order ? src_bytes : 0) + (uint64_t)(count > 2 ? 2 : count - 1) * dst_bytes;
}
