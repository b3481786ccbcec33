/* clmove/opencl.h: plans and buffers on the caller's OpenCL objects.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/opencl/driver.h" /* first: it says which version of OpenCL's headers */

#include <clmove/opencl.h>

#include "host/run/objects.h"
#include "host/opencl/foreign.h"
#include "host/opencl/objects.h"
#include "host/params.h"

#include <stdlib.h>

/* ---- devices ---- */

clmove_status clmove_device_open_opencl(cl_context context, cl_device_id device, cl_command_queue queue,
                                        const clmove_device_params *given, clmove_device **opened, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clmove_device *started = NULL;
    clmove_device_params params;
    TRY(clm_params_read("clmove_device_params", given, &params, sizeof params, error));
    REQUIRE(context, INVALID_ARGUMENT, "context is NULL");
    REQUIRE(device, INVALID_ARGUMENT, "device is NULL");
    REQUIRE(opened, INVALID_ARGUMENT, "opened is NULL");
    TRY(clm_device_start(&params, &started, error));
    REQUIRE(!params.selector || !*params.selector, INVALID_ARGUMENT,
            "the selector is \"%s\", and must be NULL where the device is handed over", params.selector);
    started->may_fall_back = params.allow_fallback;
    TRY(clm_opencl_open_on(context, device, queue, params.profile, (clm_log){.write = params.log, .user = params.log_user},
                           &started->opencl, error));
    TRY(clm_device_complete(started, &params, error));
    *opened = started;
    started = NULL;
out:
    if (started)
        clm_device_release(started);
    return status;
}

clmove_status clmove_device_get_opencl(const clmove_device *device, cl_context *context, cl_device_id *id,
                                       cl_command_queue *queue, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    REQUIRE(device, INVALID_ARGUMENT, "device is NULL");
    REQUIRE(device->opencl, INVALID_ARGUMENT, "the device is the host, and has no OpenCL objects");
    clm_opencl_get_objects(device->opencl, context, id, queue);
out:
    return status;
}

/* Checks what every command here has, and makes an order of it. */
static clmove_status make_order(const clmove_device *device, cl_command_queue queue, cl_uint waits, const cl_event *wait_list,
                                cl_event *event, clm_submission *order, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    REQUIRE(device->opencl, INVALID_ARGUMENT, "the device is the host, and has no queues");
    TRY(clm_order_make(device->opencl, queue, waits, wait_list, event, order, error));
out:
    return status;
}

/* ---- plans ---- */

/* On memory that was checked, but for overlap. */
static clmove_status enqueue(clmove_plan *plan, const clm_memory *src, const clm_memory *dst,
                             const clm_submission *order, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    TRY(clm_memory_check_apart(src, 0, plan->src_bytes, dst, 0, plan->dst_bytes, error));
    if (plan->is_empty)
        TRY(clm_opencl_marker(plan->device->opencl, order, error));
    else
        TRY(clm_plan_enqueue_memory(plan, src, dst, order, NULL, error));
out:
    return status;
}

clmove_status clmove_enqueue_mem(clmove_plan *plan, cl_command_queue queue, cl_mem src, size_t src_offset, cl_mem dst,
                                 size_t dst_offset, cl_uint waits, const cl_event *wait_list, cl_event *event,
                                 clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_submission order;
    clm_memory from, to;
    REQUIRE(plan, INVALID_ARGUMENT, "plan is NULL");
    REQUIRE(src, INVALID_ARGUMENT, "src is NULL");
    REQUIRE(dst, INVALID_ARGUMENT, "dst is NULL");
    TRY(make_order(plan->device, queue, waits, wait_list, event, &order, error));
    TRY(clm_memory_borrow(plan->device->opencl, src, src_offset, plan->src_bytes, CLM_USE_READ, "source", &from, error));
    TRY(clm_memory_borrow(plan->device->opencl, dst, dst_offset, plan->dst_bytes, CLM_USE_WRITE, "destination", &to, error));
    TRY(enqueue(plan, &from, &to, &order, error));
out:
    return status;
}

clmove_status clmove_enqueue_svm(clmove_plan *plan, cl_command_queue queue, const void *src, void *dst, cl_uint waits,
                                 const cl_event *wait_list, cl_event *event, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_submission order;
    clm_memory from, to;
    REQUIRE(plan, INVALID_ARGUMENT, "plan is NULL");
    REQUIRE(src || plan->src_bytes == 0, INVALID_ARGUMENT, "src is NULL, and the map reads %zu bytes", plan->src_bytes);
    REQUIRE(dst || plan->dst_bytes == 0, INVALID_ARGUMENT, "dst is NULL, and the map needs %zu bytes", plan->dst_bytes);
    TRY(make_order(plan->device, queue, waits, wait_list, event, &order, error));
    /* OpenCL takes no pointer to const. */
    TRY(clm_memory_borrow_svm(plan->device->opencl, (void *)(uintptr_t)src, plan->src_bytes, &from, error));
    TRY(clm_memory_borrow_svm(plan->device->opencl, dst, plan->dst_bytes, &to, error));
    TRY(enqueue(plan, &from, &to, &order, error));
out:
    return status;
}

