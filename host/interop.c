/* clmove/opencl.h: plans and buffers on the caller's OpenCL objects.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/opencl/driver.h" /* first: it selects the version of OpenCL's headers */

#include <clmove/opencl.h>

#include "host/device/mapping.h"
#include "host/open.h"
#include "host/opencl/foreign.h"
#include "host/run/run.h"

/* ---- devices ---- */

clmove_status clmove_device_open_opencl(cl_context context, cl_device_id device, cl_command_queue queue,
                                        const clmove_device_params *given, clmove_device **opened, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_executor *executor = NULL;
    clmove_device_params params;
    TRY(clm_params_read("clmove_device_params", given, &params, sizeof params, error));
    REQUIRE(context, INVALID_ARGUMENT, "context is NULL");
    REQUIRE(device, INVALID_ARGUMENT, "device is NULL");
    REQUIRE(opened, INVALID_ARGUMENT, "opened is NULL");
    REQUIRE(!params.selector || !*params.selector, INVALID_ARGUMENT,
            "the selector is \"%s\", and must be NULL where the device is handed over", params.selector);
    TRY(clm_opencl_open_on(context, device, queue, params.profile, (clm_log){.write = params.log, .user = params.log_user},
                           &executor, error));
    TRY(clm_open(executor, &params, opened, error));
out:
    return status;
}

/* The device's OpenCL executor; NULL: it is the host. */
static clm_executor *opencl_of(const clmove_device *device) {
    return clm_device_is_host(device) ? NULL : clm_device_executor(device);
}

clmove_status clmove_device_get_opencl(const clmove_device *device, cl_context *context, cl_device_id *id,
                                       cl_command_queue *queue, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    REQUIRE(device, INVALID_ARGUMENT, "device is NULL");
    REQUIRE(opencl_of(device), INVALID_ARGUMENT, "the device is the host, and has no OpenCL objects");
    clm_opencl_get_objects(opencl_of(device), context, id, queue);
out:
    return status;
}

/* Checks the arguments that every command here has, and makes a submission of them. */
static clmove_status make_submission(const clmove_device *device, cl_command_queue queue, cl_uint waits,
                                     const cl_event *wait_list, cl_event *event, clm_submission *submission,
                                     clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    REQUIRE(opencl_of(device), INVALID_ARGUMENT, "the device is the host, and has no queues");
    TRY(clm_submission_make(opencl_of(device), queue, waits, wait_list, event, submission, error));
out:
    return status;
}

/* ---- plans ---- */

/* Enqueues on memory that was checked, except for overlap. */
static clmove_status enqueue(clmove_plan *plan, const clm_memory *src, const clm_memory *dst, const clm_submission *submission,
                             clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_executor *executor = opencl_of(plan->device);
    TRY(executor->calls->check_apart(src, 0, plan->src_bytes, dst, 0, plan->dst_bytes, error));
    if (plan->is_empty)
        TRY(executor->calls->marker(executor, submission, error));
    else
        TRY(clm_enqueue_memory(plan, src, dst, submission, NULL, error));
out:
    return status;
}

clmove_status clmove_enqueue_mem(clmove_plan *plan, cl_command_queue queue, cl_mem src, size_t src_offset, cl_mem dst,
                                 size_t dst_offset, cl_uint waits, const cl_event *wait_list, cl_event *event,
                                 clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_submission submission;
    clm_memory from, to;
    REQUIRE(plan, INVALID_ARGUMENT, "plan is NULL");
    REQUIRE(src, INVALID_ARGUMENT, "src is NULL");
    REQUIRE(dst, INVALID_ARGUMENT, "dst is NULL");
    TRY(make_submission(plan->device, queue, waits, wait_list, event, &submission, error));
    TRY(clm_memory_borrow(opencl_of(plan->device), src, src_offset, plan->src_bytes, CLM_USE_READ, "source", &from, error));
    TRY(clm_memory_borrow(opencl_of(plan->device), dst, dst_offset, plan->dst_bytes, CLM_USE_WRITE, "destination", &to, error));
    TRY(enqueue(plan, &from, &to, &submission, error));
out:
    return status;
}

clmove_status clmove_enqueue_svm(clmove_plan *plan, cl_command_queue queue, const void *src, void *dst, cl_uint waits,
                                 const cl_event *wait_list, cl_event *event, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_submission submission;
    clm_memory from, to;
    REQUIRE(plan, INVALID_ARGUMENT, "plan is NULL");
    REQUIRE(src || plan->src_bytes == 0, INVALID_ARGUMENT, "src is NULL, and the map reads %zu bytes", plan->src_bytes);
    REQUIRE(dst || plan->dst_bytes == 0, INVALID_ARGUMENT, "dst is NULL, and the map needs %zu bytes", plan->dst_bytes);
    TRY(make_submission(plan->device, queue, waits, wait_list, event, &submission, error));
    /* OpenCL takes no pointer to const. */
    TRY(clm_memory_borrow_svm(opencl_of(plan->device), (void *)(uintptr_t)src, plan->src_bytes, &from, error));
    TRY(clm_memory_borrow_svm(opencl_of(plan->device), dst, plan->dst_bytes, &to, error));
    TRY(enqueue(plan, &from, &to, &submission, error));
out:
    return status;
}

