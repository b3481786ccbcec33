/* What the files of the OpenCL executor share.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_OPENCL_OBJECTS_H
#define CLMOVE_HOST_OPENCL_OBJECTS_H

#include "host/cache/cache.h"
#include "host/opencl/dialect.h"
#include "host/opencl/driver.h"
#include "host/opencl/opencl.h"

#include <pthread.h>
#include <stdatomic.h>

/* What a program is compiled for. A new shape is no new key. */
typedef struct clm_program_key {
    /* Of a variant, compared as a pointer */
    const char *source;
    uint32_t unit_bits, index_bits;
    /* The constant of a launch plan; and its m, if that is less and the constant is a group. Else 0. */
    uint32_t block, rows;
} clm_program_key;

/* Written with the device's lock held. What a build finds is only read once the program is built. */
typedef struct clm_program {
    clm_program_key key;
    /* NULL until it is built */
    cl_program program;
    /* Why it could not be built; it is not in the device's list then */
    clmove_error failure;
    /* Threads that wait until it is built, or that failed */
    size_t waiting;
    /* A thread tests it */
    bool is_in_test;
    /* CLM_UNTRIED until its test is over */
    clm_verdict verdict;
    struct clm_program *next;
} clm_program;

enum { CLM_PROGRAM_TEXTS = 8 };

/* What a program is built from. */
typedef struct clm_program_source {
    /* Its name */
    const char *kernel;
    /* So many texts, at most CLM_PROGRAM_TEXTS */
    cl_uint count;
    const char *texts[CLM_PROGRAM_TEXTS];
    char options[128];
} clm_program_source;

/* An object that one thread uses at a time, in a list of the unused ones. */
typedef struct clm_spare {
    /* cl_kernel or cl_command_queue. NULL: it is still to be made */
    void *object;
    struct clm_spare *next;
} clm_spare;

/* The most devices that are looked at: of a platform, and of a caller's context. */
enum { CLM_MOST_DEVICES = 256 };

typedef struct clm_opencl {
    clm_executor base;
    const clm_driver *driver;
    cl_device_id device;
    cl_context context;
    /* Retained */
    bool device_is_callers;
    /* in-order; clmove's own, or `given` */
    cl_command_queue queue;
    /* The caller's, of either kind: retained, and waited for only if the caller asks. NULL: none */
    cl_command_queue given;
    /* clmove's own, for the probe and for trials; none until they are needed. Kept until the device is closed. */
    clm_spare *queues;
    /* Kept as well: commands may still use it if waiting for them failed */
    void *probe_memory;
    /* See dialect.h */
    bool finish_is_early, builds_collide;
    /* The kinds of shared virtual memory. 0: none */
    cl_device_svm_capabilities svm;
    clm_dialect dialect;
    /* Kernels may use AVX-512 VBMI, also where the driver compiles for an older processor */
    bool has_vbmi;
    /* Of programs and queues. Never held while a program is built, or tested */
    pthread_mutex_t lock;
    /* A program is built, or failed to be; or its test is over */
    pthread_cond_t settled;
    clm_program *programs;
    /* From source, and from the cache on disk */
    atomic_uint_fast64_t programs_built, programs_loaded;
    /* Of programs, on disk */
    clm_cache cache;
    /* Of what the device is */
    uint64_t cache_key;
    /* The caller's, or NULL */
    void (*log)(void *user, const char *text);
    void *log_user;
    /* The log has a fault of the cache, which is logged once */
    atomic_bool has_noted;
} clm_opencl;

typedef struct clm_window clm_window; /* window.c */

static inline clm_opencl *clm_opencl_of(clm_executor *executor) {
    return (clm_opencl *)executor;
}

