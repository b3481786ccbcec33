/* The normal forms of a self-test: small ones that use every path of a kernel file. Pure.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_RUN_SELF_TEST_FORMS_H
#define CLMOVE_HOST_RUN_SELF_TEST_FORMS_H

#include "host/executor.h"

enum {
    /* The launches of these forms, at most. */
    CLM_TEST_LAUNCHES = 48,
    /* The bytes that one launch reads, at most. */
    CLM_TEST_SRC_BYTES = 128 << 10,
    /* The bytes that all launches write, guard bytes included, at most. */
    CLM_TEST_DST_BYTES = 640 << 10,
};

/* Launches, of which any number of the first ones make a test. Sources may overlap; between destinations is at least one cache
 * line. */
typedef struct clm_test_launches {
    clm_trial_launch of[CLM_TEST_LAUNCHES];
    /* Of the launches */
    clm_launch_plan launch_plans[CLM_TEST_LAUNCHES];
    clm_normal_form forms[CLM_TEST_LAUNCHES];
    /* 0: no such kernel file is known */
    size_t count;
    size_t src_bytes, dst_bytes;
} clm_test_launches;

/* Finds the launches that test the program of a launch plan, of which this reads what the program is compiled for: variant,
 * unit_bits, constant and index_bits. traits: of the device, with the tuning in force. Raises what clm_choose raises, and
 * UNSUPPORTED where the launches are more or larger than the numbers above. *launches is not to be copied. */
clmove_status clm_test_launches_find(const clm_launch_plan *tested, const clm_traits *traits, clm_test_launches *launches,
                                     clmove_error *error);

#endif
