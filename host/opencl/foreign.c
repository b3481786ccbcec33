/* OpenCL objects of the caller's: whether they belong together, and memory.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/opencl/objects.h"

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
    cl_device_id devices[CLM_MOST_DEVICES];
    size_t bytes = 0, place;
    CL_TRY(driver, clGetContextInfo, context, CL_CONTEXT_DEVICES, sizeof devices, devices, &bytes);
    REQUIRE(clm_find_device(driver, device, devices, bytes / sizeof *devices, &place), INVALID_ARGUMENT,
            "the device is none of the %zu of the context", bytes / sizeof *devices);
out:
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

clmove_status clm_foreign_queue(clm_executor *executor, void **queue, bool *out_of_order, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_opencl *opencl = clm_opencl_of(executor);
    cl_command_queue_properties properties = 0;
    cl_command_queue used = *queue;
    if (used)
        TRY(clm_check_queue_of(opencl->driver, opencl->context, opencl->device, used, error));
    else
        used = opencl->given ? opencl->given : opencl->queue;
    CL_TRY(opencl->driver, clGetCommandQueueInfo, used, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL);
    *out_of_order = (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0;
    *queue = used;
out:
    return status;
}

/* ---- memory ---- */

/* Whether a cl_mem is a buffer of the device's context, has these bytes, and may be used so. */
static clmove_status check_mem(clm_executor *executor, const clm_memory *given, clm_use use, const char *role,
                               clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_opencl *opencl = clm_opencl_of(executor);
    const clm_driver *driver = opencl->driver;
    const cl_mem mem = given->object;
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
    REQUIRE(given->offset <= size && given->bytes <= size - given->offset, BAD_BUFFER,
            "%zu bytes at offset %zu reach past the end of the %s, which has %zu", given->bytes, given->offset, role, size);
out:
    return status;
}

clmove_status clm_foreign_memory(clm_executor *executor, const clm_memory *given, clm_use use, const char *role,
                                 clm_memory *memory, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    if (given->svm)
        REQUIRE(clm_opencl_of(executor)->svm, UNSUPPORTED, "%s has no shared virtual memory", executor->info.name);
    else
        TRY(check_mem(executor, given, use, role, error));
    *memory = *given;
    memory->executor = executor;
    if (memory->svm) { /* kernels are given the first byte */
        memory->svm = (unsigned char *)memory->svm + memory->offset;
        memory->offset = 0;
    }
out:
    return status;
}
