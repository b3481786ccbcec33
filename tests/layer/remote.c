/* An OpenCL layer that makes a CPU device behave like one behind a network, as PoCL-R's are: its type is CPU, it says that it
 * shares the host's memory, and nothing is shared. A buffer over host memory (CL_MEM_USE_HOST_PTR) has a copy on the device,
 * which is taken when the buffer is made; mapping any part of it brings the whole window back (unless another part is mapped), a
 * while later; unmapping sends what was mapped for writing. All other memory that is mapped has a copy on the host, too. OpenCL
 * allows all of this.
 *
 * With CLMOVE_TEST_MAX_ALLOC a buffer has at most so many bytes. The process ends with a line on stderr when buffers were over
 * the same host memory at once, or one was over memory of another that is or was mapped, of which OpenCL says nothing, and this
 * layer brings stale bytes back.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "remote.h"
#include "entry.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* How long what is mapped is under way. */
static const struct timespec latency = {.tv_nsec = 500000};

typedef struct mapped {
    unsigned char *at;
    size_t bytes;
    bool writes;
    struct mapped *next;
} mapped;

/* A buffer. */
typedef struct remote_buffer {
    cl_mem mem;
    /* The flags that it was made with. */
    cl_mem_flags flags;
    size_t bytes;
    /* The caller's memory, or the layer's, made when it is first mapped. */
    unsigned char *host;
    int64_t users;
    mapped *pieces;
    struct remote_buffer *next;
} remote_buffer;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all that follows */
static remote_buffer *buffers;
static unsigned wrapped, overlapping;
static uint64_t max_alloc;

static remote_buffer *find(cl_mem mem) {
    remote_buffer *found = buffers;
    while (found && found->mem != mem)
        found = found->next;
    return found;
}

/* ---- buffers ---- */

static void CL_CALLBACK forget(cl_mem mem, void *user) {
    remote_buffer *gone = user;
    (void)mem;
    pthread_mutex_lock(&lock);
    remote_buffer **at = &buffers;
    while (*at != gone)
        at = &(*at)->next;
    *at = gone->next;
    pthread_mutex_unlock(&lock);
    if (!(gone->flags & CL_MEM_USE_HOST_PTR))
        free(gone->host);
    while (gone->pieces) {
        mapped *next = gone->pieces->next;
        free(gone->pieces);
        gone->pieces = next;
    }
    free(gone);
}

/* Counts a buffer over host memory. What another has on the host is memory that it is over, or that mapping it gave. The lock is
 * held. */
static void count_wrapped(const remote_buffer *made) {
    bool meets = false;
    for (const remote_buffer *it = buffers; it; it = it->next)
        meets = meets || (it->users > 0 && it->host && it->host < made->host + made->bytes && made->host < it->host + it->bytes);
    wrapped++;
    overlapping += meets ? 1 : 0;
}

static cl_mem CL_API_CALL my_clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host,
                                            cl_int *errcode_ret) {
    bool wraps = (flags & CL_MEM_USE_HOST_PTR) != 0;
    cl_mem_flags real =
        (flags & ~(cl_mem_flags)(CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR)) | (wraps ? CL_MEM_COPY_HOST_PTR : 0);
    cl_mem mem = target->clCreateBuffer(context, real, size, host, errcode_ret);
    remote_buffer *made = mem ? calloc(1, sizeof *made) : NULL;
    if (!mem)
        return mem;
    if (!made)
        abort();
    *made = (remote_buffer){.mem = mem, .flags = flags, .bytes = size, .host = wraps ? host : NULL, .users = 1};
    pthread_mutex_lock(&lock);
    if (wraps)
        count_wrapped(made);
    made->next = buffers;
    buffers = made;
    pthread_mutex_unlock(&lock);
    if (target->clSetMemObjectDestructorCallback(mem, forget, made) != CL_SUCCESS)
        abort();
    return mem;
}

static void count_users(cl_mem mem, int64_t change) {
    pthread_mutex_lock(&lock);
    remote_buffer *it = find(mem);
    if (it)
        it->users += change;
    pthread_mutex_unlock(&lock);
}

static cl_int CL_API_CALL my_clRetainMemObject(cl_mem mem) {
    count_users(mem, 1);
    return target->clRetainMemObject(mem);
}

static cl_int CL_API_CALL my_clReleaseMemObject(cl_mem mem) {
    count_users(mem, -1);
    return target->clReleaseMemObject(mem);
}

static cl_int CL_API_CALL my_clGetMemObjectInfo(cl_mem mem, cl_mem_info what, size_t room, void *value, size_t *size) {
    cl_int code = target->clGetMemObjectInfo(mem, what, room, value, size);
    pthread_mutex_lock(&lock);
    const remote_buffer *it = code || !value ? NULL : find(mem);
    if (it && what == CL_MEM_FLAGS)
        memcpy(value, &it->flags, sizeof it->flags);
    else if (it && what == CL_MEM_HOST_PTR && it->flags & CL_MEM_USE_HOST_PTR)
        memcpy(value, &it->host, sizeof it->host);
    pthread_mutex_unlock(&lock);
    return code;
}

/* ---- mapping ---- */

/* Bytes on their way to the host. */
typedef struct arrival {
    /* The driver's event, and the user event of the end. */
    cl_event copied, arrived;
    unsigned char *landing, *host;
    size_t bytes;
} arrival;

static void *arrive(void *given) {
    arrival *it = given;
    target->clWaitForEvents(1, &it->copied);
    nanosleep(&latency, NULL);
    memcpy(it->host, it->landing, it->bytes);
    target->clSetUserEventStatus(it->arrived, CL_COMPLETE);
    target->clReleaseEvent(it->copied);
    target->clReleaseEvent(it->arrived);
    free(it->landing);
    free(it);
    return NULL;
}

