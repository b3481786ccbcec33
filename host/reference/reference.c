/* Walks the rows of a movement and hands each segment to its pattern.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/reference/reference.h"

#include "host/reference/patterns.h"

#include <stdio.h>
#include <string.h>
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

void clm_reference_get_traits(uint32_t threads, clm_traits *traits) {
    *traits = (clm_traits){
        .few_long_runs = true,
        .workers = threads,
        .max_outer = CLMOVE_MAX_AXES,
        .cache_bytes = clm_reference_cache_bytes(),
        .indexes_in_64_bit = true,
    };
}

static clm_pattern *find_pattern(const clm_movement *movement) {
    static const struct {
        const char *source;
        clm_pattern *widths[5];
    } patterns[] = {
        {"copy_rows", {clm_copy_rows, clm_copy_rows, clm_copy_rows, clm_copy_rows, clm_copy_rows}},
        {"repeat", {clm_repeat, clm_repeat, clm_repeat, clm_repeat, clm_repeat}},
        {"deinterleave",
         {clm_deinterleave_8, clm_deinterleave_16, clm_deinterleave_32, clm_deinterleave_64, clm_deinterleave_128}},
        {"interleave", {clm_interleave_8, clm_interleave_16, clm_interleave_32, clm_interleave_64, clm_interleave_128}},
        {"gather", {clm_gather_8, clm_gather_16, clm_gather_32, clm_gather_64, clm_gather_128}},
    };
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        if (strcmp(patterns[i].source, movement->variant->source) == 0)
            return patterns[i].widths[__builtin_ctz(movement->unit_bits / 8)];
    return NULL;
}

/* A row on the outer axes. */
typedef struct cursor {
    int64_t src, dst; /* units */
    int64_t index[CLMOVE_MAX_AXES];
} cursor;

static void seek_row(const clm_movement *movement, int64_t row, cursor *at) {
    at->src = movement->src_offset;
    at->dst = movement->dst_offset;
    for (int32_t i = movement->outer_rank - 1; i >= 0; i--) {
        const clm_axis *axis = &movement->outer[i];
        at->index[i] = row % axis->extent;
        row /= axis->extent;
        at->src += at->index[i] * axis->src;
        at->dst += at->index[i] * axis->dst;
    }
}

static void next_row(const clm_movement *movement, cursor *at) {
    for (int32_t i = movement->outer_rank - 1; i >= 0; i--) {
        const clm_axis *axis = &movement->outer[i];
        at->src += axis->src;
        at->dst += axis->dst;
        if (++at->index[i] < axis->extent)
            return;
        at->src -= axis->extent * axis->src;
        at->dst -= axis->extent * axis->dst;
        at->index[i] = 0;
    }
}

static int64_t at_most(int64_t a, int64_t most) {
    return a < most ? a : most;
}

static void run_item(const clm_movement *movement, clm_pattern *pattern, int64_t item, const unsigned char *src,
                     unsigned char *dst) {
    int64_t job = item * movement->run;
    int64_t end = movement->jobs - job < movement->run ? movement->jobs : job + movement->run;
    int64_t segment = job % movement->segments, unit_bytes = clm_unit_bytes(movement);
    bool cuts_q = movement->q > 1;
    cursor at;
    if (!pattern) {
        for (; job < end; job++)
            clm_move_bits(movement, job * movement->segment, at_most(movement->segment, movement->n - job * movement->segment),
                          src, dst);
        return;
    }
    clm_sink sinks[CLM_SINKS];
    for (int i = 0; i < CLM_SINKS; i++)
        clm_sink_start(&sinks[i], dst, movement->stream);
    seek_row(movement, job / movement->segments, &at);
    for (; job < end; job++) {
        int64_t start = segment * movement->segment;
        int64_t count = at_most(movement->segment, (cuts_q ? movement->q : movement->n) - start);
        int64_t q = cuts_q ? count : 1, n = cuts_q ? movement->n : count;
        const unsigned char *from = src + (at.src + start * (cuts_q ? movement->q_src : movement->n_src)) * unit_bytes;
        unsigned char *to = dst + (at.dst + start * (cuts_q ? movement->q_dst : movement->n_dst)) * unit_bytes;
        pattern(movement, sinks, q, n, from, to);
        if (++segment == movement->segments) {
            segment = 0;
            next_row(movement, &at);
        }
    }
    for (int i = 0; i < CLM_SINKS; i++)
        clm_sink_finish(&sinks[i]);
    if (movement->stream)
        clm_finish_streams();
}

void clm_reference_run(const clm_movement *movement, uint32_t threads, const void *src, void *dst) {
    clm_pattern *pattern = movement->unit_bits < 8 ? NULL : find_pattern(movement);
    int used = (int)at_most(movement->items, threads);
#pragma omp parallel for num_threads(used) schedule(static) if (used > 1)
    for (int64_t item = 0; item < movement->items; item++)
        run_item(movement, pattern, item, src, dst);
    (void)used;
}
