/* A driver that has no memory while the device keeps some: test_kept_memory LAYER.so, with OPENCL_LAYERS=LAYER.so
 *
 * What is only kept is let go, once, and the driver asked again.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "layer.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <clmove/opencl.h>

#include <stdlib.h>
#include <string.h>

static clmove_pool *idle; /* that keeps one buffer */

static size_t kept_by_idle(void) {
    clmove_pool_info info = {.struct_size = sizeof info};
    ASSERT_OK(clmove_pool_get_info(idle, &info, &way.error), &way.error);
    return info.kept_bytes;
}

static void fill_idle(void) {
    clmove_buffer *buffer = NULL;
    ASSERT_OK(clmove_pool_take(idle, 4096, &buffer, &way.error), &way.error);
    clmove_buffer_destroy(&buffer);
    assert_int_equal(kept_by_idle(), 4096);
}

static uint64_t used_bytes(void) {
    clmove_memory_info info = {.struct_size = sizeof info};
    ASSERT_OK(clmove_device_get_memory(way.device, &info, &way.error), &way.error);
    return info.used_bytes;
}

static void begin_idle(const char *selector, bool allow_fallback) {
    faults->pretend(strcmp(selector, "cpu") != 0, 0);
    ASSERT_OK(journey_open(&way, selector, allow_fallback), &way.error);
    ASSERT_OK(journey_plan(&way), &way.error);
    ASSERT_OK(clmove_pool_create(way.device, 100000, &idle, &way.error), &way.error);
    fill_idle();
}

static void end_idle(void) {
    clmove_pool_destroy(&idle);
    journey_end(&way);
    check_no_object_left();
}

static int clean_up_idle(void **state) {
    clmove_pool_destroy(&idle);
    return layer_clean_up(state);
}

/* The ways to ask for memory. */
enum { BUFFER, PINNED, STAGED_COPY, OTHER_POOL, FILLED, COPIED, RUN_IT, ENQUEUE_IT, DEMANDS };

static clmove_status demand(int what) {
    clmove_buffer *buffer = NULL;
    clmove_pool *other = NULL;
    static uint8_t memory[101];
    clmove_status status = CLMOVE_OK;
    if (what == BUFFER)
        status = clmove_buffer_create(way.device, 5000, &buffer, &way.error);
    else if (what == PINNED)
        status = clmove_buffer_create_pinned(way.device, 5000, &buffer, &way.error);
    else if (what == STAGED_COPY)
        status = clmove_buffer_wrap(way.device, memory + 1, 100, &buffer, &way.error);
    else if (what == OTHER_POOL) {
        status = clmove_pool_create(way.device, 100000, &other, &way.error);
        status = status ? status : clmove_pool_take(other, 5000, &buffer, &way.error);
    } else if (what == FILLED || what == COPIED) {
        status = clmove_buffer_create(way.device, 5000, &buffer, &way.error);
        if (status == CLMOVE_OK && what == FILLED)
            status = clmove_buffer_fill(buffer, 0, 5000, "\x11", 1, &way.error);
        else if (status == CLMOVE_OK)
            status = clmove_buffer_copy(buffer, 0, buffer, 2500, 2500, &way.error);
    } else {
        status = what == RUN_IT ? journey_run(&way) : journey_enqueue(&way);
        if (status == CLMOVE_OK)
            journey_check_bytes(&way);
    }
    clmove_buffer_destroy(&buffer);
    clmove_pool_destroy(&other);
    return status;
}

