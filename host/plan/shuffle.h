/* Shuffles: blocks of the destination whose bytes are looked up in windows of the source, by a table that is made once for all
 * blocks of a launch plan. launch_plan.h says what a block is.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_PLAN_SHUFFLE_H
#define CLMOVE_HOST_PLAN_SHUFFLE_H

#include "host/plan/launch_plan.h"

/* Bytes of a block, at most; bytes of a window, at most, one bit of a mask each; and blocks that are made together, at most. */
#define CLM_MOST_SHUFFLED 8192
/* The source of a block spans at most so many times its bytes. */
#define CLM_SHUFFLED_SPREAD 4
/* Or the units of one axis, of one or two bytes, are so far apart, at most. */
#define CLM_PICKED_SPREAD 16
#define CLM_MOST_WINDOW 64
/* Bytes of the windows that a vector has side by side, if it has several. */
#define CLM_CHUNK_WINDOW 16
#define CLM_BLOCKS_TOGETHER 512

/* Whether a form has blocks whose source lies close together. If so, fills the nest and the outer axes. */
bool clm_fits_shuffle(const clm_normal_form *form, clm_launch_plan *launch_plan);

/* Rounds a segment of so many blocks up to whole lines, counted from the row's start, if there are several and it has some. */
int64_t clm_shuffled_segment(const clm_launch_plan *launch_plan, int64_t segment);

/* Whether that takes longer than what else could be done: few blocks, or many steps for each vector of them. */
bool clm_shuffle_is_poor(const clm_normal_form *form, const clm_launch_plan *launch_plan, const clm_traits *traits);

/* Blocks that are made together, and where their source lies: from the first byte of the first block's source, which may be
 * behind others, the first byte and the one behind the last. All in bytes. */
typedef struct clm_shuffled {
    int32_t blocks, bytes;
    int32_t first, end;
} clm_shuffled;

/* Finds them. */
clm_shuffled clm_find_shuffled(const clm_launch_plan *launch_plan);

/* The bytes of the windows in which work-items look them up faster: the traits', or CLM_CHUNK_WINDOW. 0: work-items make no
 * table. */
int32_t clm_find_window(const clm_launch_plan *launch_plan, const clm_traits *traits);

/* Where the bytes `from` to from + count - 1 of them are in the source. */
void clm_shuffled_places(const clm_launch_plan *launch_plan, int32_t from, int32_t count, int32_t *places);

/* The window for the first of the wanted bytes in the source: its place, and the wanted bytes that are in it, which leave
 * `wanted`. places: those of at most CLM_MOST_WINDOW bytes, one for each bit. A window begins at `last` at most. */
int32_t clm_take_window(const int32_t *places, uint64_t *wanted, int32_t window, int32_t last, uint64_t *taken);

/* The steps of a vector of `count` bytes with a window for each so many bytes of it. A window ends at `end` at most. */
int32_t clm_count_steps(const int32_t *places, int32_t count, int32_t window, int32_t end);

/* Whether deinterleaving splits large groups of small units among short rows, each of which ends within a line. */
bool clm_splits_slowly(const clm_launch_plan *split, bool stream);

#endif
