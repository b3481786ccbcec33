/* A device of a list fails in the middle of a run: test_several_faults LAYER.so, with OPENCL_LAYERS=LAYER.so, CLMOVE_TEST_GPU=1
 * and two devices of POCL
 *
 * The others do its pieces, say so once, and no byte is lost. Where all fail, the first error is the result, or the host takes
 * over where that is allowed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "layer.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <clmove/opencl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The journey's 5208 bytes are cut into 12 pieces or more. */
#define PIECE_BYTES 450

static const struct {
    const char *name;
    int32_t code;
} calls[] = {
    {"clCreateCommandQueue", CL_OUT_OF_HOST_MEMORY}, {"clCreateBuffer", CL_MEM_OBJECT_ALLOCATION_FAILURE},
    {"clEnqueueMapBuffer", CL_MAP_FAILURE},          {"clEnqueueWriteBuffer", CL_OUT_OF_RESOURCES},
    {"clEnqueueReadBuffer", CL_OUT_OF_RESOURCES},    {"clCreateKernel", CL_OUT_OF_RESOURCES},
    {"clEnqueueNDRangeKernel", CL_OUT_OF_RESOURCES}, {"clFlush", CL_OUT_OF_RESOURCES},
    {"clWaitForEvents", CL_OUT_OF_RESOURCES},
};
#define CALLS (sizeof calls / sizeof *calls)

/* Called by the first of the list, on the caller's thread: it waits, so that it does not do all pieces before the others have
 * begun. */
static bool wait_a_little(void *user, const clmove_progress *progress) {
    (void)user;
    (void)progress;
    return nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL) == 0;
}

static clmove_status run_pieces(clmove_run_info *info) {
    const clmove_run_params params = {
        .struct_size = sizeof params, .piece_bytes = PIECE_BYTES, .info = info, .progress = wait_a_little};
    *info = (clmove_run_info){.struct_size = sizeof *info};
    memset(way.dst.data, 0x99, JOURNEY_BYTES);
    return clmove_run_with(way.plan, way.src.data, JOURNEY_BYTES, way.dst.data, JOURNEY_BYTES, &params, &way.error);
}

static void begin(const char *list, bool allow_fallback) {
    clmove_device_info info = {.struct_size = sizeof info};
    clmove_device *single = open_device("1");
    if (!single)
        skip(); /* POCL has one device, whatever POCL_DEVICES says */
    clmove_device_close(&single);
    ASSERT_OK(journey_open_list(&way, list, allow_fallback), &way.error);
    ASSERT_OK(clmove_device_get_info(way.device, &info, &way.error), &way.error);
    assert_int_equal(info.type, CLMOVE_DEVICE_SEVERAL);
    ASSERT_OK(journey_plan(&way), &way.error);
}

static void end(void) {
    journey_end(&way);
    check_no_object_left();
}

static void check_said(const char *why, unsigned most) {
    clmove_plan_info info = {.struct_size = sizeof info};
    ASSERT_OK(clmove_plan_get_info(way.plan, &info, &way.error), &way.error);
    assert_mentions(info.fallback, why);
    assert_mentions(info.fallback, "several: ");
    assert_in_range(way.logged, 1, most);
    assert_mentions(way.log_text, why);
}

/* One call fails, once, wherever it comes; or from then on, so that both devices of OpenCL are lost and the host does the rest.
 * If the others are quick, they do all before the call comes. */
static void others_take_over(const char *list, bool forever) {
    unsigned fired = 0;
    clmove_run_info info;
    for (size_t call = 0; call < CALLS; call++)
        for (unsigned nth = 1; nth < 12; nth *= 2) {
            begin(list, false);
            faults->arm(calls[call].name, nth, calls[call].code, forever);
            ASSERT_OK(run_pieces(&info), &way.error);
            const bool hit = faults->fired() > 0;
            journey_check_bytes(&way);
            if (hit)
                check_said(calls[call].name, forever ? 2 : 1);
            else
                assert_int_equal(way.logged, 0);
            ASSERT_OK(run_pieces(&info), &way.error); /* those that failed are not asked again */
            journey_check_bytes(&way);
            faults->disarm();
            end();
            fired += hit;
        }
    printf("%u calls failed\n", fired);
    assert_true(fired >= 4);
}

static void one_device_fails(void **state) {
    (void)state;
    others_take_over("0,1", false);
}

