/* What the operators share: counting elements, and taking a map apart and putting it together again axis by axis.
 *
 * An operator builds the next map beside the present one and assigns it when all went well, so a failure changes nothing.
 * A map without elements has no axes; its operators only change dims.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_MAP_MAP_H
#define CLMOVE_HOST_MAP_MAP_H

#include "host/error.h"

/* Axes of extent 1 are never stored and the product of all extents fits in int64_t, so no map needs more. */
#define CLM_MAX_AXES 64

/* One loop over the source. Axes stand outermost first; those of one destination dimension are neighbours, and the index in
 * that dimension counts them like digits. The destination stride follows from that and is not stored. */
typedef struct clm_map_axis {
    int64_t extent;     /* at least 2 */
    int64_t src_stride; /* elements; zero and negative are legal */
    int32_t dim;        /* the destination dimension this axis belongs to */
} clm_map_axis;

/* What a clmove_map holds, whose words have another type. */
typedef struct __attribute__((may_alias)) clm_map {
    int64_t dims[CLMOVE_MAX_RANK];        /* of the destination */
    int32_t rank;                         /* of the destination, 0 to CLMOVE_MAX_RANK */
    uint32_t element_bits;                /* 1, 2, 4 or a multiple of 8 */
    bool is_fresh;                        /* nothing was done to it since clmove_map_init */
    bool src_is_view;                     /* whether clmove_map_view_src described the source */
    bool dst_is_view;                     /* false: the destination is dense from its first byte */
    int64_t dst_strides[CLMOVE_MAX_RANK]; /* elements, used when dst_is_view */
    int64_t dst_offset;                   /* elements, used when dst_is_view */
    int64_t src_elements;                 /* elements the source memory holds at least */
    int64_t src_offset;                   /* element of the source that destination index 0 is */
    int32_t axis_count;
    clm_map_axis axes[CLM_MAX_AXES];
} clm_map;

_Static_assert(sizeof(clm_map) <= sizeof(clmove_map) && _Alignof(clm_map) <= _Alignof(clmove_map),
               "a map has outgrown its public storage");

/* The only two that look into a caller's map: what it holds, and what it is to hold. */
void clm_map_load(const clmove_map *given, clm_map *map);
void clm_map_store(const clm_map *map, clmove_map *given);

/* Axes on their way from one map to the next, outermost first; their `dim` is meaningless. */
typedef struct clm_axis_list {
    int32_t count;
    clm_map_axis axes[CLM_MAX_AXES];
} clm_axis_list;

/* Elements of a shape, 0 when a dimension is 0. Raises OVERFLOW, naming the dimension at which the bytes pass INT64_MAX. */
clmove_status clm_count_elements(uint32_t element_bits, int32_t rank, const int64_t *dims, int64_t *elements,
                                 clmove_error *error);

/* Loads a map that is to be transformed: not NULL, the destination no view. */
clmove_status clm_map_open(const clmove_map *given, clm_map *map, clmove_error *error);

/* Loads a map, and checks that it is one that the public functions can have made, so that executors need not. */
clmove_status clm_map_check(const clmove_map *given, clm_map *map, clmove_error *error);

/* Whether the map has no elements. */
bool clm_map_is_empty(const clm_map *map);

/* clmove_map_src_bytes and clmove_map_dst_bytes. */
int64_t clm_map_src_bytes(const clm_map *map);
int64_t clm_map_dst_bytes(const clm_map *map);

/* Checks a view of the destination's shape, and gives the elements that its memory holds at least. side: of which memory, for the
 * sentence. Raises INVALID_ARGUMENT, OVERFLOW. */
clmove_status clm_view_check(const clm_map *map, const int64_t *strides, int64_t offset, const char *side, int64_t *elements,
                             clmove_error *error);

/* Checks that the strides nest: from the smallest up, each steps over all that the smaller ones span. Raises BAD_SHAPE. */
clmove_status clm_view_check_nesting(const clm_map *map, const int64_t *strides, clmove_error *error);

/* Starts the map that follows `map`: the same source, another destination shape, no axes yet. Raises OVERFLOW. */
clmove_status clm_map_begin(const clm_map *map, int32_t rank, const int64_t *dims, clm_map *next, clmove_error *error);

/* Adds an axis to dimension dim, inside those added before. An extent of 1 adds nothing. */
void clm_map_append(clm_map *next, int32_t dim, int64_t extent, int64_t src_stride);

/* Adds all axes of a list to dimension dim. */
void clm_map_append_list(clm_map *next, int32_t dim, const clm_axis_list *list);

/* The axes of dimension dim, neighbours folded where one stride continues the other. */
void clm_map_take(const clm_map *map, int32_t dim, clm_axis_list *list);

/* The axes of the whole map, folded likewise. */
void clm_map_take_all(const clm_map *map, clm_axis_list *list);

/* Moves the innermost `extent` elements of `list` to `inner`. False, and both lists undefined, when an axis would be cut at
 * a place that does not divide it; *run is then the extent of that axis. */
bool clm_list_split(clm_axis_list *list, int64_t extent, clm_axis_list *inner, int64_t *run);

#endif
