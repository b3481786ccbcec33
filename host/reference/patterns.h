/* The patterns as the host executor performs them. Each moves `count` steps of n of one row; src and dst point at its first unit.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_REFERENCE_PATTERNS_H
#define CLMOVE_HOST_REFERENCE_PATTERNS_H

#include "host/plan/movement.h"

typedef void clm_pattern(const clm_movement *movement, int64_t count, const unsigned char *src, unsigned char *dst);

/* Copies bytes; past the cache when stream. */
void clm_copy_bytes(const unsigned char *src, unsigned char *dst, size_t bytes, bool stream);

/* Orders a thread's stores that bypassed the cache before what it does next. */
void clm_finish_streams(void);

clm_pattern clm_copy_row;

/* One function for each width of the unit: 8, 16, 32, 64, 128 bits. */
clm_pattern clm_repeat_8, clm_repeat_16, clm_repeat_32, clm_repeat_64, clm_repeat_128;
clm_pattern clm_deinterleave_8, clm_deinterleave_16, clm_deinterleave_32, clm_deinterleave_64, clm_deinterleave_128;
clm_pattern clm_interleave_8, clm_interleave_16, clm_interleave_32, clm_interleave_64, clm_interleave_128;
clm_pattern clm_gather_8, clm_gather_16, clm_gather_32, clm_gather_64, clm_gather_128;

/* Moves the destination bytes first to first + count - 1 of a movement of sub-byte units, counted from the byte that holds its
 * first unit; src and dst point at the start of the memory. */
void clm_move_bits(const clm_movement *movement, int64_t first, int64_t count, const unsigned char *src, unsigned char *dst);

#endif
