/* One plan from many threads, each with a queue of its own: test_threads in_order|out_of_order
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "bed.h"
#include "tests/opencl/enqueue.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, ROUNDS = 40, ROWS = 48, COLUMNS = 37, BYTES = ROWS * COLUMNS * 4, OFFSET = 6 };
/* The same units as images, all axes of which are put in reverse order, by two passes with memory between. */
enum { IMAGES = 4, CHANNELS = 4, LINES = 3 };

static bed it;
static cl_command_queue_properties properties;

typedef struct worker {
    pthread_t thread;
    uint32_t seed;
    /* Shared by all threads. */
    clmove_plan *plan;
    bool in_images;
    cl_command_queue queue;
    cl_mem src, dst;
    uint8_t bytes[BYTES], expected[BYTES], got[BYTES];
    clmove_error error;
    /* What went wrong: cmocka's asserts belong to the main thread. */
    const char *wrong;
} worker;

static void expect(worker *me) {
    if (me->in_images) {
        for (int64_t b = 0; b < IMAGES; b++)
            for (int64_t i = 0; i < CHANNELS * LINES * COLUMNS; i++)
                copy_element(32, me->bytes, b * CHANNELS * LINES * COLUMNS + i, me->expected,
                             ((b * COLUMNS + i % COLUMNS) * LINES + i / COLUMNS % LINES) * CHANNELS + i / COLUMNS / LINES);
        return;
    }
    for (int64_t i = 0; i < COLUMNS; i++)
        for (int64_t k = 0; k < ROWS; k++)
            copy_element(32, me->bytes, k * COLUMNS + i, me->expected, i * ROWS + k);
}

/* Write, move, read: only the last waits. */
static const char *round_trip(worker *me) {
    cl_event written, moved, read;
    if (clEnqueueWriteBuffer(me->queue, me->src, CL_FALSE, OFFSET, BYTES, me->bytes, 0, NULL, &written) != CL_SUCCESS)
        return "clEnqueueWriteBuffer";
    if (enqueue_mem(me->plan, me->queue, me->src, OFFSET, me->dst, 0, 1, &written, &moved, &me->error) != CLMOVE_OK)
        return me->error.text;
    if (clEnqueueReadBuffer(me->queue, me->dst, CL_FALSE, 0, BYTES, me->got, 1, &moved, &read) != CL_SUCCESS)
        return "clEnqueueReadBuffer";
    if (clWaitForEvents(1, &read) != CL_SUCCESS)
        return "clWaitForEvents";
    clReleaseEvent(written);
    clReleaseEvent(moved);
    clReleaseEvent(read);
    return memcmp(me->got, me->expected, BYTES) == 0 ? NULL : "bytes";
}

static void *work(void *given) {
    worker *me = given;
    for (uint32_t round = 0; round < ROUNDS && !me->wrong; round++) {
        fill_noise(me->bytes, BYTES, me->seed + round);
        expect(me);
        me->wrong = round_trip(me);
    }
    return NULL;
}

