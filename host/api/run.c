/* Running plans: everything is validated here, once; executors trust what reaches them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/api/objects.h"
#include "host/api/stream.h"
#include "host/params.h"

#include <inttypes.h>

void clm_plan_run_on_host(clmove_plan *plan, const void *src, void *dst) {
    clm_native_run(&plan->host_movement, &plan->device->host, src, dst);
    atomic_fetch_add(&plan->device->host_runs, 1);
}

static bool overlap(const void *a, size_t a_bytes, const void *b, size_t b_bytes) {
    uintptr_t first = (uintptr_t)a, second = (uintptr_t)b;
    return first < second ? second - first < a_bytes : first - second < b_bytes;
}

/* Whether the host executor moves it all at once and nobody asks how it went: nothing else to look after. */
static bool is_plain(clmove_plan *plan, const clmove_run_params *params) {
    return !clm_plan_runs_on_device(plan) && (!params || (!params->progress && !params->piece_bytes && !params->info));
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
        clm_plan_run_on_host(plan, src, dst);
    else
        TRY(clm_stream(plan, src, src_bytes, dst, dst_bytes, params, error));
out:
    return status;
}

clmove_status clmove_run(clmove_plan *plan, const void *src, size_t src_bytes, void *dst, size_t dst_bytes, clmove_error *error) {
    return clmove_run_with(plan, src, src_bytes, dst, dst_bytes, NULL, error);
}

static void run_mapped(void *user, const void *src, void *dst) {
    clm_plan_run_on_host(user, src, dst);
}

clmove_status clm_plan_enqueue_memory(clmove_plan *plan, const clm_opencl_memory *src, const clm_opencl_memory *dst,
                                      const clm_order *order, clm_opencl_span *span, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clmove_error failure = {0};
    clm_opencl_kernel *kernel;
    if (!atomic_load(&plan->on_host)) {
        status = clm_plan_get_kernel(plan, clm_opencl_memory_begin(src), clm_opencl_memory_begin(dst), &kernel, &failure);
        if (status == CLMOVE_OK)
            status = clm_opencl_enqueue(kernel, src, dst, order, span, &failure);
        if (status == CLMOVE_OK) {
            atomic_fetch_add(&plan->device->kernels_run, (uint64_t)clm_opencl_kernel_movement(kernel)->launches);
            goto out;
        }
        if (!clm_may_fall_back(plan->device, status)) {
            if (error)
                *error = failure;
            goto out;
        }
        clm_plan_fall_back(plan, &failure);
    }
    TRY(clm_opencl_with_mapped(src, dst, order, run_mapped, plan, error));
out:
    return status;
}

clmove_status clm_plan_check_buffers(const clmove_plan *plan, const clmove_buffer *src, const clmove_buffer *dst,
                                     clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    REQUIRE(plan, INVALID_ARGUMENT, "plan is NULL");
    REQUIRE(src, INVALID_ARGUMENT, "src is NULL");
    REQUIRE(dst, INVALID_ARGUMENT, "dst is NULL");
    REQUIRE(src->device == plan->device && dst->device == plan->device, BAD_BUFFER, "the %s is a buffer of another device",
            src->device == plan->device ? "destination" : "source");
    REQUIRE(src->bytes >= plan->src_bytes, BAD_BUFFER, "the source has %zu bytes, the map reads %zu", src->bytes,
            plan->src_bytes);
    REQUIRE(dst->bytes >= plan->dst_bytes, BAD_BUFFER, "the destination has %zu bytes, the map needs %zu", dst->bytes,
            plan->dst_bytes);
    REQUIRE(src != dst, BAD_BUFFER, "source and destination are the same buffer");
out:
    return status;
}

clmove_status clm_plan_enqueue(clmove_plan *plan, const clmove_buffer *src, clmove_buffer *dst, clm_opencl_span *span,
                               clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    TRY(clm_plan_check_buffers(plan, src, dst, error));
    if (plan->is_empty)
        goto out;
    TRY(clm_buffers_check_apart(src, 0, plan->src_bytes, dst, 0, plan->dst_bytes, error));
    TRY(clm_buffer_use(src, CLMOVE_ACCESS_READ, NULL, error));
    TRY(clm_buffer_use(dst, CLMOVE_ACCESS_WRITE, NULL, error));
    if (plan->device->opencl)
        TRY(clm_plan_enqueue_memory(plan, src->memory, dst->memory, NULL, span, error));
    else
        clm_plan_run_on_host(plan, src->host, dst->host);
out:
    return status;
}

clmove_status clmove_enqueue(clmove_plan *plan, const clmove_buffer *src, clmove_buffer *dst, clmove_error *error) {
    return clm_plan_enqueue(plan, src, dst, NULL, error);
}
