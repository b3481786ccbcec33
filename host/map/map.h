/* What the operators share: counting elements, taking the axes out of a map, and building the next map axis by axis.
 *
 * An operator builds the next map beside the present one and stores it on success, so that a failure changes nothing.
 * A map without elements has no axes; its operators change dims alone.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_MAP_MAP_H
#define CLMOVE_HOST_MAP_MAP_H

#include "host/error.h"

/* Axes of extent 1 are never stored and the product of all extents fits in int64_t, so no map needs more. */
#define CLM_MAX_AXES 64

/* One loop over the source. Axes are in order, outermost first. The axes of one destination dimension are neighbours; their
 * indices are the digits of the index in that dimension. So the destination stride is known, and is not stored. */
typedef struct clm_map_axis {
    /* At least 2. */
    int64_t extent;
    /* In elements; zero and below are legal. */
    int64_t src_stride;
    /* The destination dimension that the axis belongs to. */
    int32_t dim;
} clm_map_axis;

/* The content of a clmove_map, whose storage has another type. */
typedef struct __attribute__((may_alias)) clm_map {
    /* Of the destination. */
    int64_t dims[CLMOVE_MAX_RANK];
    /* Of the destination, 0 to CLMOVE_MAX_RANK. */
    int32_t rank;
    /* 1, 2, 4 or a multiple of 8. */
    uint32_t element_bits;
    /* No operator came after clmove_map_init. */
    bool is_fresh;
    /* clmove_map_view_src described the source. */
    bool src_is_view;
    /* false: the destination is dense from its first byte. */
    bool dst_is_view;
    /* In elements, if dst_is_view. */
    int64_t dst_strides[CLMOVE_MAX_RANK];
    int64_t dst_offset;
    /* Elements that the source memory has at least. */
    int64_t src_elements;
    /* The element of the source that destination index 0 is. */
    int64_t src_offset;
    int32_t axis_count;
    clm_map_axis axes[CLM_MAX_AXES];
} clm_map;

_Static_assert(sizeof(clm_map) <= sizeof(clmove_map) && _Alignof(clm_map) <= _Alignof(clmove_map),
               "a map has outgrown its public storage");

/* Read and write the content of a caller's map. No other function does. */
void clm_map_load(const clmove_map *given, clm_map *map);
void clm_map_store(const clm_map *map, clmove_map *given);

/* Axes between one map and the next, outermost first. Their `dim` has no meaning but in a list that clm_list_keep made. */
typedef struct clm_axis_list {
    int32_t count;
    clm_map_axis axes[CLM_MAX_AXES];
} clm_axis_list;

/* Elements of a shape, 0 when a dimension is 0. Raises OVERFLOW, naming the dimension at which the bytes pass INT64_MAX. */
clmove_status clm_count_elements(uint32_t element_bits, int32_t rank, const int64_t *dims, int64_t *elements,
                                 clmove_error *error);

/* Loads a map for an operator. Raises INVALID_ARGUMENT for NULL, and for a map whose destination is a view. */
clmove_status clm_map_open(const clmove_map *given, clm_map *map, clmove_error *error);

/* Loads a map, and checks that the public functions can have made it, so that executors need not check. Raises INVALID_ARGUMENT,
 * BAD_SHAPE, OVERFLOW. */
clmove_status clm_map_check(const clmove_map *given, clm_map *map, clmove_error *error);

/* Whether the map has no elements. */
bool clm_map_is_empty(const clm_map *map);

/* clmove_map_src_bytes and clmove_map_dst_bytes. */
int64_t clm_map_src_bytes(const clm_map *map);
int64_t clm_map_dst_bytes(const clm_map *map);

/* Checks a view of the destination's shape. *elements: how many elements its memory has at least. side: the name of the memory,
 * for sentences. Raises INVALID_ARGUMENT, OVERFLOW. */
clmove_status clm_view_check(const clm_map *map, const int64_t *strides, int64_t offset, const char *side, int64_t *elements,
                             clmove_error *error);

/* Checks that the strides nest: each is at least the spread of all smaller ones together. Raises BAD_SHAPE. */
clmove_status clm_view_check_nesting(const clm_map *map, const int64_t *strides, clmove_error *error);

/* Starts the map after `map`: the same source, another destination shape, no axes. Raises OVERFLOW. */
clmove_status clm_map_begin(const clm_map *map, int32_t rank, const int64_t *dims, clm_map *next, clmove_error *error);

/* Adds an axis to dimension dim, inside the axes added before. An extent of 1 adds nothing. */
void clm_map_append(clm_map *next, int32_t dim, int64_t extent, int64_t src_stride);

/* Adds all axes of a list to dimension dim. */
void clm_map_append_list(clm_map *next, int32_t dim, const clm_axis_list *list);

/* Adds the axes of a list to those that are kept for dimension dim. One list keeps those of all dimensions of a map, since 32
 * lists would take 50 KiB of the caller's stack. */
void clm_list_keep(clm_axis_list *kept, int32_t dim, const clm_axis_list *list);

/* Adds to dimension dim of a map the axes that are kept for dimension `of`. */
void clm_map_append_kept(clm_map *next, int32_t dim, const clm_axis_list *kept, int32_t of);

/* Lists the axes of dimension dim, or of the whole map. Neighbours are folded where one stride continues the other. */
#define CLM_ALL_DIMS (-1)
void clm_map_take(const clm_map *map, int32_t dim, clm_axis_list *list);

/* Moves the innermost `extent` elements of `list` to `inner`. False, and both lists undefined: an axis would be cut at a place
 * that does not divide it. *run is then the extent of that axis. */
bool clm_list_split(clm_axis_list *list, int64_t extent, clm_axis_list *inner, int64_t *run);

#endif
