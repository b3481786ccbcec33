/* Runs on several devices: what is cut, who takes part, progress, and how much each device gets. See test_several.c.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "test_several.h"

#include <clmove/advice.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MIB ((size_t)1 << 20)

static clmove_error error;

turned turned_create(clmove_device *on, int64_t rows, int64_t columns) {
    turned it = {.rows = rows, .columns = columns, .bytes = (size_t)(rows * columns) * 4};
    clmove_map map;
    it.src = malloc(it.bytes);
    it.dst = malloc(it.bytes);
    it.expected = malloc(it.bytes);
    assert_true(it.src && it.dst && it.expected);
    fill_noise(it.src, it.bytes, 1);
    memset(it.dst, 0x99, it.bytes);
    for (int64_t row = 0; row < rows; row++)
        for (int64_t column = 0; column < columns; column++)
            memcpy(it.expected + (column * rows + row) * 4, it.src + (row * columns + column) * 4, 4);
    ASSERT_OK(clmove_map_init(&map, 32, 2, (const int64_t[]){rows, columns}, &error), &error);
    ASSERT_OK(clmove_map_permute(&map, 2, (const int64_t[]){1, 0}, &error), &error);
    ASSERT_OK(clmove_plan_create(on, &map, NULL, &it.plan, &error), &error);
    return it;
}

void turned_destroy(turned *it) {
    clmove_plan_destroy(&it->plan);
    free(it->src);
    free(it->dst);
    free(it->expected);
}

clmove_run_info turned_run(turned *it, int64_t piece_bytes) {
    clmove_run_info info = {.struct_size = sizeof info};
    const clmove_run_params params = {.struct_size = sizeof params, .piece_bytes = piece_bytes, .info = &info};
    memset(it->dst, 0x99, it->bytes);
    ASSERT_OK(clmove_run_with(it->plan, it->src, it->bytes, it->dst, it->bytes, &params, &error), &error);
    check_bytes(it->dst, it->expected, it->bytes, "several devices");
    return info;
}

/* ---- runs ---- */

/* Without calibrations each takes a turn when it is free: the first that is asked, the caller's, may be done with all before
 * another begins, but not with 64 MiB again and again. */
static void all_take_part(void **state) {
    (void)state;
    turned it = turned_create(several_device, 4096, 2048);
    const clmove_device_stats before = stats_of(several_device);
    clmove_run_info info = turned_run(&it, 0);
    assert_int_equal(info.method, CLMOVE_RUN_SEVERAL);
    assert_string_equal(clmove_run_method_text(info.method), "several");
    assert_true(info.pieces >= 2 && info.piece_bytes >= (int64_t)(4 * MIB) && info.seconds > 0);
    bool has_host = false, both = false;
    for (int i = 0; i < several_count; i++)
        has_host = has_host || strcmp(several_ones[i], "host") == 0;
    for (int round = 0; round < 50 && !both; round++) {
        const clmove_device_stats after = stats_of(several_device);
        both = after.kernels_run > before.kernels_run && (!has_host || after.host_runs > before.host_runs);
        turned_run(&it, 0);
    }
    assert_true(both);
    turned_destroy(&it);
}

static void small_runs_go_to_one(void **state) {
    (void)state;
    turned it = turned_create(several_device, 100, 50);
    assert_int_not_equal(turned_run(&it, 0).method, CLMOVE_RUN_SEVERAL);
    clmove_run_info info = turned_run(&it, 4000); /* but not in pieces */
    assert_int_equal(info.method, CLMOVE_RUN_SEVERAL);
    assert_true(info.pieces >= 10 && info.piece_bytes <= 4000);
    ASSERT_OK(clmove_run(it.plan, it.src, it.bytes, it.dst, it.bytes, &error), &error);
    check_bytes(it.dst, it.expected, it.bytes, "a small run");
    ASSERT_FAILS(CLMOVE_BAD_BUFFER, clmove_run(it.plan, it.src, it.bytes - 1, it.dst, it.bytes, &error), &error);
    ASSERT_FAILS(CLMOVE_BAD_BUFFER, clmove_run(it.plan, it.src, it.bytes, it.src, it.bytes, &error), &error);
    turned_destroy(&it);
}

