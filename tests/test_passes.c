/* Two passes in launches: that chunks are all blocks, once each, that their passes are the map, and who takes them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "form_walk.h"
#include "host/plan/chunks.h"
#include "random_maps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAPS = 6000, LEAST_FITTING = 100, WORKERS = 2 };

/* Those of POCL on two cores. */
static clm_traits traits_of_pocl(int64_t chunk_bytes) {
    clm_traits traits = {.few_long_runs = true,
                         .takes_rows = true,
                         .has_passes = true,
                         .any_alignment = true,
                         .items_make_tables = true,
                         .workers = WORKERS,
                         .max_outer = 15,
                         .max_outer_narrow = 33,
                         .cache_bytes = 32 << 20,
                         .shuffle_window = 16,
                         .has_short_vectors = true};
    clm_tuned tuned;
    clm_tuned_start(&tuned, CLM_CLASS_CPU, 0);
    traits.tuning = tuned.values;
    if (chunk_bytes > 0)
        traits.tuning.chunk_bytes = chunk_bytes;
    return traits;
}

/* Numbers in the place of a memory's units. */
typedef struct side {
    int64_t *units, count;
} side;

static side make_side(int64_t count) {
    const side made = {calloc((size_t)count, sizeof(int64_t)), count};
    assert_non_null(made.units);
    return made;
}

/* Moves as many numbers for each unit of a form as it has widths of `bits`; from and to these places on. */
static void move(const clm_normal_form *form, uint32_t bits, const side *src, int64_t from, const side *dst, int64_t to) {
    const int64_t widths = form->unit_bits / bits;
    form_walk at = form_walk_start(form);
    do {
        for (int64_t i = 0; i < widths; i++) {
            const int64_t first = from + at.src * widths + i, last = to + at.dst * widths + i;
            assert_true(first >= 0 && first < src->count && last >= 0 && last < dst->count);
            dst->units[last] = src->units[first];
        }
    } while (form_walk_next(&at));
}

/* How many units a form may reach of either side. */
static int64_t reach_of(const clm_normal_form *form, bool of_src) {
    form_walk at = form_walk_start(form);
    int64_t last = 0;
    do {
        const int64_t place = of_src ? at.src : at.dst;
        last = place > last ? place : last;
    } while (form_walk_next(&at));
    return last + 1;
}

/* All chunks by way of one room, each in two passes. Returns how many there are. */
static int64_t check_chunks(const clm_normal_form *form, const clm_launch_plan *launch_plan, const clm_traits *traits) {
    const uint32_t bits = form->unit_bits;
    clm_normal_form forms[CLM_KINDS_OF_CHUNKS][2];
    clm_chunks chunks;
    clm_find_chunks(launch_plan, launch_plan->chunk_bytes, &chunks);
    const int kinds = chunks.blocks[CLM_LAST_CHUNK].rank > 0 ? 2 : 1;
    const side src = make_side(reach_of(form, true)), room = make_side(chunks.bytes * 8 / bits);
    const side dst = make_side(reach_of(form, false)), wanted = make_side(dst.count);
    assert_int_equal(launch_plan->launches, 2 * chunks.count);
    assert_true(chunks.bytes <= launch_plan->chunk_bytes || chunks.bytes * 8 == launch_plan->n * bits);
    for (int64_t i = 0; i < src.count; i++)
        src.units[i] = i + 1;
    move(form, bits, &src, 0, &wanted, 0);
    clm_find_passes(launch_plan, traits, chunks.blocks, kinds, forms);
    for (int64_t number = 0; number < chunks.count; number++) {
        int64_t from, to;
        const int kind = clm_find_chunk(&chunks, number, &from, &to);
        assert_true(kind < kinds);
        memset(room.units, 0, (size_t)room.count * sizeof *room.units);
        move(&forms[kind][0], bits, &src, launch_plan->src_offset + from, &room, 0);
        move(&forms[kind][1], bits, &room, 0, &dst, launch_plan->dst_offset + to);
    }
    assert_memory_equal(dst.units, wanted.units, (size_t)dst.count * sizeof *dst.units);
    free(src.units);
    free(room.units);
    free(dst.units);
    free(wanted.units);
    return chunks.count;
}