/* The parts of a submission. NULL: the default queue, after all earlier commands, without an event. */
static inline cl_command_queue clm_queue_of(const clm_opencl *opencl, const clm_submission *submission) {
    return submission && submission->queue ? submission->queue : opencl->queue;
}
static inline cl_uint clm_waits_of(const clm_submission *submission) {
    return submission ? submission->waits : 0;
}
static inline const cl_event *clm_wait_list_of(const clm_submission *submission) {
    return submission ? (const cl_event *)submission->wait_list : NULL;
}

static inline cl_event *clm_event_of(const clm_submission *submission) {
    return submission ? (cl_event *)submission->event : NULL;
}

/* Makes a cl_mem of the device's context. If there is no memory, kept memory is freed once, and it tries again. */
clmove_status clm_buffer_object_create(clm_opencl *opencl, cl_mem_flags flags, size_t bytes, void *host, cl_mem *mem,
                                       clmove_error *error);

/* Raises OUT_OF_MEMORY for a size that is too large for one buffer. */
clmove_status clm_memory_check_size(const clm_opencl *opencl, size_t bytes, clmove_error *error);

/* Asks for kept memory to be freed. Whether some was, so that the caller tries again. No lock may be held. */
static inline bool clm_opencl_reclaim(const clm_opencl *opencl) {
    return opencl->base.reclaim.all && opencl->base.reclaim.all(opencl->base.reclaim.user);
}

/* CL_TRY for commands in which a driver may allocate the memory of a cl_mem. If there is none, kept memory is freed, and it tries
 * once more. It does not for CL_OUT_OF_RESOURCES, with which drivers also report that an earlier command failed: this must not be
 * lost. */
