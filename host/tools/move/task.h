/* One operation, or several in turn, on one tensor: its map, and what must come out.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_MOVE_TASK_H
#define CLMOVE_HOST_TOOLS_MOVE_TASK_H

#include "host/tools/move/operation.h"

enum { TASK_STEPS = 16 };

typedef struct task {
    uint32_t element_bits;
    int32_t rank;
    int64_t dims[CLMOVE_MAX_RANK];
    /* The source lies in memory first dimension fastest. */
    bool fortran_order;
    operation op;
    /* of a move: what is done in turn */
    int32_t step_count;
    operation steps[TASK_STEPS];
} task;

/* What is done in turn: the steps of a move, or the operation alone. Returns how many. */
int32_t task_steps(const task *what, const operation **steps);

/* Describes the task to the library. */
clmove_status task_describe(const task *what, clmove_map *map, clmove_error *error);

/* Computes the whole destination from the operators' definitions, without the library. False: out of memory. */
bool task_compute(const task *what, const void *src, void *dst);

/* The most memory that task_compute takes beside source and destination. */
uint64_t task_compute_bytes(const task *what, uint64_t src_bytes, uint64_t dst_bytes);

#endif
