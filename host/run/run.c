/* Running plans: the way of a run, and the fallback. All arguments are validated here, once; executors trust them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/run/run.h"

#include "host/checked.h"
#include "host/params.h"
#include "host/run/way.h"

#include <inttypes.h>

/* Moves with the host, at once. */
static clmove_status run_on_host(clmove_plan *plan, const void *src, void *dst, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_candidate *host = clm_plan_host(plan);
    clm_kernel *kernel;
    TRY(clm_plan_get_kernel(plan, host, 0, &kernel, error));
    host->executor->calls->run(kernel, src, dst);
    clm_plan_count(plan, host, 0);
out:
    return status;
}

/* Runs with one candidate: in place, else staged. */
static clmove_status run_by(clm_run *run, clm_candidate *candidate, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    bool done = false;
    run->candidate = candidate;
    run->info = (clmove_run_info){0};
    run->units_read = run->units_written = run->launches = 0;
    run->kernel_count = 0;
    TRY(clm_run_in_place(run, &done, error));
    if (!done)
        TRY(clm_run_staged(run, error));
    clm_plan_count(run->plan, candidate, run->launches);
out:
    clm_run_release_kernels(run);
    return status;
}

/* Runs with the current candidate, or those after it if it fails. */
static clmove_status run_by_any(clm_run *run, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clmove_error failure = {0};
    for (;;) {
        clm_candidate *candidate = clm_plan_runner(run->plan);
        status = run_by(run, candidate, &failure);
        if (status == CLMOVE_OK)
            return status;
        TRY(clm_plan_fall_back(run->plan, candidate, &failure, error));
    }
out:
    return status;
}

const char *clmove_run_way_text(clmove_run_way way) {
    static const char *const texts[] = {[CLMOVE_RUN_NOTHING] = "none",
                                        [CLMOVE_RUN_HOST] = "host",
                                        [CLMOVE_RUN_IN_PLACE] = "in place",
                                        [CLMOVE_RUN_STAGED] = "staged"};
    return (size_t)way < sizeof texts / sizeof *texts ? texts[way] : "unknown way";
}

clmove_status clmove_run_with(clmove_plan *plan, const void *src, size_t src_bytes, void *dst, size_t dst_bytes,
                              const clmove_run_params *given, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    static const clm_output output = CLM_OUTPUT(clmove_run_info, move_seconds);
    clmove_run_params params = {0};
    clm_run run; /* large; fields that are not set here are set before their use */
    REQUIRE(plan, INVALID_ARGUMENT, "plan is NULL");
    if (given)
        TRY(clm_params_read("clmove_run_params", given, &params, sizeof params, error));
    if (params.info)
        TRY(clm_output_check(output, params.info, "info", error));
    REQUIRE(params.piece_bytes >= 0, INVALID_ARGUMENT, "piece_bytes is %" PRId64 ", it must be at least 0", params.piece_bytes);
    REQUIRE(src || src_bytes == 0, INVALID_ARGUMENT, "src is NULL but src_bytes is %zu", src_bytes);
    REQUIRE(dst || dst_bytes == 0, INVALID_ARGUMENT, "dst is NULL but dst_bytes is %zu", dst_bytes);
    REQUIRE(src_bytes >= plan->src_bytes, BAD_BUFFER, "the source has %zu bytes, the map reads %zu", src_bytes, plan->src_bytes);
    REQUIRE(dst_bytes >= plan->dst_bytes, BAD_BUFFER, "the destination has %zu bytes, the map needs %zu", dst_bytes,
            plan->dst_bytes);
    if (plan->is_empty) {
        if (params.info)
            clm_output_fill(output, params.info, &(clmove_run_info){.way = CLMOVE_RUN_NOTHING});
        goto out;
    }
    REQUIRE(!clm_overlap(src, plan->src_bytes, dst, plan->dst_bytes), BAD_BUFFER, "source and destination overlap");
    if (clm_plan_runner(plan) == clm_plan_host(plan) && !params.progress && !params.piece_bytes && !params.info) {
        TRY(run_on_host(plan, src, dst, error));
        goto out;
    }
    run.plan = plan;
    run.src = src;
    run.dst = dst;
    run.src_bytes = src_bytes;
    run.dst_bytes = dst_bytes;
    run.params = &params;
    run.start = clm_now();
    TRY(run_by_any(&run, error));
    run.info.seconds = clm_now() - run.start;
    if (params.info)
        clm_output_fill(output, params.info, &run.info);
out:
    return status;
}

clmove_status clmove_run(clmove_plan *plan, const void *src, size_t src_bytes, void *dst, size_t dst_bytes, clmove_error *error) {
    return clmove_run_with(plan, src, src_bytes, dst, dst_bytes, NULL, error);
}

/* The work for which another executor lends its memory. */
typedef struct lent {
    clmove_plan *plan;
    clmove_status status;
    clmove_error *error;
} lent;

static void run_lent(void *user, const void *src, void *dst) {
    lent *it = user;
    it->status = run_on_host(it->plan, src, dst, it->error);
}

static clmove_status submit(clmove_plan *plan, clm_candidate *candidate, const clm_memory *src, const clm_memory *dst,
                            const clm_submission *submission, clm_span *span, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_kernel *kernel;
    TRY(clm_plan_get_kernel(plan, candidate, clm_memory_begin(src) | clm_memory_begin(dst), &kernel, error));
    TRY(candidate->executor->calls->submit(kernel, src, dst, submission, span, error));
    clm_plan_count(plan, candidate, kernel->launch_plan.launches);
out:
    return status;
}

clmove_status clm_submit_memory(clmove_plan *plan, const clm_memory *src, const clm_memory *dst, const clm_submission *submission,
                                clm_span *span, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clmove_error failure = {0};
    clm_executor *owner = clm_device_executor(plan->device);
    for (;;) {
        clm_candidate *candidate = clm_plan_current(plan);
        if (candidate->executor != owner) {
            lent it = {.plan = plan, .error = error};
            TRY(owner->calls->lend(src, dst, submission, run_lent, &it, error));
            return it.status;
        }
        status = submit(plan, candidate, src, dst, submission, span, &failure);
        if (status == CLMOVE_OK)
            return status;
        TRY(clm_plan_fall_back(plan, candidate, &failure, error));
    }
out:
    return status;
}
