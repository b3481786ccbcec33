/* Trial launches of a kernel on memory of their own: clm_executor_calls.try.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/opencl/arguments.h"
#include "host/opencl/objects.h"

#include <stdlib.h>
#include <time.h>

clm_verdict clm_trial_verdict(clm_kernel *kernel) {
    clm_opencl *opencl = clm_opencl_of(kernel->executor);
    clm_program *program = clm_launch_program(kernel);
    clm_verdict verdict = (clm_verdict)atomic_load(&program->verdict);
    if (verdict != CLM_UNTRIED)
        return verdict;
    pthread_mutex_lock(&opencl->lock);
    while (program->is_in_test)
        pthread_cond_wait(&opencl->settled, &opencl->lock);
    verdict = (clm_verdict)atomic_load(&program->verdict);
    program->is_in_test = verdict == CLM_UNTRIED;
    pthread_mutex_unlock(&opencl->lock);
    return verdict;
}

void clm_trial_judge(clm_kernel *kernel, clm_verdict verdict) {
    clm_opencl *opencl = clm_opencl_of(kernel->executor);
    clm_program *program = clm_launch_program(kernel);
    pthread_mutex_lock(&opencl->lock);
    atomic_store(&program->verdict, (int)verdict);
    program->is_in_test = false;
    pthread_cond_broadcast(&opencl->settled);
    pthread_mutex_unlock(&opencl->lock);
}

/* Takes a queue that no other trial uses, or makes one. */
static clmove_status take_queue(clm_opencl *opencl, clm_trial_queue **queue, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    cl_int code;
    pthread_mutex_lock(&opencl->lock);
    clm_trial_queue *taken = opencl->trial_queues;
    if (taken)
        opencl->trial_queues = taken->next;
    pthread_mutex_unlock(&opencl->lock);
    if (!taken) {
        taken = calloc(1, sizeof *taken);
        REQUIRE(taken, OUT_OF_MEMORY, "no memory for a queue");
        taken->queue = opencl->driver->clCreateCommandQueue(opencl->context, opencl->device, 0, &code);
        if (!taken->queue) {
            free(taken);
            status = clm_raise_opencl(error, code, "clCreateCommandQueue");
            goto out;
        }
    }
    *queue = taken;
out:
    return status;
}

static void put_queue(clm_opencl *opencl, clm_trial_queue *queue) {
    pthread_mutex_lock(&opencl->lock);
    queue->next = opencl->trial_queues;
    opencl->trial_queues = queue;
    pthread_mutex_unlock(&opencl->lock);
}

void clm_trial_queues_release(clm_opencl *opencl) {
    while (opencl->trial_queues) {
        clm_trial_queue *queue = opencl->trial_queues;
        opencl->trial_queues = queue->next;
        opencl->driver->clReleaseCommandQueue(queue->queue);
        free(queue);
    }
}

static clmove_status launch(const clm_opencl *opencl, cl_command_queue queue, cl_kernel kernel, const clm_trial_launch *it,
                            clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_driver *driver = opencl->driver;
    const size_t local = (size_t)it->launch_plan->local_size,
                 global = ((size_t)it->launch_plan->items + local - 1) / local * local;
    const cl_ulong src_base = it->src_base, dst_base = it->dst_base;
    clm_arguments arguments;
    clm_arguments_set(&arguments, it->launch_plan, 0, 0);
    CL_TRY(driver, clSetKernelArg, kernel, 2, arguments.bytes, &arguments.as);
    CL_TRY(driver, clSetKernelArg, kernel, 3, sizeof src_base, &src_base);
    CL_TRY(driver, clSetKernelArg, kernel, 4, sizeof dst_base, &dst_base);
    CL_TRY_WITH_ROOM(opencl, clEnqueueNDRangeKernel, queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
out:
    return status;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* The time of a launch is that of the fastest after the first: 10 us on POCL, 0.8 ms on llvmpipe, 10 ms on PoCL-R. In the first
 * one the driver may compile, and a busy machine may delay others. */
static clmove_status launch_all(const clm_opencl *opencl, cl_command_queue queue, cl_kernel kernel, const clm_trial *trial,
                                size_t *done, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    size_t count = trial->count;
    double one = trial->seconds;
    for (size_t i = 0; i < count; i++) {
        const double start = now();
        TRY(launch(opencl, queue, kernel, &trial->launches[i], error));
        if (i >= trial->least)
            continue;
        TRY(clm_opencl_finish(opencl, queue, error));
        const double seconds = now() - start + 1e-9;
        one = i > 0 && seconds < one ? seconds : one;
        if (i + 1 == trial->least && trial->seconds / one < (double)count)
            count = trial->seconds / one < (double)trial->least ? trial->least : (size_t)(trial->seconds / one);
    }
    *done = count;
out:
    return status;
}

clmove_status clm_trial_do(clm_kernel *kernel, const clm_trial *trial, size_t *done, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_opencl *opencl = clm_opencl_of(kernel->executor);
    const clm_driver *driver = opencl->driver;
    clm_trial_queue *taken = NULL;
    cl_command_queue queue = NULL;
    cl_mem src = NULL, dst = NULL;
    cl_kernel tried = NULL;
    cl_int code;
    TRY(take_queue(opencl, &taken, error));
    queue = taken->queue;
    tried = driver->clCreateKernel(clm_launch_program(kernel)->program, kernel->launch_plan.variant->source, &code);
    if (!tried) {
        status = clm_raise_opencl(error, code, "clCreateKernel");
        goto out;
    }
    TRY(clm_buffer_object_create(opencl, CL_MEM_READ_ONLY, trial->src_bytes, NULL, &src, error));
    TRY(clm_buffer_object_create(opencl, CL_MEM_READ_WRITE, trial->dst_bytes, NULL, &dst, error));
    /* Blocking, so that no command reads the caller's memory after a later failure. */
    CL_TRY_WITH_ROOM(opencl, clEnqueueWriteBuffer, queue, src, CL_TRUE, 0, trial->src_bytes, trial->src, 0, NULL, NULL);
    CL_TRY_WITH_ROOM(opencl, clEnqueueWriteBuffer, queue, dst, CL_TRUE, 0, trial->dst_bytes, trial->dst, 0, NULL, NULL);
    CL_TRY(driver, clSetKernelArg, tried, 0, sizeof src, &src);
    CL_TRY(driver, clSetKernelArg, tried, 1, sizeof dst, &dst);
    TRY(launch_all(opencl, queue, tried, trial, done, error));
    CL_TRY(driver, clEnqueueReadBuffer, queue, dst, CL_TRUE, 0, trial->dst_bytes, trial->dst, 0, NULL, NULL);
out:
    if (status != CLMOVE_OK && queue)
        clm_opencl_finish(opencl, queue, NULL); /* what was launched before the failure */
    if (dst)
        driver->clReleaseMemObject(dst);
    if (src)
        driver->clReleaseMemObject(src);
    if (tried)
        driver->clReleaseKernel(tried);
    if (taken)
        put_queue(opencl, taken);
    return status;
}
