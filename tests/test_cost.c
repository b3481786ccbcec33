/* The cost model: curves, plans, ways, guesses.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "form_walk.h"
#include "host/advice/cost.h"
#include "model_gpu.h"
#include "support.h"

#include <stdio.h>
#include <string.h>

#define MIB (INT64_C(1) << 20)
static clmove_error error;
static clm_work work_of(clm_pattern pattern, int64_t read, int64_t written) {
    return (clm_work){
        .pattern = pattern, .read_bytes = read, .written_bytes = written, .src_bytes = read, .dst_bytes = written, .launches = 1};
}

static clmove_prediction predict(const clm_calibration *it, int64_t read, int64_t written, bool in_place) {
    clmove_prediction found;
    clm_work work = work_of(CLM_PATTERN_ROWS, read, written);
    clm_cost_predict(it, &work, &work, false, in_place, &found);
    return found;
}

/* ---- curves and plans ---- */

static void curves_are_followed(void **state) {
    (void)state;
    clm_calibration it = model_gpu();
    const clm_curve curve = CLM_CURVE_UPLOAD;
    const int last = CLM_CALIBRATION_SIZES - 1;
    ASSERT_NEAR(clm_cost_of(&it, curve, 0), 0);
    ASSERT_NEAR(clm_cost_of(&it, curve, 1), it.curves[curve][0]);
    ASSERT_NEAR(clm_cost_of(&it, curve, 4096), it.curves[curve][0]);
    for (int i = 0; i < CLM_CALIBRATION_SIZES; i++)
        ASSERT_NEAR(clm_cost_of(&it, curve, clm_calibration_bytes(i)), it.curves[curve][i]);
    it.curves[curve][4] = 1;
    it.curves[curve][5] = 3;
    ASSERT_NEAR(clm_cost_of(&it, curve, 96 * 1024), 2); /* half way from 64 KiB to 128 */
    assert_int_equal(clm_calibration_bytes(last), 256 * MIB);
    ASSERT_NEAR(clm_cost_of(&it, curve, 1024 * MIB), 4 * it.curves[curve][last]);
    assert_true(clm_cost_of(&it, curve, INT64_MAX) > 1e8);
}

static void plans_are_copies_and_fills(void **state) {
    (void)state;
    clm_calibration it = model_gpu();
    clm_work copy = work_of(CLM_PATTERN_COPY, 8 * MIB, 8 * MIB), fill = work_of(CLM_PATTERN_REPEAT, 0, 8 * MIB),
             both = work_of(CLM_PATTERN_ROWS, 4 * MIB, 12 * MIB);
    ASSERT_NEAR(clm_cost_move(&it, CLMOVE_AT_HOST, &copy), 8 * MIB / 20e9);
    ASSERT_NEAR(clm_cost_move(&it, CLMOVE_AT_HOST, &fill), 8 * MIB / 40e9);
    ASSERT_NEAR(clm_cost_move(&it, CLMOVE_AT_HOST, &both), 4 * MIB / 20e9 + 8 * MIB / 40e9);
    ASSERT_NEAR(clm_cost_move(&it, CLMOVE_AT_DEVICE, &both), 10e-6 + 4 * MIB / 200e9 + 8 * MIB / 400e9);
    both.launches = 3;
    ASSERT_NEAR(clm_cost_move(&it, CLMOVE_AT_DEVICE, &both), 30e-6 + 4 * MIB / 200e9 + 8 * MIB / 400e9);
    ASSERT_NEAR(clm_cost_move(&it, CLMOVE_AT_HOST, &both), 4 * MIB / 20e9 + 8 * MIB / 40e9);
    clm_work none = work_of(CLM_PATTERN_COPY, 0, 0);
    ASSERT_NEAR(clm_cost_move(&it, CLMOVE_AT_DEVICE, &none), 0);
}

/* The copied part of a large plan is no faster than a large copy, though that part alone would fit in a cache. */
static void small_parts_of_much_are_not_in_the_cache(void **state) {
    (void)state;
    clm_calibration it = model_gpu();
    for (int i = 0; i < CLM_CALIBRATION_SIZES; i++)
        if (clm_calibration_bytes(i) <= 4 * MIB)
            it.curves[CLM_CURVE_HOST_COPY][i] /= 10;
    clm_work work = work_of(CLM_PATTERN_ROWS, MIB, 63 * MIB);
    ASSERT_NEAR(clm_cost_move(&it, CLMOVE_AT_HOST, &work), MIB / 20e9 + 62 * MIB / 40e9);
}

