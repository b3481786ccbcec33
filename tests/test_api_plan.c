/* Plans: what they refuse, say and share.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "test_api.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 8
#define RUNS_OF_A_THREAD 25

static clmove_error error;

static void plans_are_checked(void **state) {
    (void)state;
    clmove_map map = api_map();
    clmove_plan *plan = NULL;
    clmove_plan_params params = {.struct_size = sizeof params, .variant = "no such variant"};
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_plan_create(api_device, &map, &params, &plan, &error), &error);
    assert_mentions(error.text, "no such variant");
    params = (clmove_plan_params){.struct_size = sizeof params, .variant = "bits"};
    ASSERT_FAILS(CLMOVE_UNSUPPORTED, clmove_plan_create(api_device, &map, &params, &plan, &error), &error);
    assert_mentions(error.text, "bits");
    params = (clmove_plan_params){.struct_size = sizeof params, .index_bits = 16};
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_plan_create(api_device, &map, &params, &plan, &error), &error);
    params = (clmove_plan_params){.struct_size = 3};
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_plan_create(api_device, &map, &params, &plan, &error), &error);
    clmove_map garbage;
    memset(&garbage, 0xa5, sizeof garbage);
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_plan_create(api_device, &garbage, NULL, &plan, &error), &error);
    memset(&garbage, 0, sizeof garbage);
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_plan_create(api_device, &garbage, NULL, &plan, &error), &error);
    assert_null(plan);
}

/* Four lines, each with its name, then an empty line and the details. */
static void expect_summary(const char *text) {
    static const char *const begin[] = {"contiguous: ", "variant: ", "bytes: ", "expect: ", "\n", "map "};
    for (size_t i = 0; i < sizeof begin / sizeof *begin; i++) {
        if (strncmp(text, begin[i], strlen(begin[i])) != 0)
            fail_msg("this is not the line \"%s\": %s", begin[i], text);
        text = strchr(text, '\n');
        assert_non_null(text);
        text++;
    }
}

static void explanations_begin_with_a_summary(void **state) {
    (void)state;
    static const struct {
        const char *variant;
        uint32_t bits;
        int64_t dims[3], order[3], repeats[3];
        const char *says[3];
    } rows[] = {
        {"copy",
         32,
         {2, 3, 5},
         {0, 1, 2},
         {1, 1, 1},
         {"120 bytes (30 elements) on both sides, in one run", "120 read, 120 written, in units of", ": a copy"}},
        {"repeat",
         8,
         {2, 3, 5},
         {0, 1, 2},
         {1, 1, 4},
         {"in the destination 20 bytes, one piece 4 times", "30 read, each written 4 times: 120", "read once"}},
        {"transpose_runs",
         32,
         {3, 2, 5},
         {1, 0, 2},
         {1, 1, 1},
         {"contiguous: 20 bytes (5 elements) on both sides", "copy needs one contiguous run", "runs of 20 bytes are read"}},
        {"rows",
         32,
         {3, 2, 81},
         {1, 0, 2},
         {1, 1, 1},
         {"contiguous: 324 bytes (81 elements) on both sides; in the source ", "1944 written",
          "runs of 324 bytes fill cache lines"}},
        {"deinterleave",
         32,
         {1, 21, 4},
         {0, 2, 1},
         {1, 1, 1},
         {"; in the source 16 bytes, which go to places 84 bytes apart; in the destination 84 bytes, which come from places 16 "
          "bytes apart",
          "transpose needs runs of 64 bytes on each side (or 16 units in the source), and no blocks of 16 units or fewer",
          "neighbouring units go to 4 places"}},
        {"interleave",
         32,
         {1, 4, 21},
         {0, 2, 1},
         {1, 1, 1},
         {"in the source 84 bytes, which go to places 16 bytes apart", "rows needs", "neighbouring units come from 4 places"}},
        {"transpose_runs",
         24,
         {1, 5, 7},
         {0, 2, 1},
         {1, 1, 1},
         {"contiguous: 3 bytes (1 element) on", "units of 1 byte", "runs of 3 bytes are read, whole lines written"}},
        {"bits", 4, {1, 5, 7}, {0, 2, 1}, {1, 1, 1}, {"contiguous: 4 bits (1 element) on", "18 read, 18 written", "far below"}},
        {"none",
         4,
         {1, 0, 7},
         {0, 2, 1},
         {1, 1, 1},
         {"contiguous: nothing", "variant: none", "bytes: 0 read, 0 written; nothing is launched"}},
    };
    clmove_device_info device = {.struct_size = sizeof device};
    ASSERT_OK(clmove_device_get_info(api_device, &device, &error), &error);
    const bool is_plain = device.type == CLMOVE_DEVICE_CPU && strcmp(device.kernels, "plain") == 0; /* none that transposes */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        clmove_map map;
        char text[4096], variant[32];
        ASSERT_OK(clmove_map_init(&map, rows[i].bits, 3, rows[i].dims, &error), &error);
        ASSERT_OK(clmove_map_permute(&map, 3, rows[i].order, &error), &error);
        ASSERT_OK(clmove_map_tile(&map, 3, rows[i].repeats, CLMOVE_RULES_OPENVINO, &error), &error);
        clmove_plan *plan = api_plan(api_device, &map);
        clmove_plan_info info = {.struct_size = sizeof info};
        ASSERT_OK(clmove_plan_get_info(plan, &info, &error), &error);
        ASSERT_OK(clmove_plan_explain(plan, text, sizeof text, &error), &error);
        expect_summary(text);
        *strstr(text, "\n\n") = '\0';
        const bool is_local = strcmp(info.variant, "local") == 0; /* what a GPU has in the place of six others */
        const bool is_other = is_local || (is_plain && strcmp(rows[i].variant, "transpose_runs") == 0);
        snprintf(variant, sizeof variant, "\nvariant: %s", is_other ? info.variant : rows[i].variant);
        assert_mentions(text, variant);
        for (size_t k = 0; k < (is_other ? 1 : 3); k++)
            if (!is_plain || strncmp(rows[i].says[k], "transpose", 9) != 0)
                assert_mentions(text, rows[i].says[k]);
        if (is_local)
            assert_mentions(text, " bytes are read, of ");
        assert_int_equal(info.is_below_copy,
                         strstr(text, "\nexpect: below a copy") || strstr(text, "\nexpect: far below a copy"));
        clmove_plan_destroy(&plan);
    }
}

