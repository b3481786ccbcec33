/* An OpenCL layer that makes calls fail, changes what devices say of themselves, and counts objects.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "faults.h"
#include "entry.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEVICES, CONTEXTS, QUEUES, BUFFERS, PROGRAMS, KERNELS, EVENTS, KINDS };
static const char *const kind_names[] = {"device", "context", "command queue", "memory object", "program", "kernel", "event"};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    char function[64];
    unsigned nth, calls, fired, kernels;
    cl_int code;
    bool forever, gpu, unified;
    /* Calls of this name are done wrong. */
    char spoilt[64];
    uint64_t max_alloc, cache;
    int64_t alive[KINDS], created;
} now;

/* The code that this call of a function has to fail with, CL_SUCCESS to let it through. */
static cl_int fault(const char *function) {
    cl_int code = CL_SUCCESS;
    pthread_mutex_lock(&lock);
    if (strcmp(function, now.function) == 0) {
        now.calls++;
        if (now.calls == now.nth || (now.forever && now.calls > now.nth)) {
            now.fired++;
            code = now.code;
        }
    }
    pthread_mutex_unlock(&lock);
    return code;
}

/* Whether a function is to be done wrong. */
static bool is_spoilt(const char *function) {
    pthread_mutex_lock(&lock);
    const bool result = strcmp(function, now.spoilt) == 0;
    pthread_mutex_unlock(&lock);
    return result;
}

static void count(int kind, int64_t change) {
    pthread_mutex_lock(&lock);
    now.alive[kind] += change;
    now.created += change > 0 ? change : 0;
    pthread_mutex_unlock(&lock);
}

/* ---- the calls ---- */

/* A call that returns a status and makes no object. */
#define PASS(name, parameters, ...)                                                                                              \
    static cl_int CL_API_CALL my_##name parameters {                                                                             \
        cl_int code = fault(#name);                                                                                              \
        return code ? code : target->name(__VA_ARGS__);                                                                          \
    }

/* A call that returns an object and its status through a pointer. */
#define CREATE(name, type, kind, parameters, ...)                                                                                \
    static type CL_API_CALL my_##name parameters {                                                                               \
        cl_int code = fault(#name);                                                                                              \
        type made = code ? NULL : target->name(__VA_ARGS__, &code);                                                              \
        if (made)                                                                                                                \
            count(kind, 1);                                                                                                      \
        if (errcode_ret)                                                                                                         \
            *errcode_ret = code;                                                                                                 \
        return made;                                                                                                             \
    }

#define RETAIN_RELEASE(object, type, kind)                                                                                       \
    static cl_int CL_API_CALL my_clRetain##object(type it) {                                                                     \
        cl_int code = target->clRetain##object(it);                                                                              \
        count(kind, code == CL_SUCCESS ? 1 : 0);                                                                                 \
        return code;                                                                                                             \
    }                                                                                                                            \
    static cl_int CL_API_CALL my_clRelease##object(type it) {                                                                    \
        cl_int code = target->clRelease##object(it);                                                                             \
        count(kind, code == CL_SUCCESS ? -1 : 0);                                                                                \
        return code;                                                                                                             \
    }

/* A command; an event that it makes counts. */
#define ENQUEUE(name, parameters, ...)                                                                                           \
    static cl_int CL_API_CALL my_##name parameters {                                                                             \
        cl_int code = fault(#name);                                                                                              \
        if (!code)                                                                                                               \
            code = target->name(__VA_ARGS__, waits, wait_list, event);                                                           \
        if (!code && event)                                                                                                      \
            count(EVENTS, 1);                                                                                                    \
        return code;                                                                                                             \
    }

PASS(clGetPlatformIDs, (cl_uint room, cl_platform_id *platforms, cl_uint *found), room, platforms, found)
PASS(clBuildProgram,
     (cl_program program, cl_uint devices, const cl_device_id *list, const char *options,
      void(CL_CALLBACK *notify)(cl_program, void *), void *user),
     program, devices, list, options, notify, user)
PASS(clGetProgramInfo, (cl_program program, cl_program_info what, size_t room, void *value, size_t *size), program, what, room,
     value, size)
PASS(clSetKernelArg, (cl_kernel kernel, cl_uint index, size_t size, const void *value), kernel, index, size, value)
PASS(clFlush, (cl_command_queue queue), queue)
PASS(clWaitForEvents, (cl_uint events, const cl_event *list), events, list)
PASS(clFinish, (cl_command_queue queue), queue)
PASS(clGetEventProfilingInfo, (cl_event event, cl_profiling_info what, size_t room, void *value, size_t *size), event, what, room,
     value, size)

