/* Calibrations as figures: kept as text, and made of what was measured.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/advice/calibrate_bench.h"
#include "model_gpu.h"
#include "support.h"
#include "two_cores.h"

#include <stdio.h>
#include <string.h>

#define MIB (INT64_C(1) << 20)

static clmove_error error;
static const clmove_device_info gpu = {.type = CLMOVE_DEVICE_GPU, .name = "Tensor #1", .driver = "1.0"},
                                host = {.type = CLMOVE_DEVICE_HOST, .name = "host"};

/* ---- what is measured ---- */

/* Memory for the source and for the destination has as many bytes. */
static void patterns_fit_in_little_memory(void **state) {
    (void)state;
    for (int size = 0; size < CLM_CALIBRATION_SIZES; size++)
        for (int pattern = 0; pattern < CLM_PATTERNS; pattern++) {
            clmove_map map;
            int64_t bytes = clm_calibration_bytes(size);
            ASSERT_OK(clm_bench_map(&map, pattern, bytes, &error), &error);
            int64_t src = clmove_map_src_bytes(&map), dst = clmove_map_dst_bytes(&map);
            if (src > bytes || dst > bytes || src + dst < bytes / 2 || src + dst > 2 * bytes)
                fail_msg("%s of %d bytes: %d and %d", clm_pattern_names[pattern], (int)bytes, (int)src, (int)dst);
        }
}

/* A processor moves the map of a pattern by that pattern, whatever the bytes in which it looks bytes up. `local` is a GPU's. */
static void patterns_are_what_is_measured(void **state) {
    (void)state;
    static const int32_t windows[] = {16, 64};
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++)
        for (int items_make_tables = 0; items_make_tables < 2; items_make_tables++)
            for (int pattern = 0; pattern < CLM_PATTERNS; pattern++) {
                clm_traits traits = traits_of_two_cores(32 * MIB, windows[i]);
                clm_launch_plan launch_plan;
                clmove_map map;
                clm_work work;
                if (pattern == CLM_PATTERN_LOCAL)
                    continue;
                traits.items_make_tables = items_make_tables;
                ASSERT_OK(clm_bench_map(&map, pattern, 16 * MIB, &error), &error);
                const clm_normal_form form = normal_form_of(&map);
                ASSERT_OK(clm_choose(&form, &traits, NULL, 0, &launch_plan, &error), &error);
                clm_work_from_form(&work, &form, &launch_plan);
                if ((int)work.pattern != pattern)
                    fail_msg("%s is measured as %s", clm_pattern_names[work.pattern], clm_pattern_names[pattern]);
            }
}

/* ---- what was measured ---- */

enum { RUNS = 9 };

static clm_measured measured;

/* What rounds on the device would measure, of which run i takes slower[i] times as long. Interleave takes twice as long as copy
 * and fill at both places. */
static void measure(int known, const double slower[RUNS]) {
    const clm_calibration it = model_gpu();
    memset(&measured, 0, sizeof measured);
    for (int i = 0; i < RUNS; i++) {
        clm_series_add(&measured.launch, it.launch);
        for (int curve = 0; curve < CLM_CURVES; curve++)
            for (int size = 0; size < known; size++)
                clm_series_add(&measured.curves[curve][size], it.curves[curve][size] * slower[i]);
    }
    for (int move = 0; move < CLM_MOVES; move++)
        for (int set = 0; set < CLM_CALIBRATION_WORKING_SETS; set++) {
            int64_t half = clm_working_set_bytes(set) / 2, read = move == CLM_MOVE_FILL ? 0 : half;
            clm_work work = {.pattern = CLM_PATTERN_COPY, .read_bytes = read, .written_bytes = 2 * half - read, .launches = 1};
            measured.works[move][set] = work;
            for (int place = 0; place < 2; place++) {
                double start = place == CLMOVE_AT_HOST ? 0 : it.launch,
                       base = clm_cost_move(&it, (clmove_place)place, &work) - start;
                for (int i = 0; i < RUNS; i++)
                    clm_series_add(&measured.moves[place][move][set],
                                   start + base * slower[i] * (move == CLM_PATTERN_INTERLEAVE ? 2 : 1));
            }
        }
}

