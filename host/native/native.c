/* The host executor: its table of functions, its properties, and the items of a launch plan on its threads.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/native/native.h"

#include "host/native/level.h"
#include "host/native/threads.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LINE 64
#define PAGE 4096                    /* host memory for transfers begins at one */
#define FILL_BLOCK ((size_t)1 << 16) /* the bytes that a fill reads repeatedly, so that they stay in the caches */

typedef struct native {
    clm_executor base;
    uint32_t threads;
    const clm_level *level;
} native;

/* The kernel's own figure: sysconf knows nothing of newer AMD processors in glibc 2.36. */
static uint64_t find_cache_bytes(void) {
    char path[64];
    for (int level = 4; level >= 0; level--) { /* index 3 is the third level on x86-64, where one level has two caches */
        unsigned long long kib = 0;
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", level);
        FILE *file = fopen(path, "re");
        int read = file ? fscanf(file, "%lluK", &kib) : 0;
        if (file)
            fclose(file);
        if (read == 1 && kib > 0)
            return kib * 1024;
    }
    return 0;
}

static uint64_t find_memory_bytes(void) {
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0;
}

void clm_native_list(uint32_t threads, clmove_device_info *info) {
    memset(info, 0, sizeof *info);
    info->type = CLMOVE_DEVICE_HOST;
    info->index = -1;
    snprintf(info->name, sizeof info->name, "host");
    info->compute_units = threads;
    info->address_bits = sizeof(void *) * CHAR_BIT;
    info->memory_bytes = info->max_alloc_bytes = find_memory_bytes();
    if (info->max_alloc_bytes > PTRDIFF_MAX) /* a process of 32 bits on a larger machine */
        info->max_alloc_bytes = PTRDIFF_MAX;
    info->cache_bytes = find_cache_bytes();
    info->host_unified = true;
    info->kernels = info->refused = "";
}

const char *clm_native_level(const clm_executor *executor) {
    return ((const native *)executor)->level->name;
}

/* ---- queues and events: what is submitted is done when the call returns ---- */

typedef struct native_event {
    double start, end;
} native_event;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static clmove_status queue_create(clm_executor *executor, void **queue, clmove_error *error) {
    (void)error;
    *queue = executor;
    return CLMOVE_OK;
}

static void queue_destroy(clm_executor *executor, void *queue) {
    (void)executor, (void)queue;
}

static clmove_status finish(clm_executor *executor, void *queue, clmove_error *error) {
    (void)executor, (void)queue, (void)error;
    return CLMOVE_OK;
}

static void event_release(clm_executor *executor, void *event) {
    (void)executor;
    free(event);
}

static clmove_status span_seconds(clm_executor *executor, const clm_span *span, double *seconds, clmove_error *error) {
    (void)executor, (void)error;
    const native_event *event = span->first;
    *seconds = event ? event->end - event->start : -1;
    return CLMOVE_OK;
}

/* Leaves the event of what began at a time and is done. */
static clmove_status leave_event(double start, const clm_submission *submission, clm_span *span, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    if (span || (submission && submission->event)) {
        native_event *event = malloc(sizeof *event);
        REQUIRE(event, OUT_OF_MEMORY, "no memory for an event");
        *event = (native_event){.start = start, .end = now()};
        if (span)
            *span = (clm_span){event, event};
        else
            *submission->event = event;
    }
out:
    return status;
}

static bool wants_event(const clm_submission *submission, const clm_span *span) {
    return span || (submission && submission->event);
}

static clmove_status marker(clm_executor *executor, const clm_submission *submission, clmove_error *error) {
    (void)executor;
    return leave_event(now(), submission, NULL, error);
}

/* ---- kernels ---- */

static clmove_status kernel_create(clm_executor *executor, const clm_movement *movement, clm_kernel **kernel,
                                   clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_kernel *created = calloc(1, sizeof *created);
    REQUIRE(created, OUT_OF_MEMORY, "no memory for a kernel");
    created->executor = executor;
    created->movement = *movement;
    *kernel = created;
out:
    return status;
}

