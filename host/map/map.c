/* Starting a map, its views, its sizes, and the building blocks of the operators.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/map/map.h"

#include "host/checked.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

clmove_status clm_count_elements(uint32_t element_bits, int32_t rank, const int64_t *dims, int64_t *elements,
                                 clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    int64_t count = 1, bytes;
    for (int32_t i = 0; i < rank; i++)
        if (dims[i] == 0)
            count = 0;
    for (int32_t i = 0; i < rank && count > 0; i++)
        REQUIRE(clm_mul(count, dims[i], &count) && clm_bytes(count, element_bits, &bytes), OVERFLOW,
                "dimension %" PRId32 " (%" PRId64 ") takes the tensor past %" PRId64 " bytes", i, dims[i], INT64_MAX);
    *elements = count;
out:
    return status;
}

bool clm_map_is_empty(const clm_map *map) {
    for (int32_t i = 0; i < map->rank; i++)
        if (map->dims[i] == 0)
            return true;
    return false;
}

/* ---- the content of a caller's map ---- */

static const clm_map *look_at(const clmove_map *given) {
    return (const clm_map *)given->storage;
}

/* Assigned, since ThreadSanitizer does not see an inlined memcpy (GCC 12). */
void clm_map_load(const clmove_map *given, clm_map *map) {
    *map = *look_at(given);
}

void clm_map_store(const clm_map *map, clmove_map *given) {
    *(clm_map *)given->storage = *map;
}

uint32_t clmove_map_element_bits(const clmove_map *map) {
    return map ? look_at(map)->element_bits : 0;
}

int64_t clmove_map_rank(const clmove_map *map) {
    return map ? look_at(map)->rank : 0;
}

const int64_t *clmove_map_dims(const clmove_map *map) {
    return map ? look_at(map)->dims : NULL;
}

/* ---- building blocks ---- */

clmove_status clm_map_open(const clmove_map *given, clm_map *map, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    REQUIRE(given, INVALID_ARGUMENT, "map is NULL");
    clm_map_load(given, map);
    REQUIRE(!map->dst_is_view, INVALID_ARGUMENT, "the destination is already a view: describe it after the last operator");
out:
    return status;
}

clmove_status clm_map_begin(const clm_map *map, int32_t rank, const int64_t *dims, clm_map *next, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    int64_t elements;
    TRY(clm_count_elements(map->element_bits, rank, dims, &elements, error));
    *next = (clm_map){
        .rank = rank,
        .element_bits = map->element_bits,
        .src_is_view = map->src_is_view,
        .src_elements = map->src_elements,
        .src_offset = map->src_offset,
    };
    if (rank > 0)
        memcpy(next->dims, dims, (size_t)rank * sizeof *dims);
out:
    return status;
}

void clm_map_append(clm_map *next, int32_t dim, int64_t extent, int64_t src_stride) {
    if (extent > 1)
        next->axes[next->axis_count++] = (clm_map_axis){.extent = extent, .src_stride = src_stride, .dim = dim};
}

void clm_map_append_list(clm_map *next, int32_t dim, const clm_axis_list *list) {
    for (int32_t i = 0; i < list->count; i++)
        clm_map_append(next, dim, list->axes[i].extent, list->axes[i].src_stride);
}

void clm_list_keep(clm_axis_list *kept, int32_t dim, const clm_axis_list *list) {
    for (int32_t i = 0; i < list->count; i++)
        if (list->axes[i].extent > 1) { /* of which a map has fewer than CLM_MAX_AXES: their product is its elements */
            kept->axes[kept->count] = list->axes[i];
            kept->axes[kept->count++].dim = dim;
        }
}

void clm_map_append_kept(clm_map *next, int32_t dim, const clm_axis_list *kept, int32_t of) {
    for (int32_t i = 0; i < kept->count; i++)
        if (kept->axes[i].dim == of)
            clm_map_append(next, dim, kept->axes[i].extent, kept->axes[i].src_stride);
}

/* Adds an axis inside those of the list, folding it into the last one where its stride continues. */
static void push_folded(clm_axis_list *list, clm_map_axis axis) {
    int64_t spread;
    if (list->count > 0 && clm_mul(axis.extent, axis.src_stride, &spread) && list->axes[list->count - 1].src_stride == spread) {
        clm_map_axis *last = &list->axes[list->count - 1];
        last->extent *= axis.extent;
        last->src_stride = axis.src_stride;
    } else
        list->axes[list->count++] = axis;
}

void clm_map_take(const clm_map *map, int32_t dim, clm_axis_list *list) {
    list->count = 0;
    for (int32_t i = 0; i < map->axis_count; i++)
        if (dim == CLM_ALL_DIMS || map->axes[i].dim == dim)
            push_folded(list, map->axes[i]);
}

bool clm_list_split(clm_axis_list *list, int64_t extent, clm_axis_list *inner, int64_t *run) {
    clm_map_axis taken[CLM_MAX_AXES];
    int32_t count = 0;
    while (extent > 1) {
        clm_map_axis *last = &list->axes[list->count - 1];
        if (extent % last->extent == 0) {
            extent /= last->extent;
            taken[count++] = *last;
            list->count--;
        } else if (last->extent % extent == 0) {
            taken[count++] = (clm_map_axis){.extent = extent, .src_stride = last->src_stride};
            last->extent /= extent;
            last->src_stride *= extent;
            extent = 1;
        } else {
            *run = last->extent;
            return false;
        }
    }
    inner->count = count;
    for (int32_t i = 0; i < count; i++)
        inner->axes[i] = taken[count - 1 - i];
    return true;
}

