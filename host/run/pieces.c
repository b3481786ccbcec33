/* What the methods of a run share: its pieces, their kernels, and the progress.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/run/run.h"

#include <inttypes.h>

/* ---- what the methods share ---- */

int64_t clm_run_piece_bytes(const clm_run *run) {
    return run->params->piece_bytes ? run->params->piece_bytes : run->candidate->traits.tuning.piece_bytes;
}

int64_t clm_run_bytes(const clm_normal_form *form) {
    return clm_read_bytes(form) + clm_written_bytes(form);
}

void clm_run_cut(clm_run *run, const clm_cut_limits *limits) {
    clm_cut_make(run->form, limits, &run->cut);
    run->info.pieces = run->cut.pieces;
    run->info.piece_bytes = run->cut.sizes.src + run->cut.sizes.dst;
}

void clm_run_do_not_cut(clm_run *run) {
    if (clm_run_is_part(run)) { /* the one piece is not of the plan's kernel */
        clm_run_cut(run, &(clm_cut_limits){0});
        return;
    }
    run->info.pieces = 1;
    run->info.piece_bytes = clm_run_bytes(run->form);
}

clmove_status clm_run_advance(clm_run *run, int64_t piece, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_normal_form *form = run->form;
    if (!run->params->progress)
        return status;
    clmove_progress progress = {.struct_size = sizeof progress, .seconds = clm_now() - run->start};
    progress.bytes_done = progress.bytes_total = clm_run_bytes(form);
    if (run->info.pieces > 1) {
        run->units_read += clm_cut_reads_same(&run->cut, piece) ? 0 : clm_cut_units(&run->cut, piece, true);
        run->units_written += clm_cut_units(&run->cut, piece, false);
        progress.bytes_done = clm_form_bytes(form, run->units_read) + clm_form_bytes(form, run->units_written);
    }
    REQUIRE(run->params->progress(run->params->progress_user, &progress), CANCELLED,
            "cancelled after %" PRId64 " of %" PRId64 " bytes", progress.bytes_done, progress.bytes_total);
out:
    return status;
}

clmove_status clm_run_find_kernel(clm_run *run, const clm_normal_form *form, clm_kernel **kernel, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clmove_plan *plan = run->plan;
    clm_candidate *candidate = run->candidate;
    clm_launch_plan launch_plan;
    clm_kernel *created = NULL;
    /* A forced choice holds for the whole tensor; a piece may need another variant. */
    const bool is_forced = clm_choose(form, &candidate->traits, plan->variant, plan->index_bits, &launch_plan, NULL) == CLMOVE_OK;
    if (!is_forced)
        TRY(clm_choose(form, &candidate->traits, NULL, 0, &launch_plan, error));
    launch_plan.stream |= candidate->launch_plan.stream;
    if (clm_launch_plans_are_equal(&launch_plan, &candidate->launch_plan))
        TRY(clm_plan_get_kernel(plan, candidate, 0, &created, error));
    for (int32_t i = 0; i < run->kernel_count && i < CLM_PIECE_KERNELS && !created; i++)
        if (clm_launch_plans_are_equal(&launch_plan, &run->kernels[i].launch_plan))
            created = run->kernels[i].kernel;
    if (!created) {
        TRY(clm_kernel_make(plan, candidate, form, &launch_plan, is_forced, &created, error));
        clm_piece_kernel *place = &run->kernels[run->kernel_count % CLM_PIECE_KERNELS];
        if (run->kernel_count++ >= CLM_PIECE_KERNELS)
            place->kernel->executor->calls->kernel_destroy(place->kernel);
        *place = (clm_piece_kernel){.launch_plan = launch_plan, .kernel = created};
    }
    *kernel = created;
out:
    return status;
}