static void kernel_destroy(clm_kernel *kernel) {
    free(kernel);
}

/* What every thread needs of a run. */
typedef struct work {
    const clm_movement *movement;
    const clm_level *level;
    const void *src;
    void *dst;
} work;

static void run_item(const void *context, int64_t item) {
    const work *it = context;
    it->level->run_item(it->movement, item, it->src, it->dst);
}

static void run(const clm_kernel *kernel, const void *src, void *dst) {
    const native *executor = (const native *)kernel->executor;
    const work it = {&kernel->movement, executor->level, src, dst};
    clm_threads_run(executor->threads, kernel->movement.items, run_item, &it);
}

static unsigned char *first_of(const clm_memory *memory) {
    return memory->mapped + memory->offset;
}

static clmove_status submit(clm_kernel *kernel, const clm_memory *src, const clm_memory *dst, const clm_submission *submission,
                            clm_span *span, clmove_error *error) {
    double start = wants_event(submission, span) ? now() : 0;
    run(kernel, first_of(src), first_of(dst));
    return leave_event(start, submission, span, error);
}

static void count_programs(clm_executor *executor, uint64_t *built, uint64_t *loaded) {
    (void)executor;
    *built = *loaded = 0;
}

/* ---- memory ---- */

static clmove_status memory_create(clm_executor *executor, clm_memory_kind kind, size_t bytes, clm_memory *memory,
                                   clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    size_t alignment = kind == CLM_MEMORY_PINNED ? PAGE : LINE;
    const clm_reclaim *reclaim = &executor->reclaim;
    void *made = NULL;
    REQUIRE(posix_memalign(&made, alignment, bytes) == 0 ||
                (reclaim->all && reclaim->all(reclaim->user) && posix_memalign(&made, alignment, bytes) == 0),
            OUT_OF_MEMORY, "no memory for a buffer of %zu bytes", bytes);
    *memory = (clm_memory){.executor = executor, .object = made, .bytes = bytes, .host = made, .mapped = made};
out:
    return status;
}

static clmove_status memory_wrap(clm_executor *executor, const clm_range *range, bool in_parts, clm_memory *memory, bool *is_free,
                                 clmove_error *error) {
    (void)in_parts, (void)error;
    *memory = (clm_memory){.executor = executor, .bytes = range->bytes, .host = range->first, .mapped = range->first};
    *is_free = true;
    return CLMOVE_OK;
}

static clmove_status memory_part(const clm_memory *wrapped, size_t first, size_t bytes, clm_memory *part, clmove_error *error) {
    (void)error;
    *part = *wrapped;
    part->offset = first;
    part->bytes = bytes;
    return CLMOVE_OK;
}

static void memory_destroy(clm_memory *memory) {
    free(memory->object);
    *memory = (clm_memory){0};
}

static clmove_status write_bytes(clm_memory *memory, size_t offset, const void *src, size_t bytes,
                                 const clm_submission *submission, clm_span *span, clmove_error *error) {
    double start = wants_event(submission, span) ? now() : 0;
    memcpy(first_of(memory) + offset, src, bytes);
    return leave_event(start, submission, span, error);
}

static clmove_status read_bytes(const clm_memory *memory, size_t offset, void *dst, size_t bytes,
                                const clm_submission *submission, clm_span *span, clmove_error *error) {
    double start = wants_event(submission, span) ? now() : 0;
    memcpy(dst, first_of(memory) + offset, bytes);
    return leave_event(start, submission, span, error);
}

static clmove_status fill(clm_memory *memory, size_t offset, size_t bytes, const void *pattern, size_t pattern_bytes,
                          clmove_error *error) {
    (void)error;
    unsigned char *first = first_of(memory) + offset;
    size_t filled = pattern_bytes, most = FILL_BLOCK - FILL_BLOCK % pattern_bytes;
    memcpy(first, pattern, pattern_bytes);
    while (filled < bytes) {
        size_t more = filled < most || most == 0 ? filled : most;
        more = more < bytes - filled ? more : bytes - filled;
        memcpy(first + filled, first, more);
        filled += more;
    }
    return CLMOVE_OK;
}

