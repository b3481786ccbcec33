/* clmove/opencl.h at its edges: test_interop LAYER.so, with OPENCL_LAYERS=LAYER.so
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "bed.h"

#include "tests/layer/faults.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 5, COLUMNS = 7, BYTES = ROWS * COLUMNS * 4, ROOM = BYTES + 64 };

static const faults_interface *layer;
static clmove_error error;

static clmove_map make_map(int64_t rows) {
    clmove_map map;
    ASSERT_OK(clmove_map_init(&map, 32, 2, (const int64_t[]){rows, COLUMNS}, &error), &error);
    ASSERT_OK(clmove_map_permute(&map, 2, (const int32_t[]){1, 0}, &error), &error);
    return map;
}

static clmove_plan *make_plan(clmove_device *device, int64_t rows) {
    clmove_map map = make_map(rows);
    clmove_plan *plan = NULL;
    ASSERT_OK(clmove_plan_create(device, &map, NULL, &plan, &error), &error);
    return plan;
}

static void transpose(const uint8_t *src, uint8_t *dst) {
    for (int64_t i = 0; i < COLUMNS; i++)
        for (int64_t k = 0; k < ROWS; k++)
            copy_element(32, src, k * COLUMNS + i, dst, i * ROWS + k);
}

/* A caller, a plan, and two memories of noise. */
typedef struct scene {
    bed at;
    clmove_plan *plan;
    cl_mem src, dst;
    uint8_t src_bytes[ROOM], dst_bytes[ROOM];
} scene;

static scene make_scene(cl_command_queue_properties properties) {
    scene it;
    bed_make(&it.at, properties);
    it.plan = make_plan(it.at.device, ROWS);
    fill_noise(it.src_bytes, ROOM, 1);
    fill_noise(it.dst_bytes, ROOM, 2);
    it.src = bed_memory(&it.at, CL_MEM_READ_WRITE, it.src_bytes, ROOM);
    it.dst = bed_memory(&it.at, CL_MEM_READ_WRITE, it.dst_bytes, ROOM);
    return it;
}

static void end_scene(scene *it) {
    clmove_plan_destroy(&it->plan);
    ASSERT_CL(clReleaseMemObject(it->src));
    ASSERT_CL(clReleaseMemObject(it->dst));
    bed_end(&it->at);
    const char *kind;
    int64_t left = layer->balance(&kind);
    if (left)
        fail_msg("%d OpenCL objects were left, a %s among them", (int)left, kind);
}

/* What dst holds must be what it held, with the transposed source at an offset. */
static void check_dst(scene *it, size_t src_offset, size_t dst_offset) {
    uint8_t got[ROOM];
    transpose(it->src_bytes + src_offset, it->dst_bytes + dst_offset);
    bed_read(&it->at, it->dst, got, ROOM);
    check_bytes(got, it->dst_bytes, ROOM, "destination");
    bed_read(&it->at, it->src, got, ROOM);
    check_bytes(got, it->src_bytes, ROOM, "source");
}

