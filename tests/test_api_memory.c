/* Memory: sizes, overlap, buffers, and what is counted.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "test_api.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static clmove_error error;

static void run_checks_its_memory(void **state) {
    (void)state;
    clmove_map map = api_map();
    clmove_plan *plan = api_plan(api_device, &map);
    uint8_t memory[3 * API_BYTES], before[3 * API_BYTES];
    fill_noise(memory, sizeof memory, 1);
    memcpy(before, memory, sizeof memory);
    ASSERT_FAILS(CLMOVE_BAD_BUFFER, clmove_run(plan, memory, API_BYTES - 1, memory + API_BYTES, API_BYTES, &error), &error);
    assert_mentions(error.text, "96");
    assert_mentions(error.text, "95");
    ASSERT_FAILS(CLMOVE_BAD_BUFFER, clmove_run(plan, memory, API_BYTES, memory + API_BYTES, API_BYTES - 1, &error), &error);
    ASSERT_FAILS(CLMOVE_BAD_BUFFER, clmove_run(plan, memory, API_BYTES, memory, API_BYTES, &error), &error);
    ASSERT_FAILS(CLMOVE_BAD_BUFFER, clmove_run(plan, memory, API_BYTES, memory + API_BYTES - 1, API_BYTES, &error), &error);
    ASSERT_FAILS(CLMOVE_BAD_BUFFER, clmove_run(plan, memory + API_BYTES - 1, API_BYTES, memory, API_BYTES, &error), &error);
    assert_mentions(error.text, "overlap");
    assert_memory_equal(memory, before, sizeof memory);
    ASSERT_OK(clmove_run(plan, memory, API_BYTES, memory + API_BYTES, API_BYTES, &error),
              &error); /* side by side is not overlapping */
    api_transpose(before, before + API_BYTES);
    assert_memory_equal(memory, before, sizeof memory);
    clmove_plan_destroy(&plan);
}

static void buffers_are_checked(void **state) {
    (void)state;
    clmove_map map = api_map();
    clmove_device *other = api_another_device();
    clmove_plan *plan = api_plan(api_device, &map);
    clmove_buffer *whole = api_buffer(api_device, API_BYTES), *small = api_buffer(api_device, API_BYTES - 1),
                  *foreign = api_buffer(other, API_BYTES);
    clmove_buffer *second = api_buffer(api_device, API_BYTES);
    uint8_t bytes[API_BYTES], got[API_BYTES];
    fill_noise(bytes, API_BYTES, 5);
    ASSERT_OK(clmove_buffer_write(whole, 0, bytes, API_BYTES, &error), &error);
    ASSERT_FAILS(CLMOVE_BAD_BUFFER,
                 clmove_enqueue(plan, clmove_buffer_view(whole, 0), clmove_buffer_view(small, 0), NULL, &error), &error);
    ASSERT_FAILS(CLMOVE_BAD_BUFFER,
                 clmove_enqueue(plan, clmove_buffer_view(small, 0), clmove_buffer_view(whole, 0), NULL, &error), &error);
    ASSERT_FAILS(CLMOVE_BAD_BUFFER,
                 clmove_enqueue(plan, clmove_buffer_view(whole, 0), clmove_buffer_view(whole, 0), NULL, &error), &error);
    ASSERT_FAILS(CLMOVE_BAD_BUFFER,
                 clmove_enqueue(plan, clmove_buffer_view(whole, 0), clmove_buffer_view(foreign, 0), NULL, &error), &error);
    ASSERT_FAILS(CLMOVE_BAD_BUFFER,
                 clmove_enqueue(plan, clmove_buffer_view(foreign, 0), clmove_buffer_view(whole, 0), NULL, &error), &error);
    ASSERT_FAILS(CLMOVE_BAD_BUFFER, clmove_buffer_write(whole, 1, got, API_BYTES, &error), &error);
    ASSERT_FAILS(CLMOVE_BAD_BUFFER, clmove_buffer_write(whole, API_BYTES + 1, got, 0, &error), &error);
    ASSERT_FAILS(CLMOVE_BAD_BUFFER, clmove_buffer_write(whole, SIZE_MAX, got, 2, &error), &error);
    memset(got, 0x77, API_BYTES);
    ASSERT_FAILS(CLMOVE_BAD_BUFFER, clmove_buffer_read(whole, 1, got, API_BYTES, &error), &error);
    ASSERT_FAILS(CLMOVE_BAD_BUFFER, clmove_buffer_read(whole, 2, got, SIZE_MAX, &error), &error);
    assert_int_equal(got[0], 0x77);
    ASSERT_OK(clmove_buffer_read(whole, 0, got, API_BYTES, &error), &error);
    assert_memory_equal(got, bytes, API_BYTES);
    ASSERT_OK(clmove_buffer_read(whole, 17, got, 5, &error), &error);
    assert_memory_equal(got, bytes + 17, 5);
    ASSERT_OK(clmove_buffer_write(whole, API_BYTES, NULL, 0, &error), &error);
    ASSERT_OK(clmove_buffer_read(whole, 0, NULL, 0, &error), &error);
    ASSERT_OK(clmove_enqueue(plan, clmove_buffer_view(whole, 0), clmove_buffer_view(second, 0), NULL, &error),
              &error); /* after all that, it works */
    clmove_plan_destroy(&plan);
    ASSERT_OK(clmove_buffer_read(second, 0, got, API_BYTES, &error), &error);
    uint8_t expected[API_BYTES];
    api_transpose(bytes, expected);
    assert_memory_equal(got, expected, API_BYTES);
    clmove_buffer_destroy(&whole);
    clmove_buffer_destroy(&small);
    clmove_buffer_destroy(&foreign);
    clmove_buffer_destroy(&second);
    clmove_device_close(&other);
}