static void patterns_are_slower(void **state) {
    (void)state;
    clm_calibration it = model_gpu();
    it.slowdown[CLMOVE_AT_DEVICE][CLM_PATTERN_GATHER][0] = 2;
    it.slowdown[CLMOVE_AT_DEVICE][CLM_PATTERN_GATHER][1] = 3;
    it.slowdown[CLMOVE_AT_DEVICE][CLM_PATTERN_GATHER][2] = 5;
    clm_work small = work_of(CLM_PATTERN_GATHER, MIB, MIB), large = work_of(CLM_PATTERN_GATHER, 128 * MIB, 128 * MIB),
             near = work_of(CLM_PATTERN_GATHER, 10 * MIB, 10 * MIB), middle = work_of(CLM_PATTERN_GATHER, 40 * MIB, 40 * MIB);
    ASSERT_NEAR(clm_cost_move(&it, CLMOVE_AT_DEVICE, &small), 10e-6 + 2 * MIB / 200e9);
    ASSERT_NEAR(clm_cost_move(&it, CLMOVE_AT_DEVICE, &large), 10e-6 + 5 * 128 * MIB / 200e9);
    ASSERT_NEAR(clm_cost_move(&it, CLMOVE_AT_DEVICE, &near), 10e-6 + 2.5 * 10 * MIB / 200e9);   /* half way from 8 to 32 */
    ASSERT_NEAR(clm_cost_move(&it, CLMOVE_AT_DEVICE, &middle), 10e-6 + 4.0 * 40 * MIB / 200e9); /* from 32 to 128 */
    ASSERT_NEAR(clm_cost_move(&it, CLMOVE_AT_HOST, &large), 128 * MIB / 20e9);                  /* it is the host's own matter */
    large.pattern = CLM_PATTERN_COPY;
    ASSERT_NEAR(clm_cost_move(&it, CLMOVE_AT_DEVICE, &large), 10e-6 + 128 * MIB / 200e9);
}

/* Twice as slow as a copy in the cache, and as fast as one from memory, which has a tenth of the speed: with 64 MiB it is in
 * memory. */
static void slow_patterns_need_not_be_slower_than_memory(void **state) {
    (void)state;
    clm_calibration it = model_gpu();
    for (int i = 0; i < CLM_CALIBRATION_SIZES; i++)
        if (clm_calibration_bytes(i) <= 8 * MIB)
            it.curves[CLM_CURVE_HOST_COPY][i] /= 10;
    it.slowdown[CLMOVE_AT_HOST][CLM_PATTERN_DEINTERLEAVE][0] = 2; /* 8 MiB; at 32 it is 1 */
    clm_work near = work_of(CLM_PATTERN_DEINTERLEAVE, 4 * MIB, 4 * MIB),
             far = work_of(CLM_PATTERN_DEINTERLEAVE, 32 * MIB, 32 * MIB);
    ASSERT_NEAR(clm_cost_move(&it, CLMOVE_AT_HOST, &near), 2 * 4 * MIB / 200e9);
    ASSERT_NEAR(clm_cost_move(&it, CLMOVE_AT_HOST, &far), 32 * MIB / 20e9);
}

static void runs_are_what_a_run_of_a_copy_says(void **state) {
    (void)state;
    clm_calibration it = model_gpu();
    const double up = 10e-6 + MIB / 8e9, move = 10e-6 + MIB / 200e9;
    ASSERT_NEAR(predict(&it, MIB, MIB, false).run_seconds, 2 * up + move); /* one after the other */
    ASSERT_NEAR(predict(&it, MIB, 3 * MIB, false).run_seconds,
                up + 10e-6 + 3 * MIB / 8e9 + 10e-6 + MIB / 200e9 + 2 * MIB / 400e9);
    it.curves[CLM_CURVE_DEVICE_RUN][8] = up; /* 1 MiB: all at once */
    ASSERT_NEAR(predict(&it, MIB, MIB, false).run_seconds, up);
    it.curves[CLM_CURVE_DEVICE_RUN][8] = 5 * up; /* more than its steps */
    ASSERT_NEAR(predict(&it, MIB, MIB, false).run_seconds, 5 * up);
    it.curves[CLM_CURVE_DEVICE_RUN][8] = move + 7e-6; /* in place: maps and unmaps */
    ASSERT_NEAR(predict(&it, MIB, MIB, true).run_seconds, move + 7e-6);
    it.curves[CLM_CURVE_DEVICE_RUN][8] = move / 2; /* noise */
    ASSERT_NEAR(predict(&it, MIB, MIB, true).run_seconds, move);
}