static void nothing_is_waited_for(void **state) {
    (void)state;
    for (int ordered = 0; ordered < 2; ordered++) {
        scene it = make_scene(ordered ? 0 : CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
        cl_int code;
        cl_event gate = clCreateUserEvent(it.at.context, &code), done;
        uint8_t got[ROOM];
        ASSERT_CL(code);
        layer->arm("clFinish", 1, CL_OUT_OF_RESOURCES, true); /* a call of it would fail */
        ASSERT_OK(clmove_enqueue_mem(it.plan, NULL, it.src, 0, it.dst, 0, 1, &gate, &done, &error), &error);
        assert_int_equal(layer->fired(), 0);
        layer->arm("clFlush", 1, CL_OUT_OF_RESOURCES, true);
        ASSERT_OK(clmove_enqueue_mem(it.plan, it.at.queue, it.src, 0, it.dst, 0, 1, &gate, NULL, &error), &error);
        assert_int_equal(layer->fired(), 0);
        layer->disarm();
        cl_command_queue other = bed_queue(&it.at, 0);
        ASSERT_CL(clFlush(it.at.queue));
        ASSERT_CL(clEnqueueReadBuffer(other, it.dst, CL_TRUE, 0, ROOM, got, 0, NULL, NULL));
        check_bytes(got, it.dst_bytes, ROOM, "destination before its turn");
        assert_false(is_complete(done));
        ASSERT_CL(clSetUserEventStatus(gate, CL_COMPLETE));
        ASSERT_CL(clWaitForEvents(1, &done));
        check_dst(&it, 0, 0);
        ASSERT_CL(clReleaseEvent(done));
        ASSERT_CL(clReleaseEvent(gate));
        ASSERT_CL(clReleaseCommandQueue(other));
        end_scene(&it);
    }
}

static void closing_waits_for_nobody(void **state) {
    (void)state;
    scene it = make_scene(0);
    cl_int code;
    cl_event gate = clCreateUserEvent(it.at.context, &code);
    ASSERT_CL(code);
    ASSERT_OK(clmove_enqueue_mem(it.plan, NULL, it.src, 4, it.dst, 8, 1, &gate, NULL, &error), &error);
    clmove_plan_destroy(&it.plan);
    clmove_device_close(&it.at.device); /* would hang if it waited */
    ASSERT_CL(clSetUserEventStatus(gate, CL_COMPLETE));
    check_dst(&it, 4, 8);
    ASSERT_CL(clReleaseEvent(gate));
    end_scene(&it);
}

static void the_device_keeps_what_it_needs(void **state) {
    (void)state;
    scene it = make_scene(0);
    cl_context context = NULL;
    cl_command_queue queue = NULL;
    cl_device_id id = NULL;
    ASSERT_OK(clmove_device_get_opencl(it.at.device, &context, &id, &queue, &error), &error);
    assert_ptr_equal(context, it.at.context);
    assert_ptr_equal(queue, it.at.queue);
    assert_ptr_equal(id, it.at.id);
    ASSERT_CL(clReleaseCommandQueue(it.at.queue));
    ASSERT_CL(clReleaseContext(it.at.context));
    ASSERT_OK(clmove_enqueue_mem(it.plan, queue, it.src, 0, it.dst, 0, 0, NULL, NULL, &error), &error);
    check_dst(&it, 0, 0);
    ASSERT_CL(clRetainCommandQueue(it.at.queue));
    ASSERT_CL(clRetainContext(it.at.context));
    end_scene(&it);
}

static void clmoves_own_calls_work_on_it(void **state) {
    (void)state;
    for (int ordered = 0; ordered < 2; ordered++) {
        scene it = make_scene(ordered ? 0 : CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
        uint8_t got[BYTES], expected[BYTES];
        clmove_buffer *src = NULL, *dst = NULL;
        transpose(it.src_bytes, expected);
        ASSERT_OK(clmove_run(it.plan, it.src_bytes, BYTES, got, BYTES, &error), &error);
        check_bytes(got, expected, BYTES, "run");
        ASSERT_OK(clmove_buffer_create(it.at.device, BYTES, &src, &error), &error);
        ASSERT_OK(clmove_buffer_create(it.at.device, BYTES, &dst, &error), &error);
        cl_event written, moved, read;
        memset(got, 0, BYTES);
        ASSERT_OK(clmove_buffer_enqueue_write(src, NULL, 0, it.src_bytes, BYTES, 0, NULL, &written, &error), &error);
        ASSERT_OK(clmove_enqueue_on(it.plan, NULL, src, dst, 1, &written, &moved, &error), &error);
        ASSERT_OK(clmove_buffer_enqueue_read(dst, NULL, 0, got, BYTES, 1, &moved, &read, &error), &error);
        ASSERT_CL(clWaitForEvents(1, &read));
        check_bytes(got, expected, BYTES, "enqueue_on");
        ASSERT_CL(clReleaseEvent(written));
        ASSERT_CL(clReleaseEvent(moved));
        ASSERT_CL(clReleaseEvent(read));
        clmove_buffer_destroy(&src);
        clmove_buffer_destroy(&dst);
        end_scene(&it);
    }
}

static void buffers_are_made_of_memory(void **state) {
    (void)state;
    scene it = make_scene(0);
    clmove_buffer *src = NULL, *dst = NULL;
    cl_mem mem = NULL;
    size_t offset = 0;
    uint8_t got[BYTES];
    ASSERT_OK(clmove_buffer_wrap_mem(it.at.device, it.src, 3, BYTES, &src, &error), &error);
    ASSERT_OK(clmove_buffer_wrap_mem(it.at.device, it.dst, 17, BYTES, &dst, &error), &error);
    ASSERT_OK(clmove_enqueue(it.plan, src, dst, &error), &error);
    ASSERT_OK(clmove_buffer_get_mem(dst, &mem, &offset, &error), &error);
    assert_ptr_equal(mem, it.dst);
    assert_int_equal(offset, 17);
    check_dst(&it, 3, 17);
    ASSERT_OK(clmove_buffer_read(dst, 0, got, BYTES, &error), &error);
    check_bytes(got, it.dst_bytes + 17, BYTES, "buffer_read");
    ASSERT_FAILS(CLMOVE_BAD_BUFFER, clmove_buffer_wrap_mem(it.at.device, it.src, 65, BYTES, &src, &error), &error);
    assert_mentions(error.text, "204");
    clmove_buffer_destroy(&src);
    clmove_buffer_destroy(&dst);
    end_scene(&it);
}

/* Every kind of buffer, mapped between two commands that nobody waits for. */
static void buffers_are_mapped_between_events(void **state) {
    (void)state;
    scene it = make_scene(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
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
        transpose(it.src_bytes, expected);
        /* written through a mapping, moved to dst, mapped there */
        ASSERT_OK(clmove_buffer_enqueue_map(src, NULL, CLMOVE_ACCESS_WRITE, 0, BYTES, 0, NULL, &memory, &events[0], &error),
                  &error);
        ASSERT_CL(clFlush(it.at.queue));
        ASSERT_CL(clWaitForEvents(1, &events[0]));
        ASSERT_FAILS(CLMOVE_BAD_BUFFER, clmove_enqueue_on(it.plan, NULL, src, dst, 0, NULL, NULL, &error), &error);
        assert_mentions(error.text, "mapped");
        memcpy(memory, it.src_bytes, BYTES);
        ASSERT_OK(clmove_buffer_enqueue_unmap(src, NULL, memory, 1, &events[0], &events[1], &error), &error);
        ASSERT_OK(clmove_enqueue_on(it.plan, NULL, src, dst, 1, &events[1], &events[2], &error), &error);
        ASSERT_OK(clmove_buffer_enqueue_map(dst, NULL, CLMOVE_ACCESS_READ, 0, BYTES, 1, &events[2], &memory, &events[3], &error),
                  &error);
        ASSERT_CL(clFlush(it.at.queue));
        ASSERT_CL(clWaitForEvents(1, &events[3]));
        check_bytes(memory, expected, BYTES, "mapped destination");
        ASSERT_OK(clmove_buffer_enqueue_unmap(dst, NULL, memory, 0, NULL, &events[4], &error), &error);
        /* and the source, which reads back as it was written */
        ASSERT_OK(
            clmove_buffer_enqueue_map(src, NULL, CLMOVE_ACCESS_READ, 4, BYTES - 4, 1, &events[4], &memory, &events[5], &error),
            &error);
        ASSERT_CL(clFlush(it.at.queue));
        ASSERT_CL(clWaitForEvents(1, &events[5]));
        check_bytes(memory, it.src_bytes + 4, BYTES - 4, "mapped source");
        ASSERT_OK(clmove_buffer_enqueue_unmap(src, NULL, memory, 0, NULL, NULL, &error), &error);
        ASSERT_FAILS(CLMOVE_BAD_BUFFER, clmove_buffer_enqueue_unmap(src, NULL, memory, 0, NULL, NULL, &error), &error);
        ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT,
                     clmove_buffer_enqueue_map(src, NULL, CLMOVE_ACCESS_READ, 0, 1, 0, NULL, &memory, NULL, &error), &error);
        for (int i = 0; i < 6; i++)
            ASSERT_CL(clReleaseEvent(events[i]));
        ASSERT_OK(clmove_buffer_enqueue_map(src, NULL, CLMOVE_ACCESS_READ, BYTES, 0, 0, NULL, &empty, &events[0], &error),
                  &error);
        ASSERT_OK(clmove_buffer_enqueue_unmap(src, NULL, empty, 1, &events[0], NULL, &error), &error);
        ASSERT_CL(clReleaseEvent(events[0]));
        ASSERT_CL(clFinish(it.at.queue));
        ASSERT_OK(clmove_buffer_read(src, 0, got, BYTES, &error), &error);
        check_bytes(got, it.src_bytes, BYTES, "source");
        clmove_buffer_destroy(&src);
        clmove_buffer_destroy(&dst);
    }
    end_scene(&it);
}

static void an_empty_tensor_gives_a_marker(void **state) {
    (void)state;
    scene it = make_scene(0);
    clmove_plan *empty = make_plan(it.at.device, 0);
    cl_int code;
    cl_event gate = clCreateUserEvent(it.at.context, &code), done = NULL;
    ASSERT_CL(code);
    ASSERT_OK(clmove_enqueue_mem(empty, NULL, it.src, ROOM, it.dst, 0, 1, &gate, &done, &error), &error);
    assert_non_null(done);
    ASSERT_CL(clFlush(it.at.queue));
    assert_false(is_complete(done));
    ASSERT_CL(clSetUserEventStatus(gate, CL_COMPLETE));
    ASSERT_CL(clWaitForEvents(1, &done));
    ASSERT_CL(clReleaseEvent(done));
    ASSERT_CL(clReleaseEvent(gate));
    clmove_plan_destroy(&empty);
    end_scene(&it);
}

/* 5 x 7 floats are 140 bytes. */
static void overlap_is_found(void **state) {
    (void)state;
    scene it = make_scene(0);
    cl_int code;
    uint8_t host[4 * ROOM];
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
            ASSERT_OK(clmove_enqueue_mem(it.plan, NULL, pairs[i].src, pairs[i].src_offset, pairs[i].dst, pairs[i].dst_offset, 0,
                                         NULL, NULL, &error),
                      &error);
            continue;
        }
        ASSERT_FAILS(CLMOVE_BAD_BUFFER,
                     clmove_enqueue_mem(it.plan, NULL, pairs[i].src, pairs[i].src_offset, pairs[i].dst, pairs[i].dst_offset, 0,
                                        NULL, &done, &error),
                     &error);
        assert_mentions(error.text, "overlap");
        assert_null(done);
    }
    ASSERT_CL(clFinish(it.at.queue));
    ASSERT_CL(clReleaseMemObject(part));
    ASSERT_CL(clReleaseMemObject(whole));
    ASSERT_CL(clReleaseMemObject(shared));
    ASSERT_CL(clReleaseMemObject(again));
    end_scene(&it);
}

