/* In which order the rows of a launch plan are done: what is read and written one after the other.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_PLAN_ORDER_H
#define CLMOVE_HOST_PLAN_ORDER_H

#include "host/plan/launch_plan.h"

/* A matrix of at most so many bytes, whose source spans at most so many, is near: a line of it that is read again is still in the
 * cache. */
#define CLM_NEAR_MATRIX (384 << 10)
#define CLM_NEAR_SPAN (1536 << 10)

/* Whether a worker takes the outer axes in the order of the source. Else it takes them in the order of the destination. */
bool clm_reads_better_in_order(const clm_launch_plan *launch_plan, const clm_traits *traits);

/* Whether q has short rows, apart in the source and side by side in the destination. */
bool clm_has_short_rows_apart(const clm_launch_plan *launch_plan);

/* Makes innermost the outer axes along which the rows of q continue in the source. q keeps as many rows as are read well in turn.
 * The order of the destination would write it front to back, but come back to each place of the source for each row. */
void clm_read_on_in_source(clm_launch_plan *launch_plan);

/* Of rows that are shuffled in blocks of one unit: puts in turn those that read the same lines of the source. */
void clm_take_planes_in_turn(clm_launch_plan *launch_plan);

/* Of blocks that are split: puts in turn the rows that lie between those of q in the source, segment by segment, so that what is
 * read goes on, unless they are a frame. Jobs then move more than the tuning says, up to item_bytes, which a work-item moves. */
void clm_split_in_turn(clm_launch_plan *launch_plan, int64_t item_bytes);

/* Of tiles whose columns lie side by side in the source: puts in turn the rows along which these continue, so that what is read
 * goes on from tile to tile. Returns the columns that a tile should have then; 0: there are no such rows. */
int64_t clm_take_turns(clm_launch_plan *launch_plan);

/* Sets what is known of frames in a launch plan that has all else, if there are frames. */
void clm_find_frames(clm_launch_plan *launch_plan);

#endif
