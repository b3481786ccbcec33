/* Predictions, advice, and the policy of auto.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/advice/advice.h"

#include "host/params.h"
#include "host/settings/file.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const clm_config_file calibration_file = {
    .name = "calibration", .variable = "CLMOVE_CALIBRATION_FILE", .what = "file of calibrations", .may_lack = true};

/* Of the calibrations of all devices, each of which is its device's attachment. It is held while one is copied. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* No child of fork begins with the lock held by a thread that it does not have. */
static void hold_still(void) {
    pthread_mutex_lock(&lock);
}

static void go_on(void) {
    pthread_mutex_unlock(&lock);
}

static void watch_forks(void) {
    pthread_atfork(hold_still, go_on, go_on);
}

static void copy_calibration(clm_calibration *to, const clm_calibration *from) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    pthread_mutex_lock(&lock);
    *to = *from;
    pthread_mutex_unlock(&lock);
}

void clm_device_put_calibration(clmove_device *device, const clm_calibration *calibration) {
    copy_calibration(device->advice.of, calibration);
}

/* Reads the device's own file, or with NULL that for all; where there is no section of the device, *calibration is left alone. */
static clmove_status read_calibration(const clmove_device *device, const clmove_device_info *own, clm_calibration *calibration,
                                      clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    char path[PATH_MAX], *text = NULL;
    size_t length = 0;
    TRY(clm_config_read(&calibration_file, own, path, &text, &length, error));
    if (text)
        TRY(clm_calibration_read(text, length, path, clm_device_info(device), own ? CLM_CALIBRATION_OWN : CLM_CALIBRATION_OF_ALL,
                                 calibration, error));
out:
    free(text);
    return status;
}

/* Whether clmove calibrate would replace the device's file. */
static bool is_replaceable(const clmove_device *device) {
    char path[PATH_MAX];
    clmove_error error;
    return clm_config_path(&calibration_file, clm_device_info(device), path, sizeof path, &error) == CLMOVE_OK &&
           clm_config_may_have_an_end(path);
}

static void find_calibration(clmove_device *device) {
    clm_guess_class class = clm_device_is_host(device)                           ? CLM_GUESS_HOST
                            : !clm_device_executor(device)->sharing.shares       ? CLM_GUESS_DISCRETE
                            : clm_device_info(device)->type == CLMOVE_DEVICE_CPU ? CLM_GUESS_CPU
                                                                                 : CLM_GUESS_UNIFIED;
    clm_calibration calibration;
    clmove_error error = {0};
    clm_calibration_guess(&calibration, class);
    clmove_status status = read_calibration(device, clm_device_info(device), &calibration, &error);
    if (status == CLMOVE_OK && calibration.origin == CLMOVE_CALIBRATION_GUESS)
        status = read_calibration(device, NULL, &calibration, &error);
    if (status != CLMOVE_OK) {
        char text[sizeof error.text];
        snprintf(text, sizeof text, "calibration: %.400s; it is ignored, %s", error.text,
                 is_replaceable(device) ? "clmove calibrate makes a new one"
                                        : "name a regular file that clmove calibrate can make");
        clm_device_log(device, text);
    }
    clm_device_put_calibration(device, &calibration);
}

clmove_status clmove_device_get_calibration_info(const clmove_device *device, clmove_calibration_info *info,
                                                 clmove_error *error) {
    static const clm_output output = CLM_OUTPUT(clmove_calibration_info, noise);
    clmove_status status = CLMOVE_OK;
    clm_calibration calibration;
    REQUIRE(device, INVALID_ARGUMENT, "device is NULL");
    TRY(clm_device_check_one(device, "calibration of its own", error));
    TRY(clm_output_check(output, info, "info", error));
    copy_calibration(&calibration, device->advice.of);
    const clmove_calibration_info now = {.origin = calibration.origin, .noise = calibration.noise};
    clm_output_fill(output, info, &now);
out:
    return status;
}

