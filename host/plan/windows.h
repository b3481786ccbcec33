/* Runs that overlap in the source, as windows do that slide along it by less than their length: those of a convolution's patches.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_PLAN_WINDOWS_H
#define CLMOVE_HOST_PLAN_WINDOWS_H

#include "host/plan/launch_plan.h"

/* The bytes of the runs that are contiguous on both sides, if they overlap in the source; else 0. */
int64_t clm_window_bytes(const clm_normal_form *form);

/* Whether interleave can do them. */
bool clm_windows_are_joined(const clm_normal_form *form);

/* Whether they are so short that they are neither copied nor moved in tiles. */
bool clm_windows_are_near(const clm_normal_form *form, const clm_traits *traits);

#endif
