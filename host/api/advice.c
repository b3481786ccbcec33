/* Predictions, advice, and what auto makes of them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/api/advice.h"

#include "host/api/config_file.h"
#include "host/params.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const clm_config_file calibration_file = {
    .name = "calibration.conf", .variable = "CLMOVE_CALIBRATION_FILE", .what = "file of calibrations", .may_lack = true};

/* Whether clmove_run lets kernels work on the caller's memory, wherever it lies. */
static bool runs_in_place(const clmove_device *device) {
    return device->opencl && clm_device_sharing(device).alignment == 1;
}

static bool is_host(const clmove_device *device) {
    return !device->opencl;
}

void clm_device_put_calibration(clmove_device *device, const clm_calibration *calibration) {
    pthread_mutex_lock(&device->calibration_lock);
    device->calibration = *calibration;
    pthread_mutex_unlock(&device->calibration_lock);
}

static void get_calibration(const clmove_device *device, clm_calibration *calibration) {
    pthread_mutex_t *lock = &((clmove_device *)device)->calibration_lock;
    pthread_mutex_lock(lock);
    *calibration = device->calibration;
    pthread_mutex_unlock(lock);
}

/* Where the file has no section for the device, *calibration is left alone. */
static clmove_status read_calibration(const clmove_device *device, clm_calibration *calibration, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    char path[PATH_MAX], *text = NULL;
    size_t length = 0;
    bool is_there;
    TRY(clm_config_read(&calibration_file, path, &text, &length, error));
    if (text)
        TRY(clm_calibration_read(text, length, path, &device->info, calibration, &is_there, error));
out:
    free(text);
    return status;
}

void clm_device_find_calibration(clmove_device *device) {
    clm_guess_class class = is_host(device)                          ? CLM_GUESS_HOST
                            : !clm_device_sharing(device).shares     ? CLM_GUESS_DISCRETE
                            : device->info.type == CLMOVE_DEVICE_CPU ? CLM_GUESS_CPU
                                                                     : CLM_GUESS_UNIFIED;
    clm_calibration calibration;
    clmove_error error = {0};
    clm_calibration_guess(&calibration, class);
    if (read_calibration(device, &calibration, &error) != CLMOVE_OK && device->log) {
        char text[sizeof error.text];
        snprintf(text, sizeof text, "calibration: %.440s; it is left aside, clmove calibrate makes a new one", error.text);
        device->log(device->log_user, text);
    }
    clm_device_put_calibration(device, &calibration);
}

clmove_status clmove_device_get_calibration_info(const clmove_device *device, clmove_calibration_info *info,
                                                 clmove_error *error) {
    static const clm_output output = CLM_OUTPUT(clmove_calibration_info, noise);
    clmove_status status = CLMOVE_OK;
    clm_calibration calibration;
    REQUIRE(device, INVALID_ARGUMENT, "device is NULL");
    TRY(clm_output_check(output, info, "info", error));
    get_calibration(device, &calibration);
    const clmove_calibration_info now = {.origin = calibration.origin, .noise = calibration.noise};
    clm_output_fill(output, info, &now);
out:
    return status;
}

clmove_status clmove_device_set_calibration_text(clmove_device *device, const char *text, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_calibration given;
    REQUIRE(device, INVALID_ARGUMENT, "device is NULL");
    REQUIRE(text, INVALID_ARGUMENT, "text is NULL");
    TRY(clm_calibration_read_lines(text, strlen(text), "the text of a calibration", is_host(device), &given, error));
    TRY(clm_calibration_check(&given, is_host(device), error));
    given.origin = CLMOVE_CALIBRATION_GIVEN;
    clm_device_put_calibration(device, &given);
out:
    return status;
}

clmove_status clmove_calibration_path(char *path, size_t capacity, clmove_error *error) {
    return clm_config_path(&calibration_file, path, capacity, error);
}

clmove_status clmove_device_get_calibration_text(const clmove_device *device, char *text, size_t capacity, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_calibration calibration;
    REQUIRE(device, INVALID_ARGUMENT, "device is NULL");
    REQUIRE(text && capacity > 0, INVALID_ARGUMENT, "there is no room for the text");
    get_calibration(device, &calibration);
    size_t length = clm_calibration_write(&calibration, is_host(device), NULL, 0);
    REQUIRE(length < capacity, INVALID_ARGUMENT, "the text has %zu bytes and a final 0, and there is room for %zu", length,
            capacity);
    clm_calibration_write(&calibration, is_host(device), text, capacity);
out:
    return status;
}

void clm_plan_get_work(const clmove_plan *plan, clm_work *work) {
    clm_work_from_form(work, &plan->form, &plan->movement);
    work->src_bytes = (int64_t)plan->src_bytes;
    work->dst_bytes = (int64_t)plan->dst_bytes;
}

static void predict(const clmove_plan *plan, clm_work *work, clmove_prediction *prediction) {
    const clmove_device *device = plan->device;
    clm_calibration calibration;
    get_calibration(device, &calibration);
    *work = (clm_work){0};
    if (!plan->is_empty)
        clm_plan_get_work(plan, work);
    clm_cost_predict(&calibration, work, is_host(device), runs_in_place(device), prediction);
}

clmove_status clmove_plan_predict(const clmove_plan *plan, clmove_prediction *prediction, clmove_error *error) {
    static const clm_output output = CLM_OUTPUT(clmove_prediction, download_dst_seconds);
    clmove_status status = CLMOVE_OK;
    clm_work work;
    clmove_prediction known;
    REQUIRE(plan, INVALID_ARGUMENT, "plan is NULL");
    TRY(clm_output_check(output, prediction, "prediction", error));
    predict(plan, &work, &known);
    clm_output_fill(output, prediction, &known);
out:
    return status;
}

static bool is_place(clmove_place place) {
    return place == CLMOVE_AT_HOST || place == CLMOVE_AT_DEVICE;
}

clmove_status clmove_plan_advise(const clmove_plan *plan, clmove_place from, clmove_place to, clmove_advice *advice,
                                 clmove_error *error) {
    static const clm_output output = CLM_OUTPUT(clmove_advice, ways);
    clmove_status status = CLMOVE_OK;
    clm_work work;
    clmove_prediction prediction;
    clmove_advice known;
    REQUIRE(plan, INVALID_ARGUMENT, "plan is NULL");
    TRY(clm_output_check(output, advice, "advice", error));
    REQUIRE(is_place(from) && is_place(to), INVALID_ARGUMENT, "the places are %d and %d, they must be %d or %d", (int)from,
            (int)to, CLMOVE_AT_HOST, CLMOVE_AT_DEVICE);
    predict(plan, &work, &prediction);
    clm_cost_advise(&prediction, &work, is_host(plan->device), plan->device->info.name, from, to, &known);
    clm_output_fill(output, advice, &known);
out:
    return status;
}

void clm_plan_choose_run(clmove_plan *plan) {
    clm_work work;
    clmove_prediction prediction;
    clmove_advice advice;
    if (!plan->device->is_auto || plan->is_empty || atomic_load(&plan->on_host))
        return;
    predict(plan, &work, &prediction);
    clm_cost_advise(&prediction, &work, false, plan->device->info.name, CLMOVE_AT_HOST, CLMOVE_AT_HOST, &advice);
    plan->runs_on_host = advice.ways[advice.choice].moved_at == CLMOVE_AT_HOST;
    memcpy(plan->run_reason, advice.reason, sizeof plan->run_reason);
}