static void assert_like_the_model(const clm_calibration *found) {
    const clm_calibration it = model_gpu();
    ASSERT_NEAR(found->launch, it.launch);
    for (int curve = 0; curve < CLM_CURVES; curve++)
        for (int i = 0; i < CLM_CALIBRATION_SIZES; i++)
            ASSERT_NEAR(found->curves[curve][i], it.curves[curve][i]);
    for (int i = 0; i < 2 * CLM_PATTERNS * CLM_CALIBRATION_WORKING_SETS; i++)
        ASSERT_NEAR((&found->slowdown[0][0][0])[i],
                    i / CLM_CALIBRATION_WORKING_SETS % CLM_PATTERNS == CLM_PATTERN_INTERLEAVE ? 2 : 1);
}

static void what_was_not_measured_is_drawn_on(void **state) {
    (void)state;
    static const double quiet[RUNS] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    const clm_calibration it = model_gpu();
    clm_calibration found;
    measure(9, quiet);
    clm_measured_summarise(&measured, &found);
    assert_int_equal(found.origin, CLMOVE_CALIBRATION_MEASURED);
    assert_int_equal(found.measured_sizes[CLM_CURVE_UPLOAD], 9);
    assert_like_the_model(&found); /* straight lines go on as they were */
    ASSERT_NEAR(found.noise, 0);
    measure(1, quiet);
    clm_measured_summarise(&measured, &found);
    assert_readable(&found, false);
    ASSERT_NEAR(found.curves[CLM_CURVE_UPLOAD][16], 65536 * it.curves[CLM_CURVE_UPLOAD][0]);
    measure(9, quiet);
    for (int i = 0; i < RUNS; i++)
        measured.curves[CLM_CURVE_UPLOAD][8].values[i] = it.curves[CLM_CURVE_UPLOAD][7] / 2; /* noise */
    clm_measured_summarise(&measured, &found);
    assert_true(found.curves[CLM_CURVE_UPLOAD][16] > 16 * found.curves[CLM_CURVE_UPLOAD][8]);
    for (int set = 1; set < CLM_CALIBRATION_WORKING_SETS; set++)
        measured.moves[CLMOVE_AT_HOST][CLM_PATTERN_INTERLEAVE][set].count = 0; /* there was no time */
    clm_measured_summarise(&measured, &found);
    for (int set = 0; set < CLM_CALIBRATION_WORKING_SETS; set++)
        ASSERT_NEAR(found.slowdown[CLMOVE_AT_HOST][CLM_PATTERN_INTERLEAVE][set], 2);
    memset(&measured, 0, sizeof measured);
    for (int curve = 0; curve <= CLM_CURVE_HOST_FILL; curve++)
        clm_series_add(&measured.curves[curve][0], 0); /* the clock's step was longer */
    clm_measured_summarise(&measured, &found);
    assert_readable(&found, true);
}

/* Only 4 KiB, 64 KiB and 1 MiB, because each run waits for another machine. */
static void a_slow_link_is_known_by_few_sizes(void **state) {
    (void)state;
    const clm_curve curve = CLM_CURVE_DOWNLOAD;
    clm_calibration found;
    memset(&measured, 0, sizeof measured);
    for (int size = 0; size <= 8; size += 4)
        clm_series_add(&measured.curves[curve][size], 44e-3 + (double)clm_calibration_bytes(size) / 1e9);
    clm_measured_summarise(&measured, &found);
    assert_int_equal(found.measured_sizes[curve], 9);
    for (int size = 0; size < CLM_CALIBRATION_SIZES; size++) {
        const double is = found.curves[curve][size], right = 44e-3 + (double)clm_calibration_bytes(size) / 1e9;
        if (size <= 8)
            ASSERT_NEAR(is, right);
        else
            assert_true(is > right / 2 && is < right * 8);
    }
}

/* A quarter of the runs takes five times as long, the copies' and fills' too. */
static void moments_of_disturbance_do_not_show(void **state) {
    (void)state;
    static const double slower[RUNS] = {1, 5, 1, 1, 1, 1, 5, 1, 1};
    clm_calibration found;
    measure(CLM_CALIBRATION_SIZES, slower);
    clm_measured_summarise(&measured, &found);
    assert_like_the_model(&found);
    assert_true(found.noise < CLMOVE_CALIBRATION_NOISY);
    for (int i = 0; i < RUNS; i++) /* one of the large sizes was disturbed all the time */
        measured.curves[CLM_CURVE_DEVICE_COPY][14].values[i] *= 3;
    clm_measured_summarise(&measured, &found);
    const clm_calibration it = model_gpu();
    assert_true(found.curves[CLM_CURVE_DEVICE_COPY][14] < 1.1 * it.curves[CLM_CURVE_DEVICE_COPY][14]);
}