/* Notes a piece that is mapped, and finds what is brought back for it: all of the buffer, unless another piece is the host's. */
static void note_mapped(cl_mem mem, cl_map_flags flags, size_t offset, size_t size, unsigned char **at, size_t *from,
                        size_t *bytes) {
    mapped *piece = malloc(sizeof *piece);
    pthread_mutex_lock(&lock);
    remote_buffer *it = find(mem);
    if (it && !it->host)
        it->host = malloc(it->bytes);
    if (!piece || !it || !it->host)
        abort(); /* sub-buffers are none of this layer's */
    *piece =
        (mapped){.at = it->host + offset, .bytes = size, .writes = (flags & ~(cl_map_flags)CL_MAP_READ) != 0, .next = it->pieces};
    *from = it->pieces ? offset : 0;
    *bytes = it->pieces ? size : it->bytes;
    it->pieces = piece;
    *at = piece->at;
    pthread_mutex_unlock(&lock);
}

static void *CL_API_CALL my_clEnqueueMapBuffer(cl_command_queue queue, cl_mem mem, cl_bool blocking, cl_map_flags flags,
                                               size_t offset, size_t size, WAITS, cl_int *errcode_ret) {
    size_t from, bytes;
    unsigned char *at;
    cl_context context = NULL;
    cl_event passed = NULL;
    cl_int code;
    pthread_t thread;
    note_mapped(mem, flags, offset, size, &at, &from, &bytes);
    arrival *made = calloc(1, sizeof *made);
    if (!made || !(made->landing = malloc(bytes)))
        abort();
    made->host = at - offset + from;
    made->bytes = bytes;
    target->clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
    made->arrived = target->clCreateUserEvent(context, &code);
    if (code || target->clEnqueueReadBuffer(queue, mem, CL_FALSE, from, bytes, made->landing, waits, wait_list, &made->copied) ||
        target->clEnqueueBarrierWithWaitList(queue, 1, &made->arrived, &passed) || target->clFlush(queue) ||
        pthread_create(&thread, NULL, arrive, made) || pthread_detach(thread))
        abort();
    if (blocking)
        code = target->clWaitForEvents(1, &passed);
    if (event)
        *event = passed;
    else
        target->clReleaseEvent(passed);
    if (errcode_ret)
        *errcode_ret = code;
    return at;
}

static cl_int CL_API_CALL my_clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem mem, void *at, WAITS) {
    pthread_mutex_lock(&lock);
    remote_buffer *it = find(mem);
    mapped **place = it ? &it->pieces : NULL, *piece = NULL;
    while (place && *place && (*place)->at != at)
        place = &(*place)->next;
    if (place && *place) {
        piece = *place;
        *place = piece->next;
    }
    size_t offset = piece ? (size_t)(piece->at - it->host) : 0;
    pthread_mutex_unlock(&lock);
    if (!piece)
        return CL_INVALID_VALUE;
    cl_int code = piece->writes
                      ? target->clEnqueueWriteBuffer(queue, mem, CL_FALSE, offset, piece->bytes, at, waits, wait_list, event)
                      : target->clEnqueueMarkerWithWaitList(queue, waits, wait_list, event);
    free(piece);
    return code;
}

/* ---- the layer ---- */

static cl_int CL_API_CALL my_clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t room, void *value, size_t *size) {
    cl_int code = target->clGetDeviceInfo(device, what, room, value, size);
    pthread_mutex_lock(&lock);
    if (!code && value && what == CL_DEVICE_MAX_MEM_ALLOC_SIZE && max_alloc)
        memcpy(value, &max_alloc, sizeof max_alloc);
    pthread_mutex_unlock(&lock);
    return code;
}

const char layer_name[] = "clmove test remote";

static void say_seen(void) {
    fprintf(stderr, "remote: %s: %u of %u buffers were made over host memory of another\n", overlapping ? "FAILED" : "right",
            overlapping, wrapped);
}

void layer_begin(cl_icd_dispatch *dispatch) {
    max_alloc = getenv("CLMOVE_TEST_MAX_ALLOC") ? strtoull(getenv("CLMOVE_TEST_MAX_ALLOC"), NULL, 10) : 0;
    atexit(say_seen);
    dispatch->clGetDeviceInfo = my_clGetDeviceInfo;
    dispatch->clCreateBuffer = my_clCreateBuffer;
    dispatch->clRetainMemObject = my_clRetainMemObject;
    dispatch->clReleaseMemObject = my_clReleaseMemObject;
    dispatch->clGetMemObjectInfo = my_clGetMemObjectInfo;
    dispatch->clEnqueueMapBuffer = my_clEnqueueMapBuffer;
    dispatch->clEnqueueUnmapMemObject = my_clEnqueueUnmapMemObject;
}

static bool is_there(void) {
    return target != NULL;
}

static unsigned get_wrapped(void) {
    pthread_mutex_lock(&lock);
    unsigned count = wrapped;
    pthread_mutex_unlock(&lock);
    return count;
}

static unsigned get_overlapping(void) {
    pthread_mutex_lock(&lock);
    unsigned count = overlapping;
    pthread_mutex_unlock(&lock);
    return count;
}

static void limit(uint64_t bytes) {
    pthread_mutex_lock(&lock);
    max_alloc = bytes;
    pthread_mutex_unlock(&lock);
}

__attribute__((visibility("default"))) extern const remote_interface remote_control;
const remote_interface remote_control = {is_there, get_wrapped, get_overlapping, limit};
