/* The operators computed from their definitions, to check the library against: plain loops over elements, no index map.
 *
 * Elements are element_bits wide: 1 bit packed most significant first, 2 and 4 bits least significant first, else whole bytes.
 * Shapes are outermost first and must be legal for the operator; src holds the source, dst the whole destination, both dense.
 * Bits of dst after its last element keep their value. Each function returns false only when memory for its loops ran out.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_TESTS_ORACLE_ORACLE_H
#define CLMOVE_TESTS_ORACLE_ORACLE_H

#include <clmove/clmove.h>

/* Repeats along each dimension; the shorter of dims and repeats is promoted with 1s in front, negative repeats count as 0. */
bool oracle_tile(uint32_t element_bits, int32_t rank, const int64_t *dims, int32_t count, const int64_t *repeats, const void *src,
                 void *dst);

/* SpaceToDepth as the specification writes it: reshape, transpose, reshape. dims is the source's shape, rank >= 3. */
bool oracle_space_to_depth(uint32_t element_bits, int32_t rank, const int64_t *dims, int64_t block_size, clmove_mode mode,
                           const void *src, void *dst);

/* DepthToSpace, likewise. dims is the source's shape, rank >= 3. */
bool oracle_depth_to_space(uint32_t element_bits, int32_t rank, const int64_t *dims, int64_t block_size, clmove_mode mode,
                           const void *src, void *dst);

/* Dimension i of the result is dimension order[i] of the source. */
bool oracle_permute(uint32_t element_bits, int32_t rank, const int64_t *dims, const int32_t *order, const void *src, void *dst);

/* Broadcasts dims to target (trailing dimensions aligned, each pair equal or one of them 1). */
bool oracle_expand(uint32_t element_bits, int32_t rank, const int64_t *dims, int32_t target_rank, const int64_t *target,
                   const void *src, void *dst);

#endif
