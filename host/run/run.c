/* Running plans from host memory to host memory. All arguments are validated here, once; executors trust them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/run/run.h"

#include "host/checked.h"
#include "host/params.h"

#include <inttypes.h>

const char *clmove_run_method_text(clmove_run_method method) {
    static const char *const texts[] = {[CLMOVE_RUN_NOTHING] = "none",
                                        [CLMOVE_RUN_HOST] = "host",
                                        [CLMOVE_RUN_IN_PLACE] = "in place",
                                        [CLMOVE_RUN_STAGED] = "staged",
                                        [CLMOVE_RUN_SEVERAL] = "several"};
    return (size_t)method < sizeof texts / sizeof *texts ? texts[method] : "unknown method";
}

/* With the host, without a cut. info: written if params has one. */
static clmove_status run_at_once(clmove_plan *plan, const clmove_run_params *params, clmove_run_info *info, const void *src,
                                 void *dst, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_spread spread = {.call = params->spread, .user = params->spread_user, .most_parts = params->spread_parts};
    const double start = params->info ? clm_now() : 0;
    TRY(clm_plan_run_on_host(plan, params->spread ? &spread : NULL, src, dst, error));
    if (params->info) {
        const double seconds = clm_now() - start;
        *info = (clmove_run_info){.method = CLMOVE_RUN_HOST,
                                  .pieces = 1,
                                  .piece_bytes = clm_run_bytes(&plan->form),
                                  .seconds = seconds,
                                  .move_seconds = seconds};
    }
out:
    return status;
}

/* A function of its own, so that short runs on the host do not touch the stack that this takes. */
__attribute__((noinline)) static clmove_status run_by_method(clmove_plan *plan, const void *src, size_t src_bytes, void *dst,
                                                             size_t dst_bytes, const clmove_run_params *params,
                                                             clmove_run_info *info, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_run run; /* large; fields that are not set here are set before their use */
    run.plan = plan;
    run.form = &plan->form;
    run.src = src;
    run.dst = dst;
    run.src_bytes = src_bytes;
    run.dst_bytes = dst_bytes;
    run.src_used = plan->src_bytes;
    run.dst_used = plan->dst_bytes;
    run.params = params;
    run.start = clm_now();
    TRY(clm_device_is_several(plan->device) ? clm_run_several(&run, error) : clm_run_anyhow(&run, error));
    run.info.seconds = clm_now() - run.start;
    *info = run.info;
out:
    return status;
}

clmove_status clmove_run_with(clmove_plan *plan, const void *src, size_t src_bytes, void *dst, size_t dst_bytes,
                              const clmove_run_params *given, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    static const clm_output output = CLM_OUTPUT(clmove_run_info, move_seconds);
    clmove_run_params params = {0};
    clmove_run_info info;
    REQUIRE(plan, INVALID_ARGUMENT, "plan is NULL");
    if (given)
        TRY(clm_params_read("clmove_run_params", given, &params, sizeof params, error));
    if (params.info)
        TRY(clm_output_check(output, params.info, "info", error));
    REQUIRE(params.piece_bytes >= 0, INVALID_ARGUMENT, "piece_bytes is %" PRId64 ", it must be at least 0", params.piece_bytes);
    REQUIRE(params.spread_parts >= 0, INVALID_ARGUMENT, "spread_parts is %" PRId64 ", it must be at least 0",
            params.spread_parts);
    REQUIRE(src || src_bytes == 0, INVALID_ARGUMENT, "src is NULL but src_bytes is %zu", src_bytes);
    REQUIRE(dst || dst_bytes == 0, INVALID_ARGUMENT, "dst is NULL but dst_bytes is %zu", dst_bytes);
    REQUIRE(src_bytes >= plan->src_bytes, BAD_BUFFER, "the source has %zu bytes, the map reads %zu", src_bytes, plan->src_bytes);
    REQUIRE(dst_bytes >= plan->dst_bytes, BAD_BUFFER, "the destination has %zu bytes, the map needs %zu", dst_bytes,
            plan->dst_bytes);
    if (plan->is_empty) {
        if (params.info)
            clm_output_fill(output, params.info, &(clmove_run_info){.method = CLMOVE_RUN_NOTHING});
        goto out;
    }
    REQUIRE(!clm_overlap(src, plan->src_bytes, dst, plan->dst_bytes), BAD_BUFFER, "source and destination overlap");
    if (!clm_device_is_several(plan->device) && clm_plan_runner(plan) == clm_plan_host(plan) && !params.progress &&
        !params.piece_bytes && (!params.info || params.spread))
        TRY(run_at_once(plan, &params, &info, src, dst, error));
    else
        TRY(run_by_method(plan, src, src_bytes, dst, dst_bytes, &params, &info, error));
    if (params.info)
        clm_output_fill(output, params.info, &info);
out:
    return status;
}

clmove_status clmove_run(clmove_plan *plan, const void *src, size_t src_bytes, void *dst, size_t dst_bytes, clmove_error *error) {
    return clmove_run_with(plan, src, src_bytes, dst, dst_bytes, NULL, error);
}