/* Skipped if the device has no such variant. */
static void serve(const clmove_map *map, const clmove_plan_params *params, bool in_images, int64_t launches) {
    clmove_error error;
    clmove_plan *plan = NULL;
    const int64_t before = stats_of(it.device).kernels_run;
    const clmove_status status = clmove_plan_create(it.device, map, params, &plan, &error);
    if (status == CLMOVE_UNSUPPORTED && params)
        skip();
    ASSERT_OK(status, &error);
    worker *workers = calloc(THREADS, sizeof *workers);
    uint8_t *zeros = calloc(1, BYTES + OFFSET);
    assert_true(workers && zeros);
    for (uint32_t i = 0; i < THREADS; i++) {
        workers[i].seed = i * 1000;
        workers[i].plan = plan;
        workers[i].in_images = in_images;
        workers[i].queue = bed_queue(&it, properties);
        workers[i].src = bed_memory(&it, CL_MEM_READ_WRITE, zeros, BYTES + OFFSET);
        workers[i].dst = bed_memory(&it, CL_MEM_READ_WRITE, zeros, BYTES);
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(workers[i].thread, NULL);
    for (int i = 0; i < THREADS; i++) {
        if (workers[i].wrong)
            fail_msg("thread %d: %s", i, workers[i].wrong);
        ASSERT_CL(clReleaseMemObject(workers[i].src));
        ASSERT_CL(clReleaseMemObject(workers[i].dst));
        ASSERT_CL(clReleaseCommandQueue(workers[i].queue));
    }
    assert_int_equal(stats_of(it.device).kernels_run - before, THREADS * ROUNDS * launches);
    clmove_plan_destroy(&plan);
    free(workers);
    free(zeros);
}

static void one_plan_serves_all_threads(void **state) {
    (void)state;
    clmove_error error;
    clmove_map map;
    ASSERT_OK(clmove_map_init(&map, 32, 2, (const int64_t[]){ROWS, COLUMNS}, &error), &error);
    ASSERT_OK(clmove_map_permute(&map, 2, (const int64_t[]){1, 0}, &error), &error);
    serve(&map, NULL, false, 1);
}

static clmove_map images(void) {
    clmove_error error;
    clmove_map map;
    ASSERT_OK(clmove_map_init(&map, 32, 4, (const int64_t[]){IMAGES, CHANNELS, LINES, COLUMNS}, &error), &error);
    ASSERT_OK(clmove_map_permute(&map, 4, (const int64_t[]){0, 3, 2, 1}, &error), &error);
    return map;
}

static void two_passes_of_one_plan_serve_all_threads(void **state) {
    (void)state;
    const clmove_plan_params params = {.struct_size = sizeof params, .variant = "two_passes"};
    const clmove_map map = images();
    serve(&map, &params, true, 2);
}

/* More runs under way than memory is kept for between two passes, each on a queue of its own. The last one waits for nothing, and
 * is done while the others wait for the gate. */
static void runs_under_way_are_apart(void **state) {
    (void)state;
    enum { RUNS = 12, FREE = RUNS - 1 };
    const clmove_plan_params params = {.struct_size = sizeof params, .variant = "two_passes"};
    clmove_plan *plan = NULL;
    clmove_error error;
    clmove_map map = images();
    cl_int code;
    cl_event gate = clCreateUserEvent(it.context, &code), moved[RUNS];
    worker *runs = calloc(RUNS, sizeof *runs);
    ASSERT_CL(code);
    assert_non_null(runs);
    const clmove_status status = clmove_plan_create(it.device, &map, &params, &plan, &error);
    if (status == CLMOVE_UNSUPPORTED)
        skip();
    ASSERT_OK(status, &error);
    for (uint32_t i = 0; i < RUNS; i++) {
        worker *one = &runs[i];
        one->in_images = true;
        one->queue = bed_queue(&it, properties);
        fill_noise(one->bytes, BYTES, i);
        expect(one);
        one->src = bed_memory(&it, CL_MEM_READ_WRITE, one->bytes, BYTES);
        one->dst = bed_memory(&it, CL_MEM_READ_WRITE, one->got, BYTES);
        ASSERT_OK(enqueue_mem(plan, one->queue, one->src, 0, one->dst, 0, i < FREE, i < FREE ? &gate : NULL, &moved[i], &error),
                  &error);
        ASSERT_CL(clFlush(one->queue));
    }
    ASSERT_CL(clWaitForEvents(1, &moved[FREE])); /* would never end if it waited for the gate */
    ASSERT_CL(clSetUserEventStatus(gate, CL_COMPLETE));
    ASSERT_CL(clWaitForEvents(RUNS, moved));
    for (int i = 0; i < RUNS; i++) {
        ASSERT_CL(clEnqueueReadBuffer(runs[i].queue, runs[i].dst, CL_TRUE, 0, BYTES, runs[i].got, 0, NULL, NULL));
        check_bytes(runs[i].got, runs[i].expected, BYTES, "run under way with others");
        ASSERT_CL(clReleaseEvent(moved[i]));
        ASSERT_CL(clReleaseMemObject(runs[i].src));
        ASSERT_CL(clReleaseMemObject(runs[i].dst));
        ASSERT_CL(clReleaseCommandQueue(runs[i].queue));
    }
    clmove_plan_destroy(&plan);
    ASSERT_CL(clReleaseEvent(gate));
    free(runs);
}

/* clmove's own calls beside the caller's queues. */
static void *run_on_host_memory(void *given) {
    worker *me = given;
    fill_noise(me->bytes, BYTES, me->seed);
    expect(me);
    for (int round = 0; round < ROUNDS && !me->wrong; round++) {
        if (clmove_run(me->plan, me->bytes, BYTES, me->got, BYTES, &me->error) != CLMOVE_OK)
            me->wrong = me->error.text;
        else if (memcmp(me->got, me->expected, BYTES) != 0)
            me->wrong = "bytes";
    }
    return NULL;
}

static void runs_and_plans_may_cross(void **state) {
    (void)state;
    clmove_error error;
    clmove_map map;
    worker *workers = calloc(THREADS, sizeof *workers);
    assert_non_null(workers);
    ASSERT_OK(clmove_map_init(&map, 32, 2, (const int64_t[]){ROWS, COLUMNS}, &error), &error);
    ASSERT_OK(clmove_map_permute(&map, 2, (const int64_t[]){1, 0}, &error), &error);
    for (uint32_t i = 0; i < THREADS; i++) {
        workers[i].seed = i;
        ASSERT_OK(clmove_plan_create(it.device, &map, NULL, &workers[i].plan, &error), &error);
        assert_int_equal(pthread_create(&workers[i].thread, NULL, run_on_host_memory, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(workers[i].thread, NULL);
    for (int i = 0; i < THREADS; i++) {
        if (workers[i].wrong)
            fail_msg("thread %d: %s", i, workers[i].wrong);
        clmove_plan_destroy(&workers[i].plan);
    }
    free(workers);
}

int main(int count, char **arguments) {
    if (count != 2 || (strcmp(arguments[1], "in_order") != 0 && strcmp(arguments[1], "out_of_order") != 0)) {
        fprintf(stderr, "usage: test_threads in_order|out_of_order\n");
        return 2;
    }
    properties = arguments[1][0] == 'o' ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_plan_serves_all_threads),
        cmocka_unit_test(two_passes_of_one_plan_serve_all_threads),
        cmocka_unit_test(runs_under_way_are_apart),
        cmocka_unit_test(runs_and_plans_may_cross),
    };
    bed_make(&it, properties);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    bed_end(&it);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
