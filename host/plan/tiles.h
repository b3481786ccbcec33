/* Tiles: the matrix of a launch plan that transposes, and how it is cut. launch_plan.h says what columns and rows are.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_PLAN_TILES_H
#define CLMOVE_HOST_PLAN_TILES_H

#include "host/plan/launch_plan.h"

/* Whether a form is worth transposing. If so, fills the nest and the outer axes. */
bool clm_fits_tiles(const clm_normal_form *form, clm_launch_plan *launch_plan);

/* The same with runs that are contiguous on both sides in the place of units. */
bool clm_fits_tiles_of_runs(const clm_normal_form *form, clm_launch_plan *launch_plan);

/* Whether runs are copied faster one by one. */
bool clm_runs_are_poor(const clm_normal_form *form, const clm_launch_plan *launch_plan, const clm_traits *traits);

/* Cuts the columns and rows: fills segment, band and segments. tuning: in the place of the traits'. */
void clm_cut_tiles(clm_launch_plan *launch_plan, const clm_traits *traits, const clm_tuning *tuning);

#endif
