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
#include "host/opencl/order.h"
#include "host/opencl/sharing.h"

#include <pthread.h>
#include <stdatomic.h>

/* What a program is compiled for. A new shape is no new key. */
typedef struct clm_program_key {
    const char *source; /* of a variant, compared as a pointer */
    uint32_t unit_bits, index_bits, block;
} clm_program_key;

/* Written with the device's lock held, but for the verdict. The rest is only read once the program is built. */
typedef struct clm_program {
    clm_program_key key;
    cl_program program;   /* NULL until it is built */
    clmove_error failure; /* why it could not be built: then it is not in the device's list any more */
    size_t waiting;       /* threads that wait until it is built, or that failed */
    bool is_in_test;      /* a thread tests it */
    atomic_int verdict;   /* a clm_verdict */
    struct clm_program *next;
} clm_program;

/* A queue for trials, of clmove's own. */
typedef struct clm_trial_queue {
    cl_command_queue queue;
    struct clm_trial_queue *next;
} clm_trial_queue;

struct clm_opencl {
    const clm_driver *driver;
    cl_device_id device;
    cl_context context;
    bool device_is_callers; /* retained */
    cl_command_queue queue; /* in-order; clmove's own, or `given` */
    cl_command_queue given; /* the caller's, of either kind: retained, and never waited for unless the caller asks. Or NULL */
    /* clmove's own, for the probe and for self-tests; none until they are needed. Kept until the device is closed. */
    cl_command_queue probe_queue;
    clm_trial_queue *trial_queues; /* those that no trial uses now */
    void *probe_memory;            /* kept as well: a probe may have ended because waiting for its commands failed */
    bool finish_is_early;          /* see dialect.h */
    bool has_svm;                  /* shared virtual memory of some kind */
    clmove_device_info info;
    clm_dialect dialect;
    clm_sharing sharing;
    uint64_t max_local_size; /* largest work-group, 0 if unknown */
    bool profiles;           /* the queue notes when each command starts and ends */
    pthread_mutex_t lock;    /* of what follows, and of trial_queues. Never held while a program is built, or tested */
    pthread_cond_t settled;  /* a program is built, or failed to be; or its test is over */
    clm_program *programs;
    uint64_t programs_built, programs_loaded; /* from source, and from the cache on disk */
    clm_cache cache;                          /* of programs, on disk */
    uint64_t cache_key;                       /* of what the device is */
    clm_let_go let_go;
    clm_log log;
    bool has_noted; /* that something is wrong with the cache, which is said once */
};

typedef struct clm_window clm_window; /* window.h */

struct clm_opencl_memory {
    clm_opencl *opencl;
    cl_mem mem;
    size_t offset; /* of its first byte in mem */
    size_t bytes;
    void *svm;           /* instead of mem: shared virtual memory */
    clm_window *window;  /* of wrapped memory, which the caller may free once this is destroyed */
    unsigned char *host; /* the first byte of mem, where that is known to be memory of the host's; else NULL */
    unsigned char
        *standing; /* pinned memory, mapped for the host: its first byte. NULL: the device has it, or it is not pinned */
};

/* Whether the device is a processor, as its driver says: the host's own, or another. */
static inline bool clm_is_cpu_like(const clm_opencl *opencl) {
    return opencl->info.type == CLMOVE_DEVICE_CPU;
}

/* A cl_mem of the device's context, for which what is kept goes once if there is no memory. */
clmove_status clm_buffer_object_create(clm_opencl *opencl, cl_mem_flags flags, size_t bytes, void *host, cl_mem *mem,
                                       clmove_error *error);

/* Whether something was let go, so that it is worth while to try again. No lock may be held. */
static inline bool clm_opencl_let_go(const clm_opencl *opencl) {
    return opencl->let_go.all && opencl->let_go.all(opencl->let_go.user);
}

/* CL_TRY for commands with which drivers may first give a cl_mem its memory; once more when there was none and something could be
 * let go. Not for CL_OUT_OF_RESOURCES, with which drivers also report that an earlier command failed: that must not get lost. */
#define CL_TRY_WITH_ROOM(opencl, function, ...)                                                                                  \
    do {                                                                                                                         \
        cl_int tried_ = (opencl)->driver->function(__VA_ARGS__);                                                                 \
        if (tried_ == CL_MEM_OBJECT_ALLOCATION_FAILURE && clm_opencl_let_go(opencl))                                             \
            tried_ = (opencl)->driver->function(__VA_ARGS__);                                                                    \
        if (tried_ != CL_SUCCESS) {                                                                                              \
            status = clm_raise_opencl(error, tried_, #function);                                                                 \
            goto out;                                                                                                            \
        }                                                                                                                        \
    } while (0)

/* Waits for all of a queue, after which it may be released. */
clmove_status clm_queue_finish(const clm_opencl *opencl, cl_command_queue queue, clmove_error *error);

/* The device that a kernel was made for. */
clm_opencl *clm_opencl_of(const clm_opencl_kernel *kernel);

/* The program of a kernel, which other kernels may share. */
clm_program *clm_program_of(const clm_opencl_kernel *kernel);

/* Finds or builds the program of a key. It lives as long as the device. One that another thread builds is waited for, and where
 * that fails the failure is the caller's too: a compiler that took seconds to refuse a source is not asked once a thread. Who
 * comes later tries again. Programs of other keys are built meanwhile. */
clmove_status clm_program_get(clm_opencl *opencl, clm_program_key key, clm_program **program, clmove_error *error);

/* Logs what is wrong with the cache of programs, unless that is "" or the device did so before. No lock may be held. */
void clm_note_cache(clm_opencl *opencl, const char *why);

/* Release what the device keeps of programs and for trials. */
void clm_programs_release(clm_opencl *opencl);
void clm_trial_queues_release(clm_opencl *opencl);

#endif
