/* The machine as the host executor sees it, and the items of a movement on its threads.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/reference/reference.h"

#include "host/reference/level.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

#ifdef _OPENMP
#include <omp.h>
#endif

/* OpenMP ends the process when it cannot make a thread, so it is never asked for more than a few for each processor. */
#define THREADS_PER_PROCESSOR 4

uint32_t clm_reference_threads(uint32_t asked) {
#ifdef _OPENMP
    int most = THREADS_PER_PROCESSOR * omp_get_num_procs(), all = omp_get_max_threads();
    int64_t threads = asked ? (int64_t)asked : all;
    return (uint32_t)(threads < 1 ? 1 : threads > most ? most : threads);
#else
    (void)asked;
    return 1;
#endif
}

/* The kernel's own figure: sysconf knows nothing of newer AMD processors in glibc 2.36. */
uint64_t clm_reference_cache_bytes(void) {
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

uint64_t clm_reference_memory_bytes(void) {
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0;
}

clmove_status clm_reference_open(uint32_t threads, clm_reference *reference, clmove_error *error) {
    const char *policy = getenv("OMP_WAIT_POLICY");
    reference->spins = !policy || strcasecmp(policy, "passive") != 0;
    reference->threads = clm_reference_threads(threads);
    return clm_choose_level(&reference->level, error);
}

const char *clm_reference_level(const clm_reference *reference) {
    return reference->level->name;
}

void clm_reference_get_traits(uint32_t threads, clm_traits *traits) {
    *traits = (clm_traits){
        .few_long_runs = true,
        .takes_rows = true,
        .any_alignment = true,
        .workers = threads,
        .max_outer = CLMOVE_MAX_AXES,
        .cache_bytes = clm_reference_cache_bytes(),
        .indexes_in_64_bit = true,
    };
}

void clm_reference_run(const clm_movement *movement, const clm_reference *reference, const void *src, void *dst) {
    const clm_level *level = reference->level;
    if (reference->threads == 1 || movement->items == 1) { /* not even OpenMP's entry */
        for (int64_t item = 0; item < movement->items; item++)
            level->run_item(movement, item, src, dst);
        return;
    }
    int used = (int)(movement->items < reference->threads ? movement->items : reference->threads);
#pragma omp parallel for num_threads(used) schedule(static)
    for (int64_t item = 0; item < movement->items; item++)
        level->run_item(movement, item, src, dst);
    (void)used;
}