static void a_closed_device_lives_while_used(void **state) {
    (void)state;
    clmove_map map = api_map();
    clmove_device *opened = api_another_device();
    clmove_plan *plan = api_plan(opened, &map);
    clmove_buffer *src = api_buffer(opened, API_BYTES), *dst = api_buffer(opened, API_BYTES);
    uint8_t bytes[API_BYTES], expected[API_BYTES], got[API_BYTES] = {0};
    fill_noise(bytes, API_BYTES, 9);
    api_transpose(bytes, expected);
    clmove_device_close(&opened);
    ASSERT_OK(clmove_run(plan, bytes, API_BYTES, got, API_BYTES, &error), &error);
    assert_memory_equal(got, expected, API_BYTES);
    ASSERT_OK(clmove_buffer_write(src, 0, bytes, API_BYTES, &error), &error);
    ASSERT_OK(clmove_enqueue(plan, clmove_buffer_view(src, 0), clmove_buffer_view(dst, 0), NULL, &error), &error);
    clmove_plan_destroy(&plan);
    clmove_buffer_destroy(&src);
    memset(got, 0, API_BYTES);
    ASSERT_OK(clmove_buffer_read(dst, 0, got, API_BYTES, &error), &error);
    assert_memory_equal(got, expected, API_BYTES);
    clmove_buffer_destroy(&dst);
}

static void nothing_moves_without_memory(void **state) {
    (void)state;
    clmove_map map;
    ASSERT_OK(clmove_map_init(&map, 32, 2, (const int64_t[]){0, 7}, &error), &error);
    clmove_plan *plan = api_plan(api_device, &map);
    clmove_plan_info info = {.struct_size = sizeof info};
    ASSERT_OK(clmove_plan_get_info(plan, &info, &error), &error);
    assert_int_equal(info.src_bytes + info.dst_bytes + info.written_bytes + info.launches, 0);
    assert_non_null(info.variant);
    char text[512];
    ASSERT_OK(clmove_plan_explain(plan, text, sizeof text, &error), &error);
    assert_true(text[0] != '\0');
    clmove_device_stats before = stats_of(api_device);
    ASSERT_OK(clmove_run(plan, NULL, 0, NULL, 0, &error), &error);
    clmove_buffer *src = api_buffer(api_device, 0), *dst = api_buffer(api_device, 0);
    ASSERT_OK(clmove_buffer_write(src, 0, NULL, 0, &error), &error);
    ASSERT_OK(clmove_enqueue(plan, clmove_buffer_view(src, 0), clmove_buffer_view(dst, 0), NULL, &error), &error);
    ASSERT_OK(clmove_buffer_read(dst, 0, NULL, 0, &error), &error);
    ASSERT_OK(clmove_device_finish(api_device, &error), &error);
    assert_int_equal(stats_of(api_device).kernels_run, before.kernels_run);
    clmove_buffer_destroy(&src);
    clmove_buffer_destroy(&dst);
    clmove_plan_destroy(&plan);
}

static void statistics_count(void **state) {
    (void)state;
    clmove_device *opened = api_another_device();
    clmove_device_info info = {.struct_size = sizeof info};
    clmove_device_stats stats = stats_of(opened);
    assert_int_equal(stats.kernels_run + stats.host_runs + stats.programs_built, 0);
    ASSERT_OK(clmove_device_get_info(opened, &info, &error), &error);
    clmove_map map = api_map();
    clmove_plan *plan = api_plan(opened, &map), *same = api_plan(opened, &map);
    uint8_t bytes[API_BYTES] = {0}, got[API_BYTES];
    for (int i = 0; i < 3; i++)
        ASSERT_OK(clmove_run(i % 2 ? plan : same, bytes, API_BYTES, got, API_BYTES, &error), &error);
    stats = stats_of(opened);
    bool host = info.type == CLMOVE_DEVICE_HOST;
    assert_int_equal(stats.kernels_run, host ? 0 : 3);
    assert_int_equal(stats.host_runs, host ? 3 : 0);
    assert_int_equal(stats.programs_built, host ? 0 : 1); /* the second plan found the first one's */
    clmove_plan_destroy(&plan);
    clmove_plan_destroy(&same);
    clmove_device_close(&opened);
}

