/* What stands behind the public handles: a device is the host, or an OpenCL device with the host behind it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_API_OBJECTS_H
#define CLMOVE_HOST_API_OBJECTS_H

#include "host/api/budget.h"
#include "host/api/mapping.h"
#include "host/api/staging.h"
#include "host/native/native.h"
#include "host/opencl/opencl.h"
#include "host/plan/cost.h"
#include "host/plan/movement.h"

#include <pthread.h>
#include <stdatomic.h>

struct clmove_device {
    atomic_size_t users; /* the handle, its plans and its buffers */
    clm_opencl *opencl;  /* NULL: the host */
    clm_native host;     /* the host executor, also where it stands behind */
    clm_traits traits, host_traits;
    clm_tuned tuned;
    bool may_fall_back;
    void (*log)(void *user, const char *text);
    void *log_user;
    char fallback[512]; /* written before the device is handed out */
    clmove_device_info info;
    clm_budget budget;
    clm_staging staging;
    pthread_mutex_t pools_lock; /* of the list; taken before that of a pool */
    clmove_pool *pools;
    atomic_uint_fast64_t kernels_run, host_runs;
    bool tests_itself; /* each program before its first use; see self_test.h */
    atomic_uint_fast64_t self_tests, self_test_nanoseconds;
    bool is_auto; /* auto found its OpenCL device: clmove_run goes where it is faster */
    pthread_mutex_t calibration_lock;
    clm_calibration calibration;
};

/* Where a buffer stands in its pool. */
typedef struct clm_pool_place {
    int32_t size_class;
    uint64_t put_at; /* counts what was put into the pool */
    clmove_buffer *older, *newer;
} clm_pool_place;

struct clmove_buffer {
    clmove_device *device;
    size_t bytes;
    unsigned char *host;       /* on the host */
    clm_opencl_memory *memory; /* on an OpenCL device */
    unsigned char *wrapped;    /* the caller's memory, of a wrapped buffer */
    clmove_memory kind;
    bool zero_copy;
    size_t taken; /* from the budget */
    clm_mappings mappings;
    clmove_pool *pool; /* where it goes when it is destroyed; NULL: nowhere */
    clm_pool_place place;
};

/* A plan's movement in narrower units, for memory that is not aligned to the plan's own. Made when it is first needed. */
typedef struct clm_narrow_plan {
    clm_opencl_kernel *kernel;
    uint32_t unit_bits;
    struct clm_narrow_plan *next;
} clm_narrow_plan;

struct clmove_plan {
    clmove_device *device;
    clm_map map;
    clm_normal_form form;
    bool is_empty;
    size_t src_bytes, dst_bytes;
    clm_traits traits, host_traits; /* of the device, with the plan's tuning, and of the host behind it */
    const char *variant;            /* that was forced, NULL if none, and so 0 */
    uint32_t index_bits;
    clm_movement movement;               /* for the device, as it was chosen; what runs is the kernel's own */
    clm_movement host_movement;          /* for the host, where it takes over; the same when the device is the host */
    _Atomic(clm_opencl_kernel *) kernel; /* NULL on the host, and where auto has the host run until a command needs it */
    clm_narrow_plan *narrow;
    atomic_bool on_host;
    bool runs_on_host;    /* clmove_run: auto found that the host executor is faster */
    pthread_mutex_t lock; /* of fallback and narrow */
    char fallback[512];
    char run_reason[512]; /* why auto has clmove_run done where it is; "" where it had no choice */
};

/* The two ends of opening a device: makes one with only a host executor; and takes in what its OpenCL device,
 * if there is one by then, is like. Where the second fails the device is to be released. */
clmove_status clm_device_start(const clmove_device_params *params, clmove_device **device, clmove_error *error);
clmove_status clm_device_complete(clmove_device *device, const clmove_device_params *params, clmove_error *error);

void clm_device_retain(clmove_device *device);

/* Gives up one use; the last one closes the device. */
void clm_device_release(clmove_device *device);

/* Memory of a device for so many bytes, with room for capacity. what: as for clm_budget_take. */
clmove_status clm_buffer_create(clmove_device *device, size_t bytes, size_t capacity, const char *what, clmove_buffer **buffer,
                                clmove_error *error);

/* A buffer without memory. */
clmove_status clm_buffer_create_bare(clmove_device *device, clmove_memory kind, size_t bytes, clmove_buffer **buffer,
                                     clmove_error *error);

