/* clmove: index maps, which state for each element of the destination which element of the source it is. They are pure: they need
 * no device, no memory, and no plan.
 *
 * clmove/clmove.h states what holds for all headers, thread-safety above all.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_MAP_H
#define CLMOVE_MAP_H

#include <clmove/status.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CLMOVE_MAX_RANK 32

/* The specification that decides which arguments are legal and how missing ones are completed. */
typedef enum clmove_rules { CLMOVE_RULES_OPENVINO, CLMOVE_RULES_ONNX } clmove_rules;

/* The order of the new depth. Blocks first: [block, ..., block, C] (ONNX DCR). Depth first: [C, block, ..., block] (ONNX CRD,
 * PyTorch pixel_unshuffle). */
typedef enum clmove_mode { CLMOVE_BLOCKS_FIRST, CLMOVE_DEPTH_FIRST } clmove_mode;

/* An index map: for each element of the destination, the element of the source that it is. Each operator transforms the
 * destination so far, so that calls compose: Tile and then SpaceToDepth are one map. On failure the map is unchanged.
 * Ownership: a value of the caller's, copied by assignment. It needs no other memory, and is not destroyed. */
typedef struct clmove_map {
    /* Private. The functions below write and read it. */
    uint64_t storage[384];
} clmove_map;

/* Starts a map: the destination equals a dense source.
 * Shapes and units: element_bits is 1, 2, 4 or any multiple of 8 (an RGB pixel is 24, complex128 is 128). Elements of 1 bit are
 * packed most significant bit first, of 2 and 4 bits least significant first, as in OpenVINO and ONNX. rank is 0 to
 * CLMOVE_MAX_RANK. dims has rank entries, each at least 0.
 * Ownership: nothing is kept. dims may be NULL if rank is 0.
 * Errors: INVALID_ARGUMENT, BAD_SHAPE, OVERFLOW (the tensor has more than INT64_MAX bytes). */
CLMOVE_API clmove_status clmove_map_init(clmove_map *map, uint32_t element_bits, int64_t rank, const int64_t *dims,
                                         clmove_error *error);

/* Makes the source a strided view: index i is element offset + sum(i[k] * strides[k]) of the source memory. The call must be the
 * first after clmove_map_init.
 * Shapes and units: strides has one entry for each dimension given to clmove_map_init. strides and offset are in elements.
 * Strides of zero (broadcast) and below (reversed) are legal.
 * Ownership: nothing is kept.
 * Errors: INVALID_ARGUMENT (an operator came first, or the view begins before element 0), OVERFLOW.
 * Specification: NumPy as_strided. */
CLMOVE_API clmove_status clmove_map_view_src(clmove_map *map, const int64_t *strides, int64_t offset, clmove_error *error);

/* Makes the destination a strided view. A run does not write the bytes between its elements. The call must be the last: operators
 * after it are refused.
 * Shapes and units: as clmove_map_view_src, with one stride for each dimension of the destination so far. No two elements may
 * share a place. The strides must nest: each reaches past all elements of the dimensions with smaller strides.
 * Ownership: nothing is kept.
 * Errors: INVALID_ARGUMENT (the view begins before element 0), BAD_SHAPE (elements share a place), OVERFLOW.
 * Specification: NumPy as_strided. */
CLMOVE_API clmove_status clmove_map_view_dst(clmove_map *map, const int64_t *strides, int64_t offset, clmove_error *error);

/* Tile: repeats the destination so far along each dimension.
 * Shapes and units: dims[i] becomes dims[i] * repeats[i]. A repeat of 0 makes the result empty. With CLMOVE_RULES_OPENVINO the
 * shorter of repeats and dims gets 1s in front, and a negative repeat counts as 0. With CLMOVE_RULES_ONNX count must equal the
 * rank, and a negative repeat is an error.
 * Ownership: nothing is kept. repeats may be NULL if count is 0.
 * Errors: INVALID_ARGUMENT, BAD_SHAPE, OVERFLOW.
 * Specification: OpenVINO Tile-1; ONNX Tile-6 and Tile-13. */
CLMOVE_API clmove_status clmove_map_tile(clmove_map *map, int64_t count, const int64_t *repeats, clmove_rules rules,
                                         clmove_error *error);

/* Tile along one axis.
 * Shapes and units: dims[axis] becomes dims[axis] * tiles. axis is -rank to rank - 1; a negative one counts from the end.
 * Ownership: nothing is kept.
 * Errors: INVALID_ARGUMENT, BAD_SHAPE (axis out of range, tiles negative), OVERFLOW.
 * Specification: ONNX Tile-1. */