static void the_host_alone_has_one_figure(void **state) {
    (void)state;
    clm_calibration it;
    clmove_prediction found;
    clmove_advice advice;
    clm_calibration_guess(&it, CLM_GUESS_HOST);
    clm_work work = work_of(CLM_PATTERN_COPY, MIB, MIB);
    clm_cost_predict(&it, &work, &work, true, false, &found);
    assert_true(found.host_seconds > 0 && found.in_place && !found.is_calibrated);
    ASSERT_NEAR(found.device_seconds, found.host_seconds);
    ASSERT_NEAR(found.run_seconds, found.host_seconds);
    ASSERT_NEAR(found.upload_src_seconds + found.upload_dst_seconds + found.download_src_seconds + found.download_dst_seconds, 0);
    clm_cost_advise(&found, &work, true, "host", CLMOVE_AT_HOST, CLMOVE_AT_DEVICE, &advice);
    assert_int_equal(advice.count, 1);
    assert_int_equal(advice.choice, 0);
    ASSERT_NEAR(advice.ways[0].seconds, found.host_seconds);
    assert_mentions(advice.reason, "one way");
}

/* ---- ways ---- */

static clmove_advice advise(const clm_calibration *it, int64_t read, int64_t written, clmove_place from, clmove_place to) {
    clmove_advice advice;
    clmove_prediction prediction = predict(it, read, written, false);
    clm_work work = work_of(CLM_PATTERN_ROWS, read, written);
    clm_cost_advise(&prediction, &work, false, "Tensor #1", from, to, &advice);
    assert_int_equal(advice.count, 2);
    for (size_t i = 0; i < 2; i++)
        assert_true(advice.ways[advice.choice].seconds <= advice.ways[i].seconds);
    return advice;
}

/* The question of README.md: move here and upload the large result, or upload the small source and move there? */
static void the_small_side_crosses_the_link(void **state) {
    (void)state;
    clm_calibration it = model_gpu();
    clmove_advice up = advise(&it, MIB, 32 * MIB, CLMOVE_AT_HOST, CLMOVE_AT_DEVICE);
    assert_string_equal(clmove_steps_text(up.ways[up.choice].steps), "upload, device");
    assert_int_equal(up.ways[up.choice].link_bytes, MIB);
    assert_string_equal(clmove_steps_text(up.ways[!up.choice].steps), "host, upload");
    assert_int_equal(up.ways[!up.choice].link_bytes, 32 * MIB);
    ASSERT_NEAR(up.ways[up.choice].upload_seconds, 10e-6 + MIB / 8e9);
    ASSERT_NEAR(up.ways[up.choice].seconds, up.ways[up.choice].upload_seconds + up.ways[up.choice].move_seconds);
    assert_mentions(up.reason, " with 1.0 MB over the link, \"host, upload\" ");
    assert_mentions(up.reason, " with 33.6 MB: less");
    assert_mentions(up.reason, "less crosses the link, 21 times as fast");
    assert_null(strstr(up.reason, "guess"));

    clmove_advice down = advise(&it, MIB, 32 * MIB, CLMOVE_AT_DEVICE, CLMOVE_AT_HOST);
    assert_string_equal(clmove_steps_text(down.ways[down.choice].steps), "download, host");
    clmove_advice stay = advise(&it, MIB, 32 * MIB, CLMOVE_AT_DEVICE, CLMOVE_AT_DEVICE);
    assert_string_equal(clmove_steps_text(stay.ways[stay.choice].steps), "device");
    assert_int_equal(stay.ways[!stay.choice].link_bytes, 33 * MIB);
    assert_mentions(stay.reason, " with nothing over the link, ");
    clmove_advice home = advise(&it, MIB, 32 * MIB, CLMOVE_AT_HOST, CLMOVE_AT_HOST);
    assert_string_equal(clmove_steps_text(home.ways[home.choice].steps), "host");
    assert_string_equal(clmove_steps_text(home.ways[!home.choice].steps), "upload, device, download");
    assert_mentions(home.reason, "less crosses the link");
}

