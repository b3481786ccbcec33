/* The host executor: every memory pattern in C, on the process's own threads. Correct for every map; the fallback of all others.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_REFERENCE_REFERENCE_H
#define CLMOVE_HOST_REFERENCE_REFERENCE_H

#include "host/plan/movement.h"

/* Threads that the host executor uses when so many are asked for: 0 means all that the process may use; at most 4 a processor. */
uint32_t clm_reference_threads(uint32_t asked);

/* Last-level cache in bytes, 0 if unknown; physical memory in bytes. */
uint64_t clm_reference_cache_bytes(void);
uint64_t clm_reference_memory_bytes(void);

/* What choices depend on, less the tuning. */
void clm_reference_get_traits(uint32_t threads, clm_traits *traits);

/* Moves, and returns when done. The movement was chosen for the host's traits. Any alignment; src and dst do not overlap. */
void clm_reference_run(const clm_movement *movement, uint32_t threads, const void *src, void *dst);

#endif