/* Rows of 7 elements of 1 bit begin within bytes, which no two devices may write; rows of 8 begin at bytes. */
static void bits_are_cut_at_bytes_alone(void **state) {
    (void)state;
    static const struct {
        int64_t rows, columns;
        bool is_cut;
    } shapes[] = {{64, 7, false}, {1001, 7, false}, {501, 8, true}, {63, 24, true}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const int64_t rows = shapes[i].rows, columns = shapes[i].columns;
        const size_t bytes = bytes_of(1, rows * columns);
        fenced src = fenced_create(bytes, 0, 1), dst = fenced_create(bytes, 0, 2);
        clmove_map map;
        clmove_plan *plan = NULL;
        clmove_run_info info = {.struct_size = sizeof info};
        const clmove_run_params params = {.struct_size = sizeof params, .piece_bytes = 20, .info = &info};
        for (int64_t row = 0; row < rows; row++)
            for (int64_t column = 0; column < columns; column++)
                copy_element(1, src.data, row * columns + column, fenced_expected(&dst), row * columns + (columns - 1 - column));
        ASSERT_OK(clmove_map_init(&map, 1, 2, (const int64_t[]){rows, columns}, &error), &error);
        ASSERT_OK(clmove_map_view_src(&map, (const int64_t[]){columns, -1}, columns - 1, &error), &error);
        ASSERT_OK(clmove_plan_create(several_device, &map, NULL, &plan, &error), &error);
        ASSERT_OK(clmove_run_with(plan, src.data, bytes, dst.data, bytes, &params, &error), &error);
        fenced_check(&dst, "bits");
        assert_int_equal(info.method == CLMOVE_RUN_SEVERAL, shapes[i].is_cut);
        clmove_plan_destroy(&plan);
        fenced_destroy(&src);
        fenced_destroy(&dst);
    }
}

typedef struct heard {
    int64_t times, left;
    clmove_progress last;
    pthread_t thread;
} heard;

static bool hear(void *user, const clmove_progress *now) {
    heard *it = user;
    assert_true(pthread_equal(pthread_self(), it->thread)); /* of the caller, as it may be Python's */
    assert_true(now->bytes_done > it->last.bytes_done && now->bytes_done <= now->bytes_total);
    it->last = *now;
    it->times++;
    return it->left < 0 || --it->left > 0;
}

static void progress_counts_every_byte(void **state) {
    (void)state;
    turned it = turned_create(several_device, 700, 300);
    clmove_run_info info = {.struct_size = sizeof info};
    heard progress = {.left = -1, .thread = pthread_self()};
    clmove_run_params params = {
        .struct_size = sizeof params, .progress = hear, .progress_user = &progress, .piece_bytes = 50000, .info = &info};
    ASSERT_OK(clmove_run_with(it.plan, it.src, it.bytes, it.dst, it.bytes, &params, &error), &error);
    check_bytes(it.dst, it.expected, it.bytes, "with progress");
    assert_int_equal(progress.last.bytes_done, 2 * (int64_t)it.bytes);
    assert_true(progress.times >= 1 && progress.times <= info.pieces);
    for (int64_t until = 1; until < 8; until++) { /* cancelled */
        progress = (heard){.left = until, .thread = pthread_self()};
        info.pieces = -5;
        memset(it.dst, 0x99, it.bytes);
        clmove_status status = clmove_run_with(it.plan, it.src, it.bytes, it.dst, it.bytes, &params, &error);
        if (status == CLMOVE_OK) { /* one call stood for all that was left */
            assert_int_equal(progress.last.bytes_done, progress.last.bytes_total);
            continue;
        }
        assert_int_equal(status, CLMOVE_CANCELLED);
        assert_mentions(error.text, "of 1680000 bytes");
        assert_int_equal(info.pieces, -5);
        for (size_t i = 0; i < it.bytes; i++)
            if (it.dst[i] != it.expected[i] && it.dst[i] != 0x99)
                fail_msg("byte %zu is 0x%02x after a cancellation", i, it.dst[i]);
    }
    turned_run(&it, 0);
    turned_destroy(&it);
}

/* ---- from several threads ---- */

enum { THREADS = 3, ROUNDS = 6 };

typedef struct runner {
    pthread_t thread;
    turned *what;
    uint8_t *dst;
    bool wrong;
} runner;

static void *run_often(void *of) {
    runner *it = of;
    const clmove_run_params params = {.struct_size = sizeof params, .piece_bytes = 100000};
    clmove_error why;
    for (int i = 0; i < ROUNDS && !it->wrong; i++) {
        memset(it->dst, 0x99, it->what->bytes);
        it->wrong = clmove_run_with(it->what->plan, it->what->src, it->what->bytes, it->dst, it->what->bytes, &params, &why) ||
                    memcmp(it->dst, it->what->expected, it->what->bytes) != 0;
    }
    return NULL;
}