CREATE(clCreateContext, cl_context, CONTEXTS,
       (const cl_context_properties *properties, cl_uint devices, const cl_device_id *list,
        void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *user, cl_int *errcode_ret),
       properties, devices, list, notify, user)
CREATE(clCreateCommandQueue, cl_command_queue, QUEUES,
       (cl_context context, cl_device_id device, cl_command_queue_properties properties, cl_int *errcode_ret), context, device,
       properties)
CREATE(clCreateCommandQueueWithProperties, cl_command_queue, QUEUES,
       (cl_context context, cl_device_id device, const cl_queue_properties *properties, cl_int *errcode_ret), context, device,
       properties)
CREATE(clCreateBuffer, cl_mem, BUFFERS, (cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *errcode_ret),
       context, flags, size, host)
CREATE(clCreateSubBuffer, cl_mem, BUFFERS,
       (cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type type, const void *info, cl_int *errcode_ret), buffer, flags,
       type, info)
CREATE(clCreateProgramWithSource, cl_program, PROGRAMS,
       (cl_context context, cl_uint parts, const char **texts, const size_t *lengths, cl_int *errcode_ret), context, parts, texts,
       lengths)
CREATE(clCreateProgramWithBinary, cl_program, PROGRAMS,
       (cl_context context, cl_uint devices, const cl_device_id *list, const size_t *sizes, const unsigned char **binaries,
        cl_int *verdicts, cl_int *errcode_ret),
       context, devices, list, sizes, binaries, verdicts)
CREATE(clCreateKernel, cl_kernel, KERNELS, (cl_program program, const char *name, cl_int *errcode_ret), program, name)

CREATE(clCreateUserEvent, cl_event, EVENTS, (cl_context context, cl_int *errcode_ret), context)

static cl_int CL_API_CALL my_clCreateSubDevices(cl_device_id device, const cl_device_partition_property *how, cl_uint room,
                                                cl_device_id *parts, cl_uint *found) {
    cl_uint made = 0;
    cl_int code = target->clCreateSubDevices(device, how, room, parts, &made);
    if (!code && parts)
        count(DEVICES, made);
    if (found)
        *found = made;
    return code;
}

RETAIN_RELEASE(Device, cl_device_id, DEVICES)
RETAIN_RELEASE(Context, cl_context, CONTEXTS)
RETAIN_RELEASE(CommandQueue, cl_command_queue, QUEUES)
RETAIN_RELEASE(MemObject, cl_mem, BUFFERS)
RETAIN_RELEASE(Program, cl_program, PROGRAMS)
RETAIN_RELEASE(Kernel, cl_kernel, KERNELS)
RETAIN_RELEASE(Event, cl_event, EVENTS)

ENQUEUE(clEnqueueReadBuffer,
        (cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size, void *to, WAITS), queue, buffer,
        blocking, offset, size, to)
ENQUEUE(clEnqueueWriteBuffer,
        (cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size, const void *from, WAITS), queue,
        buffer, blocking, offset, size, from)
ENQUEUE(clEnqueueMarkerWithWaitList, (cl_command_queue queue, WAITS), queue)
ENQUEUE(clEnqueueSVMMap, (cl_command_queue queue, cl_bool blocking, cl_map_flags flags, void *svm, size_t size, WAITS), queue,
        blocking, flags, svm, size)
ENQUEUE(clEnqueueSVMUnmap, (cl_command_queue queue, void *svm, WAITS), queue, svm)
ENQUEUE(clEnqueueFillBuffer,
        (cl_command_queue queue, cl_mem buffer, const void *pattern, size_t pattern_size, size_t offset, size_t size, WAITS),
        queue, buffer, pattern, pattern_size, offset, size)

static cl_int CL_API_CALL my_clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset,
                                                 size_t to_offset, size_t size, WAITS) {
    cl_int code = fault("clEnqueueCopyBuffer");
    if (!code && is_spoilt("clEnqueueCopyBuffer"))
        code = target->clEnqueueMarkerWithWaitList(queue, waits, wait_list, event);
    else if (!code)
        code = target->clEnqueueCopyBuffer(queue, from, to, from_offset, to_offset, size, waits, wait_list, event);
    if (!code && event)
        count(EVENTS, 1);
    return code;
}

static cl_int CL_API_CALL my_clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem object, void *mapped, WAITS) {
    cl_int code = fault("clEnqueueUnmapMemObject");
    if (!code && is_spoilt("clEnqueueUnmapMemObject"))
        *(unsigned char *)mapped ^= 1;
    if (!code)
        code = target->clEnqueueUnmapMemObject(queue, object, mapped, waits, wait_list, event);
    if (!code && event)
        count(EVENTS, 1);
    return code;
}