static void passes_of_chunks_are_the_map(void **state) {
    (void)state;
    int fitting = 0, cut = 0;
    pick_from(11);
    for (int i = 0; i < MAPS; i++) {
        clmove_map map;
        clm_launch_plan launch_plan;
        random_map(&map);
        const clm_traits traits = traits_of_pocl(1 + pick(2) * pick(3000));
        const clm_normal_form form = normal_form_of(&map);
        if (clm_form_is_empty(&form) || clm_choose(&form, &traits, "two_passes", 0, &launch_plan, NULL) != CLMOVE_OK)
            continue;
        fitting++;
        cut += check_chunks(&form, &launch_plan, &traits) > 1;
    }
    printf("passes: %d of %d random maps fit, %d in several chunks\n", fitting, MAPS, cut);
    assert_true(fitting >= LEAST_FITTING);
}

/* An axis is cut in equal parts: the fewest that fit, or else short ones, and not at all if there are none. What comes of images
 * of 7 x 7 bytes to space by 4. */
static void blocks_are_equal_parts(void **state) {
    (void)state;
    static const int64_t rows[][2] = {{7168, 128}, {56 * 2551, 56}, {35729, 0}}; /* of all images, of a block */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const int64_t count = rows[i][0], units = 7 * count;
        const clm_normal_form form = {
            .unit_bits = 8, .rank = 4, .axes = {{count, 7, 112}, {4, 4 * units, 28}, {7, 1, 4}, {4, units, 1}}};
        clm_launch_plan launch_plan = {.unit_bits = 8};
        assert_int_equal(clm_fits_passes(&form, &launch_plan), rows[i][1] > 0);
        if (rows[i][1] > 0)
            assert_int_equal(launch_plan.n, 112 * rows[i][1]);
    }
}

/* Long rows are joined and then put in their places, not transposed twice, where columns would come from 25 places. f16 in images
 * of 28 x 28 to space by 5. */
static void runs_are_preferred_to_tiles_from_afar(void **state) {
    (void)state;
    enum { IMAGES = 136 * 84, UNITS = 28 * IMAGES };
    const clm_normal_form form = {
        .unit_bits = 16, .rank = 4, .axes = {{IMAGES, 28, 700}, {5, 5 * UNITS, 140}, {28, 1, 5}, {5, UNITS, 1}}};
    const clm_traits traits = traits_of_pocl(0);
    clm_launch_plan launch_plan = {.unit_bits = 16};
    clm_normal_form forms[1][2];
    assert_true(clm_fits_passes(&form, &launch_plan));
    clm_find_passes(&launch_plan, &traits, &(clm_block_set){.rank = 0}, 1, forms);
    assert_int_equal(forms[0][0].axes[forms[0][0].rank - 1].extent, 5);
    assert_int_equal(forms[0][1].axes[forms[0][1].rank - 1].src, 1);
}

