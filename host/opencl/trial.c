/* Trial launches of a kernel on memory of their own: clm_executor_calls.try.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/clock.h"
#include "host/opencl/objects.h"

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

/* The time of a launch is that of the fastest after the first: 10 us on POCL, 0.8 ms on llvmpipe, 10 ms on PoCL-R. In the first
 * one the driver may compile, and a busy machine may delay others. */
static clmove_status launch_all(clm_kernel *kernel, const clm_trial *trial, const clm_memory *src, const clm_memory *dst,
                                cl_command_queue queue, size_t *done, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    size_t count = trial->count;
    double one = trial->seconds;
    for (size_t i = 0; i < count; i++) {
        const double start = clm_now();
        TRY(clm_launch_try(kernel, &trial->launches[i], src, dst, queue, error));
        if (i >= trial->least)
            continue;
        TRY(clm_opencl_finish(clm_opencl_of(kernel->executor), queue, error));
        const double seconds = clm_now() - start + 1e-9;
        one = i > 0 && seconds < one ? seconds : one;
        if (i + 1 == trial->least && trial->seconds / one < (double)count)
            count = trial->seconds / one < (double)trial->least ? trial->least : (size_t)(trial->seconds / one);
    }
    *done = count;
out:
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

clmove_status clm_trial_do(clm_kernel *kernel, const clm_trial *trial, size_t *done, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_opencl *opencl = clm_opencl_of(kernel->executor);
    clm_spare *queue = NULL;
    clm_submission on = {0};
    clm_memory src = {0}, dst = {0};
    TRY(clm_queue_take(opencl, &queue, error));
    on.queue = queue->object;
    TRY(upload(opencl, trial->src, trial->src_bytes, &on, &src, error));
    TRY(upload(opencl, trial->dst, trial->dst_bytes, &on, &dst, error));
    TRY(clm_opencl_finish(opencl, on.queue, error)); /* so that no command reads the caller's memory after a later failure */
    TRY(launch_all(kernel, trial, &src, &dst, on.queue, done, error));
    TRY(clm_memory_read(&dst, 0, trial->dst, trial->dst_bytes, &on, NULL, error));
    TRY(clm_opencl_finish(opencl, on.queue, error));
out:
    if (status != CLMOVE_OK && on.queue)
        clm_opencl_finish(opencl, on.queue, NULL); /* what was launched before the failure */
    clm_memory_destroy(&dst);
    clm_memory_destroy(&src);
    clm_spare_put(&opencl->lock, &opencl->queues, queue);
    return status;
}