/* ---- starting a map ---- */

static clmove_status init(clm_map *next, uint32_t element_bits, int64_t rank, const int64_t *dims, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_map nothing = {.element_bits = element_bits};
    int64_t elements;
    REQUIRE(element_bits == 1 || element_bits == 2 || element_bits == 4 || (element_bits != 0 && element_bits % 8 == 0),
            INVALID_ARGUMENT, "an element of %" PRIu32 " bits: the width must be 1, 2, 4 or a multiple of 8 bits", element_bits);
    REQUIRE(rank >= 0 && rank <= CLMOVE_MAX_RANK, BAD_SHAPE, "rank %" PRId64 " is not in 0 to %d", rank, CLMOVE_MAX_RANK);
    REQUIRE(dims || rank == 0, INVALID_ARGUMENT, "dims is NULL but rank is %" PRId64, rank);
    for (int32_t i = 0; i < rank; i++)
        REQUIRE(dims[i] >= 0, BAD_SHAPE, "dimension %" PRId32 " is %" PRId64 ", it must be at least 0", i, dims[i]);
    TRY(clm_count_elements(element_bits, (int32_t)rank, dims, &elements, error));
    TRY(clm_map_begin(&nothing, (int32_t)rank, dims, next, error));
    next->is_fresh = true;
    next->src_elements = elements;
    int64_t stride = elements;
    for (int32_t i = 0; i < rank && elements > 0; i++) {
        stride /= dims[i];
        clm_map_append(next, i, dims[i], stride);
    }
out:
    return status;
}

clmove_status clmove_map_init(clmove_map *map, uint32_t element_bits, int64_t rank, const int64_t *dims, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_map next;
    REQUIRE(map, INVALID_ARGUMENT, "map is NULL");
    TRY(init(&next, element_bits, rank, dims, error));
    *map = (clmove_map){{0}};
    clm_map_store(&next, map);
out:
    return status;
}

/* ---- views ---- */

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

/* ---- sizes ---- */

int64_t clm_map_src_bytes(const clm_map *map) {
    int64_t bytes = 0;
    return clm_bytes(map->src_elements, map->element_bits, &bytes) ? bytes : 0;
}

int64_t clm_map_dst_bytes(const clm_map *map) {
    int64_t elements = 0, bytes = 0;
    if (clm_map_is_empty(map))
        return 0;
    if (map->dst_is_view) {
        if (clm_view_check(map, map->dst_strides, map->dst_offset, "destination", &elements, NULL) != CLMOVE_OK)
            return 0;
    } else if (clm_count_elements(map->element_bits, map->rank, map->dims, &elements, NULL) != CLMOVE_OK)
        return 0;
    return clm_bytes(elements, map->element_bits, &bytes) ? bytes : 0;
}

int64_t clmove_map_src_bytes(const clmove_map *map) {
    clm_map it;
    return map ? (clm_map_load(map, &it), clm_map_src_bytes(&it)) : 0;
}

int64_t clmove_map_dst_bytes(const clmove_map *map) {
    clm_map it;
    return map ? (clm_map_load(map, &it), clm_map_dst_bytes(&it)) : 0;
}

clmove_status clm_map_check(const clmove_map *given, clm_map *map, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_map fresh;
    REQUIRE(given, INVALID_ARGUMENT, "map is NULL");
    clm_map_load(given, map);
    TRY(init(&fresh, map->element_bits, map->rank, map->dims, error)); /* widths, ranks, dims, overflow */
    REQUIRE(map->axis_count >= 0 && map->axis_count <= CLM_MAX_AXES, INVALID_ARGUMENT, "the map is not initialised");
    int64_t bytes, first = map->src_offset, last = map->src_offset;
    int32_t axis = 0;
    REQUIRE(map->src_elements >= 0 && clm_bytes(map->src_elements, map->element_bits, &bytes), INVALID_ARGUMENT,
            "the map is not initialised: its source has %" PRId64 " elements", map->src_elements);
    for (int32_t dim = 0; dim < map->rank && !clm_map_is_empty(map); dim++) {
        int64_t extent = 1;
        for (; axis < map->axis_count && map->axes[axis].dim == dim; axis++) {
            const clm_map_axis *a = &map->axes[axis];
            REQUIRE(a->extent > 1 && clm_mul(extent, a->extent, &extent) &&
                        clm_mul_add(a->extent - 1, a->src_stride, a->src_stride < 0 ? &first : &last),
                    INVALID_ARGUMENT, "the map is not initialised: axis %" PRId32 " is not one that the operators make", axis);
        }
        REQUIRE(extent == map->dims[dim], INVALID_ARGUMENT, "the map is not initialised: dimension %" PRId32 " has no axes", dim);
    }
    REQUIRE(axis == map->axis_count, INVALID_ARGUMENT, "the map is not initialised: it has axes of no dimension");
    REQUIRE(clm_map_is_empty(map) || (first >= 0 && last < map->src_elements), INVALID_ARGUMENT,
            "the map is not initialised: it reads past its source");
    if (map->dst_is_view && !clm_map_is_empty(map)) {
        int64_t elements;
        TRY(clm_view_check(map, map->dst_strides, map->dst_offset, "destination", &elements, error));
        TRY(clm_view_check_nesting(map, map->dst_strides, error));
    }
out:
    return status;
}
