/* The machine as the host executor sees it, and the items of a launch plan on its threads: the table of the host executor.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/native/objects.h"

#include "host/native/threads.h"

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Those of the machine, whether or not this process may use them. */
static uint32_t count_processors(void) {
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : (uint32_t)count;
}

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
    return ((const clm_native *)executor)->level->name;
}

/* ---- queues and events ---- */

static clmove_status queue_borrow(clm_executor *executor, void **queue, bool *out_of_order, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    REQUIRE(!*queue, INVALID_ARGUMENT, "the device is the host, and has no queues of OpenCL");
    *queue = clm_native_of(executor)->queue;
    *out_of_order = false;
out:
    return status;
}

static clmove_status flush(clm_executor *executor, void *queue, clmove_error *error) {
    (void)executor, (void)queue, (void)error;
    return CLMOVE_OK;
}

static clmove_status finish(clm_executor *executor, void *queue, clmove_error *error) {
    (void)error;
    clm_queue_finish(queue ? queue : clm_native_of(executor)->queue);
    return CLMOVE_OK;
}

/* ---- kernels ---- */

typedef struct native_kernel {
    clm_kernel base;
    clm_tables tables;
    /* What submitted commands hold. */
    clm_held held;
} native_kernel;

static void destroy_held_kernel(clm_held *held) {
    native_kernel *kernel = (native_kernel *)((char *)held - offsetof(native_kernel, held));
    clm_tables_destroy(&kernel->tables);
    free(kernel);
}

static clmove_status kernel_create(clm_executor *executor, const clm_launch_plan *launch_plan, clm_kernel **kernel,
                                   clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_level *level = clm_native_of(executor)->level;
    native_kernel *created = calloc(1, sizeof *created);
    REQUIRE(created, OUT_OF_MEMORY, "no memory for a kernel");
    TRY(clm_tables_create(launch_plan, &executor->traits, level->vector, level->window, &created->tables, error));
    created->base = (clm_kernel){.executor = executor, .launch_plan = *launch_plan};
    created->held.destroy = destroy_held_kernel;
    atomic_init(&created->held.holders, 1);
    *kernel = &created->base;
    created = NULL;
out:
    free(created);
    return status;
}

static void kernel_destroy(clm_kernel *kernel) {
    clm_let_go(&((native_kernel *)kernel)->held);
}

/* Each thread keeps its scratch memory until it ends. */
static pthread_key_t scratch_key;
static bool has_scratch_key;

static void make_scratch_key(void) {
    has_scratch_key = pthread_key_create(&scratch_key, free) == 0;
}

/* Threads that end after the library was unloaded must not free by its key. */
__attribute__((destructor)) static void delete_scratch_key(void) {
    if (has_scratch_key) {
        free(pthread_getspecific(scratch_key));
        pthread_key_delete(scratch_key);
    }
    has_scratch_key = false;
}

/* NULL: there is no memory. */
static void *find_scratch(void) {
    void *found = has_scratch_key ? pthread_getspecific(scratch_key) : NULL;
    if (!found && has_scratch_key) {
        found = aligned_alloc(64, CLM_SCRATCH_BYTES);
        if (found && pthread_setspecific(scratch_key, found) != 0) {
            free(found);
            found = NULL;
        }
    }
    return found;
}

/* What every thread needs of a run. */
typedef struct work {
    const clm_launch_plan *launch_plan;
    const clm_tables *tables;
    const clm_level *level;
    const void *src;
    void *dst;
} work;

static void run_item(const void *context, int64_t item) {
    const work *it = context;
    it->level->run_item(it->launch_plan, it->tables, item, it->src, it->dst, find_scratch());
}

/* The same in parts, each of which is consecutive items. */
typedef struct spread_work {
    work of;
    int64_t parts;
} spread_work;

static int64_t first_item(const spread_work *it, int64_t part) {
    const int64_t items = it->of.launch_plan->items;
    return items / it->parts * part + items % it->parts * part / it->parts;
}

static void run_part(const void *context, int64_t part) {
    const spread_work *it = context;
    for (int64_t item = first_item(it, part); item < first_item(it, part + 1); item++)
        run_item(&it->of, item);
}