static cl_int CL_API_CALL my_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                                    const size_t *offset, const size_t *global, const size_t *local, WAITS) {
    cl_int code = fault("clEnqueueNDRangeKernel");
    if (!code)
        code = target->clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, waits, wait_list, event);
    if (!code && event)
        count(EVENTS, 1);
    pthread_mutex_lock(&lock);
    now.kernels += code == CL_SUCCESS;
    pthread_mutex_unlock(&lock);
    return code;
}

static void *CL_API_CALL my_clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, cl_map_flags flags,
                                               size_t offset, size_t size, WAITS, cl_int *errcode_ret) {
    cl_int code = fault("clEnqueueMapBuffer");
    void *mapped = NULL;
    if (!code)
        mapped = target->clEnqueueMapBuffer(queue, buffer, blocking, flags, offset, size, waits, wait_list, event, &code);
    if (mapped && event)
        count(EVENTS, 1);
    if (mapped && is_spoilt("clEnqueueMapBuffer"))
        *(unsigned char *)mapped ^= 1;
    if (errcode_ret)
        *errcode_ret = code;
    return mapped;
}

static bool pretends_gpu(void) {
    pthread_mutex_lock(&lock);
    bool gpu = now.gpu;
    pthread_mutex_unlock(&lock);
    return gpu;
}

static cl_int CL_API_CALL my_clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint room, cl_device_id *list,
                                            cl_uint *found) {
    cl_int code = fault("clGetDeviceIDs");
    if (!code && pretends_gpu() && type != CL_DEVICE_TYPE_ALL)
        type = type & CL_DEVICE_TYPE_GPU ? CL_DEVICE_TYPE_ALL : CL_DEVICE_TYPE_CUSTOM;
    return code ? code : target->clGetDeviceIDs(platform, type, room, list, found);
}

/* Puts the text of CLMOVE_TEST_MARK behind another, if there is room. */
static void mark(char *text, size_t room) {
    const char *behind = getenv("CLMOVE_TEST_MARK");
    if (behind && strlen(text) + strlen(behind) < room)
        strcat(text, behind);
}

static cl_int CL_API_CALL my_clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t room, void *value, size_t *size) {
    cl_int code = fault("clGetDeviceInfo");
    if (!code)
        code = target->clGetDeviceInfo(device, what, room, value, size);
    if (code || !value)
        return code;
    if (what == CL_DEVICE_NAME || what == CL_DRIVER_VERSION)
        mark(value, room);
    const cl_device_type gpu = CL_DEVICE_TYPE_GPU;
    pthread_mutex_lock(&lock);
    cl_ulong max_alloc = now.max_alloc, cache = now.cache;
    if (what == CL_DEVICE_TYPE && now.gpu)
        memcpy(value, &gpu, sizeof gpu);
    if (what == CL_DEVICE_HOST_UNIFIED_MEMORY && now.gpu)
        memcpy(value, &(cl_bool){now.unified ? CL_TRUE : CL_FALSE}, sizeof(cl_bool));
    /* A GPU that shares pages with the host, and not, as POCL 6 does, all that the process has. */
    if (what == CL_DEVICE_SVM_CAPABILITIES && now.gpu)
        *(cl_device_svm_capabilities *)value &= ~(cl_device_svm_capabilities)CL_DEVICE_SVM_FINE_GRAIN_SYSTEM;
    if (what == CL_DEVICE_MAX_MEM_ALLOC_SIZE && max_alloc)
        memcpy(value, &max_alloc, sizeof max_alloc);
    if (what == CL_DEVICE_GLOBAL_MEM_CACHE_SIZE && cache)
        memcpy(value, &cache, sizeof cache);
    pthread_mutex_unlock(&lock);
    return code;
}

/* ---- the layer ---- */

const char layer_name[] = "clmove test faults";