/* Outer axes that lead backwards, repeat, and have lengths that no number of blocks divides. */
static void outer_axes_are_cut(void **state) {
    (void)state;
    static const struct {
        clm_axis outer[2];
        int64_t src_offset, blocks_together, chunks;
        bool uneven;
    } rows[] = {{{{3, 13000, 13440}, {7, 1680, 1920}}, 0, 1, 21, false}, {{{3, 13000, 13440}, {7, 1680, 1920}}, 0, 3, 9, true},
                {{{3, 13000, 13440}, {7, 1680, 1920}}, 0, 4, 6, true},   {{{3, 13000, 13440}, {7, 1680, 1920}}, 0, 7, 3, false},
                {{{3, 13000, 13440}, {7, 1680, 1920}}, 0, 14, 2, true},  {{{3, 13000, 13440}, {7, 1680, 1920}}, 0, 30, 1, false},
                {{{3, 0, 13440}, {7, -1680, 1920}}, 10080, 3, 9, true},  {{{5, -9000, 2000}, {1, 0, 0}}, 36000, 2, 3, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const clm_axis *outer = rows[i].outer;
        clm_normal_form form = {
            .unit_bits = 64,
            .rank = 5,
            .src_offset = rows[i].src_offset,
            .axes = {outer[0], outer[1], {12, 1, 140}, {10, 12, 14}, {14, 120, 1}}}; /* all axes in reverse order */
        clm_form_normalise(&form);
        const clm_traits traits = traits_of_pocl(rows[i].blocks_together * 1680 * 8 / WORKERS);
        clm_launch_plan launch_plan;
        clm_chunks chunks;
        assert_int_equal(clm_choose(&form, &traits, "two_passes", 0, &launch_plan, NULL), CLMOVE_OK);
        assert_int_equal(launch_plan.n, 1680);
        assert_int_equal(check_chunks(&form, &launch_plan, &traits), rows[i].chunks);
        clm_find_chunks(&launch_plan, launch_plan.chunk_bytes, &chunks);
        assert_int_equal(chunks.blocks[CLM_LAST_CHUNK].rank > 0, rows[i].uneven);
    }
}

/* Images of whose rows a few units are kept together: small ones, and larger ones that one pass moves as fast. */
static void who_takes_passes_in_launches(void **state) {
    (void)state;
    static const struct {
        uint32_t bits;
        int64_t sides[4], block;
        bool takes;
    } rows[] = {{8, {64, 1024, 14, 14}, 7, true},  {16, {32, 1024, 14, 14}, 7, true}, {8, {256, 512, 10, 10}, 5, true},
                {8, {64, 2048, 8, 8}, 2, true},    {8, {64, 1024, 14, 14}, 2, true},  {32, {64, 256, 14, 14}, 7, false},
                {32, {64, 256, 14, 14}, 2, false}, {8, {1, 256, 14, 14}, 7, false}, /* 50 KB: two launches take longer */
                {16, {64, 384, 28, 28}, 2, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const clm_traits traits = traits_of_pocl(0);
        clm_launch_plan launch_plan;
        clmove_map map;
        assert_int_equal(clmove_map_init(&map, rows[i].bits, 4, rows[i].sides, NULL), CLMOVE_OK);
        assert_int_equal(clmove_map_space_to_depth(&map, rows[i].block, CLMOVE_BLOCKS_FIRST, CLMOVE_RULES_OPENVINO, NULL),
                         CLMOVE_OK);
        const clm_normal_form form = normal_form_of(&map);
        assert_int_equal(clm_choose(&form, &traits, NULL, 0, &launch_plan, NULL), CLMOVE_OK);
        if (launch_plan.variant->makes_passes != rows[i].takes)
            fail_msg("row %zu: %s", i, launch_plan.variant->name);
        assert_true(!rows[i].takes || launch_plan.launches > 2);
    }
}

/* Each worker has a MiB at least, and no more than the cache has together. */
static void chunks_fit_in_the_cache(void **state) {
    (void)state;
    const int64_t mib = 1 << 20;
    clm_tuning tuning = traits_of_pocl(0).tuning;
    assert_int_equal(clm_chunk_bytes(&tuning, 32 * (uint64_t)mib, 2), 4 * mib);
    assert_int_equal(clm_chunk_bytes(&tuning, 8 * (uint64_t)mib, 16), 16 * mib);
    assert_int_equal(clm_chunk_bytes(&tuning, 5 * (uint64_t)mib / 2, 2), 5 * mib / 2);
    assert_int_equal(clm_chunk_bytes(&tuning, 0, 1), mib);
    tuning.chunk_bytes = 100;
    assert_int_equal(clm_chunk_bytes(&tuning, 32 * (uint64_t)mib, 3), 300);
    tuning.chunk_bytes = CLM_NO_KEY; /* of the host, whose workers move their blocks in both passes */
    assert_int_equal(clm_chunk_bytes(&tuning, 32 * (uint64_t)mib, 2), 0);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(passes_of_chunks_are_the_map),          cmocka_unit_test(blocks_are_equal_parts),
        cmocka_unit_test(runs_are_preferred_to_tiles_from_afar), cmocka_unit_test(outer_axes_are_cut),
        cmocka_unit_test(who_takes_passes_in_launches),          cmocka_unit_test(chunks_fit_in_the_cache),
    };
    return cmocka_run_group_tests_name("passes", tests, NULL, NULL);
}