/* Short where a number would be long, and where rounding makes one digit more of it. */
static void reasons_are_readable(void **state) {
    (void)state;
    static const struct {
        int64_t bytes;
        const char *text;
    } sizes[] = {{999, "999 B"},     {1000, "1.0 kB"},        {999949, "999.9 kB"},
                 {999950, "1.0 MB"}, {999949999, "999.9 MB"}, {INT64_C(5000000000000), "5000.0 GB"}};
    const clmove_prediction seconds = {.host_seconds = 0.9996e-3, .device_seconds = 0.9994e-3, .upload_src_seconds = 1e-12};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        char wanted[64];
        clmove_advice advice;
        clm_work work = {.src_bytes = sizes[i].bytes, .dst_bytes = sizes[i].bytes};
        clm_cost_advise(&seconds, &work, false, "", CLMOVE_AT_HOST, CLMOVE_AT_DEVICE, &advice);
        snprintf(wanted, sizeof wanted, "\"upload, device\" takes 999 us with %s over the link, ", sizes[i].text);
        assert_mentions(advice.reason, wanted);
        assert_mentions(advice.reason, "\"host, upload\" 1 ms with ");
    }
}

/* What mapping takes is of the one step that there is, and the reason knows of it. */
static void a_run_in_place_is_one_step(void **state) {
    (void)state;
    const clmove_prediction seconds = {.in_place = true, .host_seconds = 2e-3, .device_seconds = 1e-3, .run_seconds = 3e-3};
    clmove_advice advice;
    clm_work work = {.src_bytes = MIB, .dst_bytes = MIB};
    clm_cost_advise(&seconds, &work, false, "", CLMOVE_AT_HOST, CLMOVE_AT_HOST, &advice);
    assert_string_equal(clmove_steps_text(advice.ways[!advice.choice].steps), "device, in place");
    ASSERT_NEAR(advice.ways[!advice.choice].seconds, 3e-3);
    ASSERT_NEAR(advice.ways[!advice.choice].move_seconds, 3e-3);
    assert_mentions(advice.reason, "the host moves it faster, 1.5 times as fast");
}

static void slow_devices_and_launches_are_avoided(void **state) {
    (void)state;
    clm_calibration it = model_gpu();
    for (int reach = 0; reach < CLM_CALIBRATION_WORKING_SETS; reach++)
        it.slowdown[CLMOVE_AT_DEVICE][CLM_PATTERN_ROWS][reach] = 1000;
    clmove_advice up = advise(&it, MIB, MIB, CLMOVE_AT_HOST, CLMOVE_AT_DEVICE);
    assert_string_equal(clmove_steps_text(up.ways[up.choice].steps), "host, upload");
    assert_mentions(up.reason, "the host moves it faster");
    it = model_gpu();
    clmove_advice small = advise(&it, 4096, 4096, CLMOVE_AT_HOST, CLMOVE_AT_DEVICE);
    assert_int_equal(small.ways[small.choice].moved_at, CLMOVE_AT_HOST);
    it.origin = CLMOVE_CALIBRATION_GUESS;
    assert_mentions(advise(&it, 4096, 4096, CLMOVE_AT_HOST, CLMOVE_AT_DEVICE).reason, "a guess: Tensor #1 is not calibrated");
    it.origin = CLMOVE_CALIBRATION_FROM_FILE;
    it.noise = 0.19;
    assert_null(strstr(advise(&it, 4096, 4096, CLMOVE_AT_HOST, CLMOVE_AT_DEVICE).reason, "busy"));
    it.noise = 0.2;
    assert_mentions(advise(&it, 4096, 4096, CLMOVE_AT_HOST, CLMOVE_AT_DEVICE).reason,
                    "(calibrated while the machine was busy: runs of the same work differed by 20 %)");
}

static void nothing_takes_no_time(void **state) {
    (void)state;
    clm_calibration it = model_gpu();
    it.origin = CLMOVE_CALIBRATION_GUESS;
    for (int i = 0; i < 4; i++) {
        clmove_place from = (clmove_place)(i / 2), to = (clmove_place)(i % 2);
        clmove_advice advice = advise(&it, 0, 0, from, to);
        assert_true(advice.ways[0].seconds == 0 && advice.ways[1].seconds == 0);
        assert_int_equal(advice.ways[advice.choice].moved_at, to);
        assert_string_equal(advice.reason, "there is nothing to move, which takes no time");
    }
    assert_true(predict(&it, 0, 0, false).run_seconds == 0 && predict(&it, 0, 0, true).run_seconds == 0);
}

