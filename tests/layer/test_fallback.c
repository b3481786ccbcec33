/* Every OpenCL call that the library makes fails in turn: test_fallback LAYER.so, with OPENCL_LAYERS=LAYER.so
 *
 * With auto, and where fallback is allowed, the host moves the bytes and the caller can see why. A device that was named without
 * allowing it gives the error instead, and works again once the driver does. No OpenCL object is left behind either way.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "layer.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <clmove/opencl.h>

#include <stdlib.h>
#include <string.h>

typedef enum stage { OPEN, PLAN, RUN, ENQUEUE, MEASURE } stage;

typedef struct fault_case {
    const char *name, *call;
    unsigned nth;
    int32_t code;
    stage fails_in;
    /* The status without fallback. */
    clmove_status status;
    /* What the sentence mentions; NULL: the call. */
    const char *why;
    bool forever;
    /* Only the way of CPU devices makes the call: nothing that auto would choose. */
    bool on_cpu;
} fault_case;

static const fault_case cases[] = {
    {"no platform", "clGetPlatformIDs", 1, -1001, OPEN, .status = CLMOVE_NO_DEVICE, .forever = true},
    {"no device", "clGetDeviceIDs", 1, CL_DEVICE_NOT_FOUND, OPEN, .status = CLMOVE_NO_DEVICE, .why = "platforms has a device",
     .forever = true},
    {"no context", "clCreateContext", 1, CL_OUT_OF_HOST_MEMORY, OPEN, .status = CLMOVE_OUT_OF_MEMORY},
    {"no context for a device", "clCreateContext", 1, CL_DEVICE_NOT_AVAILABLE, OPEN, .status = CLMOVE_DEVICE_FAILED},
    {"no queue", "clCreateCommandQueue", 1, CL_OUT_OF_RESOURCES, OPEN, .status = CLMOVE_DEVICE_FAILED},
    {"no program", "clCreateProgramWithSource", 1, CL_OUT_OF_HOST_MEMORY, PLAN, .status = CLMOVE_OUT_OF_MEMORY},
    {"no build", "clBuildProgram", 1, CL_BUILD_PROGRAM_FAILURE, PLAN, .status = CLMOVE_BUILD_FAILED, .why = "does not build",
     .forever = true},
    {"no compiler", "clBuildProgram", 1, CL_COMPILER_NOT_AVAILABLE, PLAN, .status = CLMOVE_BUILD_FAILED, .why = "does not build"},
    {"no kernel", "clCreateKernel", 1, CL_OUT_OF_RESOURCES, PLAN, .status = CLMOVE_DEVICE_FAILED},
    {"no queue for the self-test", "clCreateCommandQueue", 1, CL_OUT_OF_RESOURCES, PLAN, .status = CLMOVE_DEVICE_FAILED},
    {"no source for the self-test", "clCreateBuffer", 1, CL_MEM_OBJECT_ALLOCATION_FAILURE, PLAN, .status = CLMOVE_OUT_OF_MEMORY},
    {"no write for the self-test", "clEnqueueWriteBuffer", 1, CL_OUT_OF_RESOURCES, PLAN, .status = CLMOVE_DEVICE_FAILED},
    {"no launch of the self-test", "clEnqueueNDRangeKernel", 3, CL_OUT_OF_RESOURCES, PLAN, .status = CLMOVE_DEVICE_FAILED},
    {"no read for the self-test", "clEnqueueReadBuffer", 1, CL_OUT_OF_RESOURCES, PLAN, .status = CLMOVE_DEVICE_FAILED},
    {"no source buffer", "clCreateBuffer", 1, CL_MEM_OBJECT_ALLOCATION_FAILURE, RUN, .status = CLMOVE_OUT_OF_MEMORY},
    {"no destination buffer", "clCreateBuffer", 2, CL_OUT_OF_HOST_MEMORY, RUN, .status = CLMOVE_OUT_OF_MEMORY},
    {"buffer too large", "clCreateBuffer", 2, CL_INVALID_BUFFER_SIZE, RUN, .status = CLMOVE_OUT_OF_MEMORY},
    {"no write", "clEnqueueWriteBuffer", 1, CL_OUT_OF_RESOURCES, RUN, .status = CLMOVE_DEVICE_FAILED},
    {"no read", "clEnqueueReadBuffer", 1, CL_OUT_OF_RESOURCES, RUN, .status = CLMOVE_DEVICE_FAILED},
    {"no first argument", "clSetKernelArg", 1, CL_INVALID_MEM_OBJECT, RUN, .status = CLMOVE_DEVICE_FAILED},
    {"no third argument", "clSetKernelArg", 3, CL_INVALID_ARG_SIZE, RUN, .status = CLMOVE_DEVICE_FAILED},
    {"no launch", "clEnqueueNDRangeKernel", 1, CL_OUT_OF_RESOURCES, RUN, .status = CLMOVE_DEVICE_FAILED},
    {"no memory for a launch", "clEnqueueNDRangeKernel", 1, CL_MEM_OBJECT_ALLOCATION_FAILURE, RUN,
     .status = CLMOVE_OUT_OF_MEMORY},
    {"lost queue", "clEnqueueNDRangeKernel", 1, CL_INVALID_COMMAND_QUEUE, RUN, .status = CLMOVE_DEVICE_FAILED},
    {"no flush", "clFlush", 1, CL_OUT_OF_RESOURCES, RUN, .status = CLMOVE_DEVICE_FAILED},
    {"no launch of buffers", "clEnqueueNDRangeKernel", 1, CL_OUT_OF_RESOURCES, ENQUEUE, .status = CLMOVE_DEVICE_FAILED},
    {"no argument for buffers", "clSetKernelArg", 2, CL_INVALID_MEM_OBJECT, ENQUEUE, .status = CLMOVE_DEVICE_FAILED},
    {"no launch to measure", "clEnqueueNDRangeKernel", 1, CL_OUT_OF_RESOURCES, MEASURE, .status = CLMOVE_DEVICE_FAILED},
    {"no source buffer on a CPU", "clCreateBuffer", 1, CL_OUT_OF_HOST_MEMORY, RUN, .status = CLMOVE_OUT_OF_MEMORY,
     .on_cpu = true},
    {"no destination buffer on a CPU", "clCreateBuffer", 2, CL_OUT_OF_HOST_MEMORY, RUN, .status = CLMOVE_OUT_OF_MEMORY,
     .on_cpu = true},
    {"no launch on a CPU", "clEnqueueNDRangeKernel", 1, CL_OUT_OF_RESOURCES, RUN, .status = CLMOVE_DEVICE_FAILED, .on_cpu = true},
    {"no map on a CPU", "clEnqueueMapBuffer", 1, CL_MAP_FAILURE, RUN, .status = CLMOVE_DEVICE_FAILED, .on_cpu = true},
    {"no unmap on a CPU", "clEnqueueUnmapMemObject", 1, CL_OUT_OF_RESOURCES, RUN, .status = CLMOVE_DEVICE_FAILED, .on_cpu = true},
    {"lost queue at the end on a CPU", "clWaitForEvents", 1, CL_INVALID_COMMAND_QUEUE, RUN, .status = CLMOVE_DEVICE_FAILED,
     .on_cpu = true},
};
#define CASES (sizeof cases / sizeof *cases)

