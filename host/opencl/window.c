/* Buffers over memory of the host. No two of them overlap at the same time: OpenCL does not define what several buffers over the
 * same memory do, and a driver that copies whole buffers back would copy stale bytes. Memory of a driver's that is mapped belongs
 * to a buffer already, and is in the list for as long.
 *
 * A window is the one buffer over a range. A request for exactly this range shares it. A request for an overlapping range gets no
 * window, and its caller copies; so does one for memory that is mapped. No thread waits for the end of a window, so that none
 * waits for itself. This holds across all devices of a process; devices do not share windows.
 *
 * The lock needs no pthread_atfork. Only calls on an OpenCL device take it, and a child of a process that has opened one must not
 * use OpenCL (clmove_device_open). The host device, which a child may use, has no windows.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/checked.h"
#include "host/opencl/objects.h"

#include <stdlib.h>

struct clm_window {
    clm_opencl *opencl;
    clm_range range;
    bool in_parts;
    /* The driver's own memory, of the buffer mem, which the host reaches by mapping. */
    bool is_mapped;
    /* False while the buffer is made or released, which takes a short time. */
    bool is_there;
    cl_mem mem;
    size_t users;
    clm_window *next;
};

/* The windows of the process. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER; /* a window was made or released */
static clm_window *windows;

static bool may_share(const clm_window *there, const clm_window *wanted) {
    return there->opencl == wanted->opencl && !there->is_mapped && !there->in_parts && !wanted->in_parts &&
           there->range.first == wanted->range.first && there->range.bytes == wanted->range.bytes &&
           (there->range.writes || !wanted->range.writes);
}

/* A window that overlaps a range. The lock is held. */
static clm_window *find(const clm_range *range) {
    clm_window *found = windows;
    while (found && !clm_overlap(found->range.first, found->range.bytes, range->first, range->bytes))
        found = found->next;
    return found;
}

/* Adds a new window to the list, or finds one to share. NULL: an overlapping one exists. */
static clm_window *enter(clm_window *made) {
    clm_window *found;
    pthread_mutex_lock(&lock);
    while ((found = find(&made->range)) && !found->is_there)
        pthread_cond_wait(&changed, &lock);
    if (!found) {
        made->next = windows;
        windows = found = made;
    } else if (may_share(found, made))
        found->users++;
    else
        found = NULL;
    pthread_mutex_unlock(&lock);
    return found;
}

/* Marks a window as made, or removes it from the list and frees it. */
static void settle(clm_window *window, bool is_there) {
    pthread_mutex_lock(&lock);
    window->is_there = is_there;
    if (!is_there) {
        clm_window **at = &windows;
        while (*at != window)
            at = &(*at)->next;
        *at = window->next;
    }
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    if (!is_there)
        free(window);
}

clmove_status clm_window_prepare(const clm_memory *memory, size_t bytes, clm_window **window, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    *window = NULL;
    if (memory->host)
        goto out;
    clm_window *made = calloc(1, sizeof *made);
    REQUIRE(made, OUT_OF_MEMORY, "no memory to note what is mapped");
    *made = (clm_window){.opencl = clm_opencl_of(memory->executor),
                         .range.bytes = bytes,
                         .is_mapped = true,
                         .is_there = true,
                         .mem = memory->object};
    *window = made;
out:
    return status;
}

void clm_window_note(clm_window *window, void *mapped) {
    if (!window)
        return;
    if (!mapped) {
        free(window);
        return;
    }
    window->range.first = mapped;
    pthread_mutex_lock(&lock);
    window->next = windows;
    windows = window;
    pthread_mutex_unlock(&lock);
}

void clm_window_forget(const clm_memory *memory, const void *mapped) {
    pthread_mutex_lock(&lock);
    clm_window **shortest = NULL;
    for (clm_window **at = &windows; *at; at = &(*at)->next)
        if ((*at)->is_mapped && (*at)->mem == memory->object && (*at)->range.first == mapped &&
            (!shortest || (*at)->range.bytes < (*shortest)->range.bytes))
            shortest = at;
    clm_window *found = shortest ? *shortest : NULL;
    if (found)
        *shortest = found->next;
    pthread_mutex_unlock(&lock);
    free(found);
}

/* OpenCL takes no pointer to const; CL_MEM_READ_ONLY keeps kernels from writing. */
static clmove_status make_buffer(const clm_window *window, unsigned char *first, size_t bytes, cl_mem *mem, clmove_error *error) {
    cl_mem_flags flags = window->range.writes ? CL_MEM_READ_WRITE : CL_MEM_READ_ONLY;
    return clm_buffer_object_create(window->opencl, flags | CL_MEM_USE_HOST_PTR, bytes, first, mem, error);
}

clmove_status clm_window_wrap(clm_executor *executor, const clm_range *range, bool in_parts, clm_memory *memory, bool *is_free,
                              clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_window *created = NULL, *entered = NULL;
    if (!in_parts)
        TRY(clm_memory_check_size(clm_opencl_of(executor), range->bytes, error));
    created = calloc(1, sizeof *created);
    REQUIRE(created, OUT_OF_MEMORY, "no memory for a buffer");
    *created = (clm_window){.opencl = clm_opencl_of(executor), .range = *range, .in_parts = in_parts, .users = 1};
    entered = enter(created);
    if (entered == created) { /* no lock is held while it is made, since kept memory may be freed for it */
        created = NULL;
        if (!in_parts)
            status = make_buffer(entered, range->first, range->bytes, &entered->mem, error);
        settle(entered, status == CLMOVE_OK);
        if (status != CLMOVE_OK)
            goto out;
    }
    *is_free = entered != NULL;
    if (entered)
        *memory = (clm_memory){
            .executor = executor, .object = entered->mem, .window = entered, .bytes = range->bytes, .host = range->first};
out:
    free(created);
    return status;
}

void clm_window_close(clm_window *window) {
    pthread_mutex_lock(&lock);
    bool last = --window->users == 0;
    if (last)
        window->is_there = false;
    pthread_mutex_unlock(&lock);
    if (!last)
        return;
    if (window->mem)
        window->opencl->driver->clReleaseMemObject(window->mem);
    settle(window, false);
}

clmove_status clm_window_part(const clm_memory *wrapped, size_t first, size_t bytes, clm_memory *part, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_sharing *sharing = &wrapped->executor->sharing;
    size_t before = first % sharing->alignment, whole = before + bytes;
    size_t after = (sharing->multiple - whole % sharing->multiple) % sharing->multiple;
    clm_memory made = {.executor = wrapped->executor, .offset = before, .bytes = bytes, .host = wrapped->host + first - before};
    cl_mem mem;
    TRY(make_buffer(wrapped->window, made.host, whole + after, &mem, error));
    made.object = mem;
    *part = made;
out:
    return status;
}
