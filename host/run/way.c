/* SPDX-License-Identifier: Apache-2.0 */
#include "host/run/way.h"

#include "host/run/kernel.h"

#include <inttypes.h>
#include <time.h>

const clm_output clm_run_info_output = CLM_OUTPUT(clmove_run_info, move_seconds);

double clm_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

bool clm_run_wants_pieces(const clm_run *run) {
    return run->params && (run->params->progress || run->params->piece_bytes);
}

int64_t clm_run_piece_bytes(const clm_run *run) {
    return run->params && run->params->piece_bytes ? run->params->piece_bytes : run->candidate->traits.tuning.piece_bytes;
}

clmove_status clm_run_advance(clm_run *run, int64_t piece, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_normal_form *form = &run->plan->form;
    if (!run->params || !run->params->progress)
        return status;
    int64_t all_read = clm_form_units_read(form), all_written = clm_form_units(form);
    if (run->info.pieces == 1) {
        run->units_read = all_read;
        run->units_written = all_written;
    } else {
        run->units_read += clm_cut_reads_same(&run->cut, piece) ? 0 : clm_cut_units(&run->cut, piece, true);
        run->units_written += clm_cut_units(&run->cut, piece, false);
    }
    const clmove_progress progress = {
        .struct_size = sizeof progress,
        .bytes_done = clm_form_bytes(form, run->units_read) + clm_form_bytes(form, run->units_written),
        .bytes_total = clm_form_bytes(form, all_read) + clm_form_bytes(form, all_written),
        .seconds = clm_now() - run->start,
    };
    REQUIRE(run->params->progress(run->params->progress_user, &progress), CANCELLED,
            "cancelled after %" PRId64 " of %" PRId64 " bytes", progress.bytes_done, progress.bytes_total);
out:
    return status;
}

clmove_status clm_run_find_kernel(clm_run *run, const clm_normal_form *form, clm_kernel **kernel, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clmove_plan *plan = run->plan;
    clm_candidate *candidate = run->candidate;
    clm_kernel_wish wish = {form, &candidate->traits, plan->variant, plan->index_bits, candidate->launch_plan.stream, NULL};
    clm_launch_plan launch_plan;
    clm_kernel *created = NULL;
    /* A forced choice holds for the whole tensor; a piece may need another variant. */
    if (clm_choose(form, &candidate->traits, plan->variant, plan->index_bits, &launch_plan, NULL) != CLMOVE_OK) {
        wish.variant = NULL;
        wish.index_bits = 0;
        TRY(clm_choose(form, &candidate->traits, NULL, 0, &launch_plan, error));
    }
    launch_plan.stream |= candidate->launch_plan.stream;
    if (clm_launch_plans_are_equal(&launch_plan, &candidate->launch_plan))
        TRY(clm_plan_get_own_kernel(plan, candidate, &created, error));
    for (int32_t i = 0; i < run->kernel_count && i < CLM_PIECE_KERNELS && !created; i++)
        if (clm_launch_plans_are_equal(&launch_plan, &run->kernels[i].launch_plan))
            created = run->kernels[i].kernel;
    if (!created) {
        TRY(clm_kernel_make(plan->device, candidate->executor, &wish, &created, error));
        clm_piece_kernel *place = &run->kernels[run->kernel_count % CLM_PIECE_KERNELS];
        if (run->kernel_count++ >= CLM_PIECE_KERNELS)
            place->kernel->executor->calls->kernel_destroy(place->kernel);
        *place = (clm_piece_kernel){.launch_plan = launch_plan, .kernel = created};
    }
    run->launches += created->launch_plan.launches;
    *kernel = created;
out:
    return status;
}

clmove_status clm_run_form_on_host(const clm_run *run, const clm_normal_form *form, bool stream, const void *src, void *dst,
                                   clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_candidate *host = clm_plan_host(run->plan);
    clm_kernel kernel = {.executor = host->executor};
    TRY(clm_choose(form, &host->traits, NULL, 0, &kernel.launch_plan, error));
    kernel.launch_plan.stream |= stream;
    host->executor->calls->run(&kernel, src, dst);
out:
    return status;
}

void clm_run_set_pieces(clm_run *run) {
    run->info.pieces = run->cut.pieces;
    run->info.piece_bytes = run->cut.sizes.src + run->cut.sizes.dst;
}

void clm_run_set_whole(clm_run *run) {
    const clm_normal_form *form = &run->plan->form;
    run->info.pieces = 1;
    run->info.piece_bytes = clm_read_bytes(form) + clm_written_bytes(form);
}

void clm_run_release_kernels(clm_run *run) {
    for (int32_t i = 0; i < run->kernel_count && i < CLM_PIECE_KERNELS; i++)
        run->kernels[i].kernel->executor->calls->kernel_destroy(run->kernels[i].kernel);
    run->kernel_count = 0;
}