static const char *const stage_names[] = {"open", "plan", "run", "enqueue", "measure"};

static clmove_status step(journey *it, stage now, const char *selector, bool allow_fallback) {
    switch (now) {
    case OPEN:
        return journey_open(it, selector, allow_fallback);
    case PLAN:
        return journey_plan(it);
    case RUN:
        return journey_run(it);
    case ENQUEUE:
        return journey_enqueue(it);
    case MEASURE:
        break;
    }
    return journey_measure(it);
}

/* The step that moves bytes in the end. */
static stage last_stage(const fault_case *it) {
    return it->fails_in > RUN ? it->fails_in : RUN;
}

/* The stage after one on the way to the last. */
static stage next_stage(const fault_case *it, stage now) {
    return now == PLAN ? last_stage(it) : (stage)(now + 1);
}

static const char *reason_of(const fault_case *it) {
    return it->why ? it->why : it->call;
}

static void arm(const fault_case *it) {
    faults->arm(it->call, it->nth, it->code, it->forever);
}

static void check_fired(const fault_case *it) {
    if (faults->fired() == 0)
        fail_msg("%s was not called: the test tests nothing", it->call);
}

/* Goes all the way with the fault armed where it belongs; the bytes must arrive. */
static void travel_falling_back(const fault_case *it, const char *selector, bool allow_fallback) {
    faults->pretend(!it->on_cpu, 0);
    for (stage now = OPEN;; now = next_stage(it, now)) {
        if (now == it->fails_in)
            arm(it);
        clmove_status status = step(&way, now, selector, allow_fallback);
        if (status != CLMOVE_OK)
            fail_msg("%s %s: %s: %s", selector, stage_names[now], clmove_status_text(status), way.error.text);
        if (now == last_stage(it))
            break;
    }
    check_fired(it);
    journey_check_bytes(&way);
    journey_check_fallback(&way, reason_of(it));
    if (it->fails_in == OPEN)
        assert_mentions(clmove_device_fallback(way.device), reason_of(it));
    faults->disarm();
    ASSERT_OK(step(&way, last_stage(it), selector, allow_fallback), &way.error); /* and again */
    journey_check_bytes(&way);
    assert_int_equal(way.logged, 1);
    journey_end(&way);
    check_no_object_left();
}

