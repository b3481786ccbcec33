/* The machine as the host executor sees it, and the items of a movement on its threads.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/native/native.h"

#include "host/native/level.h"
#include "host/native/threads.h"

#include <stdio.h>
#include <unistd.h>

/* The kernel's own figure: sysconf knows nothing of newer AMD processors in glibc 2.36. */
uint64_t clm_native_cache_bytes(void) {
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

uint64_t clm_native_memory_bytes(void) {
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0;
}

clmove_status clm_native_open(uint32_t threads, clm_native *reference, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    TRY(clm_threads_count(threads, &reference->threads, error));
    status = clm_choose_level(&reference->level, error);
out:
    return status;
}

const char *clm_native_level(const clm_native *reference) {
    return reference->level->name;
}

void clm_native_get_traits(uint32_t threads, clm_traits *traits) {
    *traits = (clm_traits){
        .few_long_runs = true,
        .takes_rows = true,
        .any_alignment = true,
        .workers = threads,
        .max_outer = CLM_MAX_AXES,
        .cache_bytes = clm_native_cache_bytes(),
        .indexes_in_64_bit = true,
    };
}

/* What every thread needs of a run. */
typedef struct run {
    const clm_movement *movement;
    const clm_level *level;
    const void *src;
    void *dst;
} run;

static void run_item(const void *context, int64_t item) {
    const run *it = context;
    it->level->run_item(it->movement, item, it->src, it->dst);
}

void clm_native_run(const clm_movement *movement, const clm_native *reference, const void *src, void *dst) {
    const run it = {movement, reference->level, src, dst};
    clm_threads_run(reference->threads, movement->items, run_item, &it);
}
