/* SPDX-License-Identifier: Apache-2.0 */
#include "host/api/tuning.h"

#include "host/api/config_file.h"
#include "host/api/selection.h"
#include "host/params.h"

#include <limits.h>
#include <stdlib.h>

static const clm_config_file tuning_file = {.name = "tuning.conf", .variable = "CLMOVE_TUNING_FILE", .what = "file of tunings"};

clmove_status clmove_tuning_path(char *path, size_t capacity, clmove_error *error) {
    return clm_config_path(&tuning_file, path, capacity, error);
}

clmove_status clm_device_tune(clmove_device *device, const char *given, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    char path[PATH_MAX], *text = NULL;
    size_t length = 0;
    clm_tuned host;
    clmove_device_info host_info;
    clm_tuning_class class = !device->opencl ? CLM_CLASS_HOST : device->traits.few_long_runs ? CLM_CLASS_CPU : CLM_CLASS_GPU;
    TRY(clm_config_read(&tuning_file, path, &text, &length, error));
    clm_host_info(device->host.threads, &host_info);
    clm_tuned_start(&host, CLM_CLASS_HOST, 0);
    clm_tuned_start(&device->tuned, class, device->traits.max_local_size);
    if (text) {
        TRY(clm_tuned_add_file(&host, text, length, path, &host_info, error));
        TRY(clm_tuned_add_file(&device->tuned, text, length, path, &device->info, error));
    }
    TRY(clm_tuned_add_list(&device->tuned, getenv("CLMOVE_TUNING"), CLMOVE_TUNING_ENVIRONMENT, "CLMOVE_TUNING", error));
    TRY(clm_tuned_add_list(&device->tuned, given, CLMOVE_TUNING_PARAMS, "clmove_device_params.tuning", error));
    device->traits.tuning = device->tuned.values;
    device->host_traits.tuning = device->opencl ? host.values : device->tuned.values;
out:
    free(text);
    return status;
}

clmove_status clmove_device_get_tuning(const clmove_device *device, clmove_tuning_value *values, size_t capacity, size_t *count,
                                       clmove_error *error) {
    static const clm_output output = CLM_OUTPUT(clmove_tuning_value, what);
    clmove_tuning_value known[CLM_TUNING_COUNT];
    size_t total, stride;
    clmove_status status = CLMOVE_OK;
    REQUIRE(device, INVALID_ARGUMENT, "device is NULL");
    REQUIRE(count, INVALID_ARGUMENT, "count is NULL");
    REQUIRE(values || capacity == 0, INVALID_ARGUMENT, "values is NULL but capacity is %zu", capacity);
    TRY(clm_outputs_check(output, values, capacity, &stride, error));
    clm_tuned_list(&device->tuned, device->traits.cache_bytes, known, CLM_TUNING_COUNT, &total);
    for (size_t i = 0; i < total && i < capacity; i++)
        clm_outputs_fill(output, values, stride, i, &known[i]);
    *count = total;
out:
    return status;
}
