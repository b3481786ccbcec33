/* The method of a run on one device, and the fallback to the next executor.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/run/run.h"

/* ---- the method ---- */

clmove_status clm_run_once(clm_run *run, clmove_error *error) {
    bool done = false;
    run->info = (clmove_run_info){0};
    run->units_read = run->units_written = run->launches = 0;
    run->kernel_count = 0;
    clmove_status status = clm_run_in_place(run, &done, error);
    if (status == CLMOVE_OK && !done)
        status = clm_run_staged(run, error);
    if (status == CLMOVE_OK)
        clm_plan_count(run->plan, run->candidate, run->launches);
    for (int32_t i = 0; i < run->kernel_count && i < CLM_PIECE_KERNELS; i++)
        run->kernels[i].kernel->executor->calls->kernel_destroy(run->kernels[i].kernel);
    return status;
}

clmove_status clm_run_anyhow(clm_run *run, clmove_error *error) {
    clmove_status status;
    clmove_error failure = {0};
    do {
        run->candidate = clm_plan_runner(run->plan);
        status = clm_run_once(run, &failure);
    } while (clm_plan_fall_back(run->plan, run->candidate, &status, &failure, error));
    return status;
}
