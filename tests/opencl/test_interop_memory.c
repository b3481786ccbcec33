/* clmove/opencl.h on memory of the caller's: buffers made of it, where it overlaps, shared virtual memory.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scene.h"
#include "tests/opencl/enqueue.h"

static clmove_error error;

static void buffers_are_made_of_memory(void **state) {
    (void)state;
    scene it = scene_make(0);
    clmove_buffer *src = NULL, *dst = NULL;
    cl_mem mem = NULL;
    size_t offset = 0;
    uint8_t got[BYTES];
    ASSERT_OK(clmove_buffer_wrap_mem(it.at.device, it.src, 3, BYTES, &src, &error), &error);
    ASSERT_OK(clmove_buffer_wrap_mem(it.at.device, it.dst, 17, BYTES, &dst, &error), &error);
    ASSERT_OK(clmove_enqueue(it.plan, clmove_buffer_view(src, 0), clmove_buffer_view(dst, 0), NULL, &error), &error);
    ASSERT_OK(clmove_buffer_get_mem(dst, &mem, &offset, &error), &error);
    assert_ptr_equal(mem, it.dst);
    assert_int_equal(offset, 17);
    scene_check(&it, 3, 17);
    ASSERT_OK(clmove_buffer_read(dst, 0, got, BYTES, &error), &error);
    check_bytes(got, it.dst_bytes + 17, BYTES, "buffer_read");
    ASSERT_FAILS(CLMOVE_BAD_BUFFER, clmove_buffer_wrap_mem(it.at.device, it.src, 65, BYTES, &src, &error), &error);
    assert_mentions(error.text, "204");
    clmove_buffer_destroy(&src);
    clmove_buffer_destroy(&dst);
    scene_end(&it);
}

/* 5 x 7 floats are 140 bytes. */
static void overlap_is_found(void **state) {
    (void)state;
    scene it = scene_make(0);
    cl_int code;
    uint8_t host[4 * ROOM + 4096]; /* parts begin where the device lets them: every 128 bytes on POCL, 512 on others */
    fill_noise(host, sizeof host, 3);
    cl_mem whole = bed_memory(&it.at, CL_MEM_READ_WRITE, host, sizeof host);
    cl_uint alignment_bits = 0;
    ASSERT_CL(clGetDeviceInfo(it.at.id, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof alignment_bits, &alignment_bits, NULL));
    size_t origin = alignment_bits / 8;
    cl_mem part = clCreateSubBuffer(whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION,
                                    &(cl_buffer_region){.origin = origin, .size = 2 * ROOM}, &code);
    ASSERT_CL(code);
    cl_mem shared = clCreateBuffer(it.at.context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, 2 * ROOM, host, &code);
    ASSERT_CL(code);
    cl_mem again = clCreateBuffer(it.at.context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, ROOM, host + ROOM, &code);
    ASSERT_CL(code);
    const struct {
        cl_mem src, dst;
        size_t src_offset, dst_offset;
        bool apart;
    } pairs[] = {
        {whole, whole, 0, 0, false},
        {whole, whole, 0, BYTES - 1, false},
        {whole, whole, BYTES - 1, 0, false},
        {whole, whole, 0, BYTES, true},
        {whole, part, origin, 0, false},
        {whole, part, origin + BYTES, 0, true},
        {part, whole, 0, origin + BYTES - 1, false},
        {part, part, 0, BYTES, true},
        {shared, again, ROOM, 0, false},
        {shared, again, ROOM - BYTES, 0, true},
        {shared, again, ROOM - BYTES + 1, 0, false},
        {it.src, whole, 0, 0, true},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        cl_event done = NULL;
        if (pairs[i].apart) {
            ASSERT_OK(enqueue_mem(it.plan, NULL, pairs[i].src, pairs[i].src_offset, pairs[i].dst, pairs[i].dst_offset, 0, NULL,
                                  NULL, &error),
                      &error);
            continue;
        }
        ASSERT_FAILS(CLMOVE_BAD_BUFFER,
                     enqueue_mem(it.plan, NULL, pairs[i].src, pairs[i].src_offset, pairs[i].dst, pairs[i].dst_offset, 0, NULL,
                                 &done, &error),
                     &error);
        assert_mentions(error.text, "overlap");
        assert_null(done);
    }
    ASSERT_CL(clFinish(it.at.queue));
    ASSERT_CL(clReleaseMemObject(part));
    ASSERT_CL(clReleaseMemObject(whole));
    ASSERT_CL(clReleaseMemObject(shared));
    ASSERT_CL(clReleaseMemObject(again));
    scene_end(&it);
}

