/* Compilers that are wrong, as the layer of plant.h makes them: test_planted LAYER.so PLANT.so, with
 * OPENCL_LAYERS=PLANT.so:LAYER.so
 *
 * What a self-test finds wrong is not used: the bytes are right all the same, from 64-bit indices, from the next variant, from
 * the host; or the device is refused with a sentence. Each test rests on the first, which shows that the plants are real.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "layer.h"
#include "planted_maps.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <clmove/opencl.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const plant_interface *plant;

#define ALWAYS "true"
#define IN_32_BITS "INDEX_BITS == 32"

static int clean_up(void **state) {
    plant->sow(NULL, NULL);
    unsetenv("CLMOVE_SELF_TEST");
    return layer_clean_up(state);
}

static clmove_plan_info info_of(const clmove_plan *plan) {
    clmove_plan_info info = {.struct_size = sizeof info};
    ASSERT_OK(clmove_plan_get_info(plan, &info, &way.error), &way.error);
    return info;
}

/* Opens a device: as a CPU, or as a GPU, which gets other kernels. */
static void open_device_as(bool gpu, const char *selector, bool allow_fallback) {
    faults->pretend(gpu, 0);
    ASSERT_OK(journey_open(&way, selector, allow_fallback), &way.error);
}

static void run_and_check(void) {
    ASSERT_OK(journey_run(&way), &way.error);
    journey_check_bytes(&way);
    ASSERT_OK(journey_enqueue(&way), &way.error);
    journey_check_bytes(&way);
}

/* The variant that the journey takes. */
static const char *source_of_journey(bool gpu) {
    static char variant[32];
    plant->sow(NULL, NULL);
    open_device_as(gpu, gpu ? "gpu" : "cpu", false);
    ASSERT_OK(journey_plan(&way), &way.error);
    strncpy(variant, info_of(way.plan).variant, sizeof variant - 1);
    journey_end(&way);
    assert_true(strcmp(variant, gpu ? "local" : "deinterleave") == 0 || (!gpu && strcmp(variant, "interleave") == 0));
    return variant;
}

/* Spoils the programs of a variant, whose kernel has its name but for `local`, which is a word of OpenCL C. */
static void sow(const char *variant, const char *condition) {
    plant->sow(strcmp(variant, "local") == 0 ? "local_tiles" : variant, condition);
}

static bool is_right(void) {
    return memcmp(way.dst.data, fenced_expected(&way.dst), JOURNEY_BYTES) == 0;
}

static void plants_are_real(void **state) {
    (void)state;
    for (int gpu = 0; gpu < 2; gpu++) {
        sow(source_of_journey(gpu), ALWAYS);
        setenv("CLMOVE_SELF_TEST", "0", 1);
        open_device_as(gpu, gpu ? "gpu" : "cpu", false);
        ASSERT_OK(journey_plan(&way), &way.error);
        ASSERT_OK(journey_run(&way), &way.error);
        assert_false(is_right());
        assert_int_equal(plant->sown(), 1);
        assert_int_equal(stats_of(way.device).self_tests, 0);
        assert_true(stats_of(way.device).self_test_seconds == 0);
        assert_int_equal(way.logged, 0);
        journey_end(&way);
        plant->sow(NULL, NULL);
        unsetenv("CLMOVE_SELF_TEST");
    }
}

static void right_programs_are_tested_once(void **state) {
    (void)state;
    static const char *const on[] = {NULL, "", "1"};
    for (int i = 0; i < 3; i++) {
        if (on[i])
            setenv("CLMOVE_SELF_TEST", on[i], 1);
        clmove_plan *first;
        open_device_as(i == 2, i == 2 ? "gpu" : "cpu", false);
        assert_int_equal(stats_of(way.device).self_tests, 0);
        ASSERT_OK(journey_plan(&way), &way.error);
        clmove_device_stats stats = stats_of(way.device);
        assert_int_equal(stats.self_tests, 1);
        assert_true(stats.self_test_seconds > 0);
        assert_int_equal(stats.kernels_run + stats.host_runs, 0); /* what the caller's runs did, not tests */
        first = way.plan;
        unsigned before = faults->kernels();
        ASSERT_OK(journey_plan(&way), &way.error);
        assert_int_equal(faults->kernels(), before);
        assert_int_equal(stats_of(way.device).self_tests, 1);
        assert_true(stats_of(way.device).self_test_seconds == stats.self_test_seconds);
        assert_int_equal(info_of(way.plan).index_bits, 32);
        clmove_plan_destroy(&first);
        run_and_check();
        assert_int_equal(way.logged, 0);
        journey_end(&way);
        check_no_object_left();
    }
}

