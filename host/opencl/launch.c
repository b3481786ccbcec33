/* Kernels, their launches, and trial launches on memory of their own.
 *
 * Threads cannot share the arguments of a cl_kernel. Each enqueue takes a cl_kernel of its own from a list, sets the arguments,
 * enqueues, and returns it. The lock is held to take and to return.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/clock.h"
#include "host/opencl/arguments.h"
#include "host/opencl/objects.h"

#include <stdint.h>
#include <stdlib.h>

/* What an enqueue needs of a launch plan. */
typedef struct launch {
    size_t global_size, local_size;
    clm_arguments arguments;
} launch;

typedef struct opencl_kernel {
    clm_kernel base;
    clm_program *program;
    /* Work-items of a work-group, as the driver says of this kernel. */
    int64_t most_local;
    /* As planned for groups of at most so many work-items. */
    clm_launch_plan planned;
    launch first;
    /* Of the spares. */
    pthread_mutex_t lock;
    clm_spare *spares;
} opencl_kernel;

/* The launch plan's groups are such as the kernel can have. */
static void prepare(const clm_launch_plan *launch_plan, launch *prepared) {
    prepared->local_size = (size_t)launch_plan->local_size;
    prepared->global_size = ((size_t)launch_plan->items + prepared->local_size - 1) / prepared->local_size * prepared->local_size;
    clm_arguments_set(&prepared->arguments, launch_plan, 0, 0);
}

/* *taken is to be put back, also if this fails. */
static clmove_status take_kernel(opencl_kernel *kernel, clm_spare **taken, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_driver *driver = clm_opencl_of(kernel->base.executor)->driver;
    cl_int code = CL_SUCCESS;
    TRY(clm_spare_take(&kernel->lock, &kernel->spares, taken, error));
    if (!(*taken)->object)
        (*taken)->object =
            driver->clCreateKernel(kernel->program->program, clm_source_names[kernel->base.launch_plan.variant->source], &code);
    if (!(*taken)->object)
        status = clm_raise_opencl(error, code, "clCreateKernel");
out:
    return status;
}

/* A kernel that needs many registers may have smaller groups than the device. */
static clmove_status fit_groups(opencl_kernel *kernel, cl_kernel object, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_opencl *opencl = clm_opencl_of(kernel->base.executor);
    size_t most = 0;
    CL_TRY(opencl->driver, clGetKernelWorkGroupInfo, object, opencl->device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL);
    const uint64_t said = most; /* size_t may have 32 bits, of which compilers know that they fit */
    kernel->most_local = said > 0 && said <= INT64_MAX ? (int64_t)said : INT64_MAX;
    kernel->planned = kernel->base.launch_plan;
    clm_fit_groups(&kernel->planned, kernel->most_local);
    prepare(&kernel->planned, &kernel->first);
out:
    return status;
}

clmove_status clm_launch_create(clm_executor *executor, const clm_launch_plan *launch_plan, clm_kernel **kernel,
                                clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_spare *first = NULL;
    opencl_kernel *created = calloc(1, sizeof *created);
    REQUIRE(created, OUT_OF_MEMORY, "no memory for a kernel");
    pthread_mutex_init(&created->lock, NULL);
    created->base = (clm_kernel){.executor = executor, .launch_plan = *launch_plan};
    clm_program_key key = {
        .source = clm_source_names[launch_plan->variant->source],
        .unit_bits = launch_plan->unit_bits,
        .index_bits = launch_plan->index_bits,
        .block = launch_plan->constant,
        .rows = clm_has_gaps_in_groups(launch_plan) ? (uint32_t)launch_plan->m : 0,
    };
    TRY(clm_program_get(clm_opencl_of(executor), key, &created->program, error));
    status = take_kernel(created, &first, error); /* so that it fails now if it cannot be made */
    if (status == CLMOVE_OK)
        status = fit_groups(created, first->object, error);
    clm_spare_put(&created->lock, &created->spares, first);
    TRY(status);
    *kernel = &created->base;
    created = NULL;
out:
    if (created)
        clm_launch_destroy(&created->base);
    return status;
}

void clm_launch_destroy(clm_kernel *made) {
    opencl_kernel *kernel = (opencl_kernel *)made;
    while (kernel->spares) {
        clm_spare *spare = kernel->spares;
        kernel->spares = spare->next;
        if (spare->object)
            clm_opencl_of(made->executor)->driver->clReleaseKernel(spare->object);
        free(spare);
    }
    pthread_mutex_destroy(&kernel->lock);
    free(kernel);
}

