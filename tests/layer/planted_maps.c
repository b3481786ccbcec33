/* See planted_maps.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "planted_maps.h"

#include "layer.h"

#include <stdlib.h>
#include <string.h>

/* SpaceToDepth of bytes by 7, the least that takes two passes by launches. */
enum { IMAGES = 16, CHANNELS = 256, SIDE = 14, BLOCK = 7, BYTES = IMAGES * CHANNELS * SIDE * SIDE };

static void move(const uint8_t *src, uint8_t *dst) {
    const int64_t blocks = SIDE / BLOCK;
    for (int64_t i = 0; i < BYTES; i++) {
        const int64_t x = i % SIDE, y = i / SIDE % SIDE, channel = i / (SIDE * SIDE) % CHANNELS,
                      image = i / (SIDE * SIDE * CHANNELS);
        const int64_t depth = (y % BLOCK * BLOCK + x % BLOCK) * CHANNELS + channel;
        dst[((image * BLOCK * BLOCK * CHANNELS + depth) * blocks + y / BLOCK) * blocks + x / BLOCK] = src[i];
    }
}

/* Plans and runs, and returns the variant and the launches. */
static clmove_plan_info run(const uint8_t *src, const uint8_t *wanted, uint8_t *got) {
    clmove_plan_info info = {.struct_size = sizeof info};
    clmove_map map;
    faults->pretend(false, 0);
    ASSERT_OK(journey_open(&way, "cpu", false), &way.error);
    ASSERT_OK(clmove_map_init(&map, 8, 4, (int64_t[]){IMAGES, CHANNELS, SIDE, SIDE}, &way.error), &way.error);
    ASSERT_OK(clmove_map_space_to_depth(&map, BLOCK, CLMOVE_BLOCKS_FIRST, CLMOVE_RULES_OPENVINO, &way.error), &way.error);
    ASSERT_OK(clmove_plan_create(way.device, &map, NULL, &way.plan, &way.error), &way.error);
    ASSERT_OK(clmove_plan_get_info(way.plan, &info, &way.error), &way.error);
    memset(got, 0, BYTES);
    ASSERT_OK(clmove_run(way.plan, src, BYTES, got, BYTES, &way.error), &way.error);
    check_bytes(got, wanted, BYTES, "two passes, or what is right");
    return info;
}

void passes_with_a_wrong_part_are_not_used(void **state) {
    (void)state;
    uint8_t *src = malloc(BYTES), *wanted = malloc(BYTES), *got = malloc(BYTES);
    assert_true(src && wanted && got);
    fill_noise(src, BYTES, 3);
    move(src, wanted);
    plant->sow(NULL, NULL);
    const clmove_plan_info right = run(src, wanted, got);
    journey_end(&way);
    if (strcmp(right.variant, "two_passes") == 0) { /* not of plain kernels */
        assert_true(right.launches >= 2);
        plant->sow("transpose", "true");
        const clmove_plan_info other = run(src, wanted, got);
        assert_true(plant->sown() > 0);
        assert_string_not_equal(other.variant, "two_passes");
        assert_mentions(way.log_text, "transpose");
        journey_end(&way);
        plant->sow("transpose", "INDEX_BITS == 32");
        const clmove_plan_info wide = run(src, wanted, got);
        assert_string_equal(wide.variant, "two_passes");
        assert_int_equal(wide.index_bits, 64);
        journey_end(&way);
    }
    check_no_object_left();
    free(src);
    free(wanted);
    free(got);
}

/* Small matrices, too few to be looked up: shuffle is passed over as slow, and comes before what is chosen. */
void slow_ones_come_last(void **state) {
    (void)state;
    clmove_map map;
    clmove_plan_info info = {.struct_size = sizeof info};
    ASSERT_OK(clmove_map_init(&map, 32, 3, (const int64_t[]){9, 5, 7}, &way.error), &way.error);
    ASSERT_OK(clmove_map_permute(&map, 3, (const int64_t[]){0, 2, 1}, &way.error), &way.error);
    const clmove_plan_params forced = {.struct_size = sizeof forced, .variant = "shuffle"};
    plant->sow(NULL, NULL);
    faults->pretend(false, 0);
    ASSERT_OK(journey_open(&way, "cpu", false), &way.error);
    const clmove_status has_shuffle = clmove_plan_create(way.device, &map, &forced, &way.plan, &way.error);
    journey_end(&way);
    for (int planted = 0; planted < 2 && has_shuffle == CLMOVE_OK; planted++) { /* not of plain kernels */
        plant->sow(planted ? "" : NULL, planted ? "args.src_run == 0" : NULL);  /* which is a shuffle's number of blocks */
        faults->pretend(false, 0);
        ASSERT_OK(journey_open(&way, "cpu", false), &way.error);
        ASSERT_OK(clmove_plan_create(way.device, &map, NULL, &way.plan, &way.error), &way.error);
        ASSERT_OK(clmove_plan_get_info(way.plan, &info, &way.error), &way.error);
        assert_int_equal(strcmp(info.variant, "shuffle") == 0, planted);
        journey_end(&way);
    }
}
