/* Cuts: which ones are chosen, and that pieces of random cuts of random maps together are the map.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "case_words.h"
#include "form_walk.h"
#include "host/map/cut.h"
#include "random_maps.h"
#include "support.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RANDOM_MAPS 4000
#define KIB INT64_C(1024)
#define MIB (KIB * 1024)

/* ---- cuts worth pinning ---- */

typedef struct golden {
    test_case moved;
    clm_cut_limits limits;
    const char *text;
} golden;

/* clang-format off */
static const golden goldens[] = {
    {{"all fits", 32, DIMS(8, 1024), STEPS(TILE(3, 1))}, {.both = MIB}, "u16 [3:0:2048][2048:1:1]"},
    {{"no limits", 32, DIMS(1024, 1024)}, {0}, "u16 [262144:1:1]"},
    {{"a copy, evenly", 8, DIMS(1000, 1600)}, {.both = MIB}, "u16 [100000:1:1]/25000"},
    {{"space to depth of one image: the source's rows, with the channels", 32, DIMS(1, 3, 4096, 4096),
        STEPS(S2D_BLOCKS(2))}, {.both = 32 * MIB}, "u4 [2:4096:25165824][2:1:12582912][6144:8192:2048]/512[2048:2:1]"},
    {{"space to depth, depth first: the source's rows", 32, DIMS(1, 3, 4096, 4096),
        STEPS(S2D_DEPTH(2))}, {.src = 32 * MIB, .dst = 32 * MIB},
        "u4 [3:16777216:16777216][2:4096:8388608][2:1:4194304][2048:8192:2048]/293[2048:2:1]"},
    {{"space to depth of a batch: images", 32, DIMS(64, 3, 512, 512), STEPS(S2D_BLOCKS(2))}, {.both = 32 * MIB},
        "u4 [64:786432:786432]/5[2:512:393216][2:1:196608][768:1024:256][256:2:1]"},
    {{"depth to space of one image: the destination's rows", 32, DIMS(1, 12, 2048, 2048), STEPS(D2S_BLOCKS(2))}, {.both = 32 * MIB},
        "u4 [6144:2048:8192]/512[2:25165824:4096][2048:1:2][2:12582912:1]"},
    {{"a small tensor, repeated: repeats, of a source that is read once", 32, DIMS(256, 1024),
        STEPS(TILE(1000, 1))}, {.src = 16 * MIB, .dst = 16 * MIB}, "u16 [1000:0:65536]/16[65536:1:1] same source"},
    {{"a large tensor, repeated: runs, each then read once", 32, DIMS(4096, 4096), STEPS(TILE(1000, 1))},
        {.src = 16 * MIB, .dst = 16 * MIB}, "u16 [1000:0:4194304]/1[4194304:1:1]/1048576 4 sources"},
    {{"a transpose: both sides keep their runs", 32, DIMS(8192, 8192), STEPS(PERMUTE(1, 0))}, {.both = 32 * MIB},
        "u4 [8192:1:8192]/512[8192:8192:1]"},
    {{"windows on a side that lies far apart: planes first", 32, DIMS(1, 3, 4096, 4096),
        STEPS(S2D_BLOCKS(2))}, {.dst_spread = 120 * MIB}, "u4 [2:4096:25165824]/1[2:1:12582912][6144:8192:2048][2048:2:1]"},
    {{"windows and a bound on what is touched: planes first, then rows", 32, DIMS(1, 3, 4096, 4096),
        STEPS(S2D_BLOCKS(2))}, {.dst_spread = 120 * MIB, .both = 32 * MIB},
        "u4 [2:4096:25165824]/1[2:1:12582912][6144:8192:2048]/1024[2048:2:1]"},
    {{"a unit is the least", 128, DIMS(3, 5)}, {.both = 1}, "u16 [15:1:1]/1"},
};
/* clang-format on */

/* The form, with the steps of the axes that are cut. */
static void write_cut(const clm_cut *cut, char *text, size_t capacity) {
    size_t length = (size_t)snprintf(text, capacity, "u%u ", (unsigned)cut->form.unit_bits / 8);
    for (int32_t i = 0; i < cut->form.rank; i++) {
        const clm_axis *axis = &cut->form.axes[i];
        length += (size_t)snprintf(text + length, capacity - length, "[%" PRId64 ":%" PRId64 ":%" PRId64 "]", axis->extent,
                                   axis->src, axis->dst);
        if (cut->steps[i] != axis->extent)
            length += (size_t)snprintf(text + length, capacity - length, "/%" PRId64, cut->steps[i]);
    }
    if (cut->src_pieces == 1 && cut->pieces > 1)
        snprintf(text + length, capacity - length, " same source");
    else if (cut->src_pieces != cut->pieces)
        snprintf(text + length, capacity - length, " %" PRId64 " sources", cut->src_pieces);
}

