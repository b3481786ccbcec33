/* The forms of each kernel file. Pure.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_RUN_SELF_TEST_MAKERS_H
#define CLMOVE_HOST_RUN_SELF_TEST_MAKERS_H

#include "host/plan/launch_plan.h"

#define LINE_BYTES 64
/* The forms of one program, at most. */
#define CLM_TEST_FORMS 16

/* How a form is launched: with plain or non-temporal stores, on an aligned or unaligned destination. */
enum { CACHED_AT_LINE = 1, CACHED_ANYWHERE = 2, STREAM_AT_LINE = 4, STREAM_ANYWHERE = 8, ALL_WAYS = 15, WAYS = 4, USUAL = 0 };

typedef struct test_form {
    clm_normal_form form;
    clm_launch_plan launch_plan;
    /* The variant that moves it. */
    const char *variant;
    /* A job has so many rows of q, or, where it is negative, so many units of n. */
    int64_t cut;
    /* A set of those above, not all of which the device has. */
    uint32_t ways;
} test_form;

/* Makes the forms that test the program of a launch plan, as clm_test_launches_find says, and returns their number, also if it is
 * more than CLM_TEST_FORMS. */
size_t clm_test_forms_make(const clm_launch_plan *tested, const clm_traits *traits, test_form forms[CLM_TEST_FORMS + 1]);

#endif