/* The machine changes its speed after the curves were measured, and again and again. */
static void slowdowns_are_those_of_a_turn(void **state) {
    (void)state;
    static const double slower[RUNS] = {2, 3, 3, 1, 2, 7, 3, 2, 5};
    clm_calibration found;
    measure(CLM_CALIBRATION_SIZES, slower);
    clm_measured_summarise(&measured, &found);
    for (int place = 0; place < 2; place++)
        for (int set = 0; set < CLM_CALIBRATION_WORKING_SETS; set++) {
            ASSERT_NEAR(found.slowdown[place][CLM_PATTERN_INTERLEAVE][set], 2);
            ASSERT_NEAR(found.slowdown[place][CLM_PATTERN_ROWS][set], 1);
        }
}

static void disturbance_shows_in_the_noise(void **state) {
    (void)state;
    static const double slower[RUNS] = {1, 2, 1, 2, 1, 2, 1, 2, 1.5};
    clm_calibration found;
    measure(CLM_CALIBRATION_SIZES, slower);
    clm_measured_summarise(&measured, &found);
    assert_true(found.noise >= CLMOVE_CALIBRATION_NOISY && found.noise < 1);
}

static void quantiles_lie_between_values(void **state) {
    (void)state;
    const double values[] = {4, 1, 3, 2, 5}, one = 7;
    ASSERT_NEAR(clm_quantile(values, 5, 0), 1);
    ASSERT_NEAR(clm_quantile(values, 5, 0.5), 3);
    ASSERT_NEAR(clm_quantile(values, 5, 1), 5);
    ASSERT_NEAR(clm_quantile(values, 4, 0.25), 1.75);
    ASSERT_NEAR(clm_quantile(&one, 1, 0.25), 7);
    ASSERT_NEAR(values[0], 4); /* as they were */
    for (int i = 0; i <= CLM_SERIES_CAPACITY; i++)
        clm_series_add(&measured.launch, 1);
    assert_int_equal(measured.launch.count, CLM_SERIES_CAPACITY);
}

/* ---- text ---- */

static char text[16384];

static clmove_status read_text(const clmove_device_info *device, clm_calibration *it) {
    return clm_calibration_read(text, strlen(text), "it.conf", device, CLM_CALIBRATION_OF_ALL, it, &error);
}

static size_t start_section(void) {
    return (size_t)snprintf(text, sizeof text, "# mine\n[device another]\nnonsense = upload\n\n [ device Tensor #1 | 1.0 ] \n");
}

static void text_is_read_as_it_was_written(void **state) {
    (void)state;
    clm_calibration it = model_gpu(), found;
    it.noise = 0.13;
    for (int curve = 0; curve < CLM_CURVES; curve++)
        it.measured_sizes[curve] = 9 + curve;
    size_t length = start_section();
    size_t written = clm_calibration_write(&it, false, text + length);
    assert_int_equal(written, strlen(text + length));
    strcat(text, "[device last]\nwhatever = 1\n");
    ASSERT_OK(read_text(&gpu, &found), &error);
    assert_int_equal(found.origin, CLMOVE_CALIBRATION_FROM_FILE);
    for (int curve = 0; curve < CLM_CURVES; curve++)
        for (int i = 0; i < CLM_CALIBRATION_SIZES; i++) {
            double difference = found.curves[curve][i] - it.curves[curve][i];
            assert_true(difference < 0.51e-9 && difference > -0.51e-9);
        }
    ASSERT_NEAR(found.launch, it.launch);
    ASSERT_NEAR(found.noise, it.noise);
    assert_memory_equal(found.slowdown, it.slowdown, sizeof it.slowdown);
    assert_memory_equal(found.measured_sizes, it.measured_sizes, sizeof it.measured_sizes);
    found = it;
    ASSERT_OK(read_text(&host, &found), &error); /* no section: it is as it was */
    assert_memory_equal(&found, &it, sizeof it);

    clm_calibration_guess(&it, CLM_GUESS_HOST);
    it.curves[CLM_CURVE_HOST_FILL][0] = 1e-12;
    it.curves[CLM_CURVE_HOST_FILL][16] = 2e6;
    it.slowdown[CLMOVE_AT_HOST][CLM_PATTERN_BITS][1] = 2e6;
    length = (size_t)snprintf(text, sizeof text, "[device host]\n");
    clm_calibration_write(&it, true, text + length);
    assert_null(strstr(text, "upload"));
    ASSERT_OK(read_text(&host, &found), &error);
    assert_int_equal(found.origin, CLMOVE_CALIBRATION_FROM_FILE);
    ASSERT_NEAR(found.curves[CLM_CURVE_HOST_FILL][0], 1e-9); /* what is written can be read */
    ASSERT_NEAR(found.curves[CLM_CURVE_HOST_FILL][16], 1e6);
    ASSERT_NEAR(found.slowdown[CLMOVE_AT_HOST][CLM_PATTERN_BITS][1], 1e6);
}

