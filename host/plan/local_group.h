/* The work-items of a group that moves a tile through local memory, and how many of them move a run of it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_PLAN_LOCAL_GROUP_H
#define CLMOVE_HOST_PLAN_LOCAL_GROUP_H

#include "host/plan/launch_plan.h"
#include "host/plan/local_tile.h"

/* How words of one side are moved (cl_kernels/gpu/local_tiles.cl). */
enum { CLM_BY_UNITS, CLM_BY_GROUPS, CLM_BY_LINES, CLM_BY_ANY_LINES };

typedef struct clm_local_access {
    uint32_t by;
    /* Units that a work-item moves at once. */
    int64_t units;
} clm_local_access;

/* The work-items of a group: local_size, a power of two, or half of it where tiles are small. workers: the device's compute
 * units. */
int64_t clm_local_group(const clm_local_tile *tile, int64_t local_size, uint32_t workers);

/* The base 2 logarithm of those that move a run of one side. The launch plan has its runs and local_size. */
int64_t clm_local_lanes(const clm_launch_plan *launch_plan, const clm_local_tile *tile, bool is_src,
                        const clm_local_access *moved);

#endif
