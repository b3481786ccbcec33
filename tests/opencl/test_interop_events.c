/* clmove/opencl.h between events: who waits for what, and who does not.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scene.h"
#include "tests/opencl/enqueue.h"

#include <stdlib.h>
#include <string.h>

static clmove_error error;

static void nothing_is_waited_for(void **state) {
    (void)state;
    for (int ordered = 0; ordered < 2; ordered++) {
        scene it = scene_make(ordered ? 0 : CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
        cl_int code;
        cl_event gate = clCreateUserEvent(it.at.context, &code), done;
        uint8_t got[ROOM];
        ASSERT_CL(code);
        faults->arm("clFinish", 1, CL_OUT_OF_RESOURCES, true); /* a call of it would fail */
        ASSERT_OK(enqueue_mem(it.plan, NULL, it.src, 0, it.dst, 0, 1, &gate, &done, &error), &error);
        assert_int_equal(faults->fired(), 0);
        faults->arm("clFlush", 1, CL_OUT_OF_RESOURCES, true);
        ASSERT_OK(enqueue_mem(it.plan, it.at.queue, it.src, 0, it.dst, 0, 1, &gate, NULL, &error), &error);
        assert_int_equal(faults->fired(), 0);
        faults->disarm();
        cl_command_queue other = bed_queue(&it.at, 0);
        ASSERT_CL(clFlush(it.at.queue));
        ASSERT_CL(clEnqueueReadBuffer(other, it.dst, CL_TRUE, 0, ROOM, got, 0, NULL, NULL));
        check_bytes(got, it.dst_bytes, ROOM, "destination before its turn");
        assert_false(is_complete(done));
        ASSERT_CL(clSetUserEventStatus(gate, CL_COMPLETE));
        ASSERT_CL(clWaitForEvents(1, &done));
        scene_check(&it, 0, 0);
        ASSERT_CL(clReleaseEvent(done));
        ASSERT_CL(clReleaseEvent(gate));
        ASSERT_CL(clReleaseCommandQueue(other));
        scene_end(&it);
    }
}

static void closing_waits_for_nobody(void **state) {
    (void)state;
    scene it = scene_make(0);
    cl_int code;
    cl_event gate = clCreateUserEvent(it.at.context, &code);
    ASSERT_CL(code);
    ASSERT_OK(enqueue_mem(it.plan, NULL, it.src, 4, it.dst, 8, 1, &gate, NULL, &error), &error);
    clmove_plan_destroy(&it.plan);
    clmove_device_close(&it.at.device); /* would hang if it waited */
    ASSERT_CL(clSetUserEventStatus(gate, CL_COMPLETE));
    scene_check(&it, 4, 8);
    ASSERT_CL(clReleaseEvent(gate));
    scene_end(&it);
}

