/* The patterns as the host executor performs them. Each moves q rows of n steps; src and dst point at the first unit of the
 * first.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_REFERENCE_PATTERNS_H
#define CLMOVE_HOST_REFERENCE_PATTERNS_H

#include "host/plan/movement.h"
#include "host/reference/sink.h"

typedef void clm_pattern(const clm_movement *movement, clm_sink *sinks, int64_t q, int64_t n, const unsigned char *src,
                         unsigned char *dst);

clm_pattern clm_copy_rows, clm_repeat;

/* One function for each width of the unit: 8, 16, 32, 64, 128 bits. */
clm_pattern clm_deinterleave_8, clm_deinterleave_16, clm_deinterleave_32, clm_deinterleave_64, clm_deinterleave_128;
clm_pattern clm_interleave_8, clm_interleave_16, clm_interleave_32, clm_interleave_64, clm_interleave_128;
clm_pattern clm_gather_8, clm_gather_16, clm_gather_32, clm_gather_64, clm_gather_128;

/* Moves the destination bytes first to first + count - 1 of a movement of sub-byte units, counted from the byte that holds its
 * first unit; src and dst point at the start of the memory. */
void clm_move_bits(const clm_movement *movement, int64_t first, int64_t count, const unsigned char *src, unsigned char *dst);

#endif