static void run(const clm_kernel *kernel, const clm_spread *spread, const void *src, void *dst) {
    const clm_native *executor = clm_native_of(kernel->executor);
    const int64_t items = kernel->launch_plan.items;
    const work it = {&kernel->launch_plan, &((const native_kernel *)kernel)->tables, executor->level, src, dst};
    if (!spread) {
        clm_threads_run(executor->threads, items, run_item, &it);
        return;
    }
    const int64_t most = spread->most_parts ? spread->most_parts : executor->threads;
    const spread_work all = {it, items < most ? items : most};
    spread->call(spread->user, all.parts, run_part, &all);
}

static void run_command(const clm_command *command) {
    const clm_held *held = command->holds[0];
    run((const clm_kernel *)((const char *)held - offsetof(native_kernel, held)), NULL, command->src, command->dst);
}

static clmove_status submit(clm_kernel *kernel, const clm_memory *src, const clm_memory *dst, const clm_submission *submission,
                            clm_span *span, clmove_error *error) {
    const clm_command command = {.run = run_command,
                                 .src = clm_native_first(src),
                                 .dst = clm_native_first(dst),
                                 .bytes = src->bytes + dst->bytes,
                                 .holds = {&((native_kernel *)kernel)->held, clm_native_hold(src), clm_native_hold(dst)}};
    return clm_queue_submit(clm_native_queue(kernel->executor, submission), &command, submission, span, error);
}

/* ---- opening and closing ---- */

static void close_native(clm_executor *executor) {
    clm_queue_destroy(executor, clm_native_of(executor)->queue);
    clm_threads_release();
    free(executor);
}

static const clm_executor_calls native_calls = {
    .kind = CLMOVE_EXECUTOR_HOST,
    .event_mark = clm_event_mark,
    .event_executor = clm_event_executor,
    .close = close_native,
    .queue_borrow = queue_borrow,
    .queue_create = clm_queue_create,
    .queue_destroy = clm_queue_destroy,
    .flush = flush,
    .finish = finish,
    .event_wait = clm_event_wait,
    .event_is_complete = clm_event_is_complete,
    .event_release = clm_event_release,
    .span_seconds = clm_event_seconds,
    .marker = clm_native_mark,
    .kernel_create = kernel_create,
    .kernel_destroy = kernel_destroy,
    .submit = submit,
    .run = run,
    .memory_create = clm_native_create,
    .memory_wrap = clm_native_wrap,
    .memory_borrow = clm_native_borrow,
    .memory_part = clm_native_part,
    .memory_destroy = clm_native_destroy,
    .write = clm_native_write,
    .read = clm_native_read,
    .fill = clm_native_fill,
    .copy = clm_native_copy,
    .map = clm_native_map,
    .unmap = clm_native_unmap,
};

clmove_status clm_native_open(int64_t threads, clm_executor **executor, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    void *queue;
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    clm_native *opened = calloc(1, sizeof *opened);
    REQUIRE(opened, OUT_OF_MEMORY, "no memory for a device");
    pthread_once(&once, make_scratch_key);
    TRY(clm_threads_count(threads, &opened->threads, error));
    TRY(clm_choose_level(&opened->level, error));
    TRY(clm_queue_create(&opened->base, &queue, error));
    opened->queue = queue;
    clm_threads_hold();
    opened->base = (clm_executor){
        .calls = &native_calls,
        .traits = {.few_long_runs = true,
                   .takes_rows = true,
                   .part_squares = true,
                   .has_images = true,
                   .has_passes = true,
                   .any_alignment = true,
                   .workers = opened->threads,
                   .max_outer = CLM_MAX_AXES,
                   .max_outer_narrow = CLM_MAX_AXES,
                   .shuffle_window = opened->level->looks_up ? opened->level->window : 0,
                   .has_short_vectors = opened->level->looks_up && opened->level->window < CLM_MOST_WINDOW,
                   .indexes_in_64_bit = true},
        .sharing = {.shares = true, .alignment = 1, .multiple = 1, .takes_host_memory = true},
        .profiles = true,
    };
    clm_native_list(opened->threads, &opened->base.info);
    opened->base.traits.cache_bytes = clm_cache_for_workers(opened->base.info.cache_bytes, opened->threads, count_processors());
    *executor = &opened->base;
    opened = NULL;
out:
    free(opened);
    return status;
}