static void what_does_not_belong_together_is_refused(void **state) {
    (void)state;
    scene it = make_scene(0), other = make_scene(0);
    clmove_device *device = NULL;
    cl_event done = NULL, gate;
    cl_mem for_reading = bed_memory(&it.at, CL_MEM_READ_ONLY, it.src_bytes, ROOM);
    cl_mem for_writing = bed_memory(&it.at, CL_MEM_WRITE_ONLY, it.src_bytes, ROOM);
    ASSERT_CL(clEnqueueMarkerWithWaitList(it.at.queue, 0, NULL, &gate));
#define REFUSED(status, queue, src, src_offset, dst, waits, list, word)                                                          \
    do {                                                                                                                         \
        ASSERT_FAILS(CLMOVE_##status, clmove_enqueue_mem(it.plan, queue, src, src_offset, dst, 0, waits, list, &done, &error),   \
                     &error);                                                                                                    \
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
    REFUSED(INVALID_ARGUMENT, NULL, NULL, 0, it.dst, 0, NULL, "src");
    REFUSED(INVALID_ARGUMENT, NULL, it.src, 0, NULL, 0, NULL, "dst");
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
    end_scene(&it);
}

static void the_host_has_no_queues(void **state) {
    (void)state;
    scene it = make_scene(0);
    clmove_device *host = open_device("host");
    clmove_plan *plan = make_plan(host, ROWS);
    clmove_buffer *src = NULL, *dst = NULL;
    cl_mem mem = NULL;
    size_t offset;
    ASSERT_OK(clmove_buffer_create(host, BYTES, &src, &error), &error);
    ASSERT_OK(clmove_buffer_create(host, BYTES, &dst, &error), &error);
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_enqueue_mem(plan, NULL, it.src, 0, it.dst, 0, 0, NULL, NULL, &error), &error);
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_enqueue_on(plan, NULL, src, dst, 0, NULL, NULL, &error), &error);
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_enqueue_svm(plan, NULL, src, dst, 0, NULL, NULL, &error), &error);
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_buffer_get_mem(src, &mem, &offset, &error), &error);
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_buffer_wrap_mem(host, it.src, 0, BYTES, &dst, &error), &error);
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_device_get_opencl(host, NULL, NULL, NULL, &error), &error);
    clmove_buffer_destroy(&src);
    clmove_buffer_destroy(&dst);
    clmove_plan_destroy(&plan);
    clmove_device_close(&host);
    end_scene(&it);
}

