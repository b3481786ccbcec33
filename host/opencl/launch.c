/* Kernels and their launches.
 *
 * A cl_kernel's arguments are not shared between threads: each enqueue takes a kernel of its own from a pool, sets the arguments,
 * enqueues, and puts it back. The lock is held only to take and to put.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/opencl/arguments.h"
#include "host/opencl/objects.h"

#include <stdlib.h>

typedef struct pooled_kernel {
    cl_kernel kernel;
    struct pooled_kernel *next;
} pooled_kernel;

struct clm_opencl_kernel {
    clm_opencl *opencl;
    clm_movement movement;
    clm_program *program;
    size_t global_size, local_size;
    clm_arguments arguments; /* of the first launch */
    pthread_mutex_t lock;    /* of free */
    pooled_kernel *free;
};

static clmove_status take_kernel(clm_opencl_kernel *kernel, pooled_kernel **taken, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_driver *driver = kernel->opencl->driver;
    pthread_mutex_lock(&kernel->lock);
    pooled_kernel *pooled = kernel->free;
    if (pooled)
        kernel->free = pooled->next;
    pthread_mutex_unlock(&kernel->lock);
    if (!pooled) {
        cl_int code;
        pooled = calloc(1, sizeof *pooled);
        REQUIRE(pooled, OUT_OF_MEMORY, "no memory for a kernel");
        pooled->kernel = driver->clCreateKernel(kernel->program->program, kernel->movement.variant->source, &code);
        if (!pooled->kernel) {
            free(pooled);
            status = clm_raise_opencl(error, code, "clCreateKernel");
            goto out;
        }
    }
    *taken = pooled;
out:
    return status;
}

static void put_kernel(clm_opencl_kernel *kernel, pooled_kernel *pooled) {
    pthread_mutex_lock(&kernel->lock);
    pooled->next = kernel->free;
    kernel->free = pooled;
    pthread_mutex_unlock(&kernel->lock);
}

clmove_status clm_opencl_kernel_create(clm_opencl *opencl, const clm_movement *movement, clm_opencl_kernel **kernel,
                                       clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    pooled_kernel *first;
    clm_opencl_kernel *created = calloc(1, sizeof *created);
    REQUIRE(created, OUT_OF_MEMORY, "no memory for a kernel");
    pthread_mutex_init(&created->lock, NULL);
    created->opencl = opencl;
    created->movement = *movement;
    clm_program_key key = {
        .source = movement->variant->source,
        .unit_bits = movement->unit_bits,
        .index_bits = movement->index_bits,
        .block = movement->variant->block_is_constant ? (uint32_t)movement->m : 1,
    };
    TRY(clm_program_get(opencl, key, &created->program, error));
    clm_arguments_set(&created->arguments, movement, 0, 0);
    size_t local = created->local_size = (size_t)movement->local_size;
    created->global_size = ((size_t)movement->items + local - 1) / local * local;
    TRY(take_kernel(created, &first, error)); /* so that a kernel that cannot be made is known now */
    put_kernel(created, first);
    *kernel = created;
    created = NULL;
out:
    clm_opencl_kernel_destroy(created);
    return status;
}

clm_opencl *clm_opencl_of(const clm_opencl_kernel *kernel) {
    return kernel->opencl;
}

clm_program *clm_program_of(const clm_opencl_kernel *kernel) {
    return kernel->program;
}

const clm_movement *clm_opencl_kernel_movement(const clm_opencl_kernel *kernel) {
    return &kernel->movement;
}

void clm_opencl_kernel_destroy(clm_opencl_kernel *kernel) {
    if (!kernel)
        return;
    while (kernel->free) {
        pooled_kernel *pooled = kernel->free;
        kernel->free = pooled->next;
        kernel->opencl->driver->clReleaseKernel(pooled->kernel);
        free(pooled);
    }
    pthread_mutex_destroy(&kernel->lock);
    free(kernel);
}

/* Sets what all launches of a run share. */
static clmove_status set_memory(const clm_opencl_kernel *kernel, cl_kernel launched, cl_uint index,
                                const clm_opencl_memory *memory, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_driver *driver = kernel->opencl->driver;
    const cl_ulong base = memory->offset;
    if (memory->svm)
        CL_TRY(driver, clSetKernelArgSVMPointer, launched, index, memory->svm);
    else
        CL_TRY(driver, clSetKernelArg, launched, index, sizeof(cl_mem), &memory->mem);
    CL_TRY(driver, clSetKernelArg, launched, index + 3, sizeof base, &base); /* src_base and dst_base */
out:
    return status;
}

