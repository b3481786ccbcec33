/* The normal form: the ones worth pinning, what must not fold, and properties on random maps.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "case_words.h"
#include "form_walk.h"
#include "host/map/normal_form.h"
#include "random_maps.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RANDOM_MAPS 4000

typedef struct golden {
    test_case moved;
    const char *text;
} golden;

/* clang-format off */
static const golden goldens[] = {
    {{"tile f32 [8,64] by [4,1]", 32, DIMS(8, 64), STEPS(TILE(4, 1))}, "u16 [4:0:128][128:1:1]"},
    {{"tile f32 [4,5] by [2,3]", 32, DIMS(4, 5), STEPS(TILE(2, 3))}, "u4 [2:0:60][4:5:15][3:0:5][5:1:1]"},
    {{"tile f32 [64,1] by [1,8]", 32, DIMS(64, 1), STEPS(TILE(1, 8))}, "u4 [64:1:8][8:0:1]"},
    {{"tile by all ones", 32, DIMS(2, 3, 4), STEPS(TILE(1, 1, 1))}, "u16 [6:1:1]"},
    {{"s2d NHWC b2", 32, DIMS(2, 6, 10, 8), STEPS(PERMUTE(0, 3, 1, 2), S2D_BLOCKS(2), PERMUTE(0, 2, 3, 1))},
        "u16 [6:40:40][5:4:8][2:20:4][4:1:1]"},
    {{"s2d NCHW b2, blocks first", 32, DIMS(2, 8, 6, 10), STEPS(S2D_BLOCKS(2))},
        "u4 [2:480:480][2:10:240][2:1:120][24:20:5][5:2:1]"},
    {{"d2s NCHW b2, DCR folds C with H", 32, DIMS(2, 8, 3, 5), STEPS(D2S_BLOCKS(2))},
        "u4 [2:120:120][6:5:20][2:60:10][5:1:2][2:30:1]"},
    {{"d2s NCHW b2, CRD folds N with C", 32, DIMS(2, 8, 3, 5), STEPS(D2S_DEPTH(2))},
        "u4 [4:60:60][3:5:20][2:30:10][5:1:2][2:15:1]"},
    {{"s2d 1d is a transpose", 8, DIMS(1, 1, 12), STEPS(S2D_DEPTH(3))}, "u1 [3:1:4][4:3:1]"},
    {{"s2d then d2s", 8, DIMS(1, 3, 4, 6), STEPS(S2D_DEPTH(2), D2S_DEPTH(2))}, "u8 [9:1:1]"},
    {{"one element", 32, DIMS(1, 1)}, "u4 [1]"},
    {{"one element of 48 bytes", 384, DIMS(1)}, "u16 [3:1:1]"},
    {{"one pixel", 24, DIMS(1)}, "u1 [3:1:1]"},
    {{"rank 0", 64, NO_DIMS}, "u8 [1]"},
    {{"nothing", 32, DIMS(3, 0)}, "u4 [0:0:0]"},
    {{"nothing left", 8, DIMS(3, 5), STEPS(TILE(1, 0))}, "u1 [0:0:0]"},
    {{"128 bits", 1, DIMS(128)}, "u16 [1]"},
    {{"93 bits", 1, DIMS(93)}, "b1 [93:1:1]"},
    {{"62 nibbles, repeated", 4, DIMS(62), STEPS(TILE(3))}, "u1 [3:0:31][31:1:1]"},
    {{"odd nibbles, repeated", 4, DIMS(7), STEPS(TILE(3))}, "b4 [3:0:7][7:1:1]"},
    /* what must not fold */
    {{"a gap in the source", 32, DIMS(4, 8), SRC_VIEW(0, 12, 1)}, "u16 [4:3:2][2:1:1]"},
    {{"a gap in the destination", 32, DIMS(4, 8), DST_VIEW(0, 12, 1)}, "u16 [4:2:3][2:1:1]"},
    {{"a flip", 32, DIMS(4, 8), SRC_VIEW(24, -8, 1)}, "u16 [4:-2:2][2:1:1] src+6"},
    {{"transposed squares", 32, DIMS(4, 4), STEPS(PERMUTE(1, 0))}, "u4 [4:1:4][4:4:1]"},
    {{"repeats of repeats", 32, DIMS(1, 3, 1), STEPS(TILE(2, 1, 5))}, "u4 [2:0:15][3:1:5][5:0:1]"},
    /* what must, or may not, widen */
    {{"an odd source offset", 32, DIMS(8), SRC_VIEW(1, 1)}, "u4 [8:1:1] src+1"},
    {{"an even source offset", 32, DIMS(8), SRC_VIEW(2, 1)}, "u8 [4:1:1] src+1"},
    {{"an odd destination stride", 16, DIMS(3, 8), DST_VIEW(0, 9, 1)}, "u2 [3:8:9][8:1:1]"},
    /* repeats that do fold, and destinations that turn */
    {{"expand of two neighbours", 32, DIMS(1, 1, 3), STEPS(EXPAND(5, 7, 3))}, "u4 [35:0:3][3:1:1]"},
    {{"stores flipped", 32, DIMS(8), DST_VIEW(7, -1)}, "u4 [8:-1:1] src+7"},
    {{"both flipped", 32, DIMS(8), SRC_VIEW(7, -1), DST_VIEW(7, -1)}, "u16 [2:1:1]"},
    {{"stores transposed back", 32, DIMS(4, 6), STEPS(PERMUTE(1, 0)), DST_VIEW(0, 1, 6)}, "u16 [6:1:1]"},
};
/* clang-format on */

