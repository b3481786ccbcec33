/* SPDX-License-Identifier: Apache-2.0 */
#include "random_maps.h"

#include "support.h"

#define MAX_ELEMENTS 3000

static uint64_t random_state;

int64_t pick(int64_t below) {
    random_state = random_state * 6364136223846793005U + 1442695040888963407U;
    return (int64_t)((random_state >> 33) % (uint64_t)below);
}

void pick_from(uint64_t seed) {
    random_state = seed;
}

int64_t elements_of(const clmove_map *map) {
    int64_t elements = 1;
    for (int64_t i = 0; i < clmove_map_rank(map); i++)
        elements *= clmove_map_dims(map)[i];
    return elements;
}

void random_map(clmove_map *map) {
    static const uint32_t widths[] = {1, 1, 2, 4, 8, 8, 16, 24, 32, 40, 48, 64, 96, 128, 384};
    int64_t dims[4], values[8], order[CLMOVE_MAX_RANK], rank = pick(5);
    for (int64_t i = 0; i < rank; i++)
        dims[i] = pick(40) ? 1 + pick(6) : 0;
    clmove_error error;
    ASSERT_OK(clmove_map_init(map, widths[pick(sizeof widths / sizeof *widths)], rank, dims, &error), &error);
    if (pick(4) == 0) {
        int64_t offset = pick(5);
        for (int64_t i = 0; i < rank; i++) {
            values[i] = pick(9) - 4;
            offset += values[i] < 0 ? -values[i] * dims[i] : 0;
        }
        ASSERT_OK(clmove_map_view_src(map, values, offset, &error), &error);
    }
    for (int64_t steps = pick(4); steps > 0; steps--) {
        clmove_map before = *map;
        for (int i = 0; i < 8; i++)
            values[i] = pick(9) ? 1 + pick(4) : 0;
        int64_t now = clmove_map_rank(map);
        for (int64_t i = 0; i < now; i++)
            order[i] = i;
        for (int64_t i = now - 1; i > 0; i--) {
            int64_t other = pick(i + 1), swapped = order[i];
            order[i] = order[other];
            order[other] = swapped;
        }
        switch (pick(5)) {
        case 0:
            clmove_map_tile(map, now < 6 ? now + pick(2) : 0, values, CLMOVE_RULES_OPENVINO, NULL);
            break;
        case 1:
            clmove_map_permute(map, now, order, NULL);
            break;
        case 2:
            clmove_map_space_to_depth(map, 1 + pick(3), (clmove_mode)pick(2), CLMOVE_RULES_OPENVINO, NULL);
            break;
        case 3:
            clmove_map_depth_to_space(map, 1 + pick(3), (clmove_mode)pick(2), CLMOVE_RULES_OPENVINO, NULL);
            break;
        default:
            clmove_map_reshape(map, 2, (const int64_t[]){1 + pick(6), -1}, NULL);
        }
        if (elements_of(map) > MAX_ELEMENTS)
            *map = before;
    }
    if (pick(4) == 0) { /* nested strides in a random order, with gaps */
        int64_t strides[CLMOVE_MAX_RANK] = {0}, span = 1 + pick(3), offset = pick(4);
        for (int64_t i = clmove_map_rank(map) - 1; i >= 0; i--) {
            int64_t dim = clmove_map_dims(map)[i] > 1 ? clmove_map_dims(map)[i] : 1;
            strides[i] = pick(3) ? span : -span;
            offset += strides[i] < 0 ? (dim - 1) * span : 0;
            span = span * dim + pick(3);
        }
        ASSERT_OK(clmove_map_view_dst(map, strides, offset, &error), &error);
    }
}
