/* The struct of a device's handle: its executors, and what they share.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_DEVICE_DEVICE_H
#define CLMOVE_HOST_DEVICE_DEVICE_H

#include "host/device/budget.h"
#include "host/executor.h"
#include "host/params.h"

#include <pthread.h>
#include <stdatomic.h>

enum {
    CLM_EXECUTORS = 2,
    /* The devices of a list, at most. */
    CLM_MEMBERS = 16,
};

/* An object of a folder above. The device closes it when its last user is gone. */
typedef struct clm_attachment {
    void *of;
    void (*close)(void *of);
} clm_attachment;

struct clmove_device {
    /* The handle, its plans and its buffers */
    atomic_size_t users;
    /* In the order in which plans try them. The first one has the device's memory; the last one is the host's. */
    int32_t executor_count;
    clm_executor *executors[CLM_EXECUTORS];
    /* Of the first */
    clm_tuned tuned;
    bool may_fall_back;
    void (*log)(void *user, const char *text);
    void *log_user;
    /* Why the first executor is not what was asked for. Written before the device is handed out */
    char fallback[512];
    clm_budget budget;
    atomic_uint_fast64_t kernels_run, host_runs;
    /* Each program before its first use */
    bool tests_itself;
    atomic_uint_fast64_t self_tests, self_test_nanoseconds;
    /* Auto chose it: each plan's clmove_run goes to the faster of device and host */
    bool is_auto;
    /* Decides, for a plan of a device that is_auto, whether the host does clmove_run; advice.h. NULL: never. */
    bool (*prefers_host)(const clmove_plan *plan, char *reason, size_t capacity);
    /* Predicts the seconds of a plan's clmove_run; advice.h. Whether they are of a calibration, not a guess. NULL: never. */
    bool (*predict_run)(const clmove_plan *plan, double *seconds);
    /* Of a list, which has the host's executor alone; 0: it is one device. They fall back to nothing: others of the list do */
    int32_t member_count;
    clmove_device *members[CLM_MEMBERS];
    /* host/run */
    clm_attachment staging;
    /* host/advice */
    clm_attachment advice;
};

/* The one that has the device's memory, and the host's. */
static inline clm_executor *clm_device_executor(const clmove_device *device) {
    return device->executors[0];
}
static inline clm_executor *clm_device_host(const clmove_device *device) {
    return device->executors[device->executor_count - 1];
}

/* Whether the device is the host itself. */
static inline bool clm_device_is_host(const clmove_device *device) {
    return device->executor_count == 1;
}

/* Whether the device is a list of others. */
static inline bool clm_device_is_several(const clmove_device *device) {
    return device->member_count > 0;
}

/* Raises INVALID_ARGUMENT for a list, which lacks what only one device has: "buffers". */
clmove_status clm_device_check_one(const clmove_device *device, const char *what, clmove_error *error);

static inline const clmove_device_info *clm_device_info(const clmove_device *device) {
    return &device->executors[0]->info;
}

/* Makes a device of these executors, the last of which is the host's. After success they belong to the device. Params and
 * environment set the tunings and the budget. Raises INVALID_ARGUMENT, OUT_OF_MEMORY. */
clmove_status clm_device_create(clm_executor *const *executors, int32_t count, const clmove_device_params *params,
                                clmove_device **device, clmove_error *error);

void clm_device_retain(clmove_device *device);

/* Gives up one use; the last one closes the device. */
void clm_device_release(clmove_device *device);

/* Whether another executor may take over after a failure: it is allowed, and the status is a fault of the executor or the device.
 */
bool clm_may_fall_back(bool allowed, clmove_status status);

/* A clmove_device_info to fill. */
extern const clm_output clm_device_info_output;

/* Writes a line to the device's log, if it has one. */
void clm_device_log(const clmove_device *device, const char *text);

#endif