clmove_status clmove_device_set_calibration_text(clmove_device *device, const char *text, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_calibration given;
    REQUIRE(device, INVALID_ARGUMENT, "device is NULL");
    TRY(clm_device_check_one(device, "calibration of its own", error));
    REQUIRE(text, INVALID_ARGUMENT, "text is NULL");
    TRY(clm_calibration_read(text, strlen(text), "the text of a calibration", clm_device_info(device), CLM_CALIBRATION_LINES,
                             &given, error));
    given.origin = CLMOVE_CALIBRATION_GIVEN;
    clm_device_put_calibration(device, &given);
out:
    return status;
}

clmove_status clmove_calibration_path(char *path, size_t capacity, clmove_error *error) {
    return clm_config_path(&calibration_file, NULL, path, capacity, error);
}

clmove_status clmove_device_get_calibration_path(const clmove_device *device, char *path, size_t capacity, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    REQUIRE(device, INVALID_ARGUMENT, "device is NULL");
    TRY(clm_device_check_one(device, "calibration of its own", error));
    TRY(clm_config_path(&calibration_file, clm_device_info(device), path, capacity, error));
out:
    return status;
}

clmove_status clmove_device_get_calibration_text(const clmove_device *device, char *text, size_t capacity, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_calibration calibration;
    char written[CLM_CALIBRATION_TEXT];
    REQUIRE(device, INVALID_ARGUMENT, "device is NULL");
    TRY(clm_device_check_one(device, "calibration of its own", error));
    REQUIRE(text && capacity > 0, INVALID_ARGUMENT, "there is no room for the text");
    copy_calibration(&calibration, device->advice.of);
    size_t length = clm_calibration_write(&calibration, clm_device_is_host(device), written);
    REQUIRE(length < capacity, INVALID_ARGUMENT, "the text has %zu bytes and a final 0, and there is room for %zu", length,
            capacity);
    memcpy(text, written, length + 1);
out:
    return status;
}

clmove_status clmove_device_save_calibration(const clmove_device *device, const char *path, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_calibration calibration;
    char text[CLM_CALIBRATION_TEXT], comment[64], day[16] = "";
    const time_t now = time(NULL);
    struct tm date;
    REQUIRE(device, INVALID_ARGUMENT, "device is NULL");
    TRY(clm_device_check_one(device, "calibration of its own", error));
    copy_calibration(&calibration, device->advice.of);
    REQUIRE(calibration.origin != CLMOVE_CALIBRATION_GUESS, INVALID_ARGUMENT, "the calibration is a guess, which is not saved");
    clm_calibration_write(&calibration, clm_device_is_host(device), text);
    if (localtime_r(&now, &date))
        strftime(day, sizeof day, "%Y-%m-%d", &date);
    snprintf(comment, sizeof comment, "clmove %s calibrate, %s", clmove_version(), day);
    TRY(clm_config_write(&calibration_file, clm_device_info(device), path, comment, text, error));
out:
    return status;
}

clmove_status clmove_device_load_calibration(clmove_device *device, const char *path, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_calibration loaded;
    char own[PATH_MAX], *text = NULL;
    size_t length = 0;
    REQUIRE(device, INVALID_ARGUMENT, "device is NULL");
    TRY(clm_device_check_one(device, "calibration of its own", error));
    if (!path) {
        TRY(clm_config_path(&calibration_file, clm_device_info(device), own, sizeof own, error));
        path = own;
    }
    REQUIRE(*path, INVALID_ARGUMENT, "there is no file of calibrations, since %s is empty or there is no HOME",
            calibration_file.variable);
    TRY(clm_config_read_path(&calibration_file, path, &text, &length, error));
    REQUIRE(text, INVALID_ARGUMENT, "%.300s is not there", path);
    TRY(clm_calibration_read(text, length, path, clm_device_info(device), CLM_CALIBRATION_OWN, &loaded, error));
    clm_device_put_calibration(device, &loaded);
out:
    free(text);
    return status;
}

