/* Permute and reshape: the same elements in another order, or in another shape.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/checked.h"
#include "host/map/map.h"

#include <inttypes.h>

clmove_status clmove_map_permute(clmove_map *given, int64_t count, const int64_t *order, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_map now, next, *map = &now;
    clm_axis_list list;
    int64_t dims[CLMOVE_MAX_RANK] = {0};
    bool used[CLMOVE_MAX_RANK] = {false};
    TRY(clm_map_open(given, map, error));
    REQUIRE(order || count == 0, INVALID_ARGUMENT, "order is NULL but count is %" PRId64, count);
    REQUIRE(count == map->rank, BAD_SHAPE, "the order has length %" PRId64 ", and the tensor has rank %" PRId32, count,
            map->rank);
    for (int32_t i = 0; i < count; i++) {
        REQUIRE(order[i] >= 0 && order[i] < count, BAD_SHAPE, "order %" PRId32 " is %" PRId64 ", it must be in 0 to %" PRId64, i,
                order[i], count - 1);
        REQUIRE(!used[order[i]], BAD_SHAPE,
                "dimension %" PRId64 " stands twice in the order, which must have each of 0 to %" PRId64 " once", order[i],
                count - 1);
        used[order[i]] = true;
        dims[i] = map->dims[order[i]];
    }
    TRY(clm_map_begin(map, (int32_t)count, dims, &next, error));
    for (int32_t i = 0; i < count; i++) {
        clm_map_take(map, (int32_t)order[i], &list);
        clm_map_append_list(&next, i, &list);
    }
    clm_map_store(&next, given);
out:
    return status;
}

/* Copies the shape with its -1, if any, computed. */
static clmove_status complete_shape(const clm_map *map, int32_t rank, const int64_t *dims, int64_t *full, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    int64_t present, known = 1, count;
    int32_t open = -1;
    TRY(clm_count_elements(map->element_bits, map->rank, map->dims, &present, error));
    for (int32_t i = 0; i < rank; i++) {
        REQUIRE(dims[i] >= -1, BAD_SHAPE, "dimension %" PRId32 " of the new shape is %" PRId64 ", it must be at least 0, or -1",
                i, dims[i]);
        REQUIRE(dims[i] != -1 || open < 0, BAD_SHAPE, "dimensions %" PRId32 " and %" PRId32 " of the new shape are both -1", open,
                i);
        full[i] = dims[i];
        if (dims[i] == -1) {
            open = i;
            full[i] = 1;
        }
    }
    TRY(clm_count_elements(map->element_bits, rank, full, &known, error));
    if (open >= 0) {
        REQUIRE(known > 0 && present % known == 0, BAD_SHAPE,
                "dimension %" PRId32 " of the new shape cannot be computed: %" PRId64 " elements over %" PRId64, open, present,
                known);
        full[open] = present / known;
    }
    TRY(clm_count_elements(map->element_bits, rank, full, &count, error));
    REQUIRE(count == present, BAD_SHAPE, "the new shape has %" PRId64 " elements, the tensor %" PRId64, count, present);
out:
    return status;
}

clmove_status clmove_map_reshape(clmove_map *given, int64_t asked, const int64_t *dims, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_map now, next, *map = &now;
    clm_axis_list rest, part, parts = {0};
    int64_t full[CLMOVE_MAX_RANK] = {0}, run;
    TRY(clm_map_open(given, map, error));
    REQUIRE(asked >= 0 && asked <= CLMOVE_MAX_RANK, BAD_SHAPE, "rank %" PRId64 " is not in 0 to %d", asked, CLMOVE_MAX_RANK);
    REQUIRE(dims || asked == 0, INVALID_ARGUMENT, "dims is NULL but rank is %" PRId64, asked);
    int32_t rank = (int32_t)asked;
    TRY(complete_shape(map, rank, dims, full, error));
    TRY(clm_map_begin(map, rank, full, &next, error));
    clm_map_take(map, CLM_ALL_DIMS, &rest);
    for (int32_t i = rank - 1; i >= 0 && !clm_map_is_empty(map); i--) {
        REQUIRE(clm_list_split(&rest, full[i], &part, &run), UNSUPPORTED,
                "dimension %" PRId32 " of the new shape (%" PRId64 ") cuts across runs of %" PRId64
                " elements that earlier steps left apart: "
                "no single map can express it; run the map up to here and start another",
                i, full[i], run);
        clm_list_keep(&parts, i, &part);
    }
    for (int32_t i = 0; i < rank && !clm_map_is_empty(map); i++)
        clm_map_append_kept(&next, i, &parts, i);
    clm_map_store(&next, given);
out:
    return status;
}
