/* The normal forms of a self-test: small ones that use every path of a kernel file. Pure.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_RUN_SELF_TEST_FORMS_H
#define CLMOVE_HOST_RUN_SELF_TEST_FORMS_H

#include "host/plan/launch_plan.h"

enum {
    CLM_TEST_FORMS = 16,            /* of one program, at most */
    CLM_TEST_LAUNCHES = 48,         /* of these, at most */
    CLM_TEST_SRC_BYTES = 128 << 10, /* that a launch reads, at most */
    CLM_TEST_DST_BYTES = 640 << 10, /* that all launches write, guards included, at most */
};

/* What a program is compiled for. The width of indices does not matter here. */
typedef struct clm_test_subject {
    /* Of a variant */
    const char *source;
    uint32_t unit_bits, block;
} clm_test_subject;

/* A form, its launch plan, and the bytes at which its source and its destination begin. Sources may overlap; between destinations
 * is at least one cache line. */
typedef struct clm_test_launch {
    clm_normal_form form;
    clm_launch_plan launch_plan;
    size_t src_base, dst_base;
} clm_test_launch;

/* Any number of the first ones make a test. */
typedef struct clm_test_launches {
    clm_test_launch of[CLM_TEST_LAUNCHES];
    /* 0: no such kernel file is known */
    size_t count;
    size_t src_bytes, dst_bytes;
} clm_test_launches;

/* Finds the launches that test a program. traits: of the device, with the tuning in force. index_bits: 32 or 64. Raises what
 * clm_choose raises. */
clmove_status clm_test_launches_find(const clm_test_subject *subject, const clm_traits *traits, uint32_t index_bits,
                                     clm_test_launches *launches, clmove_error *error);

#endif