/* ---- guesses, and work ---- */

static void guesses_hold(void **state) {
    (void)state;
    for (int class = CLM_GUESS_HOST; class <= CLM_GUESS_DISCRETE; class ++) {
        clm_calibration it;
        clm_calibration_guess(&it, (clm_guess_class) class);
        assert_int_equal(it.origin, CLMOVE_CALIBRATION_GUESS);
        assert_readable(&it, class == CLM_GUESS_HOST);
        assert_int_equal(it.launch > 0, class != CLM_GUESS_HOST);
        if (class == CLM_GUESS_HOST)
            continue;
        /* what auto would do: nobody gains by bringing what is small over a link */
        clmove_prediction found = predict(&it, 65536, 65536, class == CLM_GUESS_CPU);
        assert_true(found.host_seconds < found.run_seconds);
    }
}

static void work_is_counted_once(void **state) {
    (void)state;
    clmove_map map;
    clm_normal_form form;
    clm_work work;
    static const clm_variant row_variant = {.name = "rows"}, odd_variant = {.name = "odd"};
    static const clm_launch_plan rows = {.variant = &row_variant, .launches = 3}, odd = {.variant = &odd_variant};
    ASSERT_OK(clmove_map_init(&map, 32, 2, (int64_t[]){7, 100}, &error), &error);
    ASSERT_OK(clmove_map_tile(&map, 2, (int64_t[]){3, 5}, CLMOVE_RULES_OPENVINO, &error), &error);
    form = normal_form_of(&map);
    clm_work_from_form(&work, &form, &rows);
    assert_int_equal(work.pattern, CLM_PATTERN_ROWS);
    assert_int_equal(work.read_bytes, 2800);
    assert_int_equal(work.written_bytes, 42000);
    assert_int_equal(work.launches, 3);
    ASSERT_OK(clmove_map_init(&map, 1, 2, (int64_t[]){3, 7}, &error), &error);
    ASSERT_OK(clmove_map_permute(&map, 2, (int64_t[]){1, 0}, &error), &error);
    form = normal_form_of(&map);
    clm_work_from_form(&work, &form, &odd);
    assert_int_equal(work.pattern, CLM_PATTERN_GATHER);
    assert_int_equal(work.read_bytes, 3);
    assert_int_equal(work.written_bytes, 3);
    int patterns = 0;
    for (const clm_variant *row = clm_variants; row->name; row++) { /* the public list has all but one */
        const clm_launch_plan launch_plan = {.variant = row, .m = 8};
        clm_work_from_form(&work, &form, &launch_plan);
        if (row->makes_passes) {
            assert_int_equal(work.pattern, CLM_PATTERN_DEINTERLEAVE_WIDE);
            continue;
        }
        assert_string_equal(clm_pattern_names[work.pattern], row->name);
        patterns++;
        const clm_launch_plan wide = {.variant = row, .m = 16};
        clm_work_from_form(&work, &form, &wide);
        bool is_split = strcmp(row->name, "deinterleave") == 0;
        assert_string_equal(clm_pattern_names[work.pattern], is_split ? "deinterleave_wide" : row->name);
        patterns += is_split;
    }
    assert_int_equal(patterns, CLM_PATTERNS);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(curves_are_followed),
        cmocka_unit_test(plans_are_copies_and_fills),
        cmocka_unit_test(small_parts_of_much_are_not_in_the_cache),
        cmocka_unit_test(patterns_are_slower),
        cmocka_unit_test(slow_patterns_need_not_be_slower_than_memory),
        cmocka_unit_test(runs_are_what_a_run_of_a_copy_says),
        cmocka_unit_test(the_host_alone_has_one_figure),
        cmocka_unit_test(the_small_side_crosses_the_link),
        cmocka_unit_test(reasons_are_readable),
        cmocka_unit_test(a_run_in_place_is_one_step),
        cmocka_unit_test(slow_devices_and_launches_are_avoided),
        cmocka_unit_test(nothing_takes_no_time),
        cmocka_unit_test(guesses_hold),
        cmocka_unit_test(work_is_counted_once),
    };
    return cmocka_run_group_tests_name("cost", tests, NULL, NULL);
}
