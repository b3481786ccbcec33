/* The members of a plan on a list of devices: a plan on each of them, and which of them have failed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_RUN_MEMBERS_H
#define CLMOVE_HOST_RUN_MEMBERS_H

#include "host/run/plan.h"

/* Makes the members of a plan on a list. Fails if all fail and the host may not take over, and where another device would fail
 * in the same way. */
clmove_status clm_members_create(clmove_plan *plan, const clmove_map *map, const clmove_plan_params *params, clmove_error *error);
void clm_members_destroy(clmove_plan *plan);

/* The plan that says how a plan on a list moves: that of the first member that has not failed. The plan itself where there is
 * none, and where it is on one device. */
const clmove_plan *clm_plan_shown(const clmove_plan *plan);

/* Writes a line on how pieces are handed out. */
void clm_members_explain(const clmove_plan *plan, char *text, size_t capacity);

/* Whether others may do what a member failed to do: the fault is its own, or its device's. */
bool clm_member_is_at_fault(clmove_status status);

/* How many have not failed. */
int32_t clm_members_live(const clmove_plan *plan);

/* Leaves a member out from now on, which is said once. */
void clm_member_leave_out(clmove_plan *plan, int32_t member, const clmove_error *why);

/* When all have failed, the next run tries all again, as on a single device. */
void clm_members_take_in(clmove_plan *plan);

/* Whether each member that has not failed has a calibration. *sum: of their speeds. */
bool clm_members_are_calibrated(const clmove_plan *plan, double *sum);

#endif