static void devices_are_lost(void **state) {
    (void)state;
    others_take_over("host,0,1", true);
}

static void all_fail(void **state) {
    (void)state;
    clmove_run_info info;
    for (unsigned nth = 1; nth < 12; nth += 2) {
        begin("0,1", false);
        faults->arm("clEnqueueNDRangeKernel", nth, CL_OUT_OF_RESOURCES, true);
        ASSERT_FAILS(CLMOVE_DEVICE_FAILED, run_pieces(&info), &way.error);
        assert_mentions(way.error.text, "clEnqueueNDRangeKernel");
        assert_int_equal(way.error.device_code, CL_OUT_OF_RESOURCES);
        ASSERT_FAILS(CLMOVE_DEVICE_FAILED, journey_run(&way), &way.error); /* in one piece */
        faults->disarm();
        ASSERT_OK(run_pieces(&info), &way.error); /* all are tried again */
        journey_check_bytes(&way);
        assert_int_equal(info.method, CLMOVE_RUN_SEVERAL);
        assert_int_equal(stats_of(way.device).host_runs, 0);
        end();
    }
}

static void all_fail_and_the_host_takes_over(void **state) {
    (void)state;
    clmove_run_info info;
    clmove_plan_info plan = {.struct_size = sizeof plan};
    for (unsigned nth = 1; nth < 12; nth += 2) {
        begin("0,1", true);
        faults->arm("clEnqueueNDRangeKernel", nth, CL_OUT_OF_RESOURCES, true);
        for (int twice = 0; twice < 2; twice++) {
            ASSERT_OK(run_pieces(&info), &way.error);
            journey_check_bytes(&way);
            assert_int_equal(info.method, CLMOVE_RUN_HOST);
        }
        check_said("clEnqueueNDRangeKernel", 2);
        ASSERT_OK(clmove_plan_get_info(way.plan, &plan, &way.error), &way.error);
        assert_int_equal(plan.executor, CLMOVE_EXECUTOR_HOST);
        faults->disarm();
        end();
    }
}

/* In one piece, the next of the list does it. */
static void the_next_takes_over(void **state) {
    (void)state;
    begin("0,1,host", false);
    faults->arm("clEnqueueNDRangeKernel", 1, CL_OUT_OF_RESOURCES, true);
    ASSERT_OK(journey_run(&way), &way.error);
    journey_check_bytes(&way);
    check_said("clEnqueueNDRangeKernel", 2);
    assert_int_equal(way.logged, 2);
    assert_int_equal(stats_of(way.device).host_runs, 1);
    faults->disarm();
    end();
}

/* A program that one device cannot build is for the others; where none can, the plan fails. */
static void plans_are_made_by_those_that_can(void **state) {
    (void)state;
    setenv("CLMOVE_PROGRAM_CACHE", "0", 1);
    clmove_run_info info;
    for (int which = 0; which < 2; which++) {
        clmove_device *single = open_device("1");
        if (!single)
            skip();
        clmove_device_close(&single);
        ASSERT_OK(journey_open_list(&way, which ? "0,1" : "0,1,host", false), &way.error);
        faults->arm("clBuildProgram", 1, CL_BUILD_PROGRAM_FAILURE, true);
        if (which) {
            ASSERT_FAILS(CLMOVE_BUILD_FAILED, journey_plan(&way), &way.error);
            assert_null(way.plan);
        } else {
            ASSERT_OK(journey_plan(&way), &way.error);
            check_said("BUILD_PROGRAM_FAILURE", 2);
            ASSERT_OK(run_pieces(&info), &way.error);
            journey_check_bytes(&way);
            assert_int_equal(info.method, CLMOVE_RUN_HOST);
        }
        faults->disarm();
        end();
    }
    unsetenv("CLMOVE_PROGRAM_CACHE");
}

int main(int count, char **arguments) {
    int missing = layer_find("several faults", "gpu", count, arguments);
    if (missing)
        return missing;
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(one_device_fails, layer_clean_up),
        cmocka_unit_test_teardown(devices_are_lost, layer_clean_up),
        cmocka_unit_test_teardown(all_fail, layer_clean_up),
        cmocka_unit_test_teardown(all_fail_and_the_host_takes_over, layer_clean_up),
        cmocka_unit_test_teardown(the_next_takes_over, layer_clean_up),
        cmocka_unit_test_teardown(plans_are_made_by_those_that_can, layer_clean_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