CLMOVE_API clmove_status clmove_map_tile_axis(clmove_map *map, int64_t tiles, int64_t axis, clmove_error *error);

/* SpaceToDepth: moves blocks of the spatial dimensions into depth.
 * Shapes and units: [N, C, D1 .. DK] becomes [N, C * block_size^K, D1 / block_size .. DK / block_size], K at least 1. block_size
 * is at least 1, and each spatial dimension is a multiple of it. CLMOVE_RULES_ONNX requires rank 4 and CLMOVE_BLOCKS_FIRST.
 * Ownership: nothing is kept.
 * Errors: INVALID_ARGUMENT, BAD_SHAPE, OVERFLOW.
 * Specification: OpenVINO SpaceToDepth-1; ONNX SpaceToDepth-1 and -13. */
CLMOVE_API clmove_status clmove_map_space_to_depth(clmove_map *map, int64_t block_size, clmove_mode mode, clmove_rules rules,
                                                   clmove_error *error);

/* DepthToSpace: the inverse of SpaceToDepth.
 * Shapes and units: [N, C, D1 .. DK] becomes [N, C / block_size^K, D1 * block_size .. DK * block_size], K at least 1. block_size
 * is at least 1, and C is a multiple of block_size^K. CLMOVE_RULES_ONNX requires rank 4.
 * Ownership: nothing is kept.
 * Errors: INVALID_ARGUMENT, BAD_SHAPE, OVERFLOW.
 * Specification: OpenVINO DepthToSpace-1; ONNX DepthToSpace-1, -11 and -13. */
CLMOVE_API clmove_status clmove_map_depth_to_space(clmove_map *map, int64_t block_size, clmove_mode mode, clmove_rules rules,
                                                   clmove_error *error);

/* Permutes the dimensions: dimension i of the result is dimension order[i] of the destination so far.
 * Shapes and units: count must equal the rank. order has each of 0 to rank - 1 once.
 * Ownership: nothing is kept. order may be NULL if count is 0.
 * Errors: INVALID_ARGUMENT, BAD_SHAPE.
 * Specification: NumPy transpose, ONNX Transpose, OpenVINO Transpose-1. */
CLMOVE_API clmove_status clmove_map_permute(clmove_map *map, int64_t count, const int64_t *order, clmove_error *error);

/* Gives the destination another shape with the same elements in the same row-major order.
 * Shapes and units: one entry of dims may be -1, and is computed. The number of elements must not change.
 * Ownership: nothing is kept. dims may be NULL if rank is 0.
 * Errors: INVALID_ARGUMENT, BAD_SHAPE, OVERFLOW, UNSUPPORTED (the new shape cuts across dimensions that an earlier step
 * separated, so that no single map expresses it; run the map up to this step, and start another).
 * Specification: NumPy reshape, ONNX Reshape (without its 0 = keep). */
CLMOVE_API clmove_status clmove_map_reshape(clmove_map *map, int64_t rank, const int64_t *dims, clmove_error *error);

/* Broadcasts dimensions of 1 to larger ones, aligned at the last dimension.
 * Shapes and units: with CLMOVE_RULES_OPENVINO rank is at least the map's, and each dimension of the map is 1 or equal to its
 * target. With CLMOVE_RULES_ONNX the target may also be shorter, or have a 1 where the destination so far has more.
 * Ownership: nothing is kept. dims may be NULL if rank is 0.
 * Errors: INVALID_ARGUMENT, BAD_SHAPE, OVERFLOW.
 * Specification: OpenVINO Broadcast-3 in mode numpy, NumPy broadcast_to; ONNX Expand-13. */
CLMOVE_API clmove_status clmove_map_expand(clmove_map *map, int64_t rank, const int64_t *dims, clmove_rules rules,
                                           clmove_error *error);

/* The bits of an element, and the number of dimensions of the destination so far. 0 for NULL. */
CLMOVE_API uint32_t clmove_map_element_bits(const clmove_map *map);
CLMOVE_API int64_t clmove_map_rank(const clmove_map *map);

/* The dimensions of the destination so far, clmove_map_rank of them. NULL for NULL.
 * Ownership: the array is a part of the map, and changes with it. */
CLMOVE_API const int64_t *clmove_map_dims(const clmove_map *map);

/* The bytes of source memory that a run needs, and the bytes from the start of the destination memory to the end of its last
 * element. 0 for NULL. Elements below a byte are rounded up to whole bytes; a run leaves the padding bits of the destination as
 * they are. */
CLMOVE_API int64_t clmove_map_src_bytes(const clmove_map *map);
CLMOVE_API int64_t clmove_map_dst_bytes(const clmove_map *map);

#ifdef __cplusplus
}
#endif
#endif
