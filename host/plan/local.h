/* Tiles that a work-group moves through local memory: which part of each axis makes a tile, and where its units lie there.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_PLAN_LOCAL_H
#define CLMOVE_HOST_PLAN_LOCAL_H

#include "cl_kernels/move.h"
#include "host/plan/launch_plan.h"

/* The bytes of local memory that the kernel takes, with either width of indices. */
#define CLM_LOCAL_MEMORY_BYTES                                                                                                   \
    (LOCAL_BYTES + 2 * LOCAL_RUNS * sizeof(int64_t) + 2 * (LOCAL_RUNS + LOCAL_UNITS) * sizeof(uint16_t) + 64)

/* Whether a form can be moved in such tiles. If so, all of its axes are outer axes. */
bool clm_fits_local(const clm_normal_form *form, clm_launch_plan *launch_plan);

/* Takes the tile's axes out of the outer ones, and puts them behind these: fills the nest, the runs, segment, band, constant and
 * local_size, which is less where tiles are small.
 * The two innermost outer axes are then the tiles along m and along n. local_size: the work-items of a work-group, a power of
 * two. workers: the device's compute units. max_outer: the axes of a launch, at least 15. */
void clm_cut_local(clm_launch_plan *launch_plan, int64_t local_size, uint32_t workers, int32_t max_outer);

#endif
