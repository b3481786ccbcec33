/* Measured runs, on one device: test_measure SELECTOR
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 96, COLUMNS = 160, BYTES = ROWS * COLUMNS * 4 };

static const char *selector;
static clmove_error error;

typedef struct bed {
    clmove_device *device;
    clmove_plan *plan;
    clmove_buffer *src, *dst;
    uint8_t bytes[BYTES], expected[BYTES];
} bed;

static clmove_device *open_it(bool profile) {
    clmove_device *device = NULL;
    clmove_device_params params = {.struct_size = sizeof params, .selector = selector, .profile = profile};
    ASSERT_OK(clmove_device_open(&params, &device, &error), &error);
    return device;
}

/* A matrix, transposed. */
static bed *make_bed(bool profile) {
    bed *it = calloc(1, sizeof *it);
    clmove_map map;
    assert_non_null(it);
    it->device = open_it(profile);
    ASSERT_OK(clmove_map_init(&map, 32, 2, (const int64_t[]){ROWS, COLUMNS}, &error), &error);
    ASSERT_OK(clmove_map_permute(&map, 2, (const int64_t[]){1, 0}, &error), &error);
    ASSERT_OK(clmove_plan_create(it->device, &map, NULL, &it->plan, &error), &error);
    ASSERT_OK(clmove_buffer_create(it->device, BYTES, &it->src, &error), &error);
    ASSERT_OK(clmove_buffer_create(it->device, BYTES, &it->dst, &error), &error);
    fill_noise(it->bytes, BYTES, 1);
    for (int64_t i = 0; i < COLUMNS; i++)
        for (int64_t k = 0; k < ROWS; k++)
            copy_element(32, it->bytes, k * COLUMNS + i, it->expected, i * ROWS + k);
    ASSERT_OK(clmove_buffer_write(it->src, 0, it->bytes, BYTES, &error), &error);
    return it;
}

static void destroy_bed(bed *it) {
    clmove_plan_destroy(&it->plan);
    clmove_buffer_destroy(&it->src);
    clmove_buffer_destroy(&it->dst);
    clmove_device_close(&it->device);
    free(it);
}

static bool is_host(const bed *it) {
    clmove_device_info info = {.struct_size = sizeof info};
    ASSERT_OK(clmove_device_get_info(it->device, &info, &error), &error);
    return info.type == CLMOVE_DEVICE_HOST;
}

static void a_measured_run_is_a_run(void **state) {
    (void)state;
    bed *it = make_bed(true);
    uint8_t got[BYTES];
    for (int i = 0; i < 5; i++) {
        clmove_times times = {sizeof times, -2, -2};
        fill_noise(got, BYTES, 7);
        ASSERT_OK(clmove_buffer_write(it->dst, 0, got, BYTES, &error), &error);
        clmove_device_stats before = stats_of(it->device);
        ASSERT_OK(clmove_measure(it->plan, clmove_buffer_view(it->src, 0), clmove_buffer_view(it->dst, 0), &times, &error),
                  &error);
        clmove_device_stats after = stats_of(it->device);
        assert_int_equal(after.kernels_run + after.host_runs, before.kernels_run + before.host_runs + 1);
        ASSERT_OK(clmove_buffer_read(it->dst, 0, got, BYTES, &error), &error);
        check_bytes(got, it->expected, BYTES, "a measured run");
        assert_true(times.host_seconds > 0 && times.host_seconds < 60);
        assert_true(times.device_seconds >= 0 && times.device_seconds <= times.host_seconds);
        if (is_host(it))
            assert_true(times.device_seconds == times.host_seconds);
    }
    destroy_bed(it);
}

static void what_came_before_does_not_count(void **state) {
    (void)state;
    bed *it = make_bed(true);
    clmove_times times = {.struct_size = sizeof times};
    for (int i = 0; i < 20; i++)
        ASSERT_OK(clmove_enqueue(it->plan, clmove_buffer_view(it->src, 0), clmove_buffer_view(it->dst, 0), NULL, &error), &error);
    ASSERT_OK(clmove_measure(it->plan, clmove_buffer_view(it->src, 0), clmove_buffer_view(it->dst, 0), &times, &error), &error);
    assert_true(times.device_seconds <= times.host_seconds);
    destroy_bed(it);
}