/* The work of a plan as one of its candidates does it. */
static clm_work work_of(const clmove_plan *plan, const clm_candidate *candidate) {
    clm_work work = {0};
    if (!plan->is_empty) {
        clm_work_from_form(&work, &plan->form, &candidate->launch_plan);
        work.src_bytes = (int64_t)plan->src_bytes;
        work.dst_bytes = (int64_t)plan->dst_bytes;
    }
    return work;
}

static void predict(const clmove_plan *plan, clm_work *work, clmove_prediction *prediction) {
    const clmove_device *device = plan->device;
    clm_calibration calibration;
    copy_calibration(&calibration, device->advice.of);
    *work = work_of(plan, &plan->candidates[0]);
    const clm_work here = work_of(plan, &plan->candidates[device->executor_count - 1]); /* it may have other variants */
    bool in_place = clm_device_executor(device)->sharing.alignment == 1; /* clmove_run, on any memory of the caller's */
    clm_cost_predict(&calibration, work, &here, clm_device_is_host(device), in_place, prediction);
}

clmove_status clmove_plan_predict(const clmove_plan *plan, clmove_prediction *prediction, clmove_error *error) {
    static const clm_output output = CLM_OUTPUT(clmove_prediction, download_dst_seconds);
    clmove_status status = CLMOVE_OK;
    clm_work work;
    clmove_prediction known;
    REQUIRE(plan, INVALID_ARGUMENT, "plan is NULL");
    TRY(clm_output_check(output, prediction, "prediction", error));
    TRY(clm_device_check_one(plan->device, "predictions", error));
    predict(plan, &work, &known);
    clm_output_fill(output, prediction, &known);
out:
    return status;
}

static void advise(const clmove_plan *plan, clmove_place from, clmove_place to, clmove_advice *given) {
    clm_work work;
    clmove_prediction prediction;
    predict(plan, &work, &prediction);
    clm_cost_advise(&prediction, &work, clm_device_is_host(plan->device), clm_device_info(plan->device)->name, from, to, given);
}

static bool is_place(clmove_place place) {
    return place == CLMOVE_AT_HOST || place == CLMOVE_AT_DEVICE;
}

clmove_status clmove_plan_advise(const clmove_plan *plan, clmove_place from, clmove_place to, clmove_advice *given,
                                 clmove_error *error) {
    static const clm_output output = CLM_OUTPUT(clmove_advice, ways);
    clmove_status status = CLMOVE_OK;
    clmove_advice known;
    REQUIRE(plan, INVALID_ARGUMENT, "plan is NULL");
    TRY(clm_output_check(output, given, "advice", error));
    TRY(clm_device_check_one(plan->device, "advice", error));
    REQUIRE(is_place(from) && is_place(to), INVALID_ARGUMENT, "the places are %d and %d, they must be %d or %d", (int)from,
            (int)to, CLMOVE_AT_HOST, CLMOVE_AT_DEVICE);
    advise(plan, from, to, &known);
    clm_output_fill(output, given, &known);
out:
    return status;
}

/* The policy of a device that auto found: whether the host does clmove_run. */
static bool prefers_host(const clmove_plan *plan, char *reason, size_t capacity) {
    clmove_advice found;
    advise(plan, CLMOVE_AT_HOST, CLMOVE_AT_HOST, &found);
    snprintf(reason, capacity, "%s", found.reason);
    return found.ways[found.choice].moved_at == CLMOVE_AT_HOST;
}

static bool predict_run(const clmove_plan *plan, double *seconds) {
    clm_work work;
    clmove_prediction prediction;
    predict(plan, &work, &prediction);
    *seconds = clm_device_is_host(plan->device) ? prediction.host_seconds : prediction.run_seconds;
    return prediction.is_calibrated;
}

clmove_status clm_advice_open(clmove_device *device, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_calibration *it = malloc(sizeof *it);
    REQUIRE(it, OUT_OF_MEMORY, "no memory for a device");
    device->advice = (clm_attachment){.of = it, .close = free};
    device->prefers_host = prefers_host;
    device->predict_run = predict_run;
    find_calibration(device);
out:
    return status;
}
