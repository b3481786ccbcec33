/* SPDX-License-Identifier: Apache-2.0 */
#include "host/opencl/foreign.h"

#include "host/opencl/objects.h"

#include <inttypes.h>
#include <stdlib.h>

bool clm_find_device(const clm_driver *driver, cl_device_id device, const cl_device_id *devices, size_t count, size_t *place) {
    while (device) {
        for (*place = 0; *place < count; ++*place)
            if (devices[*place] == device)
                return true;
        cl_device_id parent = NULL;
        if (driver->clGetDeviceInfo(device, CL_DEVICE_PARENT_DEVICE, sizeof parent, (void *)&parent, NULL) != CL_SUCCESS)
            break;
        device = parent;
    }
    return false;
}

clmove_status clm_check_device_of(const clm_driver *driver, cl_context context, cl_device_id device, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    cl_device_id *devices = NULL;
    size_t bytes = 0, place;
    CL_TRY(driver, clGetContextInfo, context, CL_CONTEXT_DEVICES, 0, NULL, &bytes);
    devices = malloc(bytes + 1);
    REQUIRE(devices, OUT_OF_MEMORY, "no memory for the devices of a context");
    CL_TRY(driver, clGetContextInfo, context, CL_CONTEXT_DEVICES, bytes, devices, NULL);
    REQUIRE(clm_find_device(driver, device, devices, bytes / sizeof *devices, &place), INVALID_ARGUMENT,
            "the device is none of the %zu of the context", bytes / sizeof *devices);
out:
    free(devices);
    return status;
}

clmove_status clm_check_queue_of(const clm_driver *driver, cl_context context, cl_device_id device, cl_command_queue queue,
                                 clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    cl_context its_context = NULL;
    cl_device_id its_device = NULL;
    CL_TRY(driver, clGetCommandQueueInfo, queue, CL_QUEUE_CONTEXT, sizeof its_context, &its_context, NULL);
    CL_TRY(driver, clGetCommandQueueInfo, queue, CL_QUEUE_DEVICE, sizeof its_device, &its_device, NULL);
    REQUIRE(its_context == context, INVALID_ARGUMENT, "the queue belongs to another context");
    REQUIRE(its_device == device, INVALID_ARGUMENT, "the queue belongs to another device of the context");
out:
    return status;
}

void clm_opencl_get_objects(clm_executor *executor, cl_context *context, cl_device_id *device, cl_command_queue *queue) {
    const clm_opencl *opencl = clm_opencl_of(executor);
    if (context)
        *context = opencl->context;
    if (device)
        *device = opencl->device;
    if (queue)
        *queue = opencl->given ? opencl->given : opencl->queue;
}

clmove_status clm_submission_make(clm_executor *executor, cl_command_queue queue, cl_uint waits, const cl_event *wait_list,
                                  cl_event *event, clm_submission *submission, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_opencl *opencl = clm_opencl_of(executor);
    cl_command_queue_properties properties = 0;
    REQUIRE((waits == 0) == !wait_list, INVALID_ARGUMENT, "%" PRIu32 " events to wait for, and wait_list is %s", waits,
            wait_list ? "not NULL" : "NULL");
    for (cl_uint i = 0; i < waits; i++) /* POCL 3.1 takes it */
        REQUIRE(wait_list[i], INVALID_ARGUMENT, "event %" PRIu32 " of the %" PRIu32 " to wait for is NULL", i, waits);
    if (queue)
        TRY(clm_check_queue_of(opencl->driver, opencl->context, opencl->device, queue, error));
    else
        clm_opencl_get_objects(executor, NULL, NULL, &queue);
    CL_TRY(opencl->driver, clGetCommandQueueInfo, queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL);
    *submission = (clm_submission){
        .queue = queue,
        .out_of_order = (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0,
        .waits = waits,
        .wait_list = (void *const *)wait_list,
        .event = (void **)event,
    };
out:
    return status;
}

/* ---- memory ---- */

clmove_status clm_memory_borrow(clm_executor *executor, cl_mem mem, size_t offset, size_t bytes, clm_use use, const char *role,
                                clm_memory *memory, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_opencl *opencl = clm_opencl_of(executor);
    const clm_driver *driver = opencl->driver;
    cl_mem_object_type type = 0;
    cl_context context = NULL;
    cl_mem_flags flags = 0;
    size_t size = 0;
    CL_TRY(driver, clGetMemObjectInfo, mem, CL_MEM_TYPE, sizeof type, &type, NULL);
    CL_TRY(driver, clGetMemObjectInfo, mem, CL_MEM_CONTEXT, sizeof context, &context, NULL);
    CL_TRY(driver, clGetMemObjectInfo, mem, CL_MEM_FLAGS, sizeof flags, &flags, NULL);
    CL_TRY(driver, clGetMemObjectInfo, mem, CL_MEM_SIZE, sizeof size, &size, NULL);
    REQUIRE(type == CL_MEM_OBJECT_BUFFER, BAD_BUFFER, "the %s is an image or a pipe, and must be a buffer", role);
    REQUIRE(context == opencl->context, BAD_BUFFER, "the %s belongs to another context than the device", role);
    REQUIRE(use != CLM_USE_READ || !(flags & CL_MEM_WRITE_ONLY), BAD_BUFFER,
            "the %s is CL_MEM_WRITE_ONLY: kernels may not read it", role);
    REQUIRE(use != CLM_USE_WRITE || !(flags & CL_MEM_READ_ONLY), BAD_BUFFER,
            "the %s is CL_MEM_READ_ONLY: kernels may not write it", role);
    REQUIRE(offset <= size && bytes <= size - offset, BAD_BUFFER,
            "%zu bytes at offset %zu reach past the end of the %s, which has %zu", bytes, offset, role, size);
    *memory = (clm_memory){.executor = executor, .object = mem, .offset = offset, .bytes = bytes};
out:
    return status;
}

clmove_status clm_memory_borrow_svm(clm_executor *executor, void *svm, size_t bytes, clm_memory *memory, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    REQUIRE(clm_opencl_of(executor)->has_svm, UNSUPPORTED, "%s has no shared virtual memory", executor->info.name);
    *memory = (clm_memory){.executor = executor, .bytes = bytes, .svm = svm};
out:
    return status;
}

clmove_status clm_memory_keep(const clm_memory *borrowed, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    CL_TRY(clm_opencl_of(borrowed->executor)->driver, clRetainMemObject, borrowed->object);
out:
    return status;
}