/* Every kind of buffer, mapped between two commands that nobody waits for. */
static void buffers_are_mapped_between_events(void **state) {
    (void)state;
    scene it = scene_make(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    uint8_t host[BYTES + 1], expected[BYTES], got[BYTES];
    for (int kind = 0; kind < 3; kind++) {
        clmove_buffer *src = NULL, *dst = NULL;
        cl_event events[6];
        void *memory = NULL, *empty = NULL;
        if (kind == 0)
            ASSERT_OK(clmove_buffer_create(it.at.device, BYTES, &src, &error), &error);
        else if (kind == 1)
            ASSERT_OK(clmove_buffer_create_pinned(it.at.device, BYTES, &src, &error), &error);
        else /* where alignment counts, this is staged */
            ASSERT_OK(clmove_buffer_wrap(it.at.device, host + 1, BYTES, &src, &error), &error);
        ASSERT_OK(clmove_buffer_create(it.at.device, BYTES, &dst, &error), &error);
        scene_transpose(it.src_bytes, expected);
        /* written through a mapping, moved to dst, mapped there */
        ASSERT_OK(enqueue_map(src, NULL, CLMOVE_ACCESS_WRITE, 0, BYTES, 0, NULL, &memory, &events[0], &error), &error);
        ASSERT_CL(clFlush(it.at.queue));
        ASSERT_CL(clWaitForEvents(1, &events[0]));
        ASSERT_FAILS(CLMOVE_BAD_BUFFER, enqueue_on(it.plan, NULL, src, dst, 0, NULL, NULL, &error), &error);
        assert_mentions(error.text, "mapped");
        memcpy(memory, it.src_bytes, BYTES);
        ASSERT_OK(enqueue_unmap(src, NULL, memory, 1, &events[0], &events[1], &error), &error);
        ASSERT_OK(enqueue_on(it.plan, NULL, src, dst, 1, &events[1], &events[2], &error), &error);
        ASSERT_OK(enqueue_map(dst, NULL, CLMOVE_ACCESS_READ, 0, BYTES, 1, &events[2], &memory, &events[3], &error), &error);
        ASSERT_CL(clFlush(it.at.queue));
        ASSERT_CL(clWaitForEvents(1, &events[3]));
        check_bytes(memory, expected, BYTES, "mapped destination");
        ASSERT_OK(enqueue_unmap(dst, NULL, memory, 0, NULL, &events[4], &error), &error);
        /* and the source, which reads back as it was written */
        ASSERT_OK(enqueue_map(src, NULL, CLMOVE_ACCESS_READ, 4, BYTES - 4, 1, &events[4], &memory, &events[5], &error), &error);
        ASSERT_CL(clFlush(it.at.queue));
        ASSERT_CL(clWaitForEvents(1, &events[5]));
        check_bytes(memory, it.src_bytes + 4, BYTES - 4, "mapped source");
        ASSERT_OK(enqueue_unmap(src, NULL, memory, 0, NULL, NULL, &error), &error);
        ASSERT_FAILS(CLMOVE_BAD_BUFFER, enqueue_unmap(src, NULL, memory, 0, NULL, NULL, &error), &error);
        ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, enqueue_map(src, NULL, CLMOVE_ACCESS_READ, 0, 1, 0, NULL, &memory, NULL, &error),
                     &error);
        for (int i = 0; i < 6; i++)
            ASSERT_CL(clReleaseEvent(events[i]));
        ASSERT_OK(enqueue_map(src, NULL, CLMOVE_ACCESS_READ, BYTES, 0, 0, NULL, &empty, &events[0], &error), &error);
        ASSERT_OK(enqueue_unmap(src, NULL, empty, 1, &events[0], NULL, &error), &error);
        ASSERT_CL(clReleaseEvent(events[0]));
        ASSERT_CL(clFinish(it.at.queue));
        ASSERT_OK(clmove_buffer_read(src, 0, got, BYTES, &error), &error);
        check_bytes(got, it.src_bytes, BYTES, "source");
        clmove_buffer_destroy(&src);
        clmove_buffer_destroy(&dst);
    }
    scene_end(&it);
}

static void an_empty_tensor_gives_a_marker(void **state) {
    (void)state;
    scene it = scene_make(0);
    clmove_plan *empty = scene_plan(it.at.device, 0);
    cl_int code;
    cl_event gate = clCreateUserEvent(it.at.context, &code), done = NULL;
    ASSERT_CL(code);
    ASSERT_OK(enqueue_mem(empty, NULL, it.src, ROOM, it.dst, 0, 1, &gate, &done, &error), &error);
    assert_non_null(done);
    ASSERT_CL(clFlush(it.at.queue));
    assert_false(is_complete(done));
    ASSERT_CL(clSetUserEventStatus(gate, CL_COMPLETE));
    ASSERT_CL(clWaitForEvents(1, &done));
    ASSERT_CL(clReleaseEvent(done));
    ASSERT_CL(clReleaseEvent(gate));
    clmove_plan_destroy(&empty);
    scene_end(&it);
}

/* The caller's queue waits for the caller: what makes large memory must not wait for the queue. */
static void large_memory_is_made_beside_the_callers_queue(void **state) {
    (void)state;
    scene it = scene_make(0);
    cl_int code;
    cl_event gate = clCreateUserEvent(it.at.context, &code), done = NULL;
    clmove_buffer *buffer = NULL;
    ASSERT_CL(code);
    ASSERT_OK(enqueue_mem(it.plan, NULL, it.src, 0, it.dst, 0, 1, &gate, &done, &error), &error);
    ASSERT_OK(clmove_buffer_create(it.at.device, (size_t)8 << 20, &buffer, &error), &error);
    assert_false(is_complete(done));
    ASSERT_CL(clSetUserEventStatus(gate, CL_COMPLETE));
    ASSERT_CL(clWaitForEvents(1, &done));
    scene_check(&it, 0, 0);
    clmove_buffer_destroy(&buffer);
    ASSERT_CL(clReleaseEvent(done));
    ASSERT_CL(clReleaseEvent(gate));
    scene_end(&it);
}

