/* The argument struct of a kernel, filled from a launch plan.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_OPENCL_ARGUMENTS_H
#define CLMOVE_HOST_OPENCL_ARGUMENTS_H

#include "cl_kernels/move.h"
#include "host/plan/launch_plan.h"

typedef struct clm_arguments {
    union {
        move_args_32 narrow;
        move_args_64 wide;
    } as;
    /* Of the one in use */
    size_t bytes;
} clm_arguments;

/* Fills the arguments of the launch at the offsets src_lead and dst_lead of the leading axes, in units. */
void clm_arguments_set(clm_arguments *arguments, const clm_launch_plan *launch_plan, int64_t src_lead, int64_t dst_lead);

#endif