static void is_golden(void **state) {
    const golden *it = *state;
    clmove_map map;
    clm_normal_form form;
    clm_cut cut;
    char text[512];
    case_to_map(&it->moved, &map);
    form = normal_form_of(&map);
    clm_cut_make(&form, &it->limits, &cut);
    write_cut(&cut, text, sizeof text);
    assert_string_equal(text, it->text);
}

/* ---- pieces of random cuts ---- */

#define NOWHERE INT64_C(-1)

/* Where each place of a memory has its content from, in units of base_bits; NOWHERE where nothing was written. */
typedef struct places {
    int64_t *from;
    int64_t count, written;
} places;

static places places_create(int64_t count) {
    places made = {.from = malloc((size_t)(count + 1) * sizeof(int64_t)), .count = count};
    assert_non_null(made.from);
    for (int64_t i = 0; i < count; i++)
        made.from[i] = NOWHERE;
    return made;
}

/* Notes what a form writes. src_base and dst_base are added to its places. source: what the places of its source hold, if not
 * themselves. */
static void trace(const clm_normal_form *form, uint32_t base_bits, int64_t src_base, const places *source, int64_t dst_base,
                  places *target, const char *what) {
    const int64_t width = form->unit_bits / base_bits;
    form_walk at = form_walk_start(form);
    do
        for (int64_t k = 0; k < width; k++) {
            int64_t src = src_base + at.src * width + k, dst = dst_base + at.dst * width + k;
            if (dst < 0 || dst >= target->count || (source && (src < 0 || src >= source->count)))
                fail_msg("%s: leaves its memory", what);
            if (target->from[dst] != NOWHERE)
                fail_msg("%s: writes place %" PRId64 " twice", what, dst);
            target->from[dst] = source ? source->from[src] : src;
            target->written++;
        }
    while (form_walk_next(&at));
}

static void check_same(const places *got, const places *wanted, const char *what) {
    assert_int_equal(got->written, wanted->written);
    for (int64_t i = 0; i < wanted->count; i++)
        if (got->from[i] != wanted->from[i])
            fail_msg("%s: place %" PRId64 " has unit %" PRId64 ", not %" PRId64, what, i, got->from[i], wanted->from[i]);
}

static int64_t random_limit(int64_t total) {
    return pick(3) ? 0 : 1 + pick(total + 1);
}

/* Limits are kept, or a piece is one unit. */
static void check_limits(const clm_cut *cut, const clm_cut_limits *limits, const char *what) {
    const clm_cut_sizes *sizes = &cut->sizes;
    bool kept = (!limits->src_spread || sizes->src_spread <= limits->src_spread) &&
                (!limits->dst_spread || sizes->dst_spread <= limits->dst_spread) && (!limits->src || sizes->src <= limits->src) &&
                (!limits->dst || sizes->dst <= limits->dst) && (!limits->both || sizes->src + sizes->dst <= limits->both);
    bool is_least = true;
    for (int32_t i = 0; i < cut->form.rank; i++)
        is_least = is_least && cut->steps[i] == 1;
    if (!kept && !is_least)
        fail_msg("%s: exceeds a limit", what);
}

static void check_placed(const clm_cut *cut, int64_t piece, uint32_t base_bits, places *target, const char *what) {
    clm_placed_piece placed;
    clm_cut_in_place(cut, piece, &placed);
    trace(&placed.form, base_bits, placed.src_first * 8 / base_bits, NULL, placed.dst_first * 8 / base_bits, target, what);
    assert_true(placed.src_bytes <= cut->sizes.src_spread && placed.dst_bytes <= cut->sizes.dst_spread);
    assert_true(placed.src_first >= 0 && placed.dst_first >= 0);
    assert_int_equal(clm_form_units(&placed.form) * placed.form.unit_bits,
                     clm_cut_units(cut, piece, false) * cut->form.unit_bits);
    if (base_bits >= 8) { /* the windows are what is touched, no less */
        int64_t src_last = placed.form.src_offset, dst_last = placed.form.dst_offset;
        for (int32_t i = 0; i < placed.form.rank; i++) {
            const clm_axis *axis = &placed.form.axes[i];
            src_last += axis->src > 0 ? (axis->extent - 1) * axis->src : 0;
            dst_last += (axis->extent - 1) * axis->dst;
        }
        assert_int_equal((src_last + 1) * (placed.form.unit_bits / 8), placed.src_bytes);
        assert_int_equal((dst_last + 1) * (placed.form.unit_bits / 8), placed.dst_bytes);
    }
}