/* Whatever the path on which a program is wrong: the same variant with 64-bit indices does it. */
static void wrong_in_32_bits(void **state) {
    (void)state;
    static const struct {
        const char *condition;
        bool gpu;
    } plants[] = {{IN_32_BITS, false},
                  {IN_32_BITS, true},
                  {IN_32_BITS " && args.stream", false},
                  {IN_32_BITS " && args.n * sizeof(unit_t) < 64", false},
                  {IN_32_BITS " && args.item_jobs > 1 && job + args.item_jobs > args.jobs", false}};
    for (size_t i = 0; i < sizeof plants / sizeof *plants; i++) {
        const char *source = source_of_journey(plants[i].gpu);
        clmove_plan *first;
        char text[4096];
        sow(source, plants[i].condition);
        open_device_as(plants[i].gpu, plants[i].gpu ? "gpu" : "cpu", false);
        ASSERT_OK(journey_plan(&way), &way.error);
        assert_int_equal(plant->sown(), 2);
        assert_string_equal(info_of(way.plan).variant, source);
        assert_int_equal(info_of(way.plan).index_bits, 64);
        assert_int_equal(info_of(way.plan).executor, CLMOVE_EXECUTOR_OPENCL);
        assert_string_equal(info_of(way.plan).fallback, "");
        ASSERT_OK(clmove_plan_explain(way.plan, text, sizeof text, &way.error), &way.error);
        assert_mentions(text, "64-bit indices");
        assert_mentions(text, "32-bit indices: it moved wrong bytes");
        run_and_check();
        assert_int_equal(way.logged, 1);
        assert_mentions(way.log_text, source);
        assert_mentions(way.log_text, "32-bit indices");
        assert_mentions(way.log_text, "driver ");
        assert_int_equal(stats_of(way.device).self_tests, 2);
        assert_int_equal(stats_of(way.device).host_runs, 0);
        first = way.plan; /* what was found is known from now on */
        ASSERT_OK(journey_plan(&way), &way.error);
        assert_int_equal(info_of(way.plan).index_bits, 64);
        run_and_check();
        assert_int_equal(way.logged, 1);
        assert_int_equal(stats_of(way.device).self_tests, 2);
        clmove_plan_destroy(&first);
        journey_end(&way);
        check_no_object_left();
    }
}

static void wrong_in_both_widths(void **state) {
    (void)state;
    for (int gpu = 0; gpu < 2; gpu++) {
        const char *source = source_of_journey(gpu);
        char text[4096], needle[64];
        sow(source, ALWAYS);
        open_device_as(gpu, gpu ? "gpu" : "cpu", false);
        ASSERT_OK(journey_plan(&way), &way.error);
        clmove_plan_info info = info_of(way.plan);
        assert_true(strcmp(info.variant, source) != 0);
        assert_int_equal(info.index_bits, 32);
        ASSERT_OK(clmove_plan_explain(way.plan, text, sizeof text, &way.error), &way.error);
        snprintf(needle, sizeof needle, "not %s, which fits too: it moves wrong bytes", source);
        assert_mentions(text, needle);
        run_and_check();
        assert_int_equal(way.logged, 2); /* with 32 bits, with 64 */
        assert_int_equal(stats_of(way.device).self_tests, 3);
        journey_end(&way);
        check_no_object_left();
    }
}