static void the_host_takes_over_between_events(void **state) {
    (void)state;
    for (int ordered = 0; ordered < 2; ordered++) {
        scene it = scene_make(ordered ? 0 : CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
        clmove_device *device = NULL;
        clmove_device_params params = {.struct_size = sizeof params, .allow_fallback = true};
        ASSERT_OK(clmove_device_open_opencl(it.at.context, it.at.id, it.at.queue, &params, &device, &error), &error);
        clmove_plan *plan = scene_plan(device, ROWS);
        cl_event written, done;
        uint8_t fresh[BYTES];
        fill_noise(fresh, BYTES, 9);
        faults->arm("clEnqueueNDRangeKernel", 1, CL_OUT_OF_RESOURCES, true);
        ASSERT_CL(clEnqueueWriteBuffer(it.at.queue, it.src, CL_FALSE, 12, BYTES, fresh, 0, NULL, &written));
        ASSERT_OK(enqueue_mem(plan, NULL, it.src, 12, it.dst, 7, 1, &written, &done, &error), &error);
        faults->disarm();
        ASSERT_CL(clWaitForEvents(1, &done));
        memcpy(it.src_bytes + 12, fresh, BYTES);
        scene_check(&it, 12, 7);
        assert_int_equal(stats_of(device).host_runs, 1);
        ASSERT_CL(clReleaseEvent(written));
        ASSERT_CL(clReleaseEvent(done));
        clmove_plan_destroy(&plan);
        clmove_device_close(&device);
        /* and a device that must not fall back says what happened, and leaves no event */
        done = NULL;
        faults->arm("clEnqueueNDRangeKernel", 1, CL_OUT_OF_RESOURCES, false);
        ASSERT_FAILS(CLMOVE_DEVICE_FAILED, enqueue_mem(it.plan, NULL, it.src, 0, it.dst, 0, 0, NULL, &done, &error), &error);
        faults->disarm();
        assert_null(done);
        scene_end(&it);
    }
}

/* 20 axes that do not fold are several launches. */
static void many_launches_are_one_command(void **state) {
    (void)state;
    for (int ordered = 0; ordered < 2; ordered++) {
        enum { RANK = 20, WIDTH = 1 << RANK };
        scene it = scene_make(ordered ? 0 : CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
        int64_t dims[RANK];
        int64_t order[RANK];
        clmove_map map;
        clmove_plan *plan = NULL;
        clmove_plan_info info = {.struct_size = sizeof info};
        for (int32_t i = 0; i < RANK; i++) {
            dims[i] = 2;
            order[i] = RANK - 1 - i;
        }
        ASSERT_OK(clmove_map_init(&map, 8, RANK, dims, &error), &error);
        ASSERT_OK(clmove_map_permute(&map, RANK, order, &error), &error);
        /* which has the fewest axes in a launch */
        const clmove_plan_params wide = {.struct_size = sizeof wide, .variant = "gather", .index_bits = 64};
        ASSERT_OK(clmove_plan_create(it.at.device, &map, &wide, &plan, &error), &error);
        ASSERT_OK(clmove_plan_get_info(plan, &info, &error), &error);
        assert_true(info.launches > 1);
        uint8_t *bytes = malloc(WIDTH), *got = malloc(WIDTH);
        assert_true(bytes && got);
        fill_noise(bytes, WIDTH, 4);
        cl_mem src = bed_memory(&it.at, CL_MEM_READ_ONLY, bytes, WIDTH),
               dst = bed_memory(&it.at, CL_MEM_READ_WRITE, bytes, WIDTH);
        cl_event done, read;
        ASSERT_OK(enqueue_mem(plan, NULL, src, 0, dst, 0, 0, NULL, &done, &error), &error);
        ASSERT_CL(clEnqueueReadBuffer(it.at.queue, dst, CL_FALSE, 0, WIDTH, got, 1, &done, &read));
        ASSERT_CL(clWaitForEvents(1, &read));
        for (uint32_t i = 0; i < WIDTH; i++) {
            uint32_t from = 0;
            for (int bit = 0; bit < RANK; bit++)
                from |= (i >> bit & 1) << (RANK - 1 - bit);
            if (got[i] != bytes[from])
                fail_msg("byte %u is 0x%02x and must be 0x%02x", i, got[i], bytes[from]);
        }
        ASSERT_CL(clReleaseEvent(done));
        ASSERT_CL(clReleaseEvent(read));
        ASSERT_CL(clReleaseMemObject(src));
        ASSERT_CL(clReleaseMemObject(dst));
        clmove_plan_destroy(&plan);
        free(bytes);
        free(got);
        scene_end(&it);
    }
}

int interop_event_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_waited_for),
        cmocka_unit_test(closing_waits_for_nobody),
        cmocka_unit_test(buffers_are_mapped_between_events),
        cmocka_unit_test(an_empty_tensor_gives_a_marker),
        cmocka_unit_test(large_memory_is_made_beside_the_callers_queue),
        cmocka_unit_test(the_host_takes_over_between_events),
        cmocka_unit_test(many_launches_are_one_command),
    };
    return cmocka_run_group_tests_name("events", tests, NULL, NULL);
}