/* Without fallback: the error, and then success. */
static void travel_failing(const fault_case *it, const char *selector) {
    faults->pretend(!it->on_cpu, 0);
    for (stage now = OPEN;; now = next_stage(it, now)) {
        if (now == it->fails_in) {
            arm(it);
            ASSERT_FAILS(it->status, step(&way, now, selector, false), &way.error);
            assert_int_equal(way.error.device_code, it->code);
            assert_mentions(way.error.text, reason_of(it));
            check_fired(it);
            faults->disarm();
            if (now == OPEN) {
                assert_null(way.device);
                journey_end(&way);
                check_no_object_left();
            }
        }
        ASSERT_OK(step(&way, now, selector, false), &way.error);
        if (now == last_stage(it))
            break;
    }
    journey_check_bytes(&way);
    assert_int_equal(way.logged, 0);
    assert_int_equal(stats_of(way.device).host_runs, 0);
    assert_true(stats_of(way.device).kernels_run > 0);
    journey_end(&way);
    check_no_object_left();
}

static void fails_in_turn(void **state) {
    const fault_case *it = *state;
    const char *selector = it->on_cpu ? "cpu" : "gpu";
    if (!it->on_cpu)
        travel_falling_back(it, "auto", false);
    travel_falling_back(it, selector, true);
    travel_failing(it, selector);
}

/* A device whose buffers are smaller than the tensor moves it in pieces. */
static void limits_are_respected(void **state) {
    (void)state;
    static const char *const selectors[] = {"auto", "gpu"};
    for (int i = 0; i < 2; i++) {
        clmove_buffer *buffer = NULL;
        faults->pretend(true, JOURNEY_BYTES - 1);
        ASSERT_OK(journey_open(&way, selectors[i], false), &way.error);
        ASSERT_OK(journey_plan(&way), &way.error);
        ASSERT_OK(journey_run(&way), &way.error);
        journey_check_bytes(&way);
        assert_int_equal(stats_of(way.device).kernels_run, 2);
        unsigned before = faults->kernels(); /* now that the pieces' programs are tested */
        ASSERT_OK(journey_run(&way), &way.error);
        journey_check_bytes(&way);
        assert_int_equal(faults->kernels() - before, 2);
        assert_int_equal(stats_of(way.device).kernels_run, 4);
        assert_int_equal(stats_of(way.device).host_runs, 0);
        ASSERT_FAILS(CLMOVE_OUT_OF_MEMORY, clmove_buffer_create(way.device, JOURNEY_BYTES, &buffer, &way.error), &way.error);
        assert_mentions(way.error.text, "2604");
        assert_mentions(way.error.text, "2603");
        assert_null(buffer);
        journey_end(&way);
        check_no_object_left();
    }
}

/* Nothing fails: kernels run, and no message names the host. The other tests rest on this one. */
static void nothing_fails(void **state) {
    (void)state;
    static const char *const selectors[] = {"auto", "gpu", "cpu"};
    for (int i = 0; i < 3; i++) {
        faults->pretend(i < 2, 0);
        int64_t created = faults->created();
        ASSERT_OK(journey_open(&way, selectors[i], false), &way.error);
        ASSERT_OK(journey_plan(&way), &way.error);
        unsigned before = faults->kernels(); /* after those of the self-test */
        ASSERT_OK(journey_run(&way), &way.error);
        journey_check_bytes(&way);
        ASSERT_OK(journey_enqueue(&way), &way.error);
        journey_check_bytes(&way);
        assert_int_equal(faults->kernels() - before, 2);
        assert_int_equal(stats_of(way.device).kernels_run, 2);
        assert_int_equal(stats_of(way.device).host_runs, 0);
        assert_int_equal(way.logged, 0);
        const char *kind;
        assert_true(faults->created() - created >= 6 && faults->balance(&kind) > 0);
        journey_end(&way);
        check_no_object_left();
    }
}