static void is_golden(void **state) {
    const golden *it = *state;
    clmove_map map;
    clm_normal_form form;
    char text[512];
    case_to_map(&it->moved, &map);
    form = normal_form_of(&map);
    assert_int_equal(clm_form_text(&form, text, sizeof text), strlen(it->text));
    assert_string_equal(text, it->text);
}

/* ---- properties ---- */

/* A form as its definition reads: unit by unit. */
static void move_by_form(const clm_normal_form *form, const uint8_t *src, uint8_t *dst) {
    if (clm_form_is_empty(form))
        return;
    form_walk at = form_walk_start(form);
    do
        if (form->unit_bits >= 8) {
            size_t width = form->unit_bits / 8;
            memcpy(dst + (size_t)at.dst * width, src + (size_t)at.src * width, width);
        } else
            for (uint32_t bit = 0; bit < form->unit_bits; bit++) /* bits in the order of their elements */
                copy_element(1, src, at.src * form->unit_bits + bit, dst, at.dst * form->unit_bits + bit);
    while (form_walk_next(&at));
}

/* Turns bytes round when units are counted from the least significant bit, so that one loop serves both orders. */
static void turn_bits(const clm_normal_form *form, uint8_t *memory, size_t bytes) {
    for (size_t i = 0; i < bytes && !form->msb_first; i++) {
        unsigned turned = 0;
        for (int bit = 0; bit < 8; bit++)
            turned |= ((unsigned)memory[i] >> bit & 1U) << (7 - bit);
        memory[i] = (uint8_t)turned;
    }
}

/* A map as host/map/map.h defines it: each dimension's axes count its index like digits. */
static void move_by_map(const clm_map *map, const uint8_t *src, uint8_t *dst) {
    int64_t extents[CLM_MAX_AXES], index[CLM_MAX_AXES] = {0};
    for (int32_t i = 0; i < map->axis_count; i++)
        extents[i] = map->axes[i].extent;
    for (int32_t i = 0; i < map->rank; i++)
        if (map->dims[i] == 0)
            return;
    do {
        int64_t place[CLMOVE_MAX_RANK] = {0}, from = map->src_offset, to = 0;
        for (int32_t i = 0; i < map->axis_count; i++) {
            from += index[i] * map->axes[i].src_stride;
            place[map->axes[i].dim] = place[map->axes[i].dim] * extents[i] + index[i];
        }
        for (int32_t i = 0; i < map->rank; i++)
            to = map->dst_is_view ? to + place[i] * map->dst_strides[i] : to * map->dims[i] + place[i];
        copy_element(map->element_bits, src, from, dst, to + (map->dst_is_view ? map->dst_offset : 0));
    } while (next_index(map->axis_count, extents, index));
}

/* The same form with its axes shuffled, split and with unit axes between. */
static clm_normal_form shuffled(const clm_normal_form *form) {
    clm_normal_form other = *form;
    for (int32_t i = 0; i < other.rank && other.rank + 2 < CLM_MAX_AXES; i++)
        for (int64_t part = 2; part <= 3; part++)
            if (other.axes[i].extent % part == 0 && other.axes[i].extent > part && pick(2)) {
                clm_axis *axis = &other.axes[i];
                other.axes[other.rank++] = (clm_axis){.extent = part, .src = axis->src, .dst = axis->dst};
                *axis = (clm_axis){.extent = axis->extent / part, .src = axis->src * part, .dst = axis->dst * part};
            }
    if (other.rank < CLM_MAX_AXES)
        other.axes[other.rank++] = (clm_axis){.extent = 1, .src = pick(100), .dst = pick(100)};
    for (int32_t i = other.rank - 1; i > 0; i--) {
        int32_t with = (int32_t)pick(i + 1);
        clm_axis axis = other.axes[i];
        other.axes[i] = other.axes[with];
        other.axes[with] = axis;
    }
    return other;
}

static void assert_same_form(const clm_normal_form *form, const clm_normal_form *other, const char *what) {
    char text[1024], other_text[1024];
    clm_form_text(form, text, sizeof text);
    clm_form_text(other, other_text, sizeof other_text);
    if (strcmp(text, other_text) != 0)
        fail_msg("%s: %s became %s", what, text, other_text);
}

