/* See bench_transfer_predict.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/transfer/predict.h"

#include <string.h>

/* For pageable memory. */
static void fill_in(transfer_result *result, const clmove_prediction *by) {
    const double seconds[TRANSFER_WAYS] = {
        [TRANSFER_WAY_A] = by->host_seconds + by->upload_dst_seconds,
        [TRANSFER_WAY_B] = by->upload_src_seconds + by->device_seconds,
        [TRANSFER_WAY_C] = by->device_seconds,
        [TRANSFER_WAY_D] = by->run_seconds,
        [TRANSFER_WAY_E] = by->host_seconds,
        [TRANSFER_WAY_STEPS] = by->upload_src_seconds + by->device_seconds + by->download_dst_seconds,
    };
    memcpy(result->predicted, seconds, sizeof seconds);
    result->predicted_upload_src = by->upload_src_seconds;
    result->predicted_upload_dst = by->upload_dst_seconds;
    result->predicted_launch = by->launch_seconds;
    result->calibration_noise = by->noise;
}

/* Of the host device everything is known. */
clmove_status transfer_predict(const executor *device, const bench_case *one, transfer_result *result, clmove_error *error) {
    clmove_map map;
    clmove_plan *plan = NULL;
    clmove_plan_info info = {.struct_size = sizeof info};
    clmove_prediction by = {.struct_size = sizeof by};
    clmove_status status = task_describe(&one->what, &map, error);
    if (status == CLMOVE_OK)
        status = executor_plan(device, &map, &plan, error);
    if (status == CLMOVE_OK)
        status = clmove_plan_get_info(plan, &info, error);
    if (status == CLMOVE_OK)
        status = clmove_plan_predict(plan, &by, error);
    if (status == CLMOVE_OK) {
        result->is_predicted = info.executor == CLMOVE_EXECUTOR_OPENCL;
        fill_in(result, &by);
    }
    clmove_plan_destroy(&plan);
    return status;
}
