/* Sources that leave gaps within lines, or are read backwards there: views with steps, mirrored ones, some channels of many.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_PLAN_GAPS_H
#define CLMOVE_HOST_PLAN_GAPS_H

#include "host/map/normal_form.h"

/* Whether a form reads so. */
bool clm_has_gaps(const clm_normal_form *form);

/* Units of some axes that lie near each other in the source: along axes that go by less than a line, and such that go by little
 * more than what lies near already. */
int64_t clm_count_near(const clm_axis *axes, int32_t rank, int64_t unit_bytes);

#endif