/* A build that another process disturbs is tried again, on POCL before 6.0 alone. */
static void builds_collide(void **state) {
    (void)state;
    clmove_device_info info = {.struct_size = sizeof info};
    faults->pretend(false, 0);
    ASSERT_OK(journey_open(&way, "cpu", false), &way.error);
    ASSERT_OK(clmove_device_get_info(way.device, &info, &way.error), &way.error);
    const bool is_tried_again = strcmp(info.platform, "Portable Computing Language") == 0 && atoi(info.driver) < 6;
    faults->arm("clBuildProgram", 1, CL_BUILD_PROGRAM_FAILURE, false);
    clmove_status status = journey_plan(&way);
    assert_int_equal(faults->fired(), 1);
    faults->disarm();
    assert_int_equal(status, is_tried_again ? CLMOVE_OK : CLMOVE_BUILD_FAILED);
    if (!is_tried_again)
        ASSERT_OK(journey_plan(&way), &way.error);
    ASSERT_OK(journey_run(&way), &way.error);
    journey_check_bytes(&way);
    assert_int_equal(stats_of(way.device).host_runs, 0);
    journey_end(&way);
    check_no_object_left();
}

/* Work that fails after it was enqueued is an error of finish, and the device works on. */
static void finish_reports(void **state) {
    (void)state;
    faults->pretend(true, 0);
    ASSERT_OK(journey_open(&way, "gpu", false), &way.error);
    faults->arm(journey_finish_call(), 1, CL_INVALID_COMMAND_QUEUE, false);
    ASSERT_FAILS(CLMOVE_DEVICE_FAILED, clmove_device_finish(way.device, &way.error), &way.error);
    assert_int_equal(way.error.device_code, CL_INVALID_COMMAND_QUEUE);
    ASSERT_OK(clmove_device_finish(way.device, &way.error), &way.error);
    journey_end(&way);
    check_no_object_left();
}

/* Times that the driver will not tell are an error: the bytes have moved. */
static void measuring_reports(void **state) {
    (void)state;
    faults->pretend(true, 0);
    for (unsigned nth = 1; nth <= 2; nth++) {
        ASSERT_OK(journey_open(&way, "gpu", false), &way.error);
        ASSERT_OK(journey_plan(&way), &way.error);
        faults->arm("clGetEventProfilingInfo", nth, CL_PROFILING_INFO_NOT_AVAILABLE, false);
        ASSERT_FAILS(CLMOVE_DEVICE_FAILED, journey_measure(&way), &way.error);
        assert_int_equal(way.error.device_code, CL_PROFILING_INFO_NOT_AVAILABLE);
        assert_mentions(way.error.text, "clGetEventProfilingInfo");
        ASSERT_OK(journey_measure(&way), &way.error);
        journey_check_bytes(&way);
        journey_end(&way);
        check_no_object_left();
    }
}

int main(int count, char **arguments) {
    int missing = layer_find("fallback", "cpu", count, arguments);
    if (missing)
        return missing;
    const struct CMUnitTest first[] = {
        cmocka_unit_test_teardown(nothing_fails, layer_clean_up),
        cmocka_unit_test_teardown(limits_are_respected, layer_clean_up),
        cmocka_unit_test_teardown(builds_collide, layer_clean_up),
        cmocka_unit_test_teardown(finish_reports, layer_clean_up),
        cmocka_unit_test_teardown(measuring_reports, layer_clean_up),
    };
    struct CMUnitTest tests[CASES];
    for (size_t i = 0; i < CASES; i++)
        tests[i] = (struct CMUnitTest){.name = cases[i].name,
                                       .test_func = fails_in_turn,
                                       .teardown_func = layer_clean_up,
                                       .initial_state = (void *)(uintptr_t)&cases[i]};
    int failed = cmocka_run_group_tests_name("layer", first, NULL, NULL);
    failed += cmocka_run_group_tests_name("faults", tests, NULL, NULL);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
