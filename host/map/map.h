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

/* Axes on their way from one map to the next, outermost first; their `dim` is meaningless. */
typedef struct clm_axis_list {
    int32_t count;
    clmove_axis axes[CLMOVE_MAX_AXES];
} clm_axis_list;

/* Elements of a shape, 0 when a dimension is 0. Raises OVERFLOW, naming the dimension at which the bytes pass INT64_MAX. */
clmove_status clm_count_elements(uint32_t element_bits, int32_t rank, const int64_t *dims, int64_t *elements,
                                 clmove_error *error);

/* Checks that a map may be transformed (not NULL, the destination no view). */
clmove_status clm_map_check_open(const clmove_map *map, clmove_error *error);

/* Checks that a map is one that the public functions can have made, so that executors need not. */
clmove_status clm_map_check(const clmove_map *map, clmove_error *error);

/* Whether the map has no elements. */
bool clm_map_is_empty(const clmove_map *map);

/* Starts the map that follows `map`: the same source, another destination shape, no axes yet. Raises OVERFLOW. */
clmove_status clm_map_begin(const clmove_map *map, int32_t rank, const int64_t *dims, clmove_map *next, clmove_error *error);

/* Adds an axis to dimension dim, inside those added before. An extent of 1 adds nothing. */
void clm_map_append(clmove_map *next, int32_t dim, int64_t extent, int64_t src_stride);

/* Adds all axes of a list to dimension dim. */
void clm_map_append_list(clmove_map *next, int32_t dim, const clm_axis_list *list);

/* The axes of dimension dim, neighbours folded where one stride continues the other. */
void clm_map_take(const clmove_map *map, int32_t dim, clm_axis_list *list);

/* The axes of the whole map, folded likewise. */
void clm_map_take_all(const clmove_map *map, clm_axis_list *list);

/* Moves the innermost `extent` elements of `list` to `inner`. False, and both lists undefined, when an axis would be cut at
 * a place that does not divide it; *run is then the extent of that axis. */
bool clm_list_split(clm_axis_list *list, int64_t extent, clm_axis_list *inner, int64_t *run);

#endif
