/* SPDX-License-Identifier: Apache-2.0 */
#include "host/native/level.h"

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
#endif

/* The widest first. */
static const struct {
    const clm_level *level;
    /* NULL: always. */
    bool (*is_there)(void);
} levels[] = {
#ifdef CLM_HAVE_X86_LEVELS
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
