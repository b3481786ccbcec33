/* An OpenCL layer that puts a link between host and device, so that a CPU device behaves like a discrete GPU: it says that it is
 * one, that it shares no memory, and its transfers take as long as a link of CLMOVE_TEST_LINK_GBPS (10^9 bytes a second each way;
 * 2 without it) would, without using a processor meanwhile. Reads and writes go at the same time, as on PCIe; transfers of one
 * direction one after the other.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "entry.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds_per_byte;

typedef struct transfer {
    size_t bytes;
    /* The driver's event, and the user event that the link completes. */
    cl_event copied, arrived;
    struct transfer *next;
} transfer;

/* One direction. */
typedef struct wire {
    pthread_mutex_t lock;
    pthread_cond_t added;
    transfer *first, **last;
} wire;

static wire up = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, &up.first};
static wire down = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, &down.first};
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void *carry(void *given) {
    wire *it = given;
    for (;;) {
        pthread_mutex_lock(&it->lock);
        while (!it->first)
            pthread_cond_wait(&it->added, &it->lock);
        transfer *next = it->first;
        it->first = next->next;
        if (!it->first)
            it->last = &it->first;
        pthread_mutex_unlock(&it->lock);
        target->clWaitForEvents(1, &next->copied);
        double seconds = (double)next->bytes * seconds_per_byte;
        struct timespec rest = {.tv_sec = (time_t)seconds, .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};
        nanosleep(&rest, NULL);
        target->clSetUserEventStatus(next->arrived, CL_COMPLETE);
        target->clReleaseEvent(next->copied);
        target->clReleaseEvent(next->arrived);
        free(next);
    }
    return NULL;
}

static void start(void) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, carry, &up) || pthread_create(&thread, NULL, carry, &down))
        abort();
}

/* What follows on the queue waits for the link; *passed is the event of that. */
static void put_on(wire *it, cl_command_queue queue, size_t bytes, cl_event copied, cl_event *passed) {
    cl_int code;
    cl_context context = NULL;
    transfer *made = calloc(1, sizeof *made);
    pthread_once(&once, start);
    target->clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
    cl_event arrived = target->clCreateUserEvent(context, &code);
    if (!made || code != CL_SUCCESS || target->clEnqueueBarrierWithWaitList(queue, 1, &arrived, passed) != CL_SUCCESS)
        abort();
    target->clFlush(queue);
    *made = (transfer){.bytes = bytes, .copied = copied, .arrived = arrived};
    pthread_mutex_lock(&it->lock);
    *it->last = made;
    it->last = &made->next;
    pthread_cond_signal(&it->added);
    pthread_mutex_unlock(&it->lock);
}

static cl_int end_transfer(cl_event passed, cl_bool blocking, cl_event *event) {
    cl_int code = blocking ? target->clWaitForEvents(1, &passed) : CL_SUCCESS;
    if (event)
        *event = passed;
    else
        target->clReleaseEvent(passed);
    return code;
}

/* Held while a transfer is enqueued and put on its wire: else two threads could do the one in one order and the other in the
 * other, and each transfer would wait for the other. */
static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;

static cl_int CL_API_CALL my_clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                                                  size_t size, const void *from, WAITS) {
    cl_event copied, passed = NULL;
    pthread_mutex_lock(&order);
    cl_int code = target->clEnqueueWriteBuffer(queue, buffer, CL_FALSE, offset, size, from, waits, wait_list, &copied);
    if (!code)
        put_on(&up, queue, size, copied, &passed);
    pthread_mutex_unlock(&order);
    return code ? code : end_transfer(passed, blocking, event);
}

static cl_int CL_API_CALL my_clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                                                 size_t size, void *to, WAITS) {
    cl_event copied, passed = NULL;
    pthread_mutex_lock(&order);
    cl_int code = target->clEnqueueReadBuffer(queue, buffer, CL_FALSE, offset, size, to, waits, wait_list, &copied);
    if (!code)
        put_on(&down, queue, size, copied, &passed);
    pthread_mutex_unlock(&order);
    return code ? code : end_transfer(passed, blocking, event);
}

static cl_int CL_API_CALL my_clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint room, cl_device_id *list,
                                            cl_uint *found) {
    if (type != CL_DEVICE_TYPE_ALL)
        type = type & CL_DEVICE_TYPE_GPU ? CL_DEVICE_TYPE_ALL : CL_DEVICE_TYPE_CUSTOM;
    return target->clGetDeviceIDs(platform, type, room, list, found);
}

static cl_int CL_API_CALL my_clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t room, void *value, size_t *size) {
    cl_int code = target->clGetDeviceInfo(device, what, room, value, size);
    const cl_device_type gpu = CL_DEVICE_TYPE_GPU;
    const cl_bool no = CL_FALSE;
    if (!code && value && what == CL_DEVICE_TYPE)
        memcpy(value, &gpu, sizeof gpu);
    if (!code && value && what == CL_DEVICE_HOST_UNIFIED_MEMORY)
        memcpy(value, &no, sizeof no);
    return code;
}

const char layer_name[] = "clmove test link";

void layer_begin(cl_icd_dispatch *dispatch) {
    const char *given = getenv("CLMOVE_TEST_LINK_GBPS");
    double gbps = given ? strtod(given, NULL) : 0;
    seconds_per_byte = 1e-9 / (gbps > 0 ? gbps : 2);
    dispatch->clGetDeviceIDs = my_clGetDeviceIDs;
    dispatch->clGetDeviceInfo = my_clGetDeviceInfo;
    dispatch->clEnqueueWriteBuffer = my_clEnqueueWriteBuffer;
    dispatch->clEnqueueReadBuffer = my_clEnqueueReadBuffer;
}