static void explanations_are_cut(void **state) {
    (void)state;
    clmove_map map = api_map();
    clmove_plan *plan = api_plan(api_device, &map);
    clmove_plan_info info = {.struct_size = sizeof info};
    char whole[4096], text[64];
    ASSERT_OK(clmove_plan_get_info(plan, &info, &error), &error);
    ASSERT_OK(clmove_plan_explain(plan, whole, sizeof whole, &error), &error);
    assert_mentions(whole, info.variant);
    assert_mentions(whole, "[6,4]");
    assert_mentions(whole, "u4 ");
    for (size_t capacity = 1; capacity <= sizeof text; capacity++) {
        memset(text, 'x', sizeof text);
        ASSERT_OK(clmove_plan_explain(plan, text, capacity, &error), &error);
        assert_int_equal(strlen(text), capacity - 1);
        assert_memory_equal(text, whole, capacity - 1);
        for (size_t i = capacity; i < sizeof text; i++)
            assert_int_equal(text[i], 'x');
    }
    clmove_plan_destroy(&plan);
}

/* ---- threads ---- */

typedef struct worker {
    pthread_t thread;
    clmove_plan *plan;
    uint32_t number;
    /* "" when all went well: cmocka's asserts belong to the main thread. */
    char wrong[128];
} worker;

/* 3 x 61 x 63 elements of 4 bytes, channels last. */
#define SHARED_ELEMENTS (3 * 61 * 63)
static const int64_t shared_dims[] = {3, 61 * 63};

static void *work(void *argument) {
    worker *self = argument;
    size_t bytes = SHARED_ELEMENTS * 4;
    uint8_t *src = malloc(3 * bytes), *expected = src + bytes, *dst = src + 2 * bytes;
    clmove_error failure;
    if (!src) {
        snprintf(self->wrong, sizeof self->wrong, "out of memory");
        return NULL;
    }
    for (uint32_t run = 0; run < RUNS_OF_A_THREAD && !self->wrong[0]; run++) {
        fill_noise(src, bytes, self->number * 1000 + run);
        fill_noise(dst, bytes, 77);
        for (int64_t i = 0; i < SHARED_ELEMENTS; i++)
            copy_element(32, src, i % 3 * shared_dims[1] + i / 3, expected, i);
        if (clmove_run(self->plan, src, bytes, dst, bytes, &failure) != CLMOVE_OK)
            snprintf(self->wrong, sizeof self->wrong, "run %u: %.90s", (unsigned)run, failure.text);
        else if (memcmp(dst, expected, bytes) != 0)
            snprintf(self->wrong, sizeof self->wrong, "run %u: wrong bytes", (unsigned)run);
    }
    free(src);
    return NULL;
}

static void one_plan_serves_many_threads(void **state) {
    (void)state;
    clmove_map map;
    ASSERT_OK(clmove_map_init(&map, 32, 2, shared_dims, &error), &error);
    ASSERT_OK(clmove_map_permute(&map, 2, (const int64_t[]){1, 0}, &error), &error);
    clmove_plan *plan = api_plan(api_device, &map);
    clmove_device_stats before = stats_of(api_device);
    worker workers[THREADS];
    for (uint32_t i = 0; i < THREADS; i++) {
        workers[i] = (worker){.plan = plan, .number = i};
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (uint32_t i = 0; i < THREADS; i++)
        pthread_join(workers[i].thread, NULL);
    for (uint32_t i = 0; i < THREADS; i++)
        if (workers[i].wrong[0])
            fail_msg("thread %u, %s", (unsigned)i, workers[i].wrong);
    clmove_device_stats after = stats_of(api_device);
    assert_int_equal(after.kernels_run - before.kernels_run + after.host_runs - before.host_runs, THREADS * RUNS_OF_A_THREAD);
    clmove_plan_destroy(&plan);
}

/* In a process of 32 bits no memory has 3 GiB, be there a device that has. */
static void more_than_memory_can_be_is_refused(void **state) {
    (void)state;
    clmove_map map;
    clmove_plan *plan = NULL;
    ASSERT_OK(clmove_map_init(&map, 8, 2, (const int64_t[]){3, 1 << 30}, &error), &error);
    clmove_status status = clmove_plan_create(api_device, &map, NULL, &plan, &error);
    if (sizeof(size_t) > 4) {
        ASSERT_OK(status, &error);
        clmove_plan_destroy(&plan);
        return;
    }
    assert_int_equal(status, CLMOVE_OVERFLOW);
    assert_null(plan);
    assert_non_null(strstr(error.text, "the source has 3221225472 bytes"));
}

int api_plan_tests(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_are_checked),
        cmocka_unit_test(explanations_begin_with_a_summary),
        cmocka_unit_test(explanations_are_cut),
        cmocka_unit_test(more_than_memory_can_be_is_refused),
        cmocka_unit_test(one_plan_serves_many_threads),
    };
    return cmocka_run_group_tests_name("plans", tests, NULL, NULL);
}
