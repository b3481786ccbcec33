/* The tables of a kernel: what is made once for all its runs.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_NATIVE_TABLES_H
#define CLMOVE_HOST_NATIVE_TABLES_H

#include "host/native/shuffle.h"
#include "host/plan/passes.h"

/* A pass: its launch plan, which is one item, and its table if it shuffles, else NULL. */
typedef struct clm_pass {
    clm_launch_plan launch_plan;
    clm_shuffle *shuffle;
} clm_pass;

/* Passes over one block, and over several. */
enum { CLM_ONE_BLOCK, CLM_SEVERAL_BLOCKS, CLM_KINDS_OF_PASSES };
typedef struct clm_passes {
    int64_t blocks[CLM_KINDS_OF_PASSES];
    clm_pass passes[CLM_KINDS_OF_PASSES][2];
} clm_passes;

/* What a launch plan needs, NULL if nothing: the table of one that shuffles, the passes of two_passes. */
typedef struct clm_tables {
    clm_shuffle *shuffle;
    clm_passes *two;
} clm_tables;

/* Makes them. traits: the executor's, whose tuning passes have, also where a plan has one of its own. vector, window: see
 * clm_shuffle_create. */
clmove_status clm_tables_create(const clm_launch_plan *launch_plan, const clm_traits *traits, int32_t vector, int32_t window,
                                clm_tables *tables, clmove_error *error);

void clm_tables_destroy(clm_tables *tables);

#endif
