/* One operation on one tensor: its map, and what must come out.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_MOVE_TASK_H
#define CLMOVE_HOST_TOOLS_MOVE_TASK_H

#include "host/tools/move/operation.h"

typedef struct task {
    uint32_t element_bits;
    int32_t rank;
    int64_t dims[CLMOVE_MAX_RANK];
    bool fortran_order; /* the source lies in memory first dimension fastest */
    operation op;
} task;

/* Describes the task to the library. */
clmove_status task_describe(const task *what, clmove_map *map, clmove_error *error);

/* Computes the whole destination from the operator's definition, without the library. False: out of memory. */
bool task_compute(const task *what, const void *src, void *dst);

#endif