static void a_success_leaves_the_error_alone(void **state) {
    (void)state;
    clmove_map map;
    memset(&error, 0x3c, sizeof error);
    clmove_error before = error;
    assert_int_equal(clmove_map_init(&map, 8, 1, (const int64_t[]){3}, &error), CLMOVE_OK);
    clmove_plan *plan = NULL;
    uint8_t src[3] = {1, 2, 3}, dst[3];
    assert_int_equal(clmove_plan_create(api_device, &map, NULL, &plan, &error), CLMOVE_OK);
    assert_int_equal(clmove_run(plan, src, 3, dst, 3, &error), CLMOVE_OK);
    assert_memory_equal(src, dst, 3);
    assert_memory_equal(&error, &before, sizeof error);
    clmove_plan_destroy(&plan);
}

static void measuring_gives_both_times(void **state) {
    (void)state;
    clmove_map map = api_map(), nothing;
    ASSERT_OK(clmove_map_init(&nothing, 8, 1, (const int64_t[]){0}, &error), &error);
    for (int profile = 0; profile < 2; profile++) {
        clmove_device_params params = {.struct_size = sizeof params, .selector = api_selector, .profile = profile};
        clmove_device *opened = NULL;
        clmove_device_info info = {.struct_size = sizeof info};
        clmove_times times = {sizeof times, -5, -5};
        uint8_t bytes[API_BYTES], expected[API_BYTES], got[API_BYTES];
        ASSERT_OK(clmove_device_open(&params, &opened, &error), &error);
        ASSERT_OK(clmove_device_get_info(opened, &info, &error), &error);
        clmove_plan *plan = api_plan(opened, &map), *empty = api_plan(opened, &nothing);
        clmove_buffer *src = api_buffer(opened, API_BYTES), *dst = api_buffer(opened, API_BYTES);
        fill_noise(bytes, API_BYTES, 3);
        api_transpose(bytes, expected);
        ASSERT_OK(clmove_buffer_write(src, 0, bytes, API_BYTES, &error), &error);
        ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT,
                     clmove_measure(plan, clmove_buffer_view(src, 0), clmove_buffer_view(dst, 0), NULL, &error), &error);
        ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT,
                     clmove_measure(NULL, clmove_buffer_view(src, 0), clmove_buffer_view(dst, 0), &times, &error), &error);
        ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT,
                     clmove_measure(plan, clmove_buffer_view(NULL, 0), clmove_buffer_view(dst, 0), &times, &error), &error);
        ASSERT_FAILS(CLMOVE_BAD_BUFFER,
                     clmove_measure(plan, clmove_buffer_view(src, 0), clmove_buffer_view(src, 0), &times, &error), &error);
        assert_true(times.host_seconds == -5 && times.device_seconds == -5);
        ASSERT_OK(clmove_measure(plan, clmove_buffer_view(src, 0), clmove_buffer_view(dst, 0), &times, &error), &error);
        assert_true(times.host_seconds > 0 && times.host_seconds < 60);
        if (info.type == CLMOVE_DEVICE_HOST)
            assert_true(times.device_seconds == times.host_seconds);
        else if (profile)
            assert_true(times.device_seconds >= 0 && times.device_seconds < 60);
        else
            assert_true(times.device_seconds < 0);
        ASSERT_OK(clmove_buffer_read(dst, 0, got, API_BYTES, &error), &error);
        assert_memory_equal(got, expected, API_BYTES);
        ASSERT_OK(clmove_measure(empty, clmove_buffer_view(src, 0), clmove_buffer_view(dst, 0), &times, &error), &error);
        assert_true(times.host_seconds >= 0 && times.device_seconds >= 0);
        clmove_plan_destroy(&plan);
        clmove_plan_destroy(&empty);
        clmove_buffer_destroy(&src);
        clmove_buffer_destroy(&dst);
        clmove_device_close(&opened);
    }
}

