/* Strided views of the source and of the destination.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/map/map.h"

clmove_status clmove_map_view_src(clmove_map *given, const int64_t *strides, int64_t offset, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_map now, next, *map = &now;
    int64_t elements;
    TRY(clm_map_open(given, map, error));
    REQUIRE(map->is_fresh, INVALID_ARGUMENT, "the source can be made a view only right after clmove_map_init");
    TRY(clm_view_check(map, strides, offset, "source", &elements, error));
    TRY(clm_map_begin(map, map->rank, map->dims, &next, error));
    next.src_is_view = true;
    next.src_elements = elements;
    next.src_offset = elements > 0 ? offset : 0;
    for (int32_t i = 0; i < map->rank && elements > 0; i++)
        clm_map_append(&next, i, map->dims[i], strides[i]);
    clm_map_store(&next, given);
out:
    return status;
}

clmove_status clmove_map_view_dst(clmove_map *given, const int64_t *strides, int64_t offset, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_map now, *map = &now;
    int64_t elements;
    TRY(clm_map_open(given, map, error));
    TRY(clm_view_check(map, strides, offset, "destination", &elements, error));
    if (elements > 0)
        TRY(clm_view_check_nesting(map, strides, error));
    map->dst_is_view = true;
    map->dst_offset = elements > 0 ? offset : 0;
    for (int32_t i = 0; i < map->rank; i++)
        map->dst_strides[i] = strides[i];
    clm_map_store(map, given);
out:
    return status;
}
