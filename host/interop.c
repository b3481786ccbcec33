/* clmove/opencl.h: plans and buffers on the caller's OpenCL objects.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/opencl/objects.h" /* first: it selects the version of OpenCL's headers */

#include <clmove/opencl.h>

#include "host/device/buffer.h"
#include "host/open.h"
#include "host/variables.h"

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
    TRY(clm_variables_check(error));
    TRY(clm_opencl_open_on(context, device, queue, &params, &executor, error));
    TRY(clm_open(executor, &params, opened, error));
out:
    return status;
}

/* The device's OpenCL executor; NULL: it is the host. */
static clm_opencl *opencl_of(const clmove_device *device) {
    return clm_device_is_host(device) ? NULL : clm_opencl_of(clm_device_executor(device));
}

clmove_status clmove_device_get_opencl(const clmove_device *device, cl_context *context, cl_device_id *id,
                                       cl_command_queue *queue, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    REQUIRE(device, INVALID_ARGUMENT, "device is NULL");
    TRY(clm_device_check_one(device, "OpenCL objects", error));
    const clm_opencl *opencl = opencl_of(device);
    REQUIRE(opencl, INVALID_ARGUMENT, "the device is the host, and has no OpenCL objects");
    if (context)
        *context = opencl->context;
    if (id)
        *id = opencl->device;
    if (queue)
        *queue = opencl->given ? opencl->given : opencl->queue;
out:
    return status;
}

/* ---- views and submissions ---- */

clmove_view clmove_mem_view(cl_mem mem, size_t offset) {
    return clm_view_store((clm_view){.object = mem, .offset = offset});
}

clmove_view clmove_svm_view(const void *memory) {
    return clm_view_store((clm_view){.svm = (void *)memory});
}

clmove_queue *clmove_queue_of(cl_command_queue queue) {
    return (clmove_queue *)(void *)queue;
}

clmove_event *const *clmove_wait_list(const cl_event *list) {
    return (clmove_event *const *)(const void *)list;
}

clmove_event **clmove_event_of(cl_event *event) {
    return (clmove_event **)(void *)event;
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
    TRY(clm_device_check_one(device, "buffers", error));
    REQUIRE(opencl_of(device), INVALID_ARGUMENT, "the device is the host, and knows no cl_mem");
    const clm_memory given = {.object = mem, .offset = offset, .bytes = bytes};
    TRY(clm_foreign_memory(clm_device_executor(device), &given, CLM_USE_ANY, "buffer", &borrowed, error));
    TRY(clm_buffer_create_bare(device, CLMOVE_MEMORY_DEVICE, bytes, &created, error));
    CL_TRY(opencl_of(device)->driver, clRetainMemObject, mem);
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
