/* Plans whose kernel is built when it is needed: test_lazy_kernels LAYER.so, with OPENCL_LAYERS=LAYER.so
 *
 * Where auto has the host run, nothing is built until a plan is enqueued; then by whichever thread is first, and what fails then
 * is why the host takes over.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "layer.h"

#include <clmove/advice.h>

#define CL_TARGET_OPENCL_VERSION 120
#include <clmove/opencl.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Opens auto, which finds the host fastest at everything. */
static void open_for_the_host(void) {
    faults->pretend(true, 0);
    ASSERT_OK(journey_open(&way, "auto", false), &way.error);
    calibrate_as(way.device, 1e-9, 0);
}

/* Makes a plan and runs it; no kernel is made for that. */
static void run_what_the_host_does(void) {
    clmove_plan_info info = {.struct_size = sizeof info};
    open_for_the_host();
    int64_t created = faults->created();
    ASSERT_OK(journey_plan(&way), &way.error);
    for (int i = 0; i < 3; i++) {
        ASSERT_OK(journey_run(&way), &way.error);
        journey_check_bytes(&way);
    }
    assert_int_equal(faults->created(), created);
    clmove_device_stats stats = stats_of(way.device);
    assert_int_equal(stats.host_runs, 3);
    assert_int_equal(stats.programs_built + stats.programs_loaded, 0);
    ASSERT_OK(clmove_plan_get_info(way.plan, &info, &way.error), &way.error);
    assert_int_equal(info.executor, CLMOVE_EXECUTOR_OPENCL);
    assert_int_equal(info.run_executor, CLMOVE_EXECUTOR_HOST);
    assert_string_equal(info.fallback, "");
    assert_int_equal(info.launches, 1);
}

static void auto_builds_what_it_needs(void **state) {
    (void)state;
    for (int measured = 0; measured < 2; measured++) {
        run_what_the_host_does();
        for (int i = 0; i < 2; i++) {
            ASSERT_OK(measured ? journey_measure(&way) : journey_enqueue(&way), &way.error);
            journey_check_bytes(&way);
        }
        clmove_device_stats stats = stats_of(way.device);
        assert_int_equal(stats.programs_built + stats.programs_loaded, 1);
        assert_int_equal(stats.kernels_run, 2);
        assert_int_equal(stats.host_runs, 3);
        assert_int_equal(way.logged, 0);
        journey_end(&way);
        check_no_object_left();
    }
}

/* What would have been the reason when the plan was made is it when the kernel is needed. */
static void auto_falls_back_when_it_needs_to(void **state) {
    (void)state;
    static const struct {
        const char *call, *why;
        int32_t code;
    } failures[] = {{"clBuildProgram", "does not build", CL_COMPILER_NOT_AVAILABLE},
                    {"clCreateProgramWithSource", "clCreateProgramWithSource", CL_OUT_OF_HOST_MEMORY},
                    {"clCreateKernel", "clCreateKernel", CL_OUT_OF_RESOURCES}};
    for (int i = 0; i < 6; i++) {
        run_what_the_host_does();
        faults->arm(failures[i / 2].call, 1, failures[i / 2].code, true);
        for (int k = 0; k < 2; k++) {
            ASSERT_OK(i % 2 ? journey_measure(&way) : journey_enqueue(&way), &way.error);
            journey_check_bytes(&way);
        }
        assert_int_equal(faults->fired(), 1);
        journey_check_fallback(&way, failures[i / 2].why);
        ASSERT_OK(journey_run(&way), &way.error);
        journey_check_bytes(&way);
        faults->disarm();
        journey_end(&way);
        check_no_object_left();
    }
}

/* ---- several threads ---- */

enum { THREADS = 4, ROUNDS = 24 };

typedef struct worker {
    pthread_t thread;
    pthread_barrier_t *start;
    uint8_t got[JOURNEY_BYTES];
    clmove_error error;
    /* What went wrong: cmocka's asserts belong to the main thread. */
    const char *wrong;
} worker;

static clmove_status enqueue(worker *it, clmove_buffer **src, clmove_buffer **dst) {
    clmove_status status = clmove_buffer_create(way.device, JOURNEY_BYTES, src, &it->error);
    if (status == CLMOVE_OK)
        status = clmove_buffer_create(way.device, JOURNEY_BYTES, dst, &it->error);
    if (status == CLMOVE_OK)
        status = clmove_buffer_write(*src, 0, way.src.data, JOURNEY_BYTES, &it->error);
    pthread_barrier_wait(it->start);
    if (status == CLMOVE_OK)
        status = clmove_enqueue(way.plan, clmove_buffer_view(*src, 0), clmove_buffer_view(*dst, 0), NULL, &it->error);
    if (status == CLMOVE_OK)
        status = clmove_buffer_read(*dst, 0, it->got, JOURNEY_BYTES, &it->error);
    return status;
}

static void *work(void *given) {
    worker *it = given;
    clmove_buffer *src = NULL, *dst = NULL;
    if (enqueue(it, &src, &dst) != CLMOVE_OK)
        it->wrong = it->error.text;
    else if (memcmp(it->got, fenced_expected(&way.dst), JOURNEY_BYTES) != 0)
        it->wrong = "wrong bytes";
    clmove_buffer_destroy(&src);
    clmove_buffer_destroy(&dst);
    return NULL;
}

/* Several times, as who comes first differs; with a compiler that fails, too. */
static void all_need_the_kernel_at_once(void **state) {
    (void)state;
    worker workers[THREADS];
    for (int round = 0; round < ROUNDS; round++) {
        bool fails = round % 2;
        pthread_barrier_t start;
        open_for_the_host();
        ASSERT_OK(journey_plan(&way), &way.error);
        assert_int_equal(stats_of(way.device).programs_built + stats_of(way.device).programs_loaded, 0);
        assert_int_equal(pthread_barrier_init(&start, NULL, THREADS), 0);
        if (fails)
            faults->arm("clBuildProgram", 1, CL_BUILD_PROGRAM_FAILURE, true);
        for (int i = 0; i < THREADS; i++) {
            workers[i] = (worker){.start = &start};
            assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
        }
        for (int i = 0; i < THREADS; i++)
            pthread_join(workers[i].thread, NULL);
        for (int i = 0; i < THREADS; i++)
            if (workers[i].wrong)
                fail_msg("thread %d: %s", i, workers[i].wrong);
        faults->disarm();
        const clmove_device_stats stats = stats_of(way.device);
        assert_int_equal(stats.programs_built + stats.programs_loaded, fails ? 0 : 1);
        assert_int_equal(stats.kernels_run, fails ? 0 : THREADS);
        assert_int_equal(stats.host_runs, fails ? THREADS : 0);
        assert_int_equal(way.logged, fails ? 1 : 0);
        pthread_barrier_destroy(&start);
        journey_end(&way);
        check_no_object_left();
    }
}

int main(int count, char **arguments) {
    int missing = layer_find("lazy kernels", "cpu", count, arguments);
    if (missing)
        return missing;
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(auto_builds_what_it_needs, layer_clean_up),
        cmocka_unit_test_teardown(auto_falls_back_when_it_needs_to, layer_clean_up),
        cmocka_unit_test_teardown(all_need_the_kernel_at_once, layer_clean_up),
    };
    return cmocka_run_group_tests_name("lazy kernels", tests, NULL, NULL) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
