/* Measuring runs and transfers by the clocks of host and device.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/clock.h"
#include "host/device/buffer.h"
#include "host/params.h"
#include "host/run/plan.h"

static const clm_output output = CLM_OUTPUT(clmove_times, device_seconds);

/* The times of work that began at `start` and is done. The span is {0} if the device had no command. */
static clmove_status find_times(const clmove_device *device, double start, const clm_span *span, clmove_times *times,
                                clmove_error *error) {
    clm_executor *executor = clm_device_executor(device);
    clmove_times measured;
    measured.host_seconds = measured.device_seconds = clm_now() - start;
    bool has_clock = span->first && !clm_device_is_host(device); /* the host has one clock */
    clmove_status status = has_clock ? executor->calls->span_seconds(executor, span, &measured.device_seconds, error) : CLMOVE_OK;
    if (status == CLMOVE_OK)
        clm_output_fill(output, times, &measured);
    return status;
}

clmove_status clmove_measure(clmove_plan *plan, clmove_view src, clmove_view dst, clmove_times *times, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_span span = {0};
    REQUIRE(plan, INVALID_ARGUMENT, "plan is NULL");
    TRY(clm_output_check(output, times, "times", error));
    TRY(clm_plan_make_ready(plan, error));
    TRY(clmove_device_finish(plan->device, error));
    double start = clm_now();
    TRY(clm_submit(plan, &src, &dst, &(clm_submission){.blocking = true}, &span, error));
    TRY(clmove_device_finish(plan->device, error));
    TRY(find_times(plan->device, start, &span, times, error));
out:
    if (plan)
        clm_span_release(clm_device_executor(plan->device), &span);
    return status;
}

static clmove_status measure_transfer(clmove_buffer *buffer, clmove_access access, size_t offset, void *host, size_t bytes,
                                      clmove_times *times, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_span span = {0};
    REQUIRE(buffer, INVALID_ARGUMENT, "buffer is NULL");
    TRY(clm_output_check(output, times, "times", error));
    TRY(clmove_device_finish(buffer->device, error));
    double start = clm_now();
    TRY(clm_buffer_transfer(buffer, access, offset, host, bytes, NULL, &span, error));
    TRY(find_times(buffer->device, start, &span, times, error));
out:
    if (buffer)
        clm_span_release(clm_device_executor(buffer->device), &span);
    return status;
}

clmove_status clmove_measure_write(clmove_buffer *buffer, size_t offset, const void *src, size_t bytes, clmove_times *times,
                                   clmove_error *error) {
    return measure_transfer(buffer, CLMOVE_ACCESS_WRITE, offset, (void *)src, bytes, times, error);
}

clmove_status clmove_measure_read(clmove_buffer *buffer, size_t offset, void *dst, size_t bytes, clmove_times *times,
                                  clmove_error *error) {
    return measure_transfer(buffer, CLMOVE_ACCESS_READ, offset, dst, bytes, times, error);
}
