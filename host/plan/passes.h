/* Two passes: blocks of the destination that are put in another order in the cache first, and from there in their own.
 * launch_plan.h says what a block is.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_PLAN_PASSES_H
#define CLMOVE_HOST_PLAN_PASSES_H

#include "host/plan/launch_plan.h"

/* Bytes of a block, at most: it stays in the second-level cache, beside its source. */
#define CLM_MOST_IN_PASSES (192 * 1024)

/* Whether a form has blocks for two passes. If so, fills the nest and the outer axes. */
bool clm_fits_passes(const clm_normal_form *form, clm_launch_plan *launch_plan);

/* Whether two passes take longer than what else could be done. */
bool clm_passes_are_poor(const clm_normal_form *form, const clm_launch_plan *launch_plan, const clm_traits *traits);

/* How many blocks of a segment are moved together. */
int64_t clm_blocks_in_passes(const clm_launch_plan *launch_plan);

/* Blocks that are moved together: those along some of the outer axes, from the outside in. */
typedef struct clm_block_set {
    int32_t rank;
    clm_axis axes[CLM_MAX_AXES];
} clm_block_set;

/* Finds the forms of the two passes over blocks of a launch plan, for each of some kinds: from the source of the first block to a
 * room in which they lie side by side, and from there to the destination. */
void clm_find_passes(const clm_launch_plan *launch_plan, const clm_traits *traits, const clm_block_set *blocks, int32_t kinds,
                     clm_normal_form (*forms)[2]);

#endif
