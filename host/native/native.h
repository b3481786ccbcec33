/* The host executor: every memory pattern in C, on the process's own threads. Correct for every map; the fallback of all others.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_NATIVE_NATIVE_H
#define CLMOVE_HOST_NATIVE_NATIVE_H

#include "host/plan/movement.h"

/* How a device's host executor works: its threads, and the level of instructions (level.h). */
typedef struct clm_native {
    uint32_t threads;
    const struct clm_level *level;
} clm_native;

/* threads as for clm_threads_count. Raises INVALID_ARGUMENT where CLMOVE_HOST_ISA is no level of this processor, or
 * CLMOVE_THREADS no number. */
clmove_status clm_native_open(uint32_t threads, clm_native *reference, clmove_error *error);

/* The level's name. */
const char *clm_native_level(const clm_native *reference);

/* Last-level cache in bytes, 0 if unknown; physical memory in bytes. */
uint64_t clm_native_cache_bytes(void);
uint64_t clm_native_memory_bytes(void);

/* What choices depend on, less the tuning. */
void clm_native_get_traits(uint32_t threads, clm_traits *traits);

/* Moves, and returns when done. The movement was chosen for the host's traits. Any alignment; src and dst do not overlap. */
void clm_native_run(const clm_movement *movement, const clm_native *reference, const void *src, void *dst);

#endif