static clmove_status copy(const clm_memory *src, size_t src_offset, clm_memory *dst, size_t dst_offset, size_t bytes,
                          clmove_error *error) {
    (void)error;
    memcpy(first_of(dst) + dst_offset, first_of(src) + src_offset, bytes);
    return CLMOVE_OK;
}

static clmove_status map(const clm_memory *memory, clmove_access access, size_t offset, size_t bytes,
                         const clm_submission *submission, void **mapped, clmove_error *error) {
    (void)access, (void)bytes;
    *mapped = first_of(memory) + offset;
    return leave_event(now(), submission, NULL, error);
}

static clmove_status unmap(const clm_memory *memory, void *mapped, const clm_submission *submission, clmove_error *error) {
    (void)memory, (void)mapped;
    return leave_event(now(), submission, NULL, error);
}

static clmove_status check_apart(const clm_memory *src, size_t src_offset, size_t src_bytes, const clm_memory *dst,
                                 size_t dst_offset, size_t dst_bytes, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    uintptr_t from = (uintptr_t)first_of(src) + src_offset, to = (uintptr_t)first_of(dst) + dst_offset;
    REQUIRE(from < to ? to - from >= src_bytes : from - to >= dst_bytes, BAD_BUFFER,
            "source and destination overlap: %zu bytes from %zu on, and %zu from %zu on", src_bytes, src_offset, dst_bytes,
            dst_offset);
out:
    return status;
}

static clmove_status lend(const clm_memory *src, const clm_memory *dst, const clm_submission *submission,
                          void (*move)(void *user, const void *src, void *dst), void *user, clmove_error *error) {
    double start = now();
    move(user, first_of(src), first_of(dst));
    return leave_event(start, submission, NULL, error);
}

/* ---- opening and closing ---- */

static void close_native(clm_executor *executor) {
    clm_threads_release();
    free(executor);
}

static const clm_executor_calls native_calls = {
    .kind = CLMOVE_EXECUTOR_HOST,
    .close = close_native,
    .queue_create = queue_create,
    .queue_destroy = queue_destroy,
    .flush = finish,
    .finish = finish,
    .event_wait = finish,
    .event_release = event_release,
    .span_seconds = span_seconds,
    .marker = marker,
    .kernel_create = kernel_create,
    .kernel_destroy = kernel_destroy,
    .submit = submit,
    .run = run,
    .count_programs = count_programs,
    .memory_create = memory_create,
    .memory_wrap = memory_wrap,
    .memory_part = memory_part,
    .memory_destroy = memory_destroy,
    .write = write_bytes,
    .read = read_bytes,
    .fill = fill,
    .copy = copy,
    .map = map,
    .unmap = unmap,
    .check_apart = check_apart,
    .lend = lend,
};

clmove_status clm_native_open(uint32_t threads, clm_executor **executor, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    native *opened = calloc(1, sizeof *opened);
    REQUIRE(opened, OUT_OF_MEMORY, "no memory for a device");
    TRY(clm_threads_count(threads, &opened->threads, error));
    TRY(clm_choose_level(&opened->level, error));
    clm_threads_hold();
    opened->base = (clm_executor){
        .calls = &native_calls,
        .traits = {.few_long_runs = true,
                   .takes_rows = true,
                   .any_alignment = true,
                   .workers = opened->threads,
                   .max_outer = CLM_MAX_AXES,
                   .indexes_in_64_bit = true},
        .sharing = {.shares = true, .alignment = 1, .multiple = 1, .takes_host_memory = true},
        .profiles = true,
    };
    clm_native_list(opened->threads, &opened->base.info);
    opened->base.traits.cache_bytes = opened->base.info.cache_bytes;
    *executor = &opened->base;
    opened = NULL;
out:
    free(opened);
    return status;
}
