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

void clm_opencl_get_objects(const clm_opencl *opencl, cl_context *context, cl_device_id *device, cl_command_queue *queue) {
    if (context)
        *context = opencl->context;
    if (device)
        *device = opencl->device;
    if (queue)
        *queue = opencl->given ? opencl->given : opencl->queue;
}

clmove_status clm_order_make(const clm_opencl *opencl, cl_command_queue queue, cl_uint waits, const cl_event *wait_list,
                             cl_event *event, clm_order *order, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    cl_command_queue_properties properties = 0;
    REQUIRE((waits == 0) == !wait_list, INVALID_ARGUMENT, "%" PRIu32 " events to wait for, and wait_list is %s", waits,
            wait_list ? "not NULL" : "NULL");
    for (cl_uint i = 0; i < waits; i++) /* POCL 3.1 takes it */
        REQUIRE(wait_list[i], INVALID_ARGUMENT, "event %" PRIu32 " of the %" PRIu32 " to wait for is NULL", i, waits);
    if (queue)
        TRY(clm_check_queue_of(opencl->driver, opencl->context, opencl->device, queue, error));
    else
        clm_opencl_get_objects(opencl, NULL, NULL, &queue);
    CL_TRY(opencl->driver, clGetCommandQueueInfo, queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL);
    *order = (clm_order){
        .queue = queue,
        .out_of_order = (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0,
        .waits = waits,
        .wait_list = wait_list,
        .event = event,
    };
out:
    return status;
}

/* ---- memory ---- */

clmove_status clm_memory_borrow(clm_opencl *opencl, cl_mem mem, size_t offset, size_t bytes, clm_use use, const char *role,
                                clm_opencl_memory *memory, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
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
    *memory = (clm_opencl_memory){.opencl = opencl, .mem = mem, .offset = offset, .bytes = bytes};
out:
    return status;
}

clmove_status clm_memory_borrow_svm(clm_opencl *opencl, void *svm, size_t bytes, clm_opencl_memory *memory, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    REQUIRE(opencl->has_svm, UNSUPPORTED, "%s has no shared virtual memory", opencl->info.name);
    *memory = (clm_opencl_memory){.opencl = opencl, .bytes = bytes, .svm = svm};
out:
    return status;
}

clmove_status clm_memory_keep(const clm_opencl_memory *borrowed, clm_opencl_memory **memory, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_opencl_memory *kept = malloc(sizeof *kept);
    REQUIRE(kept, OUT_OF_MEMORY, "no memory for a buffer");
    CL_TRY(borrowed->opencl->driver, clRetainMemObject, borrowed->mem);
    *kept = *borrowed;
    *memory = kept;
    kept = NULL;
out:
    free(kept);
    return status;
}

/* A range of memory: within the outermost cl_mem, and in the process's addresses where those are known (else host is NULL). */
typedef struct range {
    cl_mem root;
    size_t offset;
    const unsigned char *host;
} range;

/* The range that begins at an offset. */
static clmove_status find_range(const clm_opencl_memory *memory, size_t offset, range *found, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_driver *driver = memory->opencl->driver;
    *found = (range){.root = memory->mem, .offset = memory->offset + offset};
    if (memory->svm) {
        found->host = (const unsigned char *)memory->svm + offset;
        goto out;
    }
    cl_mem parent = NULL;
    void *host = NULL;
    CL_TRY(driver, clGetMemObjectInfo, memory->mem, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent, &parent, NULL);
    CL_TRY(driver, clGetMemObjectInfo, memory->mem, CL_MEM_HOST_PTR, sizeof host, &host, NULL);
    if (host) /* of a sub-buffer too it is where the sub-buffer begins */
        found->host = (const unsigned char *)host + memory->offset + offset;
    if (parent) {
        size_t origin = 0;
        CL_TRY(driver, clGetMemObjectInfo, memory->mem, CL_MEM_OFFSET, sizeof origin, &origin, NULL);
        found->root = parent;
        found->offset += origin;
    }
out:
    return status;
}

static bool meet(uintptr_t a, size_t a_bytes, uintptr_t b, size_t b_bytes) {
    return a < b ? b - a < a_bytes : a - b < b_bytes;
}

clmove_status clm_memory_check_apart(const clm_opencl_memory *src, size_t src_offset, size_t src_bytes,
                                     const clm_opencl_memory *dst, size_t dst_offset, size_t dst_bytes, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    range from, to;
    if (src_bytes == 0 || dst_bytes == 0)
        goto out;
    TRY(find_range(src, src_offset, &from, error));
    TRY(find_range(dst, dst_offset, &to, error));
    REQUIRE(!from.root || from.root != to.root || !meet(from.offset, src_bytes, to.offset, dst_bytes), BAD_BUFFER,
            "source and destination overlap: %zu bytes at %zu and %zu bytes at %zu of one cl_mem", src_bytes, from.offset,
            dst_bytes, to.offset);
    REQUIRE(!from.host || !to.host || !meet((uintptr_t)from.host, src_bytes, (uintptr_t)to.host, dst_bytes), BAD_BUFFER,
            "source and destination overlap: %zu and %zu bytes of the same host memory", src_bytes, dst_bytes);
out:
    return status;
}

/* ---- commands ---- */

clmove_status clm_opencl_marker(const clm_opencl *opencl, const clm_order *order, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    if (order->event)
        CL_TRY(opencl->driver, clEnqueueMarkerWithWaitList, order->queue, order->waits, order->wait_list, order->event);
out:
    return status;
}

clmove_status clm_opencl_memory_enqueue_write(clm_opencl_memory *memory, size_t offset, const void *src, size_t bytes,
                                              const clm_order *order, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    CL_TRY_WITH_ROOM(memory->opencl, clEnqueueWriteBuffer, order->queue, memory->mem, CL_FALSE, memory->offset + offset, bytes,
                     src, order->waits, order->wait_list, order->event);
out:
    return status;
}

clmove_status clm_opencl_memory_enqueue_read(clm_opencl_memory *memory, size_t offset, void *dst, size_t bytes,
                                             const clm_order *order, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    CL_TRY(memory->opencl->driver, clEnqueueReadBuffer, order->queue, memory->mem, CL_FALSE, memory->offset + offset, bytes, dst,
           order->waits, order->wait_list, order->event);
out:
    return status;
}