static void shared_virtual_memory_serves(void **state) {
    (void)state;
    scene it = make_scene(0);
    uint8_t *memory = clSVMAlloc(it.at.context, CL_MEM_READ_WRITE, 2 * ROOM, 0);
    if (!memory) {
        ASSERT_FAILS(CLMOVE_UNSUPPORTED, clmove_enqueue_svm(it.plan, NULL, it.src_bytes, it.dst_bytes, 0, NULL, NULL, &error),
                     &error);
        end_scene(&it);
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
        clmove_plan *plan = make_plan(device, ROWS);
        size_t src_offset = by_host ? 9 : 5, dst_offset = by_host ? 1 : 2;
        if (by_host)
            layer->arm("clEnqueueNDRangeKernel", 1, CL_OUT_OF_RESOURCES, true);
        ASSERT_OK(clmove_enqueue_svm(plan, NULL, memory + src_offset, memory + ROOM + dst_offset, 0, NULL, &done, &error),
                  &error);
        layer->disarm();
        ASSERT_CL(clWaitForEvents(1, &done));
        ASSERT_CL(clEnqueueSVMMemcpy(it.at.queue, CL_TRUE, got, memory + ROOM, ROOM, 0, NULL, NULL));
        transpose(it.src_bytes + src_offset, it.dst_bytes + dst_offset);
        check_bytes(got, it.dst_bytes, ROOM, "shared virtual memory");
        assert_int_equal(stats_of(device).host_runs, by_host);
        ASSERT_CL(clReleaseEvent(done));
        clmove_plan_destroy(&plan);
        clmove_device_close(&device);
    }
    ASSERT_FAILS(CLMOVE_BAD_BUFFER, clmove_enqueue_svm(it.plan, NULL, memory, memory + BYTES - 1, 0, NULL, NULL, &error), &error);
    assert_mentions(error.text, "overlap");
    clSVMFree(it.at.context, memory);
    end_scene(&it);
}

