/* Devices: opening, closing, facts.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/api/advice.h"
#include "host/api/objects.h"
#include "host/api/selection.h"
#include "host/api/self_test.h"
#include "host/api/tuning.h"
#include "host/native/threads.h"
#include "host/params.h"

#include <stdio.h>
#include <stdlib.h>

void clm_device_retain(clmove_device *device) {
    atomic_fetch_add(&device->users, 1);
}

void clm_device_release(clmove_device *device) {
    if (atomic_fetch_sub(&device->users, 1) != 1)
        return;
    clm_staging_close(device);
    clm_opencl_close(device->opencl);
    pthread_mutex_destroy(&device->calibration_lock);
    pthread_mutex_destroy(&device->pools_lock);
    clm_threads_release();
    free(device);
}

clm_sharing clm_device_sharing(const clmove_device *device) {
    static const clm_sharing hosts = {.shares = true, .alignment = 1, .multiple = 1, .takes_host_memory = true};
    return device->opencl ? *clm_opencl_get_sharing(device->opencl) : hosts;
}

bool clm_may_fall_back(const clmove_device *device, clmove_status status) {
    return device->may_fall_back && (status == CLMOVE_NO_DEVICE || status == CLMOVE_OUT_OF_MEMORY ||
                                     status == CLMOVE_BUILD_FAILED || status == CLMOVE_DEVICE_FAILED);
}

/* Makes the host the device, for a reason that is logged when a machine with a device would not have it. */
static void open_host_instead(clmove_device *device, const char *reason, bool log) {
    snprintf(device->fallback, sizeof device->fallback, "%s", reason);
    clm_host_info(device->host.threads, &device->info);
    if (log && device->log)
        device->log(device->log_user, device->fallback);
}

clmove_status clm_device_start(const clmove_device_params *params, clmove_device **device, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clmove_device *started = NULL;
    started = calloc(1, sizeof *started);
    REQUIRE(started, OUT_OF_MEMORY, "no memory for a device");
    clm_threads_hold();
    atomic_init(&started->users, 1);
    pthread_mutex_init(&started->calibration_lock, NULL);
    pthread_mutex_init(&started->pools_lock, NULL);
    clm_staging_open(&started->staging);
    TRY(clm_native_open(params->threads, &started->host, error));
    clm_native_get_traits(started->host.threads, &started->host_traits);
    started->log = params->log;
    started->log_user = params->log_user;
    *device = started;
    started = NULL;
out:
    if (started)
        clm_device_release(started);
    return status;
}

static bool let_go(void *user) {
    bool staging = clm_staging_trim(user), pools = clm_pools_trim(user);
    return staging || pools;
}

clmove_status clm_device_complete(clmove_device *device, const clmove_device_params *params, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    device->traits = device->host_traits;
    if (device->opencl) {
        clm_opencl_get_info(device->opencl, &device->info);
        clm_opencl_get_traits(device->opencl, &device->traits);
        clm_opencl_set_let_go(device->opencl, (clm_let_go){.all = let_go, .user = device});
        TRY(clm_self_test_setting(&device->tests_itself, error));
    }
    TRY(clm_budget_open(device, params->memory_budget, error));
    TRY(clm_device_tune(device, params->tuning, error));
    clm_device_find_calibration(device);
out:
    return status;
}

clmove_status clmove_device_open(const clmove_device_params *given, clmove_device **device, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_selection selection;
    clmove_device *opened = NULL;
    clmove_error failure = {0};
    clmove_device_params params;
    TRY(clm_params_read("clmove_device_params", given, &params, sizeof params, error));
    REQUIRE(device, INVALID_ARGUMENT, "device is NULL");
    TRY(clm_device_start(&params, &opened, error));
    status = clm_select(params.selector, &selection, &failure);
    opened->may_fall_back = params.allow_fallback || selection.is_auto;
    if (status == CLMOVE_OK && selection.index != CLM_HOST_INDEX)
        status = clm_opencl_open(selection.index, params.profile, (clm_log){.write = params.log, .user = params.log_user},
                                 &opened->opencl, &failure);
    if (status != CLMOVE_OK && clm_may_fall_back(opened, status)) {
        open_host_instead(opened, failure.text, true);
        status = CLMOVE_OK;
    } else if (status != CLMOVE_OK) {
        if (error)
            *error = failure;
        goto out;
    } else if (!opened->opencl)
        open_host_instead(opened, selection.reason, selection.is_odd);
    TRY(clm_device_complete(opened, &params, error));
    opened->is_auto = selection.is_auto && opened->opencl;
    *device = opened;
    opened = NULL;
out:
    if (opened)
        clm_device_release(opened);
    return status;
}

void clmove_device_close(clmove_device **device) {
    if (!device || !*device)
        return;
    if ((*device)->opencl && !clm_opencl_is_callers((*device)->opencl))
        clm_opencl_finish((*device)->opencl, NULL);
    clm_device_release(*device);
    *device = NULL;
}

clmove_status clmove_device_get_info(const clmove_device *device, clmove_device_info *info, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    REQUIRE(device, INVALID_ARGUMENT, "device is NULL");
    TRY(clm_output_check(clm_device_info_output, info, "info", error));
    clm_output_fill(clm_device_info_output, info, &device->info);
out:
    return status;
}

const char *clmove_device_fallback(const clmove_device *device) {
    return device ? device->fallback : "";
}

clmove_status clmove_device_get_stats(const clmove_device *device, clmove_device_stats *stats, clmove_error *error) {
    static const clm_output output = CLM_OUTPUT(clmove_device_stats, self_test_seconds);
    clmove_status status = CLMOVE_OK;
    REQUIRE(device, INVALID_ARGUMENT, "device is NULL");
    TRY(clm_output_check(output, stats, "stats", error));
    clmove_device_stats now = {
        .kernels_run = atomic_load(&device->kernels_run),
        .host_runs = atomic_load(&device->host_runs),
        .self_tests = atomic_load(&device->self_tests),
        .self_test_seconds = (double)atomic_load(&device->self_test_nanoseconds) * 1e-9,
    };
    if (device->opencl)
        clm_opencl_count_programs(device->opencl, &now.programs_built, &now.programs_loaded);
    clm_output_fill(output, stats, &now);
out:
    return status;
}

clmove_status clmove_device_finish(clmove_device *device, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    REQUIRE(device, INVALID_ARGUMENT, "device is NULL");
    if (device->opencl)
        TRY(clm_opencl_finish(device->opencl, error));
out:
    return status;
}
