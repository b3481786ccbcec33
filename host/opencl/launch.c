/* Kernels and their launches.
 *
 * Threads cannot share the arguments of a cl_kernel. Each enqueue takes a cl_kernel of its own from a list, sets the arguments,
 * enqueues, and returns it. The lock is held to take and to return.
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

typedef struct opencl_kernel {
    clm_kernel base;
    clm_program *program;
    size_t global_size, local_size;
    clm_arguments arguments; /* of the first launch */
    pthread_mutex_t lock;    /* of free */
    pooled_kernel *free;
} opencl_kernel;

static clmove_status take_kernel(opencl_kernel *kernel, pooled_kernel **taken, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_driver *driver = clm_opencl_of(kernel->base.executor)->driver;
    pthread_mutex_lock(&kernel->lock);
    pooled_kernel *pooled = kernel->free;
    if (pooled)
        kernel->free = pooled->next;
    pthread_mutex_unlock(&kernel->lock);
    if (!pooled) {
        cl_int code;
        pooled = calloc(1, sizeof *pooled);
        REQUIRE(pooled, OUT_OF_MEMORY, "no memory for a kernel");
        pooled->kernel = driver->clCreateKernel(kernel->program->program, kernel->base.launch_plan.variant->source, &code);
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

static void put_kernel(opencl_kernel *kernel, pooled_kernel *pooled) {
    pthread_mutex_lock(&kernel->lock);
    pooled->next = kernel->free;
    kernel->free = pooled;
    pthread_mutex_unlock(&kernel->lock);
}

clmove_status clm_launch_create(clm_executor *executor, const clm_launch_plan *launch_plan, clm_kernel **kernel,
                                clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    pooled_kernel *first;
    opencl_kernel *created = calloc(1, sizeof *created);
    REQUIRE(created, OUT_OF_MEMORY, "no memory for a kernel");
    pthread_mutex_init(&created->lock, NULL);
    created->base.executor = executor;
    created->base.launch_plan = *launch_plan;
    clm_program_key key = {
        .source = launch_plan->variant->source,
        .unit_bits = launch_plan->unit_bits,
        .index_bits = launch_plan->index_bits,
        .block = launch_plan->constant,
    };
    TRY(clm_program_get(clm_opencl_of(executor), key, &created->program, error));
    clm_arguments_set(&created->arguments, launch_plan, 0, 0);
    size_t local = created->local_size = (size_t)launch_plan->local_size;
    created->global_size = ((size_t)launch_plan->items + local - 1) / local * local;
    TRY(take_kernel(created, &first, error)); /* so that it fails now if it cannot be made */
    put_kernel(created, first);
    *kernel = &created->base;
    created = NULL;
out:
    if (created)
        clm_launch_destroy(&created->base);
    return status;
}

clm_program *clm_launch_program(const clm_kernel *kernel) {
    return ((const opencl_kernel *)kernel)->program;
}

void clm_launch_destroy(clm_kernel *made) {
    opencl_kernel *kernel = (opencl_kernel *)made;
    while (kernel->free) {
        pooled_kernel *pooled = kernel->free;
        kernel->free = pooled->next;
        clm_opencl_of(made->executor)->driver->clReleaseKernel(pooled->kernel);
        free(pooled);
    }
    pthread_mutex_destroy(&kernel->lock);
    free(kernel);
}

/* Sets the arguments that all launches of a run share. */
static clmove_status set_memory(const opencl_kernel *kernel, cl_kernel launched, cl_uint index, const clm_memory *memory,
                                clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_driver *driver = clm_opencl_of(kernel->base.executor)->driver;
    const cl_ulong base = memory->offset;
    if (memory->svm)
        CL_TRY(driver, clSetKernelArgSVMPointer, launched, index, memory->svm);
    else
        CL_TRY(driver, clSetKernelArg, launched, index, sizeof(cl_mem), &memory->object);
    CL_TRY(driver, clSetKernelArg, launched, index + 3, sizeof base, &base); /* src_base and dst_base */
out:
    return status;
}

static clmove_status enqueue_launch(const opencl_kernel *kernel, cl_kernel launched, const clm_arguments *arguments,
                                    const clm_submission *submission, cl_event *event, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_opencl *opencl = clm_opencl_of(kernel->base.executor);
    const clm_driver *driver = opencl->driver;
    CL_TRY(driver, clSetKernelArg, launched, 2, arguments->bytes, &arguments->as);
    CL_TRY_WITH_ROOM(opencl, clEnqueueNDRangeKernel, clm_queue_of(opencl, submission), launched, 1, NULL, &kernel->global_size,
                     &kernel->local_size, submission->waits, clm_wait_list_of(submission), event);
out:
    return status;
}

/* The offsets of launch number `launch` on the leading axes. */
static void find_lead(const clm_launch_plan *launch_plan, int64_t launch, int64_t *src, int64_t *dst) {
    *src = *dst = 0;
    for (int32_t i = launch_plan->lead_rank - 1; i >= 0; i--) {
        const clm_axis *axis = &launch_plan->outer[i];
        *src += launch % axis->extent * axis->src;
        *dst += launch % axis->extent * axis->dst;
        launch /= axis->extent;
    }
}

static void release_event(const clm_driver *driver, cl_event event) {
    if (event)
        driver->clReleaseEvent(event);
}

/* The events of a run's launches: those that are wanted, and those that are held. */
typedef struct launch_events {
    bool want_first, want_last, in_turn; /* in_turn: each launch waits for the one before, since the queue is out of order */
    cl_event first, last;
} launch_events;

/* Enqueues launch number `launch`, the first one after the submission's wait list. */
static clmove_status enqueue_numbered(const opencl_kernel *kernel, cl_kernel launched, int64_t launch,
                                      const clm_submission *submission, launch_events *events, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_driver *driver = clm_opencl_of(kernel->base.executor)->driver;
    bool is_first = launch == 0, is_last = launch + 1 == kernel->base.launch_plan.launches;
    clm_arguments other;
    const clm_arguments *arguments = &kernel->arguments;
    clm_submission after = {.queue = submission->queue, .waits = submission->waits, .wait_list = submission->wait_list};
    void *previous = events->last;
    cl_event made = NULL;
    if (!is_first) {
        int64_t src_lead, dst_lead;
        find_lead(&kernel->base.launch_plan, launch, &src_lead, &dst_lead);
        clm_arguments_set(&other, &kernel->base.launch_plan, src_lead, dst_lead);
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

clmove_status clm_launch_submit(clm_kernel *submitted, const clm_memory *src, const clm_memory *dst,
                                const clm_submission *submission, clm_span *span, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    opencl_kernel *kernel = (opencl_kernel *)submitted;
    const clm_opencl *opencl = clm_opencl_of(submitted->executor);
    const clm_driver *driver = opencl->driver;
    const clm_submission none = {0};
    const clm_submission *used = submission ? submission : &none;
    pooled_kernel *taken = NULL;
    int64_t launches = submitted->launch_plan.launches;
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
    if (!submission)
        CL_TRY(driver, clFlush, opencl->queue);
    if (span) {
        *span = (clm_span){.first = events.first, .last = events.last};
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