/* A device that gets nothing right. */
static void refuse(bool gpu) {
    faults->pretend(gpu, 0);
    open_device_as(gpu, gpu ? "gpu" : "cpu", false);
    ASSERT_FAILS(CLMOVE_DEVICE_FAILED, journey_plan(&way), &way.error);
    assert_null(way.plan);
    clmove_device_info info = {.struct_size = sizeof info};
    clmove_error error;
    ASSERT_OK(clmove_device_get_info(way.device, &info, &error), &error);
    assert_mentions(way.error.text, info.name);
    assert_mentions(way.error.text, info.driver);
    assert_mentions(way.error.text, gpu ? "local" : "interleave");
    assert_mentions(way.error.text, "self-test");
    const int64_t tests = stats_of(way.device).self_tests;
    assert_true(tests >= 4);
    ASSERT_FAILS(CLMOVE_DEVICE_FAILED, journey_plan(&way), &way.error); /* and again, without testing anything */
    assert_int_equal(stats_of(way.device).self_tests, tests);
    plant->sow(NULL, NULL);
    journey_end(&way);
    check_no_object_left();
}

static void nothing_is_right(void **state) {
    (void)state;
    for (int gpu = 0; gpu < 2; gpu++) {
        plant->sow("", ALWAYS);
        refuse(gpu);
    }
    static const char *const selectors[] = {"auto", "gpu", "cpu"};
    for (int i = 0; i < 3; i++) {
        plant->sow("", ALWAYS);
        open_device_as(i<2, selectors[i], i> 0);
        ASSERT_OK(journey_plan(&way), &way.error);
        clmove_plan_info info = info_of(way.plan);
        assert_int_equal(info.executor, CLMOVE_EXECUTOR_HOST);
        assert_mentions(info.fallback, "moves wrong bytes");
        assert_mentions(info.fallback, "driver ");
        assert_string_equal(way.log_text, info.fallback);
        run_and_check();
        assert_int_equal(stats_of(way.device).kernels_run, 0);
        plant->sow(NULL, NULL);
        journey_end(&way);
        check_no_object_left();
    }
}

static clmove_map journey_map(void) {
    clmove_map map;
    ASSERT_OK(clmove_map_init(&map, 32, 2, (const int64_t[]){JOURNEY_ROWS, JOURNEY_COLUMNS}, &way.error), &way.error);
    ASSERT_OK(clmove_map_permute(&map, 2, (const int64_t[]){1, 0}, &way.error), &way.error);
    return map;
}

static void what_is_forced_stays(void **state) {
    (void)state;
    const char *source = source_of_journey(false);
    const clmove_map map = journey_map();
    clmove_plan_params params = {.struct_size = sizeof params, .index_bits = 32};
    plant->sow(source, IN_32_BITS);
    open_device_as(false, "cpu", false);
    ASSERT_OK(clmove_plan_create(way.device, &map, &params, &way.plan, &way.error), &way.error);
    assert_true(strcmp(info_of(way.plan).variant, source) != 0);
    assert_int_equal(info_of(way.plan).index_bits, 32);
    run_and_check();
    clmove_plan_destroy(&way.plan);
    params = (clmove_plan_params){.struct_size = sizeof params, .variant = source};
    ASSERT_OK(clmove_plan_create(way.device, &map, &params, &way.plan, &way.error), &way.error);
    assert_string_equal(info_of(way.plan).variant, source);
    assert_int_equal(info_of(way.plan).index_bits, 64);
    run_and_check();
    clmove_plan_destroy(&way.plan);
    params.index_bits = 32;
    ASSERT_FAILS(CLMOVE_DEVICE_FAILED, clmove_plan_create(way.device, &map, &params, &way.plan, &way.error), &way.error);
    assert_mentions(way.error.text, "nothing else was allowed");
    params = (clmove_plan_params){.struct_size = sizeof params, .variant = "gather", .index_bits = 32};
    ASSERT_OK(clmove_plan_create(way.device, &map, &params, &way.plan, &way.error), &way.error);
    run_and_check();
}

