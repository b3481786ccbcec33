/* SPDX-License-Identifier: Apache-2.0 */
#include "host/native/tables.h"

#include <stdlib.h>

static clmove_status make_shuffle(const clm_launch_plan *launch_plan, int32_t vector, int32_t window, clm_shuffle **shuffle,
                                  clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    if (launch_plan->variant->source == CLM_SHUFFLE_BYTES) {
        *shuffle = clm_shuffle_create(launch_plan, vector, window);
        REQUIRE(*shuffle, OUT_OF_MEMORY, "no memory for the table of a kernel");
    }
out:
    return status;
}

static clmove_status plan_pass(const clm_normal_form *form, const clm_traits *traits, bool is_second, bool streams,
                               clm_launch_plan *launch_plan, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_traits own = *traits;
    own.workers = 1;
    TRY(clm_choose_pass(form, &own, 64, is_second, streams, launch_plan, error));
    launch_plan->item_jobs = launch_plan->jobs;
    launch_plan->items = 1;
out:
    return status;
}

static clmove_status make_passes(const clm_launch_plan *launch_plan, const clm_traits *traits, int32_t vector, int32_t window,
                                 clm_passes *made, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_normal_form forms[CLM_KINDS_OF_PASSES][2];
    clm_block_set blocks[CLM_KINDS_OF_PASSES];
    made->blocks[CLM_ONE_BLOCK] = 1;
    made->blocks[CLM_SEVERAL_BLOCKS] = clm_blocks_in_passes(launch_plan);
    for (int i = 0; i < CLM_KINDS_OF_PASSES; i++)
        blocks[i] = (clm_block_set){1, {{made->blocks[i], launch_plan->q_src, launch_plan->q_dst}}};
    clm_find_passes(launch_plan, traits, blocks, CLM_KINDS_OF_PASSES, forms);
    for (int i = 0; i < 2 * CLM_KINDS_OF_PASSES; i++) {
        clm_pass *pass = &made->passes[i / 2][i % 2];
        TRY(plan_pass(&forms[i / 2][i % 2], traits, i % 2 == 1, launch_plan->stream, &pass->launch_plan, error));
        TRY(make_shuffle(&pass->launch_plan, vector, window, &pass->shuffle, error));
    }
out:
    return status;
}

clmove_status clm_tables_create(const clm_launch_plan *launch_plan, const clm_traits *traits, int32_t vector, int32_t window,
                                clm_tables *tables, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_tables made = {0};
    TRY(make_shuffle(launch_plan, vector, window, &made.shuffle, error));
    if (launch_plan->variant->makes_passes) {
        made.two = calloc(1, sizeof *made.two);
        REQUIRE(made.two, OUT_OF_MEMORY, "no memory for the passes of a kernel");
        TRY(make_passes(launch_plan, traits, vector, window, made.two, error));
    }
    *tables = made;
    made = (clm_tables){0};
out:
    clm_tables_destroy(&made);
    return status;
}

void clm_tables_destroy(clm_tables *tables) {
    clm_shuffle_destroy(tables->shuffle);
    for (int i = 0; tables->two && i < 2 * CLM_KINDS_OF_PASSES; i++)
        clm_shuffle_destroy(tables->two->passes[i / 2][i % 2].shuffle);
    free(tables->two);
}