/* Enough pieces that the stages overlap, from 4 MiB each on; as the caller says; never below the tuning's. */
static void what_is_staged_overlaps(void **state) {
    (void)state;
    enum { COLS = 256, MOST = 64 << 20 };
    static const struct {
        int64_t bytes, asked, least, most;
    } sizes[] = {{2 << 20, 0, 1, 1}, {8 << 20, 0, 4, 6},        {32 << 20, 0, 16, 18},
                 {MOST, 0, 16, 18},  {8 << 20, 16 << 20, 1, 1}, {8 << 20, 8 << 20, 2, 3}};
    clmove_run_info info = {.struct_size = sizeof info};
    unsigned char *src = malloc(MOST + 1), *dst = malloc(MOST + 1); /* never what a GPU could reach */
    assert_true(src && dst);
    fill_noise(src, MOST + 1, 3);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        clmove_map map;
        const size_t bytes = (size_t)sizes[i].bytes, rows = bytes / COLS;
        const clmove_run_params params = {.struct_size = sizeof params, .piece_bytes = sizes[i].asked, .info = &info};
        ASSERT_OK(clmove_map_init(&map, 8, 2, (const int64_t[]){(int64_t)rows, COLS}, &error), &error);
        ASSERT_OK(clmove_map_permute(&map, 2, (const int64_t[]){1, 0}, &error), &error);
        clmove_plan *plan = api_plan(api_device, &map);
        ASSERT_OK(clmove_run_with(plan, src + 1, bytes, dst + 1, bytes, &params, &error), &error);
        clmove_plan_destroy(&plan);
        if (info.method != CLMOVE_RUN_STAGED)
            continue;
        if (info.pieces < sizes[i].least || info.pieces > sizes[i].most)
            fail_msg("%zu bytes in %d pieces", bytes, (int)info.pieces);
        for (size_t at = 0; at < bytes; at += 4099) /* a prime */
            assert_int_equal(dst[1 + at], src[1 + at % rows * COLS + at / rows]);
    }
    free(src);
    free(dst);
}

/* Whether a limit of addresses holds: qemu's programs do not know it. */
static bool limits_hold(size_t bytes) {
    void *volatile memory = malloc(bytes);
    free(memory);
    return memory == NULL;
}

/* Makes a buffer while the process gets no more than a quarter of its bytes. */
static clmove_status create_without_room(bool pinned, size_t bytes, clmove_buffer **buffer, clmove_error *failure) {
    clmove_status status = CLMOVE_OK;
    unsigned long pages = 0;
    struct rlimit before;
    FILE *file = fopen("/proc/self/statm", "re");
    assert_true(file && fscanf(file, "%lu", &pages) == 1);
    fclose(file);
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    struct rlimit limit = before;
    limit.rlim_cur = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + bytes / 4;
    assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
    const bool holds = limits_hold(bytes);
    if (holds)
        status = pinned ? clmove_buffer_create_pinned(api_device, bytes, buffer, failure)
                        : clmove_buffer_create(api_device, bytes, buffer, failure);
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    if (!holds)
        skip();
    return status;
}

/* When a buffer is made, and not when a command first uses it, where POCL aborts. */
static void memory_that_is_not_there_is_refused(void **state) {
    (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip(); /* their own memory would be limited as well */
#endif
    const size_t bytes = (size_t)256 << 20;
    const clmove_device_type type = api_type_of(api_device);
    if (type != CLMOVE_DEVICE_HOST && (type != CLMOVE_DEVICE_CPU || !api_memory_of(api_device).shares_host_memory))
        skip(); /* what it has is not limited so */
    if (getenv("CLMOVE_IN_PLACE"))
        skip(); /* whether it shares the host's memory, nobody knows */
    clmove_buffer *buffer = NULL;
    for (int pinned = 0; pinned < 2; pinned++) {
        error = (clmove_error){.status = CLMOVE_OK};
        clmove_status status = create_without_room(pinned, bytes, &buffer, &error);
        /* rusticl says CL_OUT_OF_RESOURCES, which may be anything */
        if ((status != CLMOVE_OUT_OF_MEMORY && status != CLMOVE_DEVICE_FAILED) || error.status != status || !error.text[0])
            fail_msg("%s: \"%s\"", clmove_status_text(status), error.text);
        assert_null(buffer);
    }
    buffer = api_buffer(api_device, API_BYTES); /* after that, it works */
    ASSERT_OK(clmove_buffer_fill(buffer, 0, API_BYTES, "abcd", 4, &error), &error);
    clmove_buffer_destroy(&buffer);
}

int api_memory_tests(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(run_checks_its_memory),
        cmocka_unit_test(buffers_are_checked),
        cmocka_unit_test(a_closed_device_lives_while_used),
        cmocka_unit_test(what_is_staged_overlaps),
        cmocka_unit_test(memory_that_is_not_there_is_refused),
        cmocka_unit_test(nothing_moves_without_memory),
        cmocka_unit_test(statistics_count),
        cmocka_unit_test(measuring_gives_both_times),
        cmocka_unit_test(a_success_leaves_the_error_alone),
    };
    return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