void layer_begin(cl_icd_dispatch *dispatch) {
    /* A whole program may run on a device that seems another. */
    now.gpu = getenv("CLMOVE_TEST_GPU") != NULL;
    now.unified = getenv("CLMOVE_TEST_UNIFIED") != NULL;
    now.max_alloc = getenv("CLMOVE_TEST_MAX_ALLOC") ? strtoull(getenv("CLMOVE_TEST_MAX_ALLOC"), NULL, 10) : 0;
    now.cache = getenv("CLMOVE_TEST_SMALL_CACHE") ? 1 : 0;
#define TAKE(name) dispatch->name = my_##name
    TAKE(clGetPlatformIDs);
    TAKE(clGetDeviceIDs);
    TAKE(clGetDeviceInfo);
    TAKE(clCreateContext);
    TAKE(clCreateCommandQueue);
    TAKE(clCreateCommandQueueWithProperties);
    TAKE(clCreateBuffer);
    TAKE(clCreateSubBuffer);
    TAKE(clCreateProgramWithSource);
    TAKE(clCreateProgramWithBinary);
    TAKE(clBuildProgram);
    TAKE(clGetProgramInfo);
    TAKE(clCreateKernel);
    TAKE(clSetKernelArg);
    TAKE(clFlush);
    TAKE(clFinish);
    TAKE(clWaitForEvents);
    TAKE(clGetEventProfilingInfo);
    TAKE(clEnqueueReadBuffer);
    TAKE(clEnqueueWriteBuffer);
    TAKE(clEnqueueCopyBuffer);
    TAKE(clEnqueueFillBuffer);
    TAKE(clEnqueueMapBuffer);
    TAKE(clEnqueueUnmapMemObject);
    TAKE(clEnqueueMarkerWithWaitList);
    TAKE(clEnqueueSVMMap);
    TAKE(clEnqueueSVMUnmap);
    TAKE(clCreateUserEvent);
    TAKE(clEnqueueNDRangeKernel);
    TAKE(clCreateSubDevices);
    TAKE(clRetainDevice);
    TAKE(clReleaseDevice);
    TAKE(clRetainContext);
    TAKE(clReleaseContext);
    TAKE(clRetainCommandQueue);
    TAKE(clReleaseCommandQueue);
    TAKE(clRetainMemObject);
    TAKE(clReleaseMemObject);
    TAKE(clRetainProgram);
    TAKE(clReleaseProgram);
    TAKE(clRetainKernel);
    TAKE(clReleaseKernel);
    TAKE(clRetainEvent);
    TAKE(clReleaseEvent);
#undef TAKE
}

/* ---- what the test calls ---- */

static void arm(const char *function, unsigned nth, int32_t code, bool forever) {
    pthread_mutex_lock(&lock);
    strncpy(now.function, function, sizeof now.function - 1);
    now.nth = nth;
    now.code = code;
    now.forever = forever;
    now.calls = now.fired = 0;
    pthread_mutex_unlock(&lock);
}

static unsigned fired(void) {
    pthread_mutex_lock(&lock);
    unsigned result = now.fired;
    pthread_mutex_unlock(&lock);
    return result;
}

static void spoil(const char *function) {
    pthread_mutex_lock(&lock);
    strncpy(now.spoilt, function, sizeof now.spoilt - 1);
    pthread_mutex_unlock(&lock);
}

static void disarm(void) {
    pthread_mutex_lock(&lock);
    memset(now.function, 0, sizeof now.function);
    memset(now.spoilt, 0, sizeof now.spoilt);
    pthread_mutex_unlock(&lock);
}

static void pretend(bool gpu, uint64_t max_alloc) {
    pthread_mutex_lock(&lock);
    now.gpu = gpu;
    now.max_alloc = max_alloc;
    pthread_mutex_unlock(&lock);
}

static void share(bool unified) {
    pthread_mutex_lock(&lock);
    now.unified = unified;
    pthread_mutex_unlock(&lock);
}

static int64_t balance(const char **kind) {
    int64_t total = 0;
    *kind = "";
    pthread_mutex_lock(&lock);
    for (int i = 0; i < KINDS; i++) {
        total += now.alive[i] < 0 ? -now.alive[i] : now.alive[i];
        if (now.alive[i])
            *kind = kind_names[i];
    }
    pthread_mutex_unlock(&lock);
    return total;
}

static int64_t created(void) {
    pthread_mutex_lock(&lock);
    int64_t result = now.created;
    pthread_mutex_unlock(&lock);
    return result;
}

/* The account of a whole program, for one that knows nothing of this layer. */
__attribute__((destructor)) static void give_account(void) {
    const char *kind;
    int64_t left = balance(&kind);
    if (getenv("CLMOVE_TEST_ACCOUNT"))
        fprintf(stderr, "objects: %lld created, %lld left%s%s\n", (long long)created(), (long long)left,
                left ? ", of them a " : "", kind);
}

static unsigned kernels(void) {
    pthread_mutex_lock(&lock);
    unsigned result = now.kernels;
    pthread_mutex_unlock(&lock);
    return result;
}

__attribute__((visibility("default"))) extern const faults_interface faults_control;
const faults_interface faults_control = {
    .arm = arm,
    .fired = fired,
    .spoil = spoil,
    .disarm = disarm,
    .pretend = pretend,
    .share = share,
    .balance = balance,
    .created = created,
    .kernels = kernels,
};
