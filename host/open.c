/* Listing devices, and opening one or several.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/open.h"

#include "host/native/native.h"
#include "host/native/threads.h"
#include "host/variables.h"

#include <stdlib.h>
#include <string.h>

clmove_status clmove_device_list(clmove_device_info *infos, int64_t capacity, int64_t *count, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clmove_device_info *list = NULL, host;
    size_t total = 0, stride;
    uint32_t threads;
    REQUIRE(count, INVALID_ARGUMENT, "count is NULL");
    TRY(clm_outputs_check(clm_device_info_output, infos, "infos", capacity, &stride, error));
    TRY(clm_variables_check(error));
    TRY(clm_threads_count(0, &threads, error));
    clm_opencl_list(&list, &total, NULL); /* if it fails, there are none */
    clm_native_list(threads, &host);
    for (size_t i = 0; i <= total && i < (size_t)capacity; i++)
        clm_outputs_fill(clm_device_info_output, infos, stride, i, i < total ? &list[i] : &host);
    *count = (int64_t)total + 1;
out:
    free(list);
    return status;
}

clmove_status clmove_device_open(const clmove_device_params *given, clmove_device **device, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clmove_device_params params;
    TRY(clm_params_read("clmove_device_params", given, &params, sizeof params, error));
    REQUIRE(device, INVALID_ARGUMENT, "device is NULL");
    TRY(clm_variables_check(error));
    const char *selector = params.selector && *params.selector ? params.selector : getenv("CLMOVE_DEVICE");
    if (!selector || !*selector)
        selector = "auto";
    status = (strchr(selector, ',') ? clm_open_several : clm_open_one)(selector, &params, device, error);
out:
    return status;
}
