/* SPDX-License-Identifier: Apache-2.0 */
#include "host/native/level.h"

#include "cl_kernels/move.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VARIABLE "CLMOVE_HOST_ISA"

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

/* Whether AVX2 is faster there: in the cache for blocks with an odd factor, past it for those of 4 bytes and more, for complex128
 * interleaved, and for f32 transposed but in joined rows. One core of an AMD EPYC (model 17), in the cache, share of a copy with
 * AVX-512 and with AVX2, geometric means: blocks of 3 to 15 with an odd factor, f32 and f64 0.25, 0.48; f16 but by 12 0.22, 0.40;
 * bytes but by 12 0.21, 0.32; by 12 f16 0.40, 0.34, bytes 0.34, 0.31. Two cores, past it: f32 by 14 0.35, 0.61; complex128
 * interleaved 0.75, 0.95; f32 by 28 transposed 0.64, 0.70, back in joined rows 0.48, 0.30; f16 by 14 interleaved 0.36, 0.31.
 * The passes of two_passes were not seen there. */
static bool is_faster_in_halves(const clm_launch_plan *launch_plan) {
    const clm_source source = launch_plan->variant->source;
    const int64_t m = launch_plan->m, unit_bytes = clm_unit_bytes(launch_plan);
    const bool weaves = source == CLM_INTERLEAVE, parts = source == CLM_DEINTERLEAVE;
    if (weaves && unit_bytes == 16)
        return true;
    if (weaves || parts)
        return (m & (m - 1)) != 0 && (unit_bytes >= 4 || (m != 12 && !launch_plan->stream));
    return source == CLM_TRANSPOSE && unit_bytes == 4 && launch_plan->n * unit_bytes > TILE_MOST_JOINED;
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
