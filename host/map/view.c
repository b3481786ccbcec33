/* Strided views of the source and of the destination.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/checked.h"
#include "host/map/map.h"

#include <inttypes.h>

/* First and last element that a view touches. */
static bool view_spread(const clm_map *map, const int64_t *strides, int64_t offset, int64_t *first, int64_t *last) {
    *first = *last = offset;
    for (int32_t i = 0; i < map->rank; i++) {
        bool fits =
            strides[i] == INT64_MIN ? map->dims[i] < 2 : clm_mul_add(map->dims[i] - 1, strides[i], strides[i] < 0 ? first : last);
        if (!fits)
            return false;
    }
    return true;
}

clmove_status clm_view_check(const clm_map *map, const int64_t *strides, int64_t offset, const char *side, int64_t *elements,
                             clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    int64_t first = 0, last = -1, bytes;
    REQUIRE(strides || map->rank == 0, INVALID_ARGUMENT, "strides is NULL but the rank is %" PRId32, map->rank);
    if (!clm_map_is_empty(map)) {
        REQUIRE(view_spread(map, strides, offset, &first, &last) && last < INT64_MAX &&
                    clm_bytes(last + 1, map->element_bits, &bytes),
                OVERFLOW, "the %s view reaches past %" PRId64 " bytes", side, INT64_MAX);
        REQUIRE(first >= 0, INVALID_ARGUMENT, "the %s view begins at element %" PRId64 ": its offset must be at least %" PRId64,
                side, first, offset - first);
    }
    *elements = last + 1;
out:
    return status;
}

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

clmove_status clm_view_check_nesting(const clm_map *map, const int64_t *strides, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    bool placed[CLMOVE_MAX_RANK] = {false};
    int64_t spread = 0; /* every stride of a checked view with more than one index can be negated */
    for (;;) {
        int32_t next = -1;
        for (int32_t i = 0; i < map->rank; i++)
            if (!placed[i] && map->dims[i] > 1 && (next < 0 || imaxabs(strides[i]) < imaxabs(strides[next])))
                next = i;
        if (next < 0)
            break;
        REQUIRE(imaxabs(strides[next]) > spread, BAD_SHAPE,
                "destination stride %" PRId64 " of dimension %" PRId32
                " is too small: elements would share a place with, or interleave "
                "with, those of the dimensions inside it, which take %" PRId64 " elements",
                strides[next], next, spread + 1);
        spread += (map->dims[next] - 1) * imaxabs(strides[next]);
        placed[next] = true;
    }
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
