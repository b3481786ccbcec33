/* A processor with two cores, whose plans are the same on any machine.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_TESTS_TWO_CORES_H
#define CLMOVE_TESTS_TWO_CORES_H

#include "form_walk.h"
#include "host/plan/launch_plan.h"
#include "host/plan/shuffle.h"
#include "host/plan/tuning.h"

/* cache_bytes: that they share. window: the bytes in which they look bytes up. */
static inline clm_traits traits_of_two_cores(uint64_t cache_bytes, int32_t window) {
    clm_traits traits = {.few_long_runs = true,
                         .takes_rows = true,
                         .any_alignment = true,
                         .workers = 2,
                         .max_outer = CLM_MAX_AXES,
                         .max_outer_narrow = CLM_MAX_AXES,
                         .cache_bytes = cache_bytes,
                         .shuffle_window = window,
                         .has_short_vectors = window > 0 && window < CLM_MOST_WINDOW};
    clm_tuned tuned;
    clm_tuned_start(&tuned, CLM_CLASS_HOST, 0);
    traits.tuning = tuned.values;
    return traits;
}

/* The launch plan that is chosen for a map. */
static inline clm_launch_plan launch_plan_of(const clmove_map *map, const clm_traits *traits, const char *variant) {
    const clm_normal_form form = normal_form_of(map);
    clm_launch_plan launch_plan;
    assert_int_equal(clm_choose(&form, traits, variant, 0, &launch_plan, NULL), CLMOVE_OK);
    return launch_plan;
}

#endif
