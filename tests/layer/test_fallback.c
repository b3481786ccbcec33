/* Every OpenCL call that the library makes fails in turn: test_fallback LAYER.so, with OPENCL_LAYERS=LAYER.so
 *
 * With auto, and where fallback is allowed, the host moves the bytes and the caller can see why. A device that was named without
 * allowing it gives the error instead, and works again once the driver does. No OpenCL object is left behind either way.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "faults.h"
#include "journey.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum stage { OPEN, PLAN, RUN, ENQUEUE, MEASURE } stage;

typedef struct fault_case {
    const char *name, *call;
    unsigned nth;
    int32_t code;
    stage fails_in;
    clmove_status status; /* without fallback */
    const char *why;      /* what the sentence mentions; NULL: the call */
    bool forever;
    bool on_cpu; /* only the way of CPU devices makes the call: nothing that auto would choose */
} fault_case;

static const fault_case cases[] = {
    {"no platform", "clGetPlatformIDs", 1, -1001, OPEN, .status = CLMOVE_NO_DEVICE, .forever = true},
    {"no device", "clGetDeviceIDs", 1, CL_DEVICE_NOT_FOUND, OPEN, .status = CLMOVE_NO_DEVICE, .why = "platforms has a device",
     .forever = true},
    {"no context", "clCreateContext", 1, CL_OUT_OF_HOST_MEMORY, OPEN, .status = CLMOVE_OUT_OF_MEMORY},
    {"no context for a device", "clCreateContext", 1, CL_DEVICE_NOT_AVAILABLE, OPEN, .status = CLMOVE_DEVICE_FAILED},
    {"no queue", "clCreateCommandQueue", 1, CL_OUT_OF_RESOURCES, OPEN, .status = CLMOVE_DEVICE_FAILED},
    {"no program", "clCreateProgramWithSource", 1, CL_OUT_OF_HOST_MEMORY, PLAN, .status = CLMOVE_OUT_OF_MEMORY},
    {"no build", "clBuildProgram", 1, CL_BUILD_PROGRAM_FAILURE, PLAN, .status = CLMOVE_BUILD_FAILED, .why = "does not build"},
    {"no compiler", "clBuildProgram", 1, CL_COMPILER_NOT_AVAILABLE, PLAN, .status = CLMOVE_BUILD_FAILED, .why = "does not build"},
    {"no kernel", "clCreateKernel", 1, CL_OUT_OF_RESOURCES, PLAN, .status = CLMOVE_DEVICE_FAILED},
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
    {"no flush to measure", "clFlush", 1, CL_OUT_OF_RESOURCES, MEASURE, .status = CLMOVE_DEVICE_FAILED},
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

static const faults_interface *faults;
static journey way; /* ended after each test, also after one that failed */

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

static void check_no_object_left(void) {
    const char *kind;
    int64_t left = faults->balance(&kind);
    if (left)
        fail_msg("%d OpenCL objects are left, among them a %s", (int)left, kind);
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

static int clean_up(void **state) {
    (void)state;
    faults->disarm();
    journey_end(&way);
    faults->pretend(false, 0);
    return 0;
}

/* A device whose buffers are smaller than the tensor moves it in pieces. */
static void limits_are_respected(void **state) {
    (void)state;
    static const char *const selectors[] = {"auto", "gpu"};
    for (int i = 0; i < 2; i++) {
        clmove_buffer *buffer = NULL;
        faults->pretend(true, JOURNEY_BYTES - 1);
        unsigned before = faults->kernels();
        ASSERT_OK(journey_open(&way, selectors[i], false), &way.error);
        ASSERT_OK(journey_plan(&way), &way.error);
        ASSERT_OK(journey_run(&way), &way.error);
        journey_check_bytes(&way);
        assert_int_equal(faults->kernels() - before, 2);
        assert_int_equal(stats_of(way.device).host_runs, 0);
        ASSERT_FAILS(CLMOVE_OUT_OF_MEMORY, clmove_buffer_create(way.device, JOURNEY_BYTES, &buffer, &way.error), &way.error);
        assert_mentions(way.error.text, "2604");
        assert_mentions(way.error.text, "2603");
        assert_null(buffer);
        journey_end(&way);
        check_no_object_left();
    }
}

/* Nothing fails: kernels run and nobody hears of the host. The other tests rest on this one. */
static void nothing_fails(void **state) {
    (void)state;
    static const char *const selectors[] = {"auto", "gpu", "cpu"};
    for (int i = 0; i < 3; i++) {
        faults->pretend(i < 2, 0);
        unsigned before = faults->kernels();
        int64_t created = faults->created();
        ASSERT_OK(journey_open(&way, selectors[i], false), &way.error);
        ASSERT_OK(journey_plan(&way), &way.error);
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

/* Work that fails after it was enqueued is an error of finish, and the device works on. */
static void finish_reports(void **state) {
    (void)state;
    faults->pretend(true, 0);
    ASSERT_OK(journey_open(&way, "gpu", false), &way.error);
    faults->arm("clFinish", 1, CL_INVALID_COMMAND_QUEUE, false);
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

/* Buffers have no stand-in on the host: their calls say so, even where fallback is allowed. */
static void buffers_report(void **state) {
    (void)state;
    clmove_buffer *buffer = NULL;
    uint8_t bytes[16] = {0};
    faults->pretend(true, 0);
    ASSERT_OK(journey_open(&way, "gpu", true), &way.error);
    faults->arm("clCreateBuffer", 1, CL_OUT_OF_HOST_MEMORY, false);
    ASSERT_FAILS(CLMOVE_OUT_OF_MEMORY, clmove_buffer_create(way.device, 16, &buffer, &way.error), &way.error);
    assert_null(buffer);
    ASSERT_OK(clmove_buffer_create(way.device, 16, &buffer, &way.error), &way.error);
    faults->arm("clEnqueueWriteBuffer", 1, CL_OUT_OF_RESOURCES, false);
    ASSERT_FAILS(CLMOVE_DEVICE_FAILED, clmove_buffer_write(buffer, 0, bytes, 16, &way.error), &way.error);
    assert_int_equal(way.error.device_code, CL_OUT_OF_RESOURCES);
    ASSERT_OK(clmove_buffer_write(buffer, 0, bytes, 16, &way.error), &way.error);
    faults->arm("clEnqueueReadBuffer", 1, CL_OUT_OF_RESOURCES, false);
    ASSERT_FAILS(CLMOVE_DEVICE_FAILED, clmove_buffer_read(buffer, 0, bytes, 16, &way.error), &way.error);
    ASSERT_OK(clmove_buffer_read(buffer, 0, bytes, 16, &way.error), &way.error);
    clmove_buffer_destroy(&buffer);
    journey_end(&way);
    check_no_object_left();
}

/* The calls that buffers of all kinds are made of, each failing once: the sentence names it, and the next try works. */
static void buffers_of_all_kinds_report(void **state) {
    (void)state;
    static const unsigned char pattern[3] = {1, 2, 3};
    clmove_buffer *pinned = NULL, *plain = NULL, *staged = NULL, *wrapped = NULL;
    void *mapped = NULL, *memory = NULL;
    const char *call = NULL;
    assert_int_equal(posix_memalign(&memory, 4096, 8192), 0);
    memset(memory, 7, 8192);
#define FAILS(function, nth, what)                                                                                               \
    do {                                                                                                                         \
        call = #function;                                                                                                        \
        faults->arm(call, nth, CL_OUT_OF_RESOURCES, false);                                                                      \
        ASSERT_FAILS(CLMOVE_DEVICE_FAILED, what, &way.error);                                                                    \
        assert_int_equal(way.error.device_code, CL_OUT_OF_RESOURCES);                                                            \
        assert_mentions(way.error.text, call);                                                                                   \
        assert_int_equal(faults->fired(), 1);                                                                                    \
        faults->disarm();                                                                                                        \
        ASSERT_OK(what, &way.error);                                                                                             \
    } while (0)
    faults->pretend(true, 0);
    ASSERT_OK(journey_open(&way, "gpu", true), &way.error);
    ASSERT_OK(journey_plan(&way), &way.error);
    ASSERT_OK(clmove_buffer_create(way.device, JOURNEY_BYTES, &plain, &way.error), &way.error);
    FAILS(clCreateBuffer, 1, clmove_buffer_create_pinned(way.device, JOURNEY_BYTES, &pinned, &way.error));
    clmove_buffer_destroy(&pinned);
    FAILS(clEnqueueMapBuffer, 1, clmove_buffer_create_pinned(way.device, JOURNEY_BYTES, &pinned, &way.error));
    FAILS(clCreateBuffer, 1, clmove_buffer_wrap(way.device, memory, 4096, &wrapped, &way.error));
    FAILS(clCreateBuffer, 1, clmove_buffer_wrap(way.device, (char *)memory + 5000, 100, &staged, &way.error));
    clmove_buffer_destroy(&staged);
    FAILS(clEnqueueWriteBuffer, 1, clmove_buffer_wrap(way.device, (char *)memory + 5000, 100, &staged, &way.error));
    FAILS(clEnqueueMapBuffer, 1, clmove_buffer_map(plain, CLMOVE_ACCESS_WRITE, 1, 9, &mapped, &way.error));
    FAILS(clEnqueueUnmapMemObject, 1, clmove_buffer_unmap(plain, mapped, &way.error));
    FAILS(clEnqueueReadBuffer, 1, clmove_buffer_map(staged, CLMOVE_ACCESS_READ_WRITE, 1, 9, &mapped, &way.error));
    FAILS(clEnqueueWriteBuffer, 1, clmove_buffer_unmap(staged, mapped, &way.error));
    FAILS(clEnqueueFillBuffer, 1, clmove_buffer_fill(plain, 4, 8, pattern, 1, &way.error));
    FAILS(clEnqueueWriteBuffer, 1, clmove_buffer_fill(plain, 4, 9, pattern, 3, &way.error));
    FAILS(clEnqueueCopyBuffer, 1, clmove_buffer_copy(plain, 4, staged, 9, 10, &way.error));
    FAILS(clEnqueueWriteBuffer, 1, clmove_buffer_copy(pinned, 4, staged, 9, 10, &way.error));
    FAILS(clEnqueueReadBuffer, 1, clmove_buffer_copy(staged, 4, pinned, 9, 10, &way.error));
    FAILS(clEnqueueUnmapMemObject, 1, clmove_enqueue(way.plan, pinned, plain, &way.error)); /* the device gets it */
    FAILS(clEnqueueMapBuffer, 1, clmove_buffer_map(pinned, CLMOVE_ACCESS_READ, 1, 9, &mapped, &way.error));
#undef FAILS
    assert_string_equal(clmove_device_fallback(way.device), "");
    assert_int_equal(way.logged, 0);
    clmove_buffer_destroy(&pinned); /* mapped as it is */
    clmove_buffer_destroy(&plain);
    clmove_buffer_destroy(&staged);
    clmove_buffer_destroy(&wrapped);
    clmove_memory_info info;
    ASSERT_OK(clmove_device_get_memory(way.device, &info, &way.error), &way.error);
    assert_int_equal(info.used_bytes, 0);
    journey_end(&way);
    check_no_object_left();
    free(memory);
}

/* Objects come and go with buffers: memory that a pool keeps is one, memory that it uses again makes none. */
static void pools_make_no_objects(void **state) {
    (void)state;
    clmove_pool *pool = NULL;
    clmove_buffer *buffer = NULL;
    const char *kind;
    faults->pretend(true, 0);
    ASSERT_OK(journey_open(&way, "gpu", false), &way.error);
    ASSERT_OK(clmove_pool_create(way.device, 100000, &pool, &way.error), &way.error);
    ASSERT_OK(clmove_pool_take(pool, 50000, &buffer, &way.error), &way.error);
    clmove_buffer_destroy(&buffer);
    int64_t created = faults->created(), alive = faults->balance(&kind);
    for (int i = 0; i < 10; i++) {
        ASSERT_OK(clmove_pool_take(pool, 50000, &buffer, &way.error), &way.error);
        clmove_buffer_destroy(&buffer);
    }
    assert_int_equal(faults->created(), created);
    assert_int_equal(faults->balance(&kind), alive);
    clmove_pool_destroy(&pool);
    assert_int_equal(faults->balance(&kind), alive - 1);
    journey_end(&way);
    check_no_object_left();
}

int main(int count, char **arguments) {
    if (count != 2) {
        fprintf(stderr, "usage: test_fallback LAYER.so\n");
        return 2;
    }
    void *layer = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
    faults = layer ? dlsym(layer, "faults_control") : NULL;
    if (!faults) {
        fprintf(stderr, "fallback: FAILED: %s\n", dlerror());
        return EXIT_FAILURE;
    }
    clmove_device *device = open_device("cpu");
    if (!device) {
        printf("fallback: skipped: there is no OpenCL CPU device\n");
        return EXIT_SKIPPED;
    }
    clmove_device_close(&device);
    if (faults->created() == 0) {
        printf("fallback: skipped: the OpenCL loader does not load layers (ocl-icd does from 2.3.0 on)\n");
        return EXIT_SKIPPED;
    }
    const struct CMUnitTest first[] = {
        cmocka_unit_test_teardown(nothing_fails, clean_up),
        cmocka_unit_test_teardown(limits_are_respected, clean_up),
        cmocka_unit_test_teardown(finish_reports, clean_up),
        cmocka_unit_test_teardown(buffers_report, clean_up),
        cmocka_unit_test_teardown(measuring_reports, clean_up),
        cmocka_unit_test_teardown(buffers_of_all_kinds_report, clean_up),
        cmocka_unit_test_teardown(pools_make_no_objects, clean_up),
    };
    struct CMUnitTest tests[CASES];
    for (size_t i = 0; i < CASES; i++)
        tests[i] = (struct CMUnitTest){.name = cases[i].name,
                                       .test_func = fails_in_turn,
                                       .teardown_func = clean_up,
                                       .initial_state = (void *)(uintptr_t)&cases[i]};
    int failed = cmocka_run_group_tests_name("layer", first, NULL, NULL);
    failed += cmocka_run_group_tests_name("faults", tests, NULL, NULL);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