#define CL_TRY_WITH_ROOM(opencl, function, ...)                                                                                  \
    do {                                                                                                                         \
        cl_int tried_ = (opencl)->driver->function(__VA_ARGS__);                                                                 \
        if (tried_ == CL_MEM_OBJECT_ALLOCATION_FAILURE && clm_opencl_reclaim(opencl))                                            \
            tried_ = (opencl)->driver->function(__VA_ARGS__);                                                                    \
        if (tried_ != CL_SUCCESS) {                                                                                              \
            status = clm_raise_opencl(error, tried_, #function);                                                                 \
            goto out;                                                                                                            \
        }                                                                                                                        \
    } while (0)

/* Finds or builds the program of a key. It lives as long as the device. If another thread builds it, the call waits, and gets
 * that thread's failure: a compiler that takes seconds to refuse a source is not asked once for each thread. A later call tries
 * again. Programs of other keys are built at the same time. */
clmove_status clm_program_get(clm_opencl *opencl, clm_program_key key, clm_program **program, clmove_error *error);

/* Releases the device's programs. */
void clm_programs_release(clm_opencl *opencl);

/* Decides whether and where the device's programs are kept. platform_version: its platform's CL_PLATFORM_VERSION. Here and below,
 * the first fault of the cache is logged; no lock may be held. */
void clm_program_cache_open(clm_opencl *opencl, const char *platform_version);

/* Makes and builds the program of a source from the binary on disk. False: it must be built from the source. */
bool clm_program_load(clm_opencl *opencl, const clm_program_source *source, cl_program *program);

/* Keeps a program that was built from its source. */
void clm_program_save(clm_opencl *opencl, const clm_program_source *source, cl_program program);

/* Take from a list the first one, or a new one that is empty, and put it back. Put accepts NULL. */
clmove_status clm_spare_take(pthread_mutex_t *lock, clm_spare **list, clm_spare **taken, clmove_error *error);
void clm_spare_put(pthread_mutex_t *lock, clm_spare **list, clm_spare *spare);

/* Takes a queue of the device's. *taken is to be put back if it is not NULL, also if this fails. */
clmove_status clm_queue_take(clm_opencl *opencl, clm_spare **taken, clmove_error *error);

/* Finds whether a device shares the host's memory. Its context and info must be set. Neither the type of a device (PoCL-R's are
 * CPUs behind a network) nor CL_DEVICE_HOST_UNIFIED_MEMORY is reliable. So a CPU, or a device with unified memory, is probed with
 * a buffer over host memory: the host sees what the device writes, the device sees what the host writes, and mapping changes
 * nothing. A device that fails works on copies, which is right on every device. A failed probe is no error. Its commands go to a
 * queue of its own, for which it waits. CLMOVE_IN_PLACE overrides the probe: 0: the device does not share; 1: it does. */
clm_sharing clm_sharing_find(clm_opencl *opencl);

/* Finds a device, or the device that it is a part of, in a list of the driver's. For a context of sub-devices POCL 3.1 lists the
 * devices that were split. */
bool clm_find_device(const clm_driver *driver, cl_device_id device, const cl_device_id *devices, size_t count, size_t *place);

/* Check that a device is one of a context, or a part of one, and that a queue belongs to both. Raise INVALID_ARGUMENT. */
clmove_status clm_check_device_of(const clm_driver *driver, cl_context context, cl_device_id device, clmove_error *error);
clmove_status clm_check_queue_of(const clm_driver *driver, cl_context context, cl_device_id device, cl_command_queue queue,
                                 clmove_error *error);

/* Opens a device on the caller's context, and on the caller's queue unless that is NULL. params: as for clm_opencl_open. */
clmove_status clm_opencl_open_on(cl_context context, cl_device_id device, cl_command_queue queue,
                                 const clmove_device_params *params, clm_executor **executor, clmove_error *error);

/* Closes an executor of clm_opencl_open, also one that is not complete. */
void clm_opencl_close(clm_executor *executor);

/* ---- the functions of the table; most clm_NAME_... are in NAME.c ---- */

extern const clm_executor_calls clm_opencl_calls; /* executor.c */
CLM_CALL(queue_create) clm_queue_make;
CLM_CALL(finish) clm_opencl_finish; /* after which the queue may be released */

/* passes.c, of all launch plans; launch.c, of those that are one kernel */
CLM_CALL(kernel_create) clm_kernel_create, clm_launch_create;
CLM_CALL(kernel_destroy) clm_kernel_destroy, clm_launch_destroy;
CLM_CALL(submit) clm_kernel_submit, clm_launch_submit;
CLM_CALL(verdict) clm_launch_verdict;
CLM_CALL(judge) clm_launch_judge;
CLM_CALL(try) clm_launch_try;

CLM_CALL(memory_create) clm_memory_create;
CLM_CALL(memory_destroy) clm_memory_destroy;
CLM_CALL(write) clm_memory_write;
CLM_CALL(read) clm_memory_read;
CLM_CALL(fill) clm_memory_fill;
CLM_CALL(copy) clm_memory_copy;
CLM_CALL(check_apart) clm_memory_check_apart;

CLM_CALL(map) clm_mapped_map;
CLM_CALL(unmap) clm_mapped_unmap;
CLM_CALL(lend) clm_mapped_lend;
CLM_CALL(queue_borrow) clm_foreign_queue;
CLM_CALL(memory_borrow) clm_foreign_memory;

CLM_CALL(memory_wrap) clm_window_wrap;
CLM_CALL(memory_part) clm_window_part;
void clm_window_close(clm_window *window);

/* Memory of the driver's that is mapped: no buffer is made over it meanwhile. Prepares a window before so many bytes are mapped;
 * NULL for memory that has one, since it is the host's. Raises OUT_OF_MEMORY. */
clmove_status clm_window_prepare(const clm_memory *memory, size_t bytes, clm_window **window, clmove_error *error);
/* Enters a prepared window, or frees it if nothing was mapped (NULL). */
void clm_window_note(clm_window *window, void *mapped);
/* Removes a window of the memory at an address, if there is one. Of several the shortest: those that are left cover what is still
 * mapped, whichever of the ranges was unmapped. */
void clm_window_forget(const clm_memory *memory, const void *mapped);

#endif
