/* How long a run takes, by the host's clock and by the device's.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/api/objects.h"

#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

clmove_status clmove_measure(clmove_plan *plan, const clmove_buffer *src, clmove_buffer *dst, clmove_times *times,
                             clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_opencl_span span = {0};
    clmove_times measured;
    REQUIRE(plan, INVALID_ARGUMENT, "plan is NULL");
    REQUIRE(times, INVALID_ARGUMENT, "times is NULL");
    TRY(clm_plan_make_ready(plan, error));
    TRY(clmove_device_finish(plan->device, error));
    double start = now();
    TRY(clm_plan_enqueue(plan, src, dst, &span, error));
    TRY(clmove_device_finish(plan->device, error));
    measured.host_seconds = measured.device_seconds = now() - start;
    if (span.first)
        TRY(clm_opencl_span_end(plan->device->opencl, &span, &measured.device_seconds, error));
    *times = measured;
out:
    if (span.first) { /* a failure came between */
        double unused;
        clm_opencl_span_end(plan->device->opencl, &span, &unused, NULL);
    }
    return status;
}