/* Sets the arguments that all launches of a run share: memory 0 is the source, 1 the destination. */
static clmove_status set_memory(const clm_driver *driver, cl_kernel kernel, cl_uint index, const clm_memory *memory,
                                clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const cl_ulong base = memory->offset;
    if (memory->svm)
        CL_TRY(driver, clSetKernelArgSVMPointer, kernel, index, memory->svm);
    else
        CL_TRY(driver, clSetKernelArg, kernel, index, sizeof(cl_mem), &memory->object);
    CL_TRY(driver, clSetKernelArg, kernel, index + 3, sizeof base, &base); /* src_base and dst_base */
out:
    return status;
}

static clmove_status enqueue(const clm_opencl *opencl, cl_kernel kernel, const launch *it, const clm_submission *submission,
                             cl_event *event, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    CL_TRY(opencl->driver, clSetKernelArg, kernel, 2, it->arguments.bytes, &it->arguments.as);
    CL_TRY_WITH_ROOM(opencl, clEnqueueNDRangeKernel, clm_queue_of(opencl, submission), kernel, 1, NULL, &it->global_size,
                     &it->local_size, submission->waits, clm_wait_list_of(submission), event);
out:
    return status;
}

/* Prepares launch number `number`, which differs from the first in where its leading axes are. */
static void prepare_later(const opencl_kernel *kernel, int64_t number, launch *prepared) {
    const clm_launch_plan *launch_plan = &kernel->planned;
    int64_t src = 0, dst = 0;
    for (int32_t i = launch_plan->lead_rank - 1; i >= 0; i--) {
        const clm_axis *axis = &launch_plan->outer[i];
        src += number % axis->extent * axis->src;
        dst += number % axis->extent * axis->dst;
        number /= axis->extent;
    }
    *prepared = kernel->first;
    clm_arguments_set(&prepared->arguments, launch_plan, src, dst);
}

clmove_status clm_launch_submit(clm_kernel *submitted, const clm_memory *src, const clm_memory *dst,
                                const clm_submission *submission, clm_span *span, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    opencl_kernel *kernel = (opencl_kernel *)submitted;
    const clm_opencl *opencl = clm_opencl_of(submitted->executor);
    const clm_driver *driver = opencl->driver;
    const clm_submission *used = submission ? submission : &(clm_submission){0};
    clm_submission after = {.queue = used->queue, .waits = used->waits, .wait_list = used->wait_list};
    const int64_t launches = submitted->launch_plan.launches;
    const bool in_turn = used->out_of_order && launches > 1; /* each launch waits for the one before */
    clm_spare *taken = NULL;
    clm_span made = {0}; /* of the launches so far; the last one is NULL where nobody wants it */
    launch later;
    TRY(take_kernel(kernel, &taken, error));
    TRY(set_memory(driver, taken->object, 0, src, error));
    TRY(set_memory(driver, taken->object, 1, dst, error));
    for (int64_t i = 0; i < launches; i++) {
        const bool is_wanted = in_turn || (i == 0 && span) || (i + 1 == launches && (span || used->event));
        void *previous = made.last;
        cl_event event = NULL;
        if (i > 0) {
            prepare_later(kernel, i, &later);
            after.waits = in_turn;
            after.wait_list = in_turn ? &previous : NULL;
        }
        TRY(enqueue(opencl, taken->object, i > 0 ? &later : &kernel->first, &after, is_wanted ? &event : NULL, error));
        if (i == 0)
            made.first = event;
        else if (previous && previous != made.first)
            driver->clReleaseEvent(previous);
        made.last = event;
    }
    if (!submission)
        CL_TRY(driver, clFlush, opencl->queue);
    if (span) {
        *span = made;
        made = (clm_span){0};
    } else if (used->event) {
        *used->event = made.last;
        made = (clm_span){.first = made.first == made.last ? NULL : made.first};
    }
out:
    clm_spare_put(&kernel->lock, &kernel->spares, taken);
    clm_span_release(submitted->executor, &made);
    return status;
}

/* ---- trials ---- */