static void the_host_takes_over_between_events(void **state) {
    (void)state;
    for (int ordered = 0; ordered < 2; ordered++) {
        scene it = make_scene(ordered ? 0 : CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
        clmove_device *device = NULL;
        clmove_device_params params = {.struct_size = sizeof params, .allow_fallback = true};
        ASSERT_OK(clmove_device_open_opencl(it.at.context, it.at.id, it.at.queue, &params, &device, &error), &error);
        clmove_plan *plan = make_plan(device, ROWS);
        cl_event written, done;
        uint8_t fresh[BYTES];
        fill_noise(fresh, BYTES, 9);
        layer->arm("clEnqueueNDRangeKernel", 1, CL_OUT_OF_RESOURCES, true);
        ASSERT_CL(clEnqueueWriteBuffer(it.at.queue, it.src, CL_FALSE, 12, BYTES, fresh, 0, NULL, &written));
        ASSERT_OK(clmove_enqueue_mem(plan, NULL, it.src, 12, it.dst, 7, 1, &written, &done, &error), &error);
        layer->disarm();
        ASSERT_CL(clWaitForEvents(1, &done));
        memcpy(it.src_bytes + 12, fresh, BYTES);
        check_dst(&it, 12, 7);
        assert_int_equal(stats_of(device).host_runs, 1);
        ASSERT_CL(clReleaseEvent(written));
        ASSERT_CL(clReleaseEvent(done));
        clmove_plan_destroy(&plan);
        clmove_device_close(&device);
        /* and a device that must not fall back says what happened, and leaves no event */
        done = NULL;
        layer->arm("clEnqueueNDRangeKernel", 1, CL_OUT_OF_RESOURCES, false);
        ASSERT_FAILS(CLMOVE_DEVICE_FAILED, clmove_enqueue_mem(it.plan, NULL, it.src, 0, it.dst, 0, 0, NULL, &done, &error),
                     &error);
        layer->disarm();
        assert_null(done);
        end_scene(&it);
    }
}

/* 20 axes that do not fold are several launches. */
static void many_launches_are_one_command(void **state) {
    (void)state;
    for (int ordered = 0; ordered < 2; ordered++) {
        enum { RANK = 20, WIDTH = 1 << RANK };
        scene it = make_scene(ordered ? 0 : CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
        int64_t dims[RANK];
        int32_t order[RANK];
        clmove_map map;
        clmove_plan *plan = NULL;
        clmove_plan_info info;
        for (int32_t i = 0; i < RANK; i++) {
            dims[i] = 2;
            order[i] = RANK - 1 - i;
        }
        ASSERT_OK(clmove_map_init(&map, 8, RANK, dims, &error), &error);
        ASSERT_OK(clmove_map_permute(&map, RANK, order, &error), &error);
        ASSERT_OK(clmove_plan_create(it.at.device, &map, NULL, &plan, &error), &error);
        ASSERT_OK(clmove_plan_get_info(plan, &info, &error), &error);
        assert_true(info.launches > 1);
        uint8_t *bytes = malloc(WIDTH), *got = malloc(WIDTH);
        assert_true(bytes && got);
        fill_noise(bytes, WIDTH, 4);
        cl_mem src = bed_memory(&it.at, CL_MEM_READ_ONLY, bytes, WIDTH),
               dst = bed_memory(&it.at, CL_MEM_READ_WRITE, bytes, WIDTH);
        cl_event done, read;
        ASSERT_OK(clmove_enqueue_mem(plan, NULL, src, 0, dst, 0, 0, NULL, &done, &error), &error);
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
        end_scene(&it);
    }
}

int main(int count, char **arguments) {
    void *library = count == 2 ? dlopen(arguments[1], RTLD_NOW | RTLD_NOLOAD) : NULL;
    if (count == 2 && !library) { /* the loader loads it with the first call */
        cl_uint platforms;
        clGetPlatformIDs(0, NULL, &platforms);
        library = dlopen(arguments[1], RTLD_NOW | RTLD_NOLOAD);
    }
    layer = library ? dlsym(library, "faults_control") : NULL;
    if (!layer) {
        fprintf(stderr, "usage: OPENCL_LAYERS=LAYER.so test_interop LAYER.so\n");
        return 2;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_waited_for),
        cmocka_unit_test(closing_waits_for_nobody),
        cmocka_unit_test(the_device_keeps_what_it_needs),
        cmocka_unit_test(clmoves_own_calls_work_on_it),
        cmocka_unit_test(buffers_are_made_of_memory),
        cmocka_unit_test(buffers_are_mapped_between_events),
        cmocka_unit_test(an_empty_tensor_gives_a_marker),
        cmocka_unit_test(overlap_is_found),
        cmocka_unit_test(what_does_not_belong_together_is_refused),
        cmocka_unit_test(the_host_has_no_queues),
        cmocka_unit_test(shared_virtual_memory_serves),
        cmocka_unit_test(the_host_takes_over_between_events),
        cmocka_unit_test(many_launches_are_one_command),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) ? EXIT_FAILURE : EXIT_SUCCESS;
}