static void threads_share_a_plan(void **state) {
    (void)state;
    turned it = turned_create(several_device, 900, 500);
    runner runners[THREADS];
    for (int i = 0; i < THREADS; i++) {
        runners[i] = (runner){.what = &it, .dst = malloc(it.bytes)};
        assert_non_null(runners[i].dst);
        assert_int_equal(pthread_create(&runners[i].thread, NULL, run_often, &runners[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(runners[i].thread, NULL);
    for (int i = 0; i < THREADS; i++) {
        assert_false(runners[i].wrong);
        free(runners[i].dst);
    }
    turned_destroy(&it);
}

/* ---- by calibrations ---- */

/* Writes a section of a several_device, by which its clmove_run takes so many seconds and more. */
static void write_section(FILE *file, const char *selector, double seconds) {
    clmove_device *one = open_device(selector);
    clmove_device_info info = {.struct_size = sizeof info};
    char text[8192];
    assert_non_null(one);
    calibrate_as(one, seconds, seconds);
    ASSERT_OK(clmove_device_get_info(one, &info, &error), &error);
    ASSERT_OK(clmove_device_get_calibration_text(one, text, sizeof text, &error), &error);
    if (info.type == CLMOVE_DEVICE_HOST)
        fprintf(file, "[device host]\n%s\n", text);
    else
        fprintf(file, "[device %s | %s]\n%s\n", info.name, info.driver, text);
    clmove_device_close(&one);
}

/* The host is ten times as fast: it gets ten of eleven parts, and explain says so. */
static void calibrations_decide_how_much(void **state) {
    (void)state;
    char path[] = "/tmp/clmove-several-XXXXXX", text[16384];
    if (several_count != 2 || strcmp(several_ones[1], "host") != 0)
        skip(); /* devices of one name have one section */
    int made = mkstemp(path);
    FILE *file = made >= 0 ? fdopen(made, "w") : NULL;
    assert_non_null(file);
    write_section(file, several_ones[0], 0.010);
    write_section(file, several_ones[1], 0.001);
    fclose(file);
    const char *before = getenv("CLMOVE_CALIBRATION_FILE");
    char *kept = before ? strdup(before) : NULL;
    setenv("CLMOVE_CALIBRATION_FILE", path, 1);
    clmove_device *calibrated = open_device(several_list);
    if (kept)
        setenv("CLMOVE_CALIBRATION_FILE", kept, 1);
    else
        unsetenv("CLMOVE_CALIBRATION_FILE");
    free(kept);
    unlink(path);
    turned it = turned_create(calibrated, 2048, 2048);
    ASSERT_OK(clmove_plan_explain(it.plan, text, sizeof text, &error), &error);
    assert_mentions(text, "by their calibrations");
    assert_mentions(text, " 91 %");
    assert_mentions(text, " 9 %");
    /* 58 of 64 pieces at once, or more if the other was late. On a busy machine it may be late itself, and get fewer. */
    bool has_most = false;
    for (int i = 0; i < 50 && !has_most; i++) {
        clmove_run_info info = turned_run(&it, 0);
        assert_int_equal(info.method, CLMOVE_RUN_SEVERAL);
        has_most = info.piece_bytes >= (int64_t)(2 * it.bytes / 64 * 58);
    }
    assert_true(has_most);
    turned small = turned_create(calibrated, 20, 20); /* goes to the faster */
    const clmove_device_stats then = stats_of(calibrated);
    assert_int_equal(turned_run(&small, 0).method, CLMOVE_RUN_HOST);
    assert_int_equal(stats_of(calibrated).kernels_run, then.kernels_run);
    turned_destroy(&small);
    turned_destroy(&it);
    clmove_device_close(&calibrated);
}

int several_run_tests(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_take_part),
        cmocka_unit_test(small_runs_go_to_one),
        cmocka_unit_test(bits_are_cut_at_bytes_alone),
        cmocka_unit_test(progress_counts_every_byte),
        cmocka_unit_test(threads_share_a_plan),
        cmocka_unit_test(calibrations_decide_how_much),
    };
    return cmocka_run_group_tests_name("runs", tests, NULL, NULL);
}