/* Replaces a piece of a good section, and asserts that it is refused. */
static void refuse(const char *piece, const char *by, const char *sentence) {
    clm_calibration it = model_gpu(), before = {.launch = 7}, found = before;
    char rest[sizeof text];
    size_t length = start_section();
    clm_calibration_write(&it, false, text + length);
    char *at = strstr(text, piece);
    assert_non_null(at);
    snprintf(rest, sizeof rest, "%s", at + strlen(piece));
    snprintf(at, sizeof text - (size_t)(at - text), "%s%s", by, rest);
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, read_text(&gpu, &found), &error);
    assert_mentions(error.text, sentence);
    assert_memory_equal(&found, &before, sizeof found);
}

static void broken_text_is_refused(void **state) {
    (void)state;
    refuse("noise_percent = 0\n", "noise_percent = -1\n", "noise_percent must be 1 whole number from 0 to 100000000");
    refuse("measured_sizes = 0 ", "measured_sizes = 18 ",
           "measured_sizes must be 7 whole numbers from 0 to 17, with spaces between");
    refuse("measured_sizes = 0 ", "measured_sizes = ", "measured_sizes must be 7 whole numbers");
    refuse("launch_ns = 10000\n", "", "it.conf: there is no launch_ns");
    refuse("launch_ns = 10000\n", "launch_ns = 10000\nlaunch_ns = 1\n", "launch_ns is given twice");
    refuse("launch_ns = 10000\n", "launch_ns = 0\n", "launch_ns must be 1 whole number from 1 to 1000000000000000");
    refuse("launch_ns = 10000\n", "launch_ns = 1 2\n", "launch_ns must be 1 whole number");
    refuse("launch_ns = 10000\n", "launch_ns =\n", "launch_ns must be 1 whole number");
    refuse("launch_ns = 10000\n", "launch_ns = 1.5\n", "launch_ns must be 1 whole number");
    refuse("launch_ns = 10000\n", "launch_ns = 1000000000000001\n", "launch_ns must be 1 whole number");
    refuse("device_bits_percent = 100 ", "device_bits_percent = 0 ",
           "device_bits_percent must be 3 whole numbers from 1 to 100000000");
    refuse("device_bits_percent = 100 ", "device_bits_percent = 100000001 ",
           "device_bits_percent must be 3 whole numbers from 1 to 100000000");
    refuse("noise_percent = 0\n", "noise_percent = 100000001\n", "noise_percent must be 1 whole number from 0 to 100000000");
    refuse("measured_sizes = 0 ", "#", "it.conf: there is no measured_sizes");
    refuse("upload_ns = ", "upload_ns = 5 ",
           "line 9: upload_ns must be 17 whole numbers from 1 to 1000000000000000, with spaces between");
    refuse("upload_ns", "uploads_ns", "line 9: there is no key \"uploads_ns\"");
    refuse("upload_ns = ", "upload_ns ", "\" is neither a header in brackets nor key = value");
    refuse("launch_ns = 10000\n", "launch_ns = 10000\n[device Tensor #1 | 1.0]\n", "the header of this device stands here again");
    clm_calibration it = model_gpu();
    size_t length = (size_t)snprintf(text, sizeof text, "[device host]\n");
    clm_calibration_write(&it, false, text + length);
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, read_text(&host, &it), &error);
    assert_mentions(error.text, "there is no key \"upload_ns\"");
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_fit_in_little_memory),      cmocka_unit_test(patterns_are_what_is_measured),
        cmocka_unit_test(what_was_not_measured_is_drawn_on),  cmocka_unit_test(a_slow_link_is_known_by_few_sizes),
        cmocka_unit_test(moments_of_disturbance_do_not_show), cmocka_unit_test(slowdowns_are_those_of_a_turn),
        cmocka_unit_test(disturbance_shows_in_the_noise),     cmocka_unit_test(quantiles_lie_between_values),
        cmocka_unit_test(text_is_read_as_it_was_written),     cmocka_unit_test(broken_text_is_refused),
    };
    return cmocka_run_group_tests_name("calibration", tests, NULL, NULL);
}