/* More axes than one launch has: the time is from the first kernel to the last. */
static void a_run_of_many_launches_is_measured_whole(void **state) {
    (void)state;
    enum { RANK = 20, COUNT = 1 << RANK };
    static uint8_t bytes[COUNT], got[COUNT], expected[COUNT];
    int64_t dims[RANK];
    int64_t order[RANK];
    bed *it = make_bed(true);
    clmove_map map;
    clmove_plan *plan = NULL;
    clmove_plan_info info = {.struct_size = sizeof info};
    clmove_buffer *src = NULL, *dst = NULL;
    clmove_times times = {.struct_size = sizeof times};
    for (int32_t i = 0; i < RANK; i++) {
        dims[i] = 2;
        order[i] = RANK - 1 - i;
    }
    ASSERT_OK(clmove_map_init(&map, 8, RANK, dims, &error), &error);
    ASSERT_OK(clmove_map_permute(&map, RANK, order, &error), &error);
    const clmove_plan_params wide = {
        .struct_size = sizeof wide, .variant = "gather", .index_bits = 64}; /* few axes in a launch */
    ASSERT_OK(clmove_plan_create(it->device, &map, &wide, &plan, &error), &error);
    ASSERT_OK(clmove_plan_get_info(plan, &info, &error), &error);
    assert_true(is_host(it) || info.launches > 1);
    ASSERT_OK(clmove_buffer_create(it->device, COUNT, &src, &error), &error);
    ASSERT_OK(clmove_buffer_create(it->device, COUNT, &dst, &error), &error);
    fill_noise(bytes, COUNT, 3);
    ASSERT_OK(clmove_buffer_write(src, 0, bytes, COUNT, &error), &error);
    ASSERT_OK(clmove_measure(plan, clmove_buffer_view(src, 0), clmove_buffer_view(dst, 0), &times, &error), &error);
    assert_true(times.device_seconds >= 0 && times.device_seconds <= times.host_seconds);
    for (int64_t i = 0; i < COUNT; i++) {
        int64_t mirrored = 0;
        for (int32_t bit = 0; bit < RANK; bit++)
            mirrored |= (i >> bit & 1) << (RANK - 1 - bit);
        expected[i] = bytes[mirrored];
    }
    ASSERT_OK(clmove_buffer_read(dst, 0, got, COUNT, &error), &error);
    check_bytes(got, expected, COUNT, "a run of many launches");
    clmove_plan_destroy(&plan);
    clmove_buffer_destroy(&src);
    clmove_buffer_destroy(&dst);
    destroy_bed(it);
}

static void without_profile_the_device_time_is_not_known(void **state) {
    (void)state;
    bed *it = make_bed(false);
    clmove_times times = {sizeof times, -2, -2};
    ASSERT_OK(clmove_measure(it->plan, clmove_buffer_view(it->src, 0), clmove_buffer_view(it->dst, 0), &times, &error), &error);
    assert_true(times.host_seconds > 0);
    if (is_host(it))
        assert_true(times.device_seconds == times.host_seconds);
    else
        assert_true(times.device_seconds < 0);
    destroy_bed(it);
}

static void an_empty_run_takes_no_device_time(void **state) {
    (void)state;
    bed *it = make_bed(true);
    clmove_map map;
    clmove_plan *plan = NULL;
    clmove_times times = {sizeof times, -2, -2};
    ASSERT_OK(clmove_map_init(&map, 32, 2, (const int64_t[]){0, 3}, &error), &error);
    ASSERT_OK(clmove_plan_create(it->device, &map, NULL, &plan, &error), &error);
    ASSERT_OK(clmove_measure(plan, clmove_buffer_view(it->src, 0), clmove_buffer_view(it->dst, 0), &times, &error), &error);
    assert_true(times.host_seconds >= 0 && times.device_seconds >= 0 && times.device_seconds <= times.host_seconds);
    clmove_plan_destroy(&plan);
    destroy_bed(it);
}

