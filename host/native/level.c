/* SPDX-License-Identifier: Apache-2.0 */
#include "host/native/level.h"

#include "cl_kernels/move.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VARIABLE "CLMOVE_HOST_ISA"

/* The bytes of a cache line. */
#define LINE 64

extern const clm_level clm_level_baseline;

#ifdef CLM_HAVE_X86_LEVELS
extern const clm_level clm_level_avx2, clm_level_avx512;

static bool has_avx2(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma");
}

/* Shuffles of bytes across a whole vector need VBMI. Processors with AVX-512 but without VBMI use AVX2. */
static bool has_avx512(void) {
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512vbmi");
}

/* Zen 4 does a vector of 64 bytes in two halves, and its lookups across one are slow. */
static bool is_zen4(void) {
    return has_avx512() && __builtin_cpu_is("amdfam19h");
}

/* Whether AVX2 is faster there. An AMD EPYC (model 17), share of the limit with AVX-512 and with AVX2, two cores past the cache:
 * deinterleaved by 2 u8 0.65, 0.84, f16 0.73, 0.84, f32 0.70, 0.79; f32 by 7 0.81, 0.90, by 14 0.67, 0.88, but by 9 0.94, 0.92;
 * f64 by 9 0.63, 0.91, by 10 0.72, 0.93, by 14 0.46, 0.83; u8 interleaved by 11 0.64, 0.76, by 13 0.67, 0.80, but by 9 0.97,
 * 0.73; in joined rows by 17 f16 0.46, 0.69, f32 0.55, 0.93, f64 0.68, 0.99, but u8 by 32 0.96, 0.74. complex128 interleaved
 * 0.75, 0.95. The passes of two_passes were not seen there.
 *
 * One core in the cache, AVX2 beside AVX-512, rows that do not fill lines, and rows that do: u8 interleaved by 3 1.5, 1.4, by 8
 * 2.0, 1.0, by 9 to 13 but by 12 1.3, 0.8; f16 by the same 1.2, 0.95; f32 by 10 and 12 1.9, 1.7, by 7 and 13 1.0, 0.8, by 9 to 15
 * but these 1.2, 0.9; f64 by all but powers of two 1.3, 1.2; deinterleaved u8 by 3 1.26, 1.06, by 7 0.5, 0.4; f16 by 5 0.6, 0.5,
 * by 9 1.2, 1.05; f32 by 9 to 14 1.1, 0.95. s2d_focus_u8, by 2 in the cache, 0.83. Two cores, 6 and 18 MB: deinterleaved f64 by
 * 10 to 15 1.2 to 1.6; complex128 by 4 to 8 1.3 to 2.1. */
static bool parts_in_halves(int64_t m, int64_t unit_bytes, bool streams) {
    const bool has_odd_factor = (m & (m - 1)) != 0;
    if (unit_bytes == 16)
        return m > 2;
    if (unit_bytes == 8)
        return m >= (streams ? 8 : 9) && m <= 15;
    if (!streams)
        return (m == 3 && unit_bytes == 1) || (m == 9 && unit_bytes == 2);
    if (unit_bytes == 4)
        return m == 7 || (m % 2 == 0 && (m == 2 || has_odd_factor));
    return m == 2 || (m == 16 && unit_bytes == 1);
}

static bool weaves_in_halves(int64_t m, int64_t unit_bytes, bool streams, bool fills_lines) {
    const bool has_odd_factor = (m & (m - 1)) != 0;
    if (unit_bytes >= 8)
        return unit_bytes == 16 || has_odd_factor;
    if (unit_bytes == 4)
        return has_odd_factor && m != 7 && m != 13 && (streams || !fills_lines || m <= 6 || m == 10 || m == 12);
    return m == 3 || m == 8 || (m >= 9 && m <= 13 && m != 12 && !fills_lines && (m != 9 || !streams));
}

static bool is_faster_in_halves(const clm_launch_plan *launch_plan) {
    const int64_t m = launch_plan->m, unit_bytes = clm_unit_bytes(launch_plan);
    switch (launch_plan->variant->source) {
    case CLM_INTERLEAVE:
        return weaves_in_halves(m, unit_bytes, launch_plan->stream, launch_plan->n * unit_bytes % LINE == 0);
    case CLM_DEINTERLEAVE:
        return parts_in_halves(m, unit_bytes, launch_plan->stream);
    case CLM_TRANSPOSE: /* in joined rows, which are not moved in strips */
        return launch_plan->stream && !launch_plan->in_strips && unit_bytes > 1 &&
               launch_plan->n * unit_bytes <= TILE_MOST_JOINED;
    default:
        return false;
    }
}

static void run_item_on_zen4(const clm_launch_plan *launch_plan, const clm_tables *tables, int64_t item, const unsigned char *src,
                             unsigned char *dst, void *scratch) {
    (is_faster_in_halves(launch_plan) ? &clm_level_avx2 : &clm_level_avx512)
        ->run_item(launch_plan, tables, item, src, dst, scratch);
}

static const clm_level level_zen4 = {.name = "zen4", .vector = 64, .window = 64, .looks_up = true, .run_item = run_item_on_zen4};
#endif

/* The fastest first. */
static const struct {
    const clm_level *level;
    /* NULL: always. */
    bool (*is_there)(void);
} levels[] = {
#ifdef CLM_HAVE_X86_LEVELS
    {&level_zen4, is_zen4},
    {&clm_level_avx512, has_avx512},
    {&clm_level_avx2, has_avx2},
#endif
    {&clm_level_baseline, NULL},
};

clmove_status clm_choose_level(const clm_level **level, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const char *wanted = getenv(VARIABLE);
    const clm_level *chosen = NULL;
    bool known = false;
    char names[64] = "";
    size_t length = 0;
    wanted = wanted && *wanted ? wanted : NULL;
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        const char *name = levels[i].level->name;
        const bool there = !levels[i].is_there || levels[i].is_there(), named = !wanted || strcmp(wanted, name) == 0;
        known = known || named;
        if (there && named && !chosen)
            chosen = levels[i].level;
        int written = there ? snprintf(names + length, sizeof names - length, "%s%s", length ? ", " : "", name) : 0;
        length += written > 0 ? (size_t)written : 0;
    }
    REQUIRE(known, INVALID_ARGUMENT, VARIABLE " is \"%s\": this processor has %s", wanted, names);
    REQUIRE(chosen, INVALID_ARGUMENT, VARIABLE " is \"%s\", which this processor does not have: it has %s", wanted, names);
    *level = chosen;
out:
    return status;
}