/* Pieces get kernels of their own, in the run. */
static void pieces_are_tested(void **state) {
    (void)state;
    for (int gpu = 0; gpu < 2; gpu++) {
        plant->sow("", IN_32_BITS);
        open_device_as(gpu, gpu ? "gpu" : "cpu", false);
        ASSERT_OK(journey_plan(&way), &way.error);
        clmove_run_info run = {.struct_size = sizeof run};
        clmove_run_params params = {.struct_size = sizeof params, .piece_bytes = JOURNEY_BYTES / 3, .info = &run};
        memset(way.dst.data, 0x99, JOURNEY_BYTES);
        ASSERT_OK(clmove_run_with(way.plan, way.src.data, JOURNEY_BYTES, way.dst.data, JOURNEY_BYTES, &params, &way.error),
                  &way.error);
        assert_true(run.pieces > 2);
        journey_check_bytes(&way);
        assert_int_equal(stats_of(way.device).host_runs, 0);
        assert_true(stats_of(way.device).kernels_run >= run.pieces);
        journey_end(&way);
        check_no_object_left();
    }
}

/* ---- several threads ---- */

enum { THREADS = 4, ROUNDS = 6 };

typedef struct worker {
    pthread_t thread;
    pthread_barrier_t *start;
    const clmove_map *map;
    uint8_t got[JOURNEY_BYTES];
    clmove_error error;
    /* What went wrong: cmocka's asserts belong to the main thread. */
    const char *wrong;
} worker;

static void *work(void *given) {
    worker *it = given;
    clmove_plan *plan = NULL;
    clmove_plan_info info = {.struct_size = sizeof info};
    pthread_barrier_wait(it->start);
    clmove_status status = clmove_plan_create(way.device, it->map, NULL, &plan, &it->error);
    if (status == CLMOVE_OK)
        status = clmove_run(plan, way.src.data, JOURNEY_BYTES, it->got, JOURNEY_BYTES, &it->error);
    if (status == CLMOVE_OK)
        status = clmove_plan_get_info(plan, &info, &it->error);
    if (status != CLMOVE_OK)
        it->wrong = it->error.text;
    else if (info.index_bits != 64)
        it->wrong = "not 64-bit indices";
    else if (memcmp(it->got, fenced_expected(&way.dst), JOURNEY_BYTES) != 0)
        it->wrong = "wrong bytes";
    clmove_plan_destroy(&plan);
    return NULL;
}

static void all_plan_at_once(void **state) {
    (void)state;
    const char *source = source_of_journey(false);
    const clmove_map map = journey_map();
    worker workers[THREADS];
    for (int round = 0; round < ROUNDS; round++) {
        pthread_barrier_t start;
        plant->sow(source, IN_32_BITS);
        open_device_as(false, "cpu", false);
        assert_int_equal(pthread_barrier_init(&start, NULL, THREADS), 0);
        for (int i = 0; i < THREADS; i++) {
            workers[i] = (worker){.start = &start, .map = &map};
            assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
        }
        for (int i = 0; i < THREADS; i++)
            pthread_join(workers[i].thread, NULL);
        for (int i = 0; i < THREADS; i++)
            if (workers[i].wrong)
                fail_msg("thread %d: %s", i, workers[i].wrong);
        assert_int_equal(stats_of(way.device).self_tests, 2);
        assert_int_equal(way.logged, 1);
        pthread_barrier_destroy(&start);
        journey_end(&way);
        check_no_object_left();
    }
}

/* ---- what OpenCL raises in a test ---- */