clmove_status clmove_enqueue_on(clmove_plan *plan, cl_command_queue queue, const clmove_buffer *src, clmove_buffer *dst,
                                cl_uint waits, const cl_event *wait_list, cl_event *event, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_submission order;
    TRY(clm_plan_check_buffers(plan, src, dst, error));
    TRY(make_order(plan->device, queue, waits, wait_list, event, &order, error));
    if (!plan->is_empty)
        TRY(clm_wrapped_check_apart(src, 0, plan->src_bytes, dst, 0, plan->dst_bytes, error));
    TRY(clm_buffer_use(src, CLMOVE_ACCESS_READ, &order, error));
    TRY(clm_buffer_use(dst, CLMOVE_ACCESS_WRITE, &order, error));
    TRY(enqueue(plan, src->memory, dst->memory, &order, error));
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
    REQUIRE(device->opencl, INVALID_ARGUMENT, "the device is the host, and knows no cl_mem");
    TRY(clm_memory_borrow(device->opencl, mem, offset, bytes, CLM_USE_ANY, "buffer", &borrowed, error));
    TRY(clm_buffer_create_bare(device, CLMOVE_MEMORY_DEVICE, bytes, &created, error));
    TRY(clm_memory_keep(&borrowed, &created->memory, error));
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
    REQUIRE(buffer->memory, INVALID_ARGUMENT, "the buffer is one of the host, which has no cl_mem");
    *mem = buffer->memory->mem;
    *offset = buffer->memory->offset;
out:
    return status;
}

clmove_status clmove_buffer_enqueue_write(clmove_buffer *buffer, cl_command_queue queue, size_t offset, const void *src,
                                          size_t bytes, cl_uint waits, const cl_event *wait_list, cl_event *event,
                                          clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_submission order;
    TRY(clm_buffer_check_range(buffer, offset, bytes, error));
    REQUIRE(src || bytes == 0, INVALID_ARGUMENT, "src is NULL but bytes is %zu", bytes);
    TRY(make_order(buffer->device, queue, waits, wait_list, event, &order, error));
    TRY(clm_buffer_use(buffer, CLMOVE_ACCESS_WRITE, &order, error));
    if (bytes == 0)
        TRY(clm_opencl_marker(buffer->device->opencl, &order, error));
    else
        TRY(clm_opencl_memory_enqueue_write(buffer->memory, offset, src, bytes, &order, error));
out:
    return status;
}

clmove_status clmove_buffer_enqueue_read(clmove_buffer *buffer, cl_command_queue queue, size_t offset, void *dst, size_t bytes,
                                         cl_uint waits, const cl_event *wait_list, cl_event *event, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_submission order;
    TRY(clm_buffer_check_range(buffer, offset, bytes, error));
    REQUIRE(dst || bytes == 0, INVALID_ARGUMENT, "dst is NULL but bytes is %zu", bytes);
    TRY(make_order(buffer->device, queue, waits, wait_list, event, &order, error));
    TRY(clm_buffer_use(buffer, CLMOVE_ACCESS_READ, &order, error));
    if (bytes == 0)
        TRY(clm_opencl_marker(buffer->device->opencl, &order, error));
    else
        TRY(clm_opencl_memory_enqueue_read(buffer->memory, offset, dst, bytes, &order, error));
out:
    return status;
}

/* The event is how the caller learns that the piece is there. */
clmove_status clmove_buffer_enqueue_map(clmove_buffer *buffer, cl_command_queue queue, clmove_access access, size_t offset,
                                        size_t bytes, cl_uint waits, const cl_event *wait_list, void **memory, cl_event *event,
                                        clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_submission order;
    REQUIRE(buffer, INVALID_ARGUMENT, "buffer is NULL");
    REQUIRE(event, INVALID_ARGUMENT, "event is NULL, and without it nobody knows when the memory is there");
    TRY(make_order(buffer->device, queue, waits, wait_list, event, &order, error));
    TRY(clm_buffer_map(buffer, access, offset, bytes, &order, memory, error));
out:
    return status;
}

clmove_status clmove_buffer_enqueue_unmap(clmove_buffer *buffer, cl_command_queue queue, void *memory, cl_uint waits,
                                          const cl_event *wait_list, cl_event *event, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_submission order;
    REQUIRE(buffer, INVALID_ARGUMENT, "buffer is NULL");
    TRY(make_order(buffer->device, queue, waits, wait_list, event, &order, error));
    TRY(clm_buffer_unmap(buffer, memory, &order, error));
out:
    return status;
}
