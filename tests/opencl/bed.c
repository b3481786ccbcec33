/* SPDX-License-Identifier: Apache-2.0 */
#include "bed.h"

#include <stdio.h>
#include <stdlib.h>

cl_device_id bed_find_device(void) {
    cl_platform_id platforms[16];
    cl_uint count = 0, found = 0;
    cl_device_id id = NULL;
    if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS)
        count = 0;
    for (cl_uint i = 0; i < count && i < 16 && !id; i++)
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &id, &found) != CL_SUCCESS)
            id = NULL;
    if (!id) {
        printf("skipped: there is no OpenCL device\n");
        exit(EXIT_SKIPPED);
    }
    return id;
}

cl_uint bed_split(const cl_device_partition_property *how, cl_device_id *parts, cl_uint room) {
    cl_uint count = 0;
    cl_int code = clCreateSubDevices(bed_find_device(), how, room, parts, &count);
    if (code == CL_INVALID_VALUE || code == CL_DEVICE_PARTITION_FAILED || code == CL_INVALID_DEVICE_PARTITION_COUNT) {
        printf("skipped: the device cannot be split\n");
        exit(EXIT_SKIPPED);
    }
    ASSERT_CL(code);
    return count;
}

void bed_make(bed *it, cl_command_queue_properties properties) {
    bed_make_on(it, bed_find_device(), properties);
}

void bed_make_on(bed *it, cl_device_id id, cl_command_queue_properties properties) {
    clmove_error error;
    cl_int code;
    it->id = id;
    it->context = clCreateContext(NULL, 1, &it->id, NULL, NULL, &code);
    ASSERT_CL(code);
    it->queue = bed_queue(it, properties);
    it->device = NULL;
    ASSERT_OK(clmove_device_open_opencl(it->context, it->id, it->queue, NULL, &it->device, &error), &error);
}

void bed_end(bed *it) {
    ASSERT_CL(clFinish(it->queue));
    ASSERT_CL(clReleaseCommandQueue(it->queue));
    ASSERT_CL(clReleaseContext(it->context));
    clmove_device_close(&it->device);
}

cl_command_queue bed_queue(const bed *it, cl_command_queue_properties properties) {
    cl_int code;
    cl_command_queue queue = clCreateCommandQueue(it->context, it->id, properties, &code);
    ASSERT_CL(code);
    return queue;
}

cl_mem bed_memory(const bed *it, cl_mem_flags flags, const void *content, size_t bytes) {
    cl_int code;
    cl_mem mem = clCreateBuffer(it->context, flags | CL_MEM_COPY_HOST_PTR, bytes, (void *)(uintptr_t)content, &code);
    ASSERT_CL(code);
    return mem;
}

void bed_read(const bed *it, cl_mem mem, void *to, size_t bytes) {
    ASSERT_CL(clFinish(it->queue));
    ASSERT_CL(clEnqueueReadBuffer(it->queue, mem, CL_TRUE, 0, bytes, to, 0, NULL, NULL));
}

bool is_complete(cl_event event) {
    cl_int status = CL_QUEUED;
    ASSERT_CL(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    assert_true(status >= 0);
    return status == CL_COMPLETE;
}
