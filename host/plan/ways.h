/* Ways past the cache: how what is transposed is moved where it does not fit there, by the processor and the map.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_PLAN_WAYS_H
#define CLMOVE_HOST_PLAN_WAYS_H

#include "host/plan/launch_plan.h"

/* Whether to move in strips past the cache, and in wide ones (see clm_launch_plan), before the map is known. */
bool clm_wants_strips(const clm_tuning *tuning);
bool clm_wants_wide_strips(const clm_tuning *tuning);

/* Chooses the way of a launch plan with columns and rows that is moved in strips: fills in_strips, in_rooms and in_wide_strips.
 * Returns how many of `rows` rows a tile may have. */
int64_t clm_choose_way(clm_launch_plan *launch_plan, const clm_tuning *tuning, int64_t rows);

/* Whether all rows begin at a cache line if the destination does. */
bool clm_tiles_line_up(const clm_launch_plan *launch_plan);

#endif