static void shared_virtual_memory_serves(void **state) {
    (void)state;
    scene it = scene_make(0);
    uint8_t *memory = clSVMAlloc(it.at.context, CL_MEM_READ_WRITE, 2 * ROOM, 0);
    if (!memory) {
        ASSERT_FAILS(CLMOVE_UNSUPPORTED, enqueue_svm(it.plan, NULL, it.src_bytes, it.dst_bytes, 0, NULL, NULL, &error), &error);
        scene_end(&it);
        skip();
    }
    ASSERT_CL(clEnqueueSVMMemcpy(it.at.queue, CL_TRUE, memory, it.src_bytes, ROOM, 0, NULL, NULL));
    ASSERT_CL(clEnqueueSVMMemcpy(it.at.queue, CL_TRUE, memory + ROOM, it.dst_bytes, ROOM, 0, NULL, NULL));
    for (int by_host = 0; by_host < 2; by_host++) {
        cl_event done;
        uint8_t got[ROOM];
        clmove_device *device = NULL;
        clmove_device_params params = {.struct_size = sizeof params, .allow_fallback = true};
        ASSERT_OK(clmove_device_open_opencl(it.at.context, it.at.id, it.at.queue, &params, &device, &error), &error);
        clmove_plan *plan = scene_plan(device, ROWS);
        size_t src_offset = by_host ? 9 : 5, dst_offset = by_host ? 1 : 2;
        if (by_host)
            faults->arm("clEnqueueNDRangeKernel", 1, CL_OUT_OF_RESOURCES, true);
        ASSERT_OK(enqueue_svm(plan, NULL, memory + src_offset, memory + ROOM + dst_offset, 0, NULL, &done, &error), &error);
        faults->disarm();
        ASSERT_CL(clWaitForEvents(1, &done));
        ASSERT_CL(clEnqueueSVMMemcpy(it.at.queue, CL_TRUE, got, memory + ROOM, ROOM, 0, NULL, NULL));
        scene_transpose(it.src_bytes + src_offset, it.dst_bytes + dst_offset);
        check_bytes(got, it.dst_bytes, ROOM, "shared virtual memory");
        assert_int_equal(stats_of(device).host_runs, by_host);
        ASSERT_CL(clReleaseEvent(done));
        clmove_plan_destroy(&plan);
        clmove_device_close(&device);
    }
    ASSERT_FAILS(CLMOVE_BAD_BUFFER, enqueue_svm(it.plan, NULL, memory, memory + BYTES - 1, 0, NULL, NULL, &error), &error);
    assert_mentions(error.text, "overlap");
    clSVMFree(it.at.context, memory);
    scene_end(&it);
}

/* Views are values; those of OpenCL's memory are nothing to the host. */
static void views_say_what_they_are_of(void **state) {
    (void)state;
    scene it = scene_make(0);
    clmove_device *host = open_device("host");
    clmove_plan *plan = scene_plan(host, ROWS);
    const clmove_view src = clmove_mem_view(it.src, 5), dst = clmove_mem_view(it.dst, 2), none = {{0}};
    ASSERT_OK(clmove_enqueue(it.plan, src, dst, NULL, &error), &error);
    scene_check(&it, 5, 2);
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_enqueue(it.plan, clmove_mem_view(NULL, 3), dst, NULL, &error), &error);
    assert_mentions(error.text, "the source is a view of no memory");
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_enqueue(it.plan, src, clmove_svm_view(NULL), NULL, &error), &error);
    assert_mentions(error.text, "the destination is a view of no memory");
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_enqueue(it.plan, src, none, NULL, &error), &error);
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_enqueue(plan, src, dst, NULL, &error), &error);
    ASSERT_FAILS(CLMOVE_UNSUPPORTED,
                 clmove_enqueue(plan, clmove_svm_view(it.src_bytes), clmove_svm_view(it.dst_bytes), NULL, &error), &error);
    clmove_plan_destroy(&plan);
    clmove_device_close(&host);
    scene_end(&it);
}

int interop_memory_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buffers_are_made_of_memory),
        cmocka_unit_test(overlap_is_found),
        cmocka_unit_test(views_say_what_they_are_of),
        cmocka_unit_test(shared_virtual_memory_serves),
    };
    return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
