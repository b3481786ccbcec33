/* The struct that a kernel takes, filled from a movement.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_OPENCL_ARGUMENTS_H
#define CLMOVE_HOST_OPENCL_ARGUMENTS_H

#include "cl_kernels/move.h"
#include "host/plan/movement.h"

typedef struct clm_arguments {
    union {
        move_args_32 narrow;
        move_args_64 wide;
    } as;
    size_t bytes; /* of the one in use */
} clm_arguments;

/* Fills the arguments of the launch that stands at (src_lead, dst_lead) on the leading axes, in units. */
void clm_arguments_set(clm_arguments *arguments, const clm_movement *movement, int64_t src_lead, int64_t dst_lead);

#endif
