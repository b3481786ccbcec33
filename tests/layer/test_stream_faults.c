/* Every OpenCL call of a run in pieces fails in turn, and every piece is where somebody cancels:
 * test_stream_faults LAYER.so, with OPENCL_LAYERS=LAYER.so
 *
 * The error names the call, nothing touches the caller's memory afterwards, the next run works, no object is lost; where fallback
 * is allowed the host finishes what the device began.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "layer.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <clmove/opencl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PIECE_BYTES 700

/* The methods of a run in pieces, by what the device says of itself. */
typedef struct kind {
    const char *name, *selector, *method;
    bool gpu, unified;
} kind;

static const kind kinds[] = {
    {"discrete", "gpu", "staged", true, false},
    {"shared memory", "gpu", "staged", true, true},
    {"in place", "cpu", "in place", false, false},
};

static const struct {
    const char *name;
    int32_t code;
} calls[] = {
    {"clCreateCommandQueue", CL_OUT_OF_HOST_MEMORY}, {"clCreateBuffer", CL_MEM_OBJECT_ALLOCATION_FAILURE},
    {"clEnqueueMapBuffer", CL_MAP_FAILURE},          {"clEnqueueUnmapMemObject", CL_OUT_OF_RESOURCES},
    {"clEnqueueWriteBuffer", CL_OUT_OF_RESOURCES},   {"clEnqueueReadBuffer", CL_OUT_OF_RESOURCES},
    {"clCreateKernel", CL_OUT_OF_RESOURCES},         {"clSetKernelArg", CL_INVALID_MEM_OBJECT},
    {"clEnqueueNDRangeKernel", CL_OUT_OF_RESOURCES}, {"clFlush", CL_OUT_OF_RESOURCES},
    {"clWaitForEvents", CL_OUT_OF_RESOURCES},        {"clGetEventProfilingInfo", CL_PROFILING_INFO_NOT_AVAILABLE},
};
#define CALLS (sizeof calls / sizeof *calls)

/* Says when to stop: after so many pieces, or never. */
typedef struct patience {
    int64_t left;
} patience;

static bool go_on(void *user, const clmove_progress *progress) {
    patience *it = user;
    assert_true(progress->bytes_done <= progress->bytes_total);
    return it->left < 0 || --it->left > 0;
}

static clmove_status stream(int64_t pieces_until_cancel, clmove_run_info *info) {
    patience user = {pieces_until_cancel > 0 ? pieces_until_cancel : -1};
    const clmove_run_params params = {
        .struct_size = sizeof params, .progress = go_on, .progress_user = &user, .piece_bytes = PIECE_BYTES, .info = info};
    memset(way.dst.data, 0x99, JOURNEY_BYTES);
    return clmove_run_with(way.plan, way.src.data, JOURNEY_BYTES, way.dst.data, JOURNEY_BYTES, &params, &way.error);
}

static void begin(const kind *it, bool allow_fallback) {
    faults->pretend(it->gpu, 0);
    faults->share(it->unified);
    ASSERT_OK(journey_open(&way, it->selector, allow_fallback), &way.error);
    ASSERT_OK(journey_plan(&way), &way.error);
}

static void end(void) {
    journey_end(&way);
    check_no_object_left();
}

/* Every byte of the destination is what it was, or what it has to be; and it stays so. */
static void check_left_alone(const char *what) {
    static uint8_t then[JOURNEY_BYTES];
    const uint8_t *wanted = fenced_expected(&way.dst);
    memcpy(then, way.dst.data, JOURNEY_BYTES);
    for (size_t i = 0; i < JOURNEY_BYTES; i++)
        if (then[i] != wanted[i] && then[i] != 0x99)
            fail_msg("%s: byte %zu is 0x%02x", what, i, then[i]);
    ASSERT_OK(clmove_device_finish(way.device, &way.error), &way.error);
    assert_memory_equal(way.dst.data, then, JOURNEY_BYTES);
}

static void check_works(const kind *it) {
    clmove_run_info info = {.struct_size = sizeof info};
    ASSERT_OK(stream(0, &info), &way.error);
    journey_check_bytes(&way);
    assert_string_equal(clmove_run_method_text(info.method), it->method);
    assert_true(info.pieces > 5);
    assert_int_equal(stats_of(way.device).host_runs, 0);
}

static void fails_in_turn(void **state) {
    const kind *it = *state;
    unsigned fired = 0;
    for (size_t call = 0; call < CALLS; call++)
        for (unsigned nth = 1;; nth++) {
            clmove_run_info info = {.struct_size = sizeof info};
            begin(it, false);
            faults->arm(calls[call].name, nth, calls[call].code, false);
            clmove_status status = stream(0, &info);
            bool hit = faults->fired() > 0;
            faults->disarm();
            if (hit) {
                if (status != CLMOVE_DEVICE_FAILED && status != CLMOVE_OUT_OF_MEMORY)
                    fail_msg("%s %u: %s", calls[call].name, nth, clmove_status_text(status));
                assert_mentions(way.error.text, calls[call].name);
                assert_int_equal(way.error.device_code, calls[call].code);
                check_left_alone(calls[call].name);
            }
            check_works(it);
            end();
            if (!hit)
                break;
            fired++;
        }
    printf("%s: %u calls failed\n", it->name, fired);
    assert_true(fired > 50);
}

static void host_finishes(void **state) {
    const kind *it = *state;
    unsigned fired = 0;
    for (size_t call = 0; call < CALLS; call++)
        for (unsigned nth = 1;; nth += 3) {
            clmove_run_info info = {.struct_size = sizeof info};
            begin(it, true);
            faults->arm(calls[call].name, nth, calls[call].code, false);
            ASSERT_OK(stream(0, &info), &way.error);
            bool hit = faults->fired() > 0;
            faults->disarm();
            journey_check_bytes(&way);
            if (hit) {
                journey_check_fallback(&way, calls[call].name);
                assert_int_equal(info.method, CLMOVE_RUN_HOST);
            }
            end();
            if (!hit)
                break;
            fired++;
        }
    assert_true(fired > 15);
}

static void cancels(void **state) {
    const kind *it = *state;
    clmove_run_info info = {.struct_size = sizeof info};
    begin(it, true);
    check_works(it);
    ASSERT_OK(stream(0, &info), &way.error);
    for (int64_t piece = 1; piece <= info.pieces; piece++) {
        clmove_run_info untouched = {.pieces = -5};
        ASSERT_FAILS(CLMOVE_CANCELLED, stream(piece, &untouched), &way.error);
        assert_mentions(way.error.text, "of 5208 bytes");
        assert_int_equal(untouched.pieces, -5);
        check_left_alone("cancelled");
        check_works(it);
    }
    assert_int_equal(way.logged, 0);
    end();
}

int main(int count, char **arguments) {
    int missing = layer_find("stream faults", "cpu", count, arguments);
    if (missing)
        return missing;
    enum { KINDS = sizeof kinds / sizeof *kinds };
    int failed = 0;
    for (size_t i = 0; i < KINDS; i++) {
        void *which = (void *)(uintptr_t)&kinds[i];
        const struct CMUnitTest tests[] = {
            cmocka_unit_test_prestate_setup_teardown(fails_in_turn, NULL, layer_clean_up, which),
            cmocka_unit_test_prestate_setup_teardown(host_finishes, NULL, layer_clean_up, which),
            cmocka_unit_test_prestate_setup_teardown(cancels, NULL, layer_clean_up, which),
        };
        failed += cmocka_run_group_tests_name(kinds[i].name, tests, NULL, NULL);
    }
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