clmove_status clmove_enqueue_on(clmove_plan *plan, cl_command_queue queue, const clmove_buffer *src, clmove_buffer *dst,
                                cl_uint waits, const cl_event *wait_list, cl_event *event, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_submission submission;
    REQUIRE(plan, INVALID_ARGUMENT, "plan is NULL");
    TRY(make_submission(plan->device, queue, waits, wait_list, event, &submission, error));
    TRY(clm_enqueue(plan, src, dst, &submission, NULL, error));
out:
    return status;
}

/* ---- buffers ---- */

clmove_status clmove_buffer_wrap_mem(clmove_device *device, cl_mem mem, size_t offset, size_t bytes, clmove_buffer **buffer,
                                     clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clmove_buffer *created = NULL;
    clm_memory borrowed;
    REQUIRE(device, INVALID_ARGUMENT, "device is NULL");
    REQUIRE(mem, INVALID_ARGUMENT, "mem is NULL");
    REQUIRE(buffer, INVALID_ARGUMENT, "buffer is NULL");
    REQUIRE(opencl_of(device), INVALID_ARGUMENT, "the device is the host, and knows no cl_mem");
    TRY(clm_memory_borrow(opencl_of(device), mem, offset, bytes, CLM_USE_ANY, "buffer", &borrowed, error));
    TRY(clm_buffer_create_bare(device, CLMOVE_MEMORY_DEVICE, bytes, &created, error));
    TRY(clm_memory_keep(&borrowed, error));
    created->memory = borrowed;
    *buffer = created;
    created = NULL;
out:
    clm_buffer_free(created);
    return status;
}

clmove_status clmove_buffer_get_mem(const clmove_buffer *buffer, cl_mem *mem, size_t *offset, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    REQUIRE(buffer, INVALID_ARGUMENT, "buffer is NULL");
    REQUIRE(mem, INVALID_ARGUMENT, "mem is NULL");
    REQUIRE(offset, INVALID_ARGUMENT, "offset is NULL");
    REQUIRE(opencl_of(buffer->device), INVALID_ARGUMENT, "the buffer is one of the host, which has no cl_mem");
    *mem = buffer->memory.object;
    *offset = buffer->memory.offset;
out:
    return status;
}

clmove_status clmove_buffer_enqueue_write(clmove_buffer *buffer, cl_command_queue queue, size_t offset, const void *src,
                                          size_t bytes, cl_uint waits, const cl_event *wait_list, cl_event *event,
                                          clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_submission submission;
    TRY(clm_buffer_check_range(buffer, offset, bytes, error));
    REQUIRE(src || bytes == 0, INVALID_ARGUMENT, "src is NULL but bytes is %zu", bytes);
    TRY(make_submission(buffer->device, queue, waits, wait_list, event, &submission, error));
    TRY(clm_buffer_use(buffer, CLMOVE_ACCESS_WRITE, &submission, error));
    if (bytes == 0)
        TRY(clm_buffer_calls(buffer)->marker(clm_device_executor(buffer->device), &submission, error));
    else
        TRY(clm_buffer_calls(buffer)->write(&buffer->memory, offset, src, bytes, &submission, NULL, error));
out:
    return status;
}

clmove_status clmove_buffer_enqueue_read(clmove_buffer *buffer, cl_command_queue queue, size_t offset, void *dst, size_t bytes,
                                         cl_uint waits, const cl_event *wait_list, cl_event *event, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_submission submission;
    TRY(clm_buffer_check_range(buffer, offset, bytes, error));
    REQUIRE(dst || bytes == 0, INVALID_ARGUMENT, "dst is NULL but bytes is %zu", bytes);
    TRY(make_submission(buffer->device, queue, waits, wait_list, event, &submission, error));
    TRY(clm_buffer_use(buffer, CLMOVE_ACCESS_READ, &submission, error));
    if (bytes == 0)
        TRY(clm_buffer_calls(buffer)->marker(clm_device_executor(buffer->device), &submission, error));
    else
        TRY(clm_buffer_calls(buffer)->read(&buffer->memory, offset, dst, bytes, &submission, NULL, error));
out:
    return status;
}

/* The event tells the caller that the piece is mapped. */
clmove_status clmove_buffer_enqueue_map(clmove_buffer *buffer, cl_command_queue queue, clmove_access access, size_t offset,
                                        size_t bytes, cl_uint waits, const cl_event *wait_list, void **memory, cl_event *event,
                                        clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_submission submission;
    REQUIRE(buffer, INVALID_ARGUMENT, "buffer is NULL");
    REQUIRE(event, INVALID_ARGUMENT, "event is NULL, and without it nobody knows when the memory is there");
    TRY(make_submission(buffer->device, queue, waits, wait_list, event, &submission, error));
    TRY(clm_buffer_map(buffer, access, offset, bytes, &submission, memory, error));
out:
    return status;
}

clmove_status clmove_buffer_enqueue_unmap(clmove_buffer *buffer, cl_command_queue queue, void *memory, cl_uint waits,
                                          const cl_event *wait_list, cl_event *event, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_submission submission;
    REQUIRE(buffer, INVALID_ARGUMENT, "buffer is NULL");
    TRY(make_submission(buffer->device, queue, waits, wait_list, event, &submission, error));
    TRY(clm_buffer_unmap(buffer, memory, &submission, error));
out:
    return status;
}