static void properties_hold(void **state) {
    (void)state;
    int moved = 0, most_axes = 0;
    for (int i = 0; i < RANDOM_MAPS; i++) {
        clmove_map map;
        clm_map held;
        clm_normal_form raw, form;
        pick_from((uint64_t)i);
        random_map(&map);
        clm_map_load(&map, &held);
        clm_form_from_map(&held, &raw);
        form = raw;
        clm_form_normalise(&form);
        char text[1024], what[1100];
        clm_form_text(&form, text, sizeof text);
        snprintf(what, sizeof what, "random map %d, %s", i, text);

        clm_normal_form again = form, other = shuffled(&raw);
        clm_form_normalise(&again);
        assert_same_form(&form, &again, "idempotent");
        clm_form_normalise(&other);
        assert_same_form(&form, &other, "confluent");
        for (int32_t k = 0; k < form.rank && !clm_form_is_empty(&form); k++)
            if (form.axes[k].extent < 2 || form.axes[k].dst < 1 || (k > 0 && form.axes[k].dst >= form.axes[k - 1].dst))
                fail_msg("%s: axis %d is not normal", what, (int)k);
        assert_int_equal(clm_form_units(&form) * form.unit_bits, elements_of(&map) * clmove_map_element_bits(&map));

        size_t src_bytes = (size_t)clmove_map_src_bytes(&map), dst_bytes = (size_t)clmove_map_dst_bytes(&map);
        uint8_t *src = malloc(src_bytes + 1), *by_map = malloc(dst_bytes + 1), *by_form = malloc(dst_bytes + 1);
        assert_true(src && by_map && by_form);
        fill_noise(src, src_bytes, (uint32_t)i);
        fill_noise(by_map, dst_bytes, 7);
        fill_noise(by_form, dst_bytes, 7);
        move_by_map(&held, src, by_map);
        if (form.unit_bits < 8) {
            turn_bits(&form, src, src_bytes);
            turn_bits(&form, by_form, dst_bytes);
        }
        move_by_form(&form, src, by_form);
        if (form.unit_bits < 8)
            turn_bits(&form, by_form, dst_bytes);
        check_bytes(by_form, by_map, dst_bytes, what);
        free(src);
        free(by_map);
        free(by_form);
        moved += elements_of(&map) > 0;
        most_axes = form.rank > most_axes ? form.rank : most_axes;
    }
    printf("normal form: %d random maps moved something, with up to %d axes\n", moved, most_axes);
    assert_true(moved > RANDOM_MAPS / 2 && most_axes >= 6);
}

/* What callers overwrote in a map is seen before anything is moved by it. */
static void broken_maps_are_refused(void **state) {
    (void)state;
    clmove_map map, broken;
    clm_map held, unused;
    clmove_error error;
    ASSERT_OK(clmove_map_init(&map, 32, 2, (int64_t[]){4, 6}, &error), &error);
    clm_map_load(&map, &held);
    clm_map_store(&held, &broken);
    assert_memory_equal(&map, &broken, sizeof held);
    ASSERT_OK(clm_map_check(&broken, &unused, &error), &error);
    struct {
        const char *what;
        clm_map now;
    } rows[] = {{"reads past its source", held}, {"has no axes", held}, {"not one that the operators make", held}};
    rows[0].now.axes[0].src_stride = 1000;
    rows[1].now.axes[1].extent = 5;
    rows[2].now.axes[0].extent = 1;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        clm_map_store(&rows[i].now, &broken);
        ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clm_map_check(&broken, &unused, &error), &error);
        assert_mentions(error.text, rows[i].what);
    }
}

static void texts_are_cut(void **state) {
    (void)state;
    clm_normal_form form = {.unit_bits = 32, .rank = 2, .axes = {{4, 0, 5}, {5, 1, 1}}, .dst_offset = 12};
    const char *whole = "u4 [4:0:5][5:1:1] dst+12";
    char text[64];
    for (size_t capacity = 1; capacity < sizeof text; capacity++) {
        memset(text, 'x', sizeof text);
        assert_int_equal(clm_form_text(&form, text, capacity), strlen(whole));
        assert_memory_equal(text, whole, capacity - 1 < strlen(whole) ? capacity - 1 : strlen(whole));
        assert_int_equal(text[capacity - 1 < strlen(whole) ? capacity - 1 : strlen(whole)], '\0');
        assert_int_equal(text[capacity], 'x');
    }
}

int main(void) {
    enum { GOLDENS = sizeof goldens / sizeof *goldens };
    struct CMUnitTest tests[GOLDENS];
    for (size_t i = 0; i < GOLDENS; i++)
        tests[i] = (struct CMUnitTest){
            .name = goldens[i].moved.name, .test_func = is_golden, .initial_state = (void *)(uintptr_t)&goldens[i]};
    const struct CMUnitTest properties[] = {cmocka_unit_test(properties_hold), cmocka_unit_test(broken_maps_are_refused),
                                            cmocka_unit_test(texts_are_cut)};
    return cmocka_run_group_tests_name("golden forms", tests, NULL, NULL) +
           cmocka_run_group_tests_name("normal form", properties, NULL, NULL);
}
