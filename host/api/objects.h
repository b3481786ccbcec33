/* What stands behind the public handles: a device is the host, or an OpenCL device with the host behind it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_API_OBJECTS_H
#define CLMOVE_HOST_API_OBJECTS_H

#include "host/api/budget.h"
#include "host/opencl/opencl.h"
#include "host/plan/movement.h"
#include "host/reference/reference.h"

#include <pthread.h>
#include <stdatomic.h>

struct clmove_device {
    atomic_size_t users; /* the handle, its plans and its buffers */
    clm_opencl *opencl;  /* NULL: the host */
    clm_reference host;  /* the host executor, also where it stands behind */
    clm_traits traits, host_traits;
    clm_tuned tuned;
    bool may_fall_back;
    void (*log)(void *user, const char *text);
    void *log_user;
    char fallback[512]; /* written before the device is handed out */
    clmove_device_info info;
    clm_budget budget;
    atomic_uint_fast64_t kernels_run, host_runs;
};

struct clmove_buffer {
    clmove_device *device;
    size_t bytes;
    unsigned char *host;       /* on the host */
    clm_opencl_memory *memory; /* on an OpenCL device */
    size_t taken;              /* from the budget */
};

struct clmove_plan {
    clmove_device *device;
    clmove_map map;
    clm_normal_form form;
    bool is_empty;
    size_t src_bytes, dst_bytes;
    clm_movement movement;      /* for the device */
    clm_movement host_movement; /* for the host, where it takes over; the same when the device is the host */
    clm_opencl_kernel *kernel;  /* NULL on the host */
    atomic_bool on_host;
    pthread_mutex_t lock; /* of fallback */
    char fallback[512];
};

void clm_device_retain(clmove_device *device);

/* Gives up one use; the last one closes the device. */
void clm_device_release(clmove_device *device);

/* Whether the host may do what the device could not: the device allows it, and the failure is the device's. */
bool clm_may_fall_back(const clmove_device *device, clmove_status status);

/* Makes the host run a plan from now on, notes why, and logs it the first time. */
void clm_plan_fall_back(clmove_plan *plan, const clmove_error *why);

/* clmove_enqueue. span: NULL, or where to put the events of the launches;
 * it is left alone where the host did the work. */
clmove_status clm_plan_enqueue(clmove_plan *plan, const clmove_buffer *src, clmove_buffer *dst, clm_opencl_span *span,
                               clmove_error *error);

/* Moves with the host executor. */
void clm_plan_run_on_host(clmove_plan *plan, const void *src, void *dst);

#endif
