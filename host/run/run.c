/* Running plans. All arguments are validated here, once; executors trust them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/run/run.h"

#include "host/params.h"
#include "host/run/pieces.h"
#include "host/run/way.h"

#include <inttypes.h>

static bool overlap(const void *a, size_t a_bytes, const void *b, size_t b_bytes) {
    uintptr_t first = (uintptr_t)a, second = (uintptr_t)b;
    return first < second ? second - first < a_bytes : first - second < b_bytes;
}

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

/* Whether the host moves everything at once, without progress or info. */
static bool is_plain(clmove_plan *plan, const clmove_run_params *params) {
    return clm_plan_runner(plan) == clm_plan_host(plan) &&
           (!params || (!params->progress && !params->piece_bytes && !params->info));
}

const char *clmove_run_way_text(clmove_run_way way) {
    switch (way) {
    case CLMOVE_RUN_NOTHING:
        return "none";
    case CLMOVE_RUN_HOST:
        return "host";
    case CLMOVE_RUN_IN_PLACE:
        return "in place";
    case CLMOVE_RUN_STAGED:
        return "staged";
    }
    return "unknown way";
}

clmove_status clmove_run_with(clmove_plan *plan, const void *src, size_t src_bytes, void *dst, size_t dst_bytes,
                              const clmove_run_params *given, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clmove_run_params known;
    const clmove_run_params *params = given ? &known : NULL;
    REQUIRE(plan, INVALID_ARGUMENT, "plan is NULL");
    if (given)
        TRY(clm_params_read("clmove_run_params", given, &known, sizeof known, error));
    if (params && params->info)
        TRY(clm_output_check(clm_run_info_output, params->info, "info", error));
    REQUIRE(!params || params->piece_bytes >= 0, INVALID_ARGUMENT, "piece_bytes is %" PRId64 ", it must be at least 0",
            params->piece_bytes);
    REQUIRE(src || src_bytes == 0, INVALID_ARGUMENT, "src is NULL but src_bytes is %zu", src_bytes);
    REQUIRE(dst || dst_bytes == 0, INVALID_ARGUMENT, "dst is NULL but dst_bytes is %zu", dst_bytes);
    REQUIRE(src_bytes >= plan->src_bytes, BAD_BUFFER, "the source has %zu bytes, the map reads %zu", src_bytes, plan->src_bytes);
    REQUIRE(dst_bytes >= plan->dst_bytes, BAD_BUFFER, "the destination has %zu bytes, the map needs %zu", dst_bytes,
            plan->dst_bytes);
    if (plan->is_empty) {
        if (params && params->info)
            clm_output_fill(clm_run_info_output, params->info, &(clmove_run_info){.way = CLMOVE_RUN_NOTHING});
        goto out;
    }
    REQUIRE(!overlap(src, plan->src_bytes, dst, plan->dst_bytes), BAD_BUFFER, "source and destination overlap");
    if (is_plain(plan, params))
        TRY(run_on_host(plan, src, dst, error));
    else
        TRY(clm_run_in_pieces(plan, src, src_bytes, dst, dst_bytes, params, error));
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