/* Destroys a buffer, past its pool. NULL is accepted. */
void clm_buffer_free(clmove_buffer *buffer);

/* Puts a buffer back into the pool that it is of. */
void clm_pool_put(clmove_pool *pool, clmove_buffer *buffer);

/* Lets go all that the pools of a device keep; whether there was any. Thread-safe. */
bool clm_pools_trim(clmove_device *device);

/* Whether a device shares the host's memory, as the host itself does. */
clm_sharing clm_device_sharing(const clmove_device *device);

/* Whether a buffer is a copy of the caller's memory. */
static inline bool clm_is_staged(const clmove_buffer *buffer) {
    return buffer->kind == CLMOVE_MEMORY_WRAPPED && buffer->memory && !buffer->zero_copy;
}

/* Raises BAD_BUFFER when two pieces of buffers of one device share memory. Neither is empty. */
clmove_status clm_buffers_check_apart(const clmove_buffer *src, size_t src_offset, size_t src_bytes, const clmove_buffer *dst,
                                      size_t dst_offset, size_t dst_bytes, clmove_error *error);

/* The same for the memory that buffers wrap, be it in place or as copies. */
clmove_status clm_wrapped_check_apart(const clmove_buffer *src, size_t src_offset, size_t src_bytes, const clmove_buffer *dst,
                                      size_t dst_offset, size_t dst_bytes, clmove_error *error);

/* Raises INVALID_ARGUMENT for NULL and BAD_BUFFER for what reaches past the end. */
clmove_status clm_buffer_check_range(const clmove_buffer *buffer, size_t offset, size_t bytes, clmove_error *error);

/* clmove_buffer_write and _read. span: NULL, or as clm_opencl_memory_write; as it was where no command was needed. */
clmove_status clm_buffer_write(clmove_buffer *buffer, size_t offset, const void *src, size_t bytes, clm_opencl_span *span,
                               clmove_error *error);
clmove_status clm_buffer_read(clmove_buffer *buffer, size_t offset, void *dst, size_t bytes, clm_opencl_span *span,
                              clmove_error *error);

/* Whether the host may do what the device could not: the device allows it, and the failure is the device's. */
bool clm_may_fall_back(const clmove_device *device, clmove_status status);

/* Whether kernels do clmove_run, and not the host executor. */
static inline bool clm_plan_runs_on_device(clmove_plan *plan) {
    return !plan->runs_on_host && !atomic_load(&plan->on_host);
}

/* Makes the host run a plan from now on, notes why, and logs it the first time. */
void clm_plan_fall_back(clmove_plan *plan, const clmove_error *why);

/* The kernel of the whole plan, which is built unless it was. Any number of threads may call it. */
clmove_status clm_plan_get_own_kernel(clmove_plan *plan, clm_opencl_kernel **kernel, clmove_error *error);

/* Builds the plan's kernel, unless it was, for what must not be kept waiting for it later; or has the host take over. */
clmove_status clm_plan_make_ready(clmove_plan *plan, clmove_error *error);

/* Finds or makes the kernel that moves memory that begins at these bytes, or addresses. */
clmove_status clm_plan_get_kernel(clmove_plan *plan, size_t src_begin, size_t dst_begin, clm_opencl_kernel **kernel,
                                  clmove_error *error);

/* Narrows the units of a form, of a part of the plan's movement, to what may begin at these bytes, or addresses. */
void clm_plan_fit_form(const clmove_plan *plan, size_t begin, clm_normal_form *form);

/* Enqueues a plan that moves something on memory of its device, which is OpenCL's; the host does it where it took over. order and
 * span may be NULL; span, where to put the events of the launches, is left alone where the host did the work. */
clmove_status clm_plan_enqueue_memory(clmove_plan *plan, const clm_opencl_memory *src, const clm_opencl_memory *dst,
                                      const clm_order *order, clm_opencl_span *span, clmove_error *error);

/* Checks that a plan may move one buffer to another. */
clmove_status clm_plan_check_buffers(const clmove_plan *plan, const clmove_buffer *src, const clmove_buffer *dst,
                                     clmove_error *error);

/* clmove_enqueue. span as above. */
clmove_status clm_plan_enqueue(clmove_plan *plan, const clmove_buffer *src, clmove_buffer *dst, clm_opencl_span *span,
                               clmove_error *error);

/* Moves with the host executor. */
void clm_plan_run_on_host(clmove_plan *plan, const void *src, void *dst);

#endif
