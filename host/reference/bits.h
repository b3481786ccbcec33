/* Units of less than a byte.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_REFERENCE_BITS_H
#define CLMOVE_HOST_REFERENCE_BITS_H

#include "host/plan/movement.h"

/* Moves the destination bytes first to first + count - 1 of a movement of sub-byte units, counted from the byte that holds its
 * first unit; src and dst point at the start of the memory. */
void clm_move_bits(const clm_movement *movement, int64_t first, int64_t count, const unsigned char *src, unsigned char *dst);

#endif
