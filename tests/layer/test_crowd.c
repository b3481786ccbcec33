/* A device that fails while several threads use one plan: test_crowd LAYER.so, with OPENCL_LAYERS=LAYER.so and
 * CLMOVE_TEST_GPU=1
 *
 * The host takes over for all of them, says so once, and no thread notices anything else.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "layer.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <clmove/opencl.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, ROUNDS = 12, ROWS = 7, COLUMNS = 93, BYTES = ROWS * COLUMNS * 4 };

static atomic_int lines; /* logged, from any thread */

typedef struct worker {
    pthread_t thread;
    /* Shared by all threads. */
    clmove_plan *plan;
    uint32_t number;
    uint8_t src[BYTES], expected[BYTES], got[BYTES];
    clmove_error error;
    /* What went wrong: cmocka's asserts belong to the main thread. */
    const char *wrong;
} worker;

static void note(void *user, const char *text) {
    (void)user;
    (void)text;
    lines++;
}

static void *work(void *given) {
    worker *it = given;
    clmove_plan_info info = {.struct_size = sizeof info};
    for (uint32_t round = 0; round < ROUNDS && !it->wrong; round++) {
        fill_noise(it->src, BYTES, it->number * ROUNDS + round);
        for (int64_t row = 0; row < ROWS; row++)
            for (int64_t column = 0; column < COLUMNS; column++)
                copy_element(32, it->src, row * COLUMNS + column, it->expected, column * ROWS + row);
        if (clmove_run(it->plan, it->src, BYTES, it->got, BYTES, &it->error) != CLMOVE_OK ||
            clmove_plan_get_info(it->plan, &info, &it->error) != CLMOVE_OK)
            it->wrong = it->error.text;
        else if (memcmp(it->got, it->expected, BYTES) != 0)
            it->wrong = "wrong bytes";
        else if (info.executor == CLMOVE_EXECUTOR_HOST && !strstr(info.fallback, "clEnqueueNDRangeKernel"))
            it->wrong = "the host took over, and the plan does not say why";
    }
    return NULL;
}

/* The first launch that fails is the nth: some threads are in the middle of a run then. */
static void the_host_takes_over_for_all(void **state) {
    const unsigned *nth = *state;
    clmove_error error;
    clmove_map map;
    clmove_device *device = NULL;
    clmove_plan *plan = NULL;
    const clmove_device_params params = {.struct_size = sizeof params, .selector = "gpu", .allow_fallback = true, .log = note};
    worker *workers = calloc(THREADS, sizeof *workers);
    assert_non_null(workers);
    lines = 0;
    ASSERT_OK(clmove_device_open(&params, &device, &error), &error);
    ASSERT_OK(clmove_map_init(&map, 32, 2, (const int64_t[]){ROWS, COLUMNS}, &error), &error);
    ASSERT_OK(clmove_map_permute(&map, 2, (const int64_t[]){1, 0}, &error), &error);
    ASSERT_OK(clmove_plan_create(device, &map, NULL, &plan, &error), &error);
    faults->arm("clEnqueueNDRangeKernel", *nth, CL_OUT_OF_RESOURCES, true);
    for (uint32_t i = 0; i < THREADS; i++) {
        workers[i].plan = plan;
        workers[i].number = i;
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(workers[i].thread, NULL);
    for (int i = 0; i < THREADS; i++)
        if (workers[i].wrong)
            fail_msg("thread %d: %s", i, workers[i].wrong);
    assert_true(faults->fired() > 0);
    faults->disarm();
    const clmove_device_stats stats = stats_of(device);
    assert_int_equal(stats.kernels_run, *nth - 1);
    assert_int_equal(stats.kernels_run + stats.host_runs, THREADS * ROUNDS);
    assert_int_equal(lines, 1);
    clmove_plan_destroy(&plan);
    clmove_device_close(&device);
    free(workers);
    check_no_object_left();
}

int main(int count, char **arguments) {
    int missing = layer_find("crowd", "gpu", count, arguments);
    if (missing)
        return missing;
    static unsigned nths[] = {1, 2, 9, 30};
    struct CMUnitTest tests[sizeof nths / sizeof *nths];
    for (size_t i = 0; i < sizeof nths / sizeof *nths; i++)
        tests[i] = (struct CMUnitTest){
            .name = "the_host_takes_over_for_all", .test_func = the_host_takes_over_for_all, .initial_state = &nths[i]};
    return cmocka_run_group_tests(tests, NULL, NULL) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
