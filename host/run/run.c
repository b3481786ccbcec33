/* Running plans: the method of a run, what the methods share, and the fallback. All arguments are validated here, once; executors
 * trust them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/run/run.h"

#include "host/checked.h"
#include "host/params.h"

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

/* Runs with the current candidate, or those after it if it fails. */
static clmove_status run_anyhow(clm_run *run, clmove_error *error) {
    clmove_status status;
    clmove_error failure = {0};
    do {
        run->candidate = clm_plan_runner(run->plan);
        status = clm_run_once(run, &failure);
    } while (clm_plan_fall_back(run->plan, run->candidate, &status, &failure, error));
    return status;
}

const char *clmove_run_method_text(clmove_run_method method) {
    static const char *const texts[] = {[CLMOVE_RUN_NOTHING] = "none",
                                        [CLMOVE_RUN_HOST] = "host",
                                        [CLMOVE_RUN_IN_PLACE] = "in place",
                                        [CLMOVE_RUN_STAGED] = "staged",
                                        [CLMOVE_RUN_SEVERAL] = "several"};
    return (size_t)method < sizeof texts / sizeof *texts ? texts[method] : "unknown method";
}

/* With the host, without a cut. */
static clmove_status run_at_once(clmove_plan *plan, const clmove_run_params *params, clm_output output, const void *src,
                                 void *dst, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_spread spread = {.call = params->spread, .user = params->spread_user, .most_parts = params->spread_parts};
    const double start = params->info ? clm_now() : 0;
    TRY(clm_plan_run_on_host(plan, params->spread ? &spread : NULL, src, dst, error));
    if (params->info) {
        const double seconds = clm_now() - start;
        clm_output_fill(output, params->info,
                        &(clmove_run_info){.method = CLMOVE_RUN_HOST,
                                           .pieces = 1,
                                           .piece_bytes = clm_run_bytes(&plan->form),
                                           .seconds = seconds,
                                           .move_seconds = seconds});
    }
out:
    return status;
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
    const bool is_several = clm_device_is_several(plan->device);
    if (!is_several && clm_plan_runner(plan) == clm_plan_host(plan) && !params.progress && !params.piece_bytes &&
        (!params.info || params.spread)) {
        TRY(run_at_once(plan, &params, output, src, dst, error));
        goto out;
    }
    run.plan = plan;
    run.form = &plan->form;
    run.src = src;
    run.dst = dst;
    run.src_bytes = src_bytes;
    run.dst_bytes = dst_bytes;
    run.src_used = plan->src_bytes;
    run.dst_used = plan->dst_bytes;
    run.params = &params;
    run.start = clm_now();
    TRY(is_several ? clm_run_several(&run, error) : run_anyhow(&run, error));
    run.info.seconds = clm_now() - run.start;
    if (params.info)
        clm_output_fill(output, params.info, &run.info);
out:
    return status;
}

clmove_status clmove_run(clmove_plan *plan, const void *src, size_t src_bytes, void *dst, size_t dst_bytes, clmove_error *error) {
    return clmove_run_with(plan, src, src_bytes, dst, dst_bytes, NULL, error);
}
