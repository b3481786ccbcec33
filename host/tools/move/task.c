/* See task.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/move/task.h"

#include "tests/oracle/oracle.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static int64_t elements(const task *what) {
    int64_t count = 1;
    for (int32_t i = 0; i < what->rank; i++)
        if (what->dims[i] == 0)
            return 0;
    for (int32_t i = 0; i < what->rank; i++)
        count *= what->dims[i];
    return count;
}

clmove_status task_describe(const task *what, clmove_map *map, clmove_error *error) {
    clmove_status status = clmove_map_init(map, what->element_bits, what->rank, what->dims, error);
    if (status == CLMOVE_OK && what->fortran_order && elements(what) > 0) {
        int64_t strides[CLMOVE_MAX_RANK], stride = 1;
        for (int32_t i = 0; i < what->rank; i++) {
            strides[i] = stride;
            stride *= what->dims[i];
        }
        status = clmove_map_view_src(map, strides, 0, error);
    }
    if (status == CLMOVE_OK)
        status = operation_describe(&what->op, map, error);
    if (status == CLMOVE_OK && (clmove_map_src_bytes(map) > PTRDIFF_MAX || clmove_map_dst_bytes(map) > PTRDIFF_MAX)) {
        status = CLMOVE_OVERFLOW;
        *error = (clmove_error){.status = status};
        snprintf(error->text, sizeof error->text, "%" PRId64 " bytes become %" PRId64 ", and this process has room for %td",
                 clmove_map_src_bytes(map), clmove_map_dst_bytes(map), PTRDIFF_MAX);
    }
    return status;
}

/* An array in Fortran order is the transpose of one in C order that has the dimensions backwards. */
static void *in_c_order(const task *what, const void *src) {
    int64_t backwards[CLMOVE_MAX_RANK];
    int32_t order[CLMOVE_MAX_RANK];
    for (int32_t i = 0; i < what->rank; i++) {
        order[i] = what->rank - 1 - i;
        backwards[i] = what->dims[what->rank - 1 - i];
    }
    void *copy = calloc((size_t)(((uint64_t)elements(what) * what->element_bits + 7) / 8) + 1, 1);
    if (copy && !oracle_permute(what->element_bits, what->rank, backwards, order, src, copy)) {
        free(copy);
        copy = NULL;
    }
    return copy;
}

bool task_compute(const task *what, const void *src, void *dst) {
    if (!what->fortran_order)
        return operation_compute(&what->op, what->element_bits, what->rank, what->dims, src, dst);
    void *dense = in_c_order(what, src);
    bool done = dense && operation_compute(&what->op, what->element_bits, what->rank, what->dims, dense, dst);
    free(dense);
    return done;
}
