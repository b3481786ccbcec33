/* Tile in its forms, and expand: axes that read the same source again.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/checked.h"
#include "host/map/map.h"

#include <inttypes.h>

/* Repeats dimension i of the map, promoted to `rank` with 1s in front, repeats[i] times (each at least 0). */
static clmove_status repeat_dims(const clm_map *map, int32_t rank, const int64_t *repeats, clmove_map *given,
                                 clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_map next;
    clm_axis_list list;
    int64_t dims[CLMOVE_MAX_RANK] = {0};
    int32_t promoted = rank - map->rank;
    for (int32_t i = 0; i < rank; i++) {
        int64_t dim = i < promoted ? 1 : map->dims[i - promoted];
        REQUIRE(clm_mul(dim, repeats[i], &dims[i]), OVERFLOW,
                "dimension %" PRId32 ": %" PRId64 " repeated %" PRId64 " times is more than %" PRId64, i, dim, repeats[i],
                INT64_MAX);
    }
    TRY(clm_map_begin(map, rank, dims, &next, error));
    for (int32_t i = 0; i < rank && !clm_map_is_empty(&next); i++) {
        clm_map_append(&next, i, repeats[i], 0);
        if (i >= promoted) {
            clm_map_take(map, i - promoted, &list);
            clm_map_append_list(&next, i, &list);
        }
    }
    clm_map_store(&next, given);
out:
    return status;
}

clmove_status clmove_map_tile(clmove_map *given, int64_t count, const int64_t *repeats, clmove_rules rules, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_map now, *map = &now;
    int64_t full[CLMOVE_MAX_RANK];
    TRY(clm_map_open(given, map, error));
    REQUIRE(rules == CLMOVE_RULES_OPENVINO || rules == CLMOVE_RULES_ONNX, INVALID_ARGUMENT, "unknown rules %d", (int)rules);
    REQUIRE(count >= 0, INVALID_ARGUMENT, "count of repeats is %" PRId64 ", it must be at least 0", count);
    REQUIRE(repeats || count == 0, INVALID_ARGUMENT, "repeats is NULL but count is %" PRId64, count);
    REQUIRE(rules != CLMOVE_RULES_ONNX || count == map->rank, BAD_SHAPE,
            "%" PRId64 " repeats for a tensor of rank %" PRId32 ": ONNX requires one for each dimension", count, map->rank);
    REQUIRE(count <= CLMOVE_MAX_RANK, BAD_SHAPE, "%" PRId64 " repeats make a rank above %d", count, CLMOVE_MAX_RANK);
    int32_t rank = count > map->rank ? (int32_t)count : map->rank;
    for (int32_t i = 0; i < rank; i++) {
        int32_t own = i - (rank - (int32_t)count);
        full[i] = own < 0 ? 1 : repeats[own];
        REQUIRE(full[i] >= 0 || rules == CLMOVE_RULES_OPENVINO, BAD_SHAPE,
                "repeat %" PRId32 " is %" PRId64 ": ONNX requires at least 0", own, full[i]);
        if (full[i] < 0)
            full[i] = 0; /* as OpenVINO does */
    }
    TRY(repeat_dims(map, rank, full, given, error));
out:
    return status;
}

clmove_status clmove_map_tile_axis(clmove_map *given, int64_t tiles, int64_t axis, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_map now, *map = &now;
    int64_t repeats[CLMOVE_MAX_RANK];
    TRY(clm_map_open(given, map, error));
    REQUIRE(tiles >= 0, BAD_SHAPE, "tiles is %" PRId64 ", it must be at least 0", tiles);
    REQUIRE(axis >= -map->rank && axis < map->rank, BAD_SHAPE, "axis %" PRId64 " is out of range for a tensor of rank %" PRId32,
            axis, map->rank);
    int64_t index = axis < 0 ? axis + map->rank : axis;
    for (int32_t i = 0; i < map->rank; i++)
        repeats[i] = i == index ? tiles : 1;
    TRY(repeat_dims(map, map->rank, repeats, given, error));
out:
    return status;
}

clmove_status clmove_map_expand(clmove_map *given, int64_t rank, const int64_t *dims, clmove_rules rules, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_map now, *map = &now;
    int64_t repeats[CLMOVE_MAX_RANK];
    TRY(clm_map_open(given, map, error));
    REQUIRE(rules == CLMOVE_RULES_OPENVINO || rules == CLMOVE_RULES_ONNX, INVALID_ARGUMENT, "unknown rules %d", (int)rules);
    REQUIRE(rank >= 0 && rank <= CLMOVE_MAX_RANK, BAD_SHAPE, "rank %" PRId64 " is not in 0 to %d", rank, CLMOVE_MAX_RANK);
    REQUIRE(dims || rank == 0, INVALID_ARGUMENT, "dims is NULL but rank is %" PRId64, rank);
    REQUIRE(rank >= map->rank || rules == CLMOVE_RULES_ONNX, BAD_SHAPE,
            "the target has rank %" PRId64 ", less than the tensor's %" PRId32, rank, map->rank);
    int32_t asked = (int32_t)rank, larger = asked > map->rank ? asked : map->rank;
    for (int32_t i = 0; i < larger; i++) {
        int32_t own = i - (larger - map->rank), target_dim = i - (larger - asked);
        int64_t dim = own < 0 ? 1 : map->dims[own], target = target_dim < 0 ? 1 : dims[target_dim];
        REQUIRE(target >= 0, BAD_SHAPE, "dimension %" PRId32 " of the target is %" PRId64 ", it must be at least 0", target_dim,
                target);
        REQUIRE(target == dim || dim == 1 || (target == 1 && rules == CLMOVE_RULES_ONNX), BAD_SHAPE,
                "dimension %" PRId32 " is %" PRId64 " and cannot be broadcast to %" PRId64, own, dim, target);
        repeats[i] = dim == 1 ? target : 1;
    }
    TRY(repeat_dims(map, larger, repeats, given, error));
out:
    return status;
}
