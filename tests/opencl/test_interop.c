/* clmove/opencl.h at its edges: test_interop LAYER.so, with OPENCL_LAYERS=LAYER.so
 *
 * Here: whose objects they are, and what goes together. test_interop_events.c has what waits for what, test_interop_memory.c the
 * caller's memory.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scene.h"
#include "tests/opencl/enqueue.h"

#include <stdlib.h>
#include <string.h>

static clmove_error error;

static void the_device_keeps_what_it_needs(void **state) {
    (void)state;
    scene it = scene_make(0);
    cl_context context = NULL;
    cl_command_queue queue = NULL;
    cl_device_id id = NULL;
    ASSERT_OK(clmove_device_get_opencl(it.at.device, &context, &id, &queue, &error), &error);
    assert_ptr_equal(context, it.at.context);
    assert_ptr_equal(queue, it.at.queue);
    assert_ptr_equal(id, it.at.id);
    ASSERT_CL(clReleaseCommandQueue(it.at.queue));
    ASSERT_CL(clReleaseContext(it.at.context));
    ASSERT_OK(enqueue_mem(it.plan, queue, it.src, 0, it.dst, 0, 0, NULL, NULL, &error), &error);
    scene_check(&it, 0, 0);
    ASSERT_CL(clRetainCommandQueue(it.at.queue));
    ASSERT_CL(clRetainContext(it.at.context));
    scene_end(&it);
}

static void clmoves_own_calls_work_on_it(void **state) {
    (void)state;
    for (int ordered = 0; ordered < 2; ordered++) {
        scene it = scene_make(ordered ? 0 : CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
        uint8_t got[BYTES], expected[BYTES];
        clmove_buffer *src = NULL, *dst = NULL;
        scene_transpose(it.src_bytes, expected);
        ASSERT_OK(clmove_run(it.plan, it.src_bytes, BYTES, got, BYTES, &error), &error);
        check_bytes(got, expected, BYTES, "run");
        ASSERT_OK(clmove_buffer_create(it.at.device, BYTES, &src, &error), &error);
        ASSERT_OK(clmove_buffer_create(it.at.device, BYTES, &dst, &error), &error);
        cl_event written, moved, read;
        memset(got, 0, BYTES);
        ASSERT_OK(enqueue_write(src, NULL, 0, it.src_bytes, BYTES, 0, NULL, &written, &error), &error);
        ASSERT_OK(enqueue_on(it.plan, NULL, src, dst, 1, &written, &moved, &error), &error);
        ASSERT_OK(enqueue_read(dst, NULL, 0, got, BYTES, 1, &moved, &read, &error), &error);
        ASSERT_CL(clWaitForEvents(1, &read));
        check_bytes(got, expected, BYTES, "enqueue_on");
        ASSERT_CL(clReleaseEvent(written));
        ASSERT_CL(clReleaseEvent(moved));
        ASSERT_CL(clReleaseEvent(read));
        clmove_buffer_destroy(&src);
        clmove_buffer_destroy(&dst);
        scene_end(&it);
    }
}

static void what_does_not_belong_together_is_refused(void **state) {
    (void)state;
    scene it = scene_make(0), other = scene_make(0);
    clmove_device *device = NULL;
    cl_event done = NULL, gate;
    cl_mem for_reading = bed_memory(&it.at, CL_MEM_READ_ONLY, it.src_bytes, ROOM);
    cl_mem for_writing = bed_memory(&it.at, CL_MEM_WRITE_ONLY, it.src_bytes, ROOM);
    ASSERT_CL(clEnqueueMarkerWithWaitList(it.at.queue, 0, NULL, &gate));
#define REFUSED(status, queue, src, src_offset, dst, waits, list, word)                                                          \
    do {                                                                                                                         \
        ASSERT_FAILS(CLMOVE_##status, enqueue_mem(it.plan, queue, src, src_offset, dst, 0, waits, list, &done, &error), &error); \
        assert_mentions(error.text, word);                                                                                       \
        assert_null(done);                                                                                                       \
    } while (0)
    REFUSED(INVALID_ARGUMENT, other.at.queue, it.src, 0, it.dst, 0, NULL, "another context");
    REFUSED(BAD_BUFFER, NULL, other.src, 0, it.dst, 0, NULL, "source belongs to another context");
    REFUSED(BAD_BUFFER, NULL, it.src, 0, other.dst, 0, NULL, "destination belongs to another context");
    REFUSED(BAD_BUFFER, NULL, it.src, 65, it.dst, 0, NULL, "204");
    REFUSED(BAD_BUFFER, NULL, it.src, SIZE_MAX, it.dst, 0, NULL, "204");
    REFUSED(BAD_BUFFER, NULL, it.src, 0, for_reading, 0, NULL, "CL_MEM_READ_ONLY");
    REFUSED(BAD_BUFFER, NULL, for_writing, 0, it.dst, 0, NULL, "CL_MEM_WRITE_ONLY");
    REFUSED(INVALID_ARGUMENT, NULL, it.src, 0, it.dst, 1, NULL, "wait_list");
    REFUSED(INVALID_ARGUMENT, NULL, it.src, 0, it.dst, 0, &gate, "wait_list");
    const cl_event none[] = {gate, NULL};
    REFUSED(INVALID_ARGUMENT, NULL, it.src, 0, it.dst, 2, none, "event 1 of the 2 to wait for is NULL");
    REFUSED(INVALID_ARGUMENT, NULL, NULL, 0, it.dst, 0, NULL, "source is a view of no memory");
    REFUSED(INVALID_ARGUMENT, NULL, it.src, 0, NULL, 0, NULL, "destination is a view of no memory");
#undef REFUSED
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT,
                 clmove_device_open_opencl(it.at.context, it.at.id, other.at.queue, NULL, &device, &error), &error);
    clmove_device_params params = {.struct_size = sizeof params, .selector = "cpu"};
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_device_open_opencl(it.at.context, it.at.id, NULL, &params, &device, &error),
                 &error);
    assert_mentions(error.text, "selector");
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_device_open_opencl(NULL, it.at.id, NULL, NULL, &device, &error), &error);
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_device_open_opencl(it.at.context, NULL, NULL, NULL, &device, &error), &error);
    assert_null(device);
    ASSERT_CL(clReleaseEvent(gate));
    ASSERT_CL(clReleaseMemObject(for_reading));
    ASSERT_CL(clReleaseMemObject(for_writing));
    clmove_plan_destroy(&other.plan);
    ASSERT_CL(clReleaseMemObject(other.src));
    ASSERT_CL(clReleaseMemObject(other.dst));
    bed_end(&other.at);
    scene_end(&it);
}

static void the_host_has_no_queues(void **state) {
    (void)state;
    scene it = scene_make(0);
    clmove_device *host = open_device("host");
    clmove_plan *plan = scene_plan(host, ROWS);
    clmove_buffer *src = NULL, *dst = NULL;
    cl_mem mem = NULL;
    size_t offset;
    ASSERT_OK(clmove_buffer_create(host, BYTES, &src, &error), &error);
    ASSERT_OK(clmove_buffer_create(host, BYTES, &dst, &error), &error);
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, enqueue_mem(plan, NULL, it.src, 0, it.dst, 0, 0, NULL, NULL, &error), &error);
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, enqueue_on(plan, it.at.queue, src, dst, 0, NULL, NULL, &error), &error);
    ASSERT_FAILS(CLMOVE_UNSUPPORTED, enqueue_svm(plan, NULL, src, dst, 0, NULL, NULL, &error), &error);
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_buffer_get_mem(src, &mem, &offset, &error), &error);
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_buffer_wrap_mem(host, it.src, 0, BYTES, &dst, &error), &error);
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_device_get_opencl(host, NULL, NULL, NULL, &error), &error);
    clmove_buffer_destroy(&src);
    clmove_buffer_destroy(&dst);
    clmove_plan_destroy(&plan);
    clmove_device_close(&host);
    scene_end(&it);
}

int main(int count, char **arguments) {
    int missing = layer_find("interop", getenv("CLMOVE_TEST_GPU") ? "gpu" : "cpu", count, arguments);
    if (missing)
        return missing;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_device_keeps_what_it_needs),
        cmocka_unit_test(clmoves_own_calls_work_on_it),
        cmocka_unit_test(what_does_not_belong_together_is_refused),
        cmocka_unit_test(the_host_has_no_queues),
    };
    int failed = cmocka_run_group_tests_name("objects", tests, NULL, NULL);
    failed += interop_memory_tests();
    failed += interop_event_tests();
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