static void measured_transfers_are_transfers(void **state) {
    (void)state;
    for (int profile = 0; profile < 2; profile++) {
        bed *it = make_bed(profile);
        uint8_t sent[BYTES], got[BYTES] = {0};
        clmove_times up = {sizeof up, -2, -2}, down = {sizeof down, -2, -2};
        bool is_known = profile || is_host(it);
        fill_noise(sent, BYTES, 9);
        ASSERT_OK(clmove_enqueue(it->plan, clmove_buffer_view(it->src, 0), clmove_buffer_view(it->dst, 0), NULL, &error),
                  &error); /* which is waited for, and overwritten */
        ASSERT_OK(clmove_measure_write(it->dst, 1, sent, BYTES - 1, &up, &error), &error);
        ASSERT_OK(clmove_measure_read(it->dst, 1, got, BYTES - 1, &down, &error), &error);
        check_bytes(got, sent, BYTES - 1, "measured transfers");
        for (const clmove_times *times = &up; times; times = times == &up ? &down : NULL) {
            assert_true(times->host_seconds >= 0 && times->host_seconds < 60);
            assert_true(is_known ? times->device_seconds >= 0 && times->device_seconds <= times->host_seconds
                                 : times->device_seconds < 0);
        }
        ASSERT_OK(clmove_measure_write(it->dst, 0, NULL, 0, &up, &error), &error);
        assert_true(up.host_seconds >= 0 && up.device_seconds == up.host_seconds); /* there was no command */
        clmove_times kept = {sizeof kept, -2, -2};
        ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_measure_write(NULL, 0, sent, 1, &kept, &error), &error);
        ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_measure_read(NULL, 0, got, 1, &kept, &error), &error);
        ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_measure_write(it->dst, 0, sent, 1, NULL, &error), &error);
        ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_measure_read(it->dst, 0, got, 1, NULL, &error), &error);
        ASSERT_FAILS(CLMOVE_BAD_BUFFER, clmove_measure_write(it->dst, SIZE_MAX, sent, 2, &kept, &error), &error);
        ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_measure_read(it->dst, 0, NULL, 1, &kept, &error), &error);
        assert_true(kept.host_seconds == -2 && kept.device_seconds == -2);
        destroy_bed(it);
    }
}

static void misuse_is_refused_and_measures_nothing(void **state) {
    (void)state;
    bed *it = make_bed(true);
    clmove_buffer *small = NULL;
    clmove_times times = {sizeof times, -2, -2};
    ASSERT_OK(clmove_buffer_create(it->device, BYTES - 1, &small, &error), &error);
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT,
                 clmove_measure(NULL, clmove_buffer_view(it->src, 0), clmove_buffer_view(it->dst, 0), &times, &error), &error);
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT,
                 clmove_measure(it->plan, clmove_buffer_view(NULL, 0), clmove_buffer_view(it->dst, 0), &times, &error), &error);
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT,
                 clmove_measure(it->plan, clmove_buffer_view(it->src, 0), clmove_buffer_view(NULL, 0), &times, &error), &error);
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT,
                 clmove_measure(it->plan, clmove_buffer_view(it->src, 0), clmove_buffer_view(it->dst, 0), NULL, &error), &error);
    assert_mentions(error.text, "times");
    ASSERT_FAILS(CLMOVE_BAD_BUFFER,
                 clmove_measure(it->plan, clmove_buffer_view(it->src, 0), clmove_buffer_view(small, 0), &times, &error), &error);
    ASSERT_FAILS(CLMOVE_BAD_BUFFER,
                 clmove_measure(it->plan, clmove_buffer_view(it->src, 0), clmove_buffer_view(it->src, 0), &times, &error),
                 &error);
    assert_int_equal(clmove_measure(NULL, clmove_buffer_view(NULL, 0), clmove_buffer_view(NULL, 0), NULL, NULL),
                     CLMOVE_INVALID_ARGUMENT);
    assert_true(times.host_seconds == -2 && times.device_seconds == -2);
    clmove_buffer_destroy(&small);
    destroy_bed(it);
}

int main(int count, char **arguments) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_measured_run_is_a_run),
        cmocka_unit_test(what_came_before_does_not_count),
        cmocka_unit_test(a_run_of_many_launches_is_measured_whole),
        cmocka_unit_test(without_profile_the_device_time_is_not_known),
        cmocka_unit_test(an_empty_run_takes_no_device_time),
        cmocka_unit_test(measured_transfers_are_transfers),
        cmocka_unit_test(misuse_is_refused_and_measures_nothing),
    };
    if (count != 2) {
        fprintf(stderr, "usage: test_measure SELECTOR\n");
        return 2;
    }
    selector = arguments[1];
    clmove_device *there = open_device(selector);
    if (!there) {
        printf("measure: skipped: there is no device %s\n", selector);
        return EXIT_SKIPPED;
    }
    clmove_device_close(&there);
    return cmocka_run_group_tests_name("measure", tests, NULL, NULL) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