/* By way of packed memory. Both packed memories are filled without a hole. */
static void check_packed(const clm_cut *cut, int64_t piece, uint32_t base_bits, places *target, const char *what) {
    clm_packed_piece packed;
    clm_cut_packed(cut, piece, &packed);
    assert_true(packed.src_bytes <= cut->sizes.src && packed.dst_bytes <= cut->sizes.dst);
    places src = places_create(packed.src_bytes * 8 / base_bits), dst = places_create(packed.dst_bytes * 8 / base_bits);
    trace(&packed.pack, base_bits, 0, NULL, 0, &src, what);
    trace(&packed.move, base_bits, 0, &src, 0, &dst, what);
    trace(&packed.unpack, base_bits, 0, &dst, 0, target, what);
    assert_int_equal(clm_form_bytes(&cut->form, src.written / (cut->form.unit_bits / base_bits)), packed.src_bytes);
    assert_int_equal(clm_form_bytes(&cut->form, dst.written / (cut->form.unit_bits / base_bits)), packed.dst_bytes);
    for (int32_t i = 0; i < packed.move.rank; i++)
        assert_true(packed.move.axes[i].src >= 0);
    free(src.from);
    free(dst.from);
}

static void check_cut(const clm_normal_form *form, const clm_cut_limits *limits, const char *what) {
    uint32_t base_bits = form->unit_bits;
    clm_cut cut;
    clm_cut_make(form, limits, &cut);
    check_limits(&cut, limits, what);
    int64_t places_count = form->dst_offset + 1, src_pieces = 0;
    for (int32_t i = 0; i < form->rank; i++)
        places_count += (form->axes[i].extent - 1) * form->axes[i].dst;
    places wanted = places_create(places_count), placed = places_create(places_count), packed = places_create(places_count);
    trace(form, base_bits, 0, NULL, 0, &wanted, what);
    char before[1024] = "", text[1024];
    for (int64_t piece = 0; piece < cut.pieces; piece++) {
        clm_packed_piece moves;
        check_placed(&cut, piece, base_bits, &placed, what);
        check_packed(&cut, piece, base_bits, &packed, what);
        clm_cut_packed(&cut, piece, &moves);
        clm_form_text(&moves.pack, text, sizeof text);
        if (clm_cut_reads_same(&cut, piece) && strcmp(text, before) != 0)
            fail_msg("%s: piece %" PRId64 " reads %s, not %s", what, piece, text, before);
        src_pieces += !clm_cut_reads_same(&cut, piece);
        strcpy(before, text);
    }
    assert_int_equal(src_pieces, cut.src_pieces);
    check_same(&placed, &wanted, what);
    check_same(&packed, &wanted, what);
    free(wanted.from);
    free(placed.from);
    free(packed.from);
}

static void pieces_are_the_map(void **state) {
    (void)state;
    int several = 0, below_a_byte = 0, shared = 0;
    for (int i = 0; i < RANDOM_MAPS; i++) {
        clmove_map map;
        clm_normal_form form;
        char text[1024], what[1200];
        pick_from((uint64_t)i);
        random_map(&map);
        form = normal_form_of(&map);
        if (clm_form_is_empty(&form))
            continue;
        int64_t src = clmove_map_src_bytes(&map), dst = clmove_map_dst_bytes(&map);
        const clm_cut_limits limits = {random_limit(src), random_limit(dst), random_limit(src), random_limit(dst),
                                       random_limit(src + dst)};
        clm_form_text(&form, text, sizeof text);
        snprintf(what, sizeof what, "random map %d, %s", i, text);
        check_cut(&form, &limits, what);
        clm_cut cut;
        clm_cut_make(&form, &limits, &cut);
        several += cut.pieces > 1;
        shared += cut.src_pieces < cut.pieces;
        below_a_byte += cut.pieces > 1 && form.unit_bits < 8;
    }
    printf("cut: %d random maps in several pieces, %d of them share sources, %d have units below a byte\n", several, shared,
           below_a_byte);
    assert_true(several > RANDOM_MAPS / 4 && shared > 100 && below_a_byte > 100);
}