clm_verdict clm_launch_verdict(clm_kernel *kernel) {
    clm_opencl *opencl = clm_opencl_of(kernel->executor);
    clm_program *program = ((opencl_kernel *)kernel)->program;
    pthread_mutex_lock(&opencl->lock);
    while (program->is_in_test)
        pthread_cond_wait(&opencl->settled, &opencl->lock);
    const clm_verdict verdict = program->verdict;
    program->is_in_test = verdict == CLM_UNTRIED;
    pthread_mutex_unlock(&opencl->lock);
    return verdict;
}

void clm_launch_judge(clm_kernel *kernel, clm_verdict verdict) {
    clm_opencl *opencl = clm_opencl_of(kernel->executor);
    clm_program *program = ((opencl_kernel *)kernel)->program;
    pthread_mutex_lock(&opencl->lock);
    program->verdict = verdict;
    program->is_in_test = false;
    pthread_cond_broadcast(&opencl->settled);
    pthread_mutex_unlock(&opencl->lock);
}

/* The time of a launch is that of the fastest after the first: 10 us on POCL, 0.8 ms on llvmpipe, 10 ms on PoCL-R. In the first
 * one the driver may compile, and a busy machine may delay others. */
static clmove_status try_all(opencl_kernel *kernel, const clm_trial *trial, const clm_memory *src, const clm_memory *dst,
                             const clm_submission *on, size_t *done, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_opencl *opencl = clm_opencl_of(kernel->base.executor);
    clm_memory from = *src, to = *dst;
    clm_spare *taken = NULL;
    size_t count = trial->count;
    double one = trial->seconds;
    TRY(take_kernel(kernel, &taken, error));
    for (size_t i = 0; i < count; i++) {
        const double start = clm_now();
        launch it;
        from.offset = trial->launches[i].src_base;
        to.offset = trial->launches[i].dst_base;
        clm_launch_plan planned = *trial->launches[i].launch_plan;
        clm_fit_groups(&planned, kernel->most_local);
        prepare(&planned, &it);
        TRY(set_memory(opencl->driver, taken->object, 0, &from, error));
        TRY(set_memory(opencl->driver, taken->object, 1, &to, error));
        TRY(enqueue(opencl, taken->object, &it, on, NULL, error));
        if (i >= trial->least)
            continue;
        TRY(clm_opencl_finish(kernel->base.executor, on->queue, error));
        const double seconds = clm_now() - start + 1e-9;
        one = i > 0 && seconds < one ? seconds : one;
        if (i + 1 == trial->least && trial->seconds / one < (double)count)
            count = trial->seconds / one < (double)trial->least ? trial->least : (size_t)(trial->seconds / one);
    }
    *done = count;
out:
    clm_spare_put(&kernel->lock, &kernel->spares, taken);
    return status;
}

/* Makes memory, and copies bytes to it. *made is to be destroyed, also if this fails. */
static clmove_status upload(clm_opencl *opencl, const void *bytes, size_t count, const clm_submission *on, clm_memory *made,
                            clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    cl_mem mem;
    TRY(clm_buffer_object_create(opencl, CL_MEM_READ_WRITE, count, NULL, &mem, error));
    *made = (clm_memory){.executor = &opencl->base, .object = mem, .bytes = count};
    TRY(clm_memory_write(made, 0, bytes, count, on, NULL, error));
out:
    return status;
}

clmove_status clm_launch_try(clm_kernel *kernel, const clm_trial *trial, size_t *done, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_opencl *opencl = clm_opencl_of(kernel->executor);
    clm_spare *queue = NULL;
    clm_submission on = {0};
    clm_memory src = {0}, dst = {0};
    TRY(clm_queue_take(opencl, &queue, error));
    on.queue = queue->object;
    TRY(upload(opencl, trial->src, trial->src_bytes, &on, &src, error));
    TRY(upload(opencl, trial->dst, trial->dst_bytes, &on, &dst, error));
    TRY(clm_opencl_finish(kernel->executor, on.queue,
                          error)); /* so that no command reads the caller's memory after a later failure */
    TRY(try_all((opencl_kernel *)kernel, trial, &src, &dst, &on, done, error));
    TRY(clm_memory_read(&dst, 0, trial->dst, trial->dst_bytes, &on, NULL, error));
    TRY(clm_opencl_finish(kernel->executor, on.queue, error));
out:
    if (status != CLMOVE_OK && on.queue)
        clm_opencl_finish(kernel->executor, on.queue, NULL); /* what was launched before the failure */
    clm_memory_destroy(&dst);
    clm_memory_destroy(&src);
    clm_spare_put(&opencl->lock, &opencl->queues, queue);
    return status;
}
