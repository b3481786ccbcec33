/* Periods: blocks of the destination that a launch plan makes in the cache. launch_plan.h says what a block is.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_PLAN_PERIODS_H
#define CLMOVE_HOST_PLAN_PERIODS_H

#include "host/plan/launch_plan.h"

/* Makes the innermost axes of a form, from `first` on and of so many units together, a block: fills the nest and the outer axes.
 */
void clm_take_block(const clm_normal_form *form, int32_t first, int64_t units, clm_launch_plan *launch_plan);

/* Whether a form is worth making in blocks. If so, fills the nest and the outer axes. */
bool clm_fits_period(const clm_normal_form *form, clm_launch_plan *launch_plan);

/* What a block is made of: `pieces` places of the source, each with a pattern of so many units that is stored so many times in a
 * row. The pieces are the product of the first piece_rank axes of n. Of these, the first part_rank make parts of a block: a part
 * is copied along them where they repeat it. */
typedef struct clm_pieces {
    int64_t pattern, times, pieces;
    int32_t part_rank, piece_rank;
} clm_pieces;

/* Finds them. axes: the n_rank axes of n. */
clm_pieces clm_find_pieces(const clm_axis *axes, int32_t n_rank, int64_t unit_bytes);

/* Whether short rows come from a line each, so that a block costs more than tiles of the transposed source. */
bool clm_period_is_poor(const clm_normal_form *form, const clm_launch_plan *launch_plan, const clm_traits *traits);

#endif