/* ---- cuts along the outermost axes ---- */

/* Pieces one by one and several as one are the map; no two have a byte in common, which another device may write. */
static void check_outer(const clm_normal_form *form, int64_t wanted, int64_t at_once, clm_cut *cut, const char *what) {
    const uint32_t base_bits = form->unit_bits;
    int64_t places_count = form->dst_offset + 1, last = -1, units = 0, step;
    clm_cut_outer(form, wanted, cut);
    for (int32_t i = 0; i < form->rank; i++)
        places_count += (form->axes[i].extent - 1) * form->axes[i].dst;
    places all = places_create(places_count), placed = places_create(places_count), together = places_create(places_count);
    trace(form, base_bits, 0, NULL, 0, &all, what);
    for (int64_t piece = 0; piece < cut->pieces; piece++) {
        clm_placed_piece at;
        check_placed(cut, piece, base_bits, &placed, what);
        clm_cut_in_place(cut, piece, &at);
        if (at.dst_first <= last)
            fail_msg("%s: piece %" PRId64 " begins at byte %" PRId64 ", and the one before ends at %" PRId64, what, piece,
                     at.dst_first, last);
        last = at.dst_first + at.dst_bytes - 1;
        units += clm_cut_units(cut, piece, false);
    }
    assert_int_equal(units, clm_form_units(form));
    for (int64_t piece = 0; piece < cut->pieces; piece += step) {
        clm_placed_piece at;
        const int64_t left = cut->pieces - piece;
        step = clm_cut_neighbours(cut, piece, at_once < left ? at_once : left);
        assert_in_range(step, 1, at_once);
        clm_cut_in_place_with(cut, piece, step, &at);
        trace(&at.form, base_bits, at.src_first * 8 / base_bits, NULL, at.dst_first * 8 / base_bits, &together, what);
    }
    check_same(&placed, &all, what);
    check_same(&together, &all, what);
    free(all.from);
    free(placed.from);
    free(together.from);
}

static void outer_pieces_are_the_map(void **state) {
    (void)state;
    int several = 0, below_a_byte = 0, enough = 0;
    for (int i = 0; i < RANDOM_MAPS; i++) {
        clmove_map map;
        clm_normal_form form;
        clm_cut cut;
        char text[1024], what[1200];
        pick_from((uint64_t)i);
        random_map(&map);
        form = normal_form_of(&map);
        if (clm_form_is_empty(&form))
            continue;
        clm_form_text(&form, text, sizeof text);
        snprintf(what, sizeof what, "random map %d, %s", i, text);
        const int64_t wanted = 2 + pick(70);
        check_outer(&form, wanted, 1 + pick(9), &cut, what);
        several += cut.pieces > 1;
        enough += cut.pieces >= wanted;
        below_a_byte += cut.pieces > 1 && form.unit_bits < 8;
        if (form.unit_bits >= 8 && cut.pieces < wanted)
            assert_int_equal(cut.pieces, clm_form_units(&form));
    }
    printf("cut: %d random maps in several outer pieces, %d in as many as wanted, %d have units below a byte\n", several, enough,
           below_a_byte);
    assert_true(several > RANDOM_MAPS / 4 && enough > RANDOM_MAPS / 8 && below_a_byte > 20);
}

int main(void) {
    enum { GOLDENS = sizeof goldens / sizeof *goldens };
    struct CMUnitTest tests[GOLDENS];
    for (size_t i = 0; i < GOLDENS; i++)
        tests[i] = (struct CMUnitTest){
            .name = goldens[i].moved.name, .test_func = is_golden, .initial_state = (void *)(uintptr_t)&goldens[i]};
    const struct CMUnitTest properties[] = {cmocka_unit_test(pieces_are_the_map), cmocka_unit_test(outer_pieces_are_the_map)};
    return cmocka_run_group_tests_name("golden cuts", tests, NULL, NULL) +
           cmocka_run_group_tests_name("cuts", properties, NULL, NULL);
}