/* It is that error, no verdict: the next plan tests again. */
static void failures_are_no_verdict(void **state) {
    (void)state;
    static const struct {
        const char *call;
        unsigned nth;
        int32_t code;
        clmove_status status;
    } failures[] = {{"clCreateCommandQueue", 1, CL_OUT_OF_HOST_MEMORY, CLMOVE_OUT_OF_MEMORY},
                    {"clCreateBuffer", 1, CL_MEM_OBJECT_ALLOCATION_FAILURE, CLMOVE_OUT_OF_MEMORY},
                    {"clCreateBuffer", 2, CL_MEM_OBJECT_ALLOCATION_FAILURE, CLMOVE_OUT_OF_MEMORY},
                    {"clEnqueueWriteBuffer", 1, CL_OUT_OF_RESOURCES, CLMOVE_DEVICE_FAILED},
                    {"clEnqueueWriteBuffer", 2, CL_MEM_OBJECT_ALLOCATION_FAILURE, CLMOVE_OUT_OF_MEMORY},
                    {"clSetKernelArg", 1, CL_INVALID_MEM_OBJECT, CLMOVE_DEVICE_FAILED},
                    {"clSetKernelArg", 3, CL_INVALID_ARG_SIZE, CLMOVE_DEVICE_FAILED},
                    {"clEnqueueNDRangeKernel", 1, CL_OUT_OF_RESOURCES, CLMOVE_DEVICE_FAILED},
                    {"clEnqueueNDRangeKernel", 5, CL_MEM_OBJECT_ALLOCATION_FAILURE, CLMOVE_OUT_OF_MEMORY},
                    {"clEnqueueReadBuffer", 1, CL_OUT_OF_RESOURCES, CLMOVE_DEVICE_FAILED}};
    for (size_t i = 0; i < 2 * sizeof failures / sizeof *failures; i++) {
        const bool gpu = i % 2;
        if (!gpu && strcmp(failures[i / 2].call, "clCreateCommandQueue") == 0)
            continue; /* a CPU was opened with a probe, whose queue the trial uses */
        for (int allow_fallback = 0; allow_fallback < 2; allow_fallback++) {
            open_device_as(gpu, gpu ? "gpu" : "cpu", allow_fallback);
            faults->arm(failures[i / 2].call, failures[i / 2].nth, failures[i / 2].code, false);
            if (!allow_fallback) {
                ASSERT_FAILS(failures[i / 2].status, journey_plan(&way), &way.error);
                assert_int_equal(way.error.device_code, failures[i / 2].code);
                assert_mentions(way.error.text, failures[i / 2].call);
                assert_int_equal(stats_of(way.device).self_tests, 0);
            } else {
                ASSERT_OK(journey_plan(&way), &way.error);
                run_and_check();
                journey_check_fallback(&way, failures[i / 2].call);
                clmove_plan_destroy(&way.plan);
            }
            assert_int_equal(faults->fired(), 1);
            faults->disarm();
            ASSERT_OK(journey_plan(&way), &way.error);
            assert_int_equal(info_of(way.plan).executor, CLMOVE_EXECUTOR_OPENCL);
            assert_int_equal(stats_of(way.device).self_tests, 1);
            run_and_check();
            journey_end(&way);
            check_no_object_left();
        }
    }
}

static void the_setting_is_checked(void **state) {
    (void)state;
    static const char *const wrong[] = {"2", "yes", "on", " 1", "00"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        setenv("CLMOVE_SELF_TEST", wrong[i], 1);
        ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, journey_open(&way, "cpu", true), &way.error);
        assert_mentions(way.error.text, "CLMOVE_SELF_TEST is");
        assert_mentions(way.error.text, wrong[i]);
        assert_null(way.device);
        journey_end(&way);
        check_no_object_left();
    }
}

int main(int count, char **arguments) {
    int missing = layer_find("self-test", "cpu", count - 1, arguments);
    if (missing)
        return missing;
    void *layer = dlopen(arguments[2], RTLD_NOW | RTLD_LOCAL);
    plant = layer ? dlsym(layer, "plant_control") : NULL;
    if (!plant) {
        fprintf(stderr, "self-test: FAILED: %s\n", dlerror());
        return EXIT_FAILURE;
    }
    setenv("CLMOVE_PROGRAM_CACHE", "0", 1); /* which looks at the source before the layer changes it */
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(plants_are_real, clean_up),
        cmocka_unit_test_teardown(right_programs_are_tested_once, clean_up),
        cmocka_unit_test_teardown(wrong_in_32_bits, clean_up),
        cmocka_unit_test_teardown(wrong_in_both_widths, clean_up),
        cmocka_unit_test_teardown(nothing_is_right, clean_up),
        cmocka_unit_test_teardown(slow_ones_come_last, clean_up),
        cmocka_unit_test_teardown(what_is_forced_stays, clean_up),
        cmocka_unit_test_teardown(pieces_are_tested, clean_up),
        cmocka_unit_test_teardown(passes_with_a_wrong_part_are_not_used, clean_up),
        cmocka_unit_test_teardown(all_plan_at_once, clean_up),
        cmocka_unit_test_teardown(failures_are_no_verdict, clean_up),
        cmocka_unit_test_teardown(the_setting_is_checked, clean_up),
    };
    return cmocka_run_group_tests_name("self-test", tests, NULL, NULL) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