static clmove_status enqueue_launch(const clm_opencl_kernel *kernel, cl_kernel launched, const clm_arguments *arguments,
                                    const clm_order *order, cl_event *event, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_driver *driver = kernel->opencl->driver;
    CL_TRY(driver, clSetKernelArg, launched, 2, arguments->bytes, &arguments->as);
    CL_TRY_WITH_ROOM(kernel->opencl, clEnqueueNDRangeKernel, order->queue, launched, 1, NULL, &kernel->global_size,
                     &kernel->local_size, order->waits, order->wait_list, event);
out:
    return status;
}

/* The place of launch number `launch` on the leading axes. */
static void find_lead(const clm_movement *movement, int64_t launch, int64_t *src, int64_t *dst) {
    *src = *dst = 0;
    for (int32_t i = movement->lead_rank - 1; i >= 0; i--) {
        const clm_axis *axis = &movement->outer[i];
        *src += launch % axis->extent * axis->src;
        *dst += launch % axis->extent * axis->dst;
        launch /= axis->extent;
    }
}

static void release_event(const clm_driver *driver, cl_event event) {
    if (event)
        driver->clReleaseEvent(event);
}

/* The events of a run's launches: which are wanted, and which are held. */
typedef struct launch_events {
    bool want_first, want_last, in_turn; /* in_turn: each launch waits for the one before, as the queue keeps no order */
    cl_event first, last;
} launch_events;

/* Enqueues launch number `launch`, the first one after order's wait list. */
static clmove_status enqueue_numbered(const clm_opencl_kernel *kernel, cl_kernel launched, int64_t launch, const clm_order *order,
                                      launch_events *events, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_driver *driver = kernel->opencl->driver;
    bool is_first = launch == 0, is_last = launch + 1 == kernel->movement.launches;
    clm_arguments other;
    const clm_arguments *arguments = &kernel->arguments;
    clm_order after = {.queue = order->queue, .waits = order->waits, .wait_list = order->wait_list};
    cl_event previous = events->last, made = NULL;
    if (!is_first) {
        int64_t src_lead, dst_lead;
        find_lead(&kernel->movement, launch, &src_lead, &dst_lead);
        clm_arguments_set(&other, &kernel->movement, src_lead, dst_lead);
        arguments = &other;
        after.waits = events->in_turn;
        after.wait_list = events->in_turn ? &previous : NULL;
    }
    bool wanted = (is_first && events->want_first) || (is_last && events->want_last) || events->in_turn;
    TRY(enqueue_launch(kernel, launched, arguments, &after, wanted ? &made : NULL, error));
    if (is_first && events->want_first)
        events->first = made;
    if (previous && previous != events->first)
        release_event(driver, previous);
    events->last = made;
out:
    return status;
}

clmove_status clm_opencl_enqueue(clm_opencl_kernel *kernel, const clm_opencl_memory *src, const clm_opencl_memory *dst,
                                 const clm_order *order, clm_opencl_span *span, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_opencl *opencl = kernel->opencl;
    const clm_driver *driver = opencl->driver;
    const clm_order own = {.queue = opencl->queue};
    const clm_order *used = order ? order : &own;
    pooled_kernel *taken = NULL;
    int64_t launches = kernel->movement.launches;
    launch_events events = {
        .want_first = span != NULL,
        .want_last = span || used->event,
        .in_turn = used->out_of_order && launches > 1,
    };
    TRY(take_kernel(kernel, &taken, error));
    TRY(set_memory(kernel, taken->kernel, 0, src, error));
    TRY(set_memory(kernel, taken->kernel, 1, dst, error));
    for (int64_t launch = 0; launch < launches; launch++)
        TRY(enqueue_numbered(kernel, taken->kernel, launch, used, &events, error));
    if (!order)
        CL_TRY(driver, clFlush, opencl->queue);
    if (span) {
        *span = (clm_opencl_span){.first = events.first, .last = events.last};
        events.first = events.last = NULL;
    } else if (used->event) {
        *used->event = events.last;
        events.last = NULL;
    }
out:
    if (taken)
        put_kernel(kernel, taken);
    if (events.last != events.first)
        release_event(driver, events.last);
    release_event(driver, events.first);
    return status;
}

clmove_status clm_opencl_span_end(const clm_opencl *opencl, clm_opencl_span *span, double *seconds, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_driver *driver = opencl->driver;
    cl_ulong start = 0, end = 0;
    if (opencl->profiles && span->first) {
        CL_TRY(driver, clGetEventProfilingInfo, span->first, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL);
        CL_TRY(driver, clGetEventProfilingInfo, span->last, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
        *seconds = end > start ? (double)(end - start) * 1e-9 : 0;
    } else
        *seconds = -1;
out:
    release_event(driver, span->first);
    if (span->last != span->first)
        release_event(driver, span->last);
    *span = (clm_opencl_span){0};
    return status;
}