/* The driver refuses once: kept memory is freed, and the call succeeds without the host. */
static void what_is_kept_makes_way(void **state) {
    (void)state;
    static const struct {
        const char *call;
        int32_t code;
    } refusals[] = {{"clCreateBuffer", CL_MEM_OBJECT_ALLOCATION_FAILURE},
                    {"clCreateBuffer", CL_OUT_OF_RESOURCES},
                    {"clCreateBuffer", CL_OUT_OF_HOST_MEMORY},
                    {"clEnqueueWriteBuffer", CL_MEM_OBJECT_ALLOCATION_FAILURE},
                    {"clEnqueueFillBuffer", CL_MEM_OBJECT_ALLOCATION_FAILURE},
                    {"clEnqueueCopyBuffer", CL_MEM_OBJECT_ALLOCATION_FAILURE},
                    {"clEnqueueNDRangeKernel", CL_MEM_OBJECT_ALLOCATION_FAILURE}};
    static const char *const selectors[] = {"gpu", "cpu"};
    int met = 0;
    for (int where = 0; where < 2; where++)
        for (int i = 0; i < 7; i++)
            for (int what = 0; what < DEMANDS; what++) {
                begin_idle(selectors[where], true);
                faults->arm(refusals[i].call, 1, refusals[i].code, false);
                ASSERT_OK(demand(what), &way.error);
                bool hit = faults->fired() > 0;
                faults->disarm();
                met += hit;
                assert_true(hit || i > 2); /* not all that ask for memory enqueue something */
                assert_int_equal(kept_by_idle(), hit ? 0 : 4096);
                assert_int_equal(way.logged, 0);
                assert_int_equal(stats_of(way.device).host_runs, 0);
                ASSERT_OK(journey_run(&way), &way.error); /* leaves its staging */
                fill_idle();
                uint64_t before = used_bytes();
                faults->arm("clCreateBuffer", 1, CL_MEM_OBJECT_ALLOCATION_FAILURE, false);
                ASSERT_OK(demand(BUFFER), &way.error);
                assert_int_equal(faults->fired(), 1);
                faults->disarm();
                assert_true(before >= 4096 + (where == 0));
                assert_int_equal(used_bytes(), 0);
                end_idle();
            }
    assert_true(met >= 2 * 3 * DEMANDS + 10);
}

/* It refuses again: the error is the driver's, or the host takes over; and once is enough. */
static void what_is_kept_may_not_do(void **state) {
    (void)state;
    for (int allow = 0; allow < 2; allow++)
        for (int what = 0; what < DEMANDS; what++) {
            bool falls_back = allow && what == RUN_IT;
            begin_idle("gpu", allow);
            faults->arm("clCreateBuffer", 1, CL_MEM_OBJECT_ALLOCATION_FAILURE, true);
            if (falls_back)
                ASSERT_OK(demand(what), &way.error);
            else {
                ASSERT_FAILS(CLMOVE_OUT_OF_MEMORY, demand(what), &way.error);
                assert_int_equal(way.error.device_code, CL_MEM_OBJECT_ALLOCATION_FAILURE);
                assert_mentions(way.error.text, "clCreateBuffer");
            }
            assert_int_equal(faults->fired(), what == OTHER_POOL ? 3 : 2); /* that tries without rounding, too */
            faults->disarm();
            assert_int_equal(kept_by_idle(), 0);
            if (falls_back)
                journey_check_fallback(&way, "clCreateBuffer");
            ASSERT_OK(demand(what), &way.error);
            end_idle();
        }
}

/* Which may be the failure of an earlier command. */
static void commands_without_resources_fail(void **state) {
    (void)state;
    begin_idle("gpu", false);
    faults->arm("clEnqueueNDRangeKernel", 1, CL_OUT_OF_RESOURCES, false);
    ASSERT_FAILS(CLMOVE_DEVICE_FAILED, demand(ENQUEUE_IT), &way.error);
    assert_int_equal(kept_by_idle(), 4096);
    end_idle();
}

int main(int count, char **arguments) {
    int missing = layer_find("kept memory", "cpu", count, arguments);
    if (missing)
        return missing;
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(what_is_kept_makes_way, clean_up_idle),
        cmocka_unit_test_teardown(what_is_kept_may_not_do, clean_up_idle),
        cmocka_unit_test_teardown(commands_without_resources_fail, clean_up_idle),
    };
    return cmocka_run_group_tests_name("kept memory", tests, NULL, NULL) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
