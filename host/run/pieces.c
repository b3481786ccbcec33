/* SPDX-License-Identifier: Apache-2.0 */
#include "host/run/pieces.h"

#include "host/run/in_place.h"
#include "host/run/staged.h"

static void start(clm_run *run) {
    run->info = (clmove_run_info){0};
    run->units_read = run->units_written = run->launches = 0;
    run->kernel_count = 0;
}

/* Runs with one candidate: in place, else staged. */
static clmove_status run_by(clm_run *run, clm_candidate *candidate, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    bool done = false;
    start(run);
    run->candidate = candidate;
    TRY(clm_run_in_place(run, &done, error));
    if (!done)
        TRY(clm_run_staged(run, error));
    clm_plan_count(run->plan, candidate, run->launches);
out:
    clm_run_release_kernels(run);
    return status;
}

clmove_status clm_run_in_pieces(clmove_plan *plan, const void *src, size_t src_bytes, void *dst, size_t dst_bytes,
                                const clmove_run_params *params, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clmove_error failure = {0};
    clm_run run; /* large; fields that are not set here are set before their use */
    run.plan = plan;
    run.src = src;
    run.dst = dst;
    run.src_bytes = src_bytes;
    run.dst_bytes = dst_bytes;
    run.params = params;
    run.start = params ? clm_now() : 0;
    for (;;) {
        clm_candidate *candidate = clm_plan_runner(plan);
        status = run_by(&run, candidate, &failure);
        if (status == CLMOVE_OK)
            break;
        TRY(clm_plan_fall_back(plan, candidate, &failure, error));
    }
    if (params && params->info) {
        run.info.seconds = clm_now() - run.start;
        clm_output_fill(clm_run_info_output, params->info, &run.info);
    }
out:
    return status;
}
