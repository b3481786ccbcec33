/* The OpenCL calls that buffers are made of fail: test_buffer_faults LAYER.so, with OPENCL_LAYERS=LAYER.so
 *
 * A buffer has no stand-in on the host: the sentence names the call, the next try works, and no OpenCL object is left behind.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "layer.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <clmove/opencl.h>

#include <stdlib.h>
#include <string.h>

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
    FAILS(clEnqueueUnmapMemObject, 1,
          clmove_enqueue(way.plan, clmove_buffer_view(pinned, 0), clmove_buffer_view(plain, 0), NULL,
                         &way.error)); /* the device gets it */
    FAILS(clEnqueueMapBuffer, 1, clmove_buffer_map(pinned, CLMOVE_ACCESS_READ, 1, 9, &mapped, &way.error));
#undef FAILS
    assert_string_equal(clmove_device_fallback(way.device), "");
    assert_int_equal(way.logged, 0);
    clmove_buffer_destroy(&pinned); /* mapped as it is */
    clmove_buffer_destroy(&plain);
    clmove_buffer_destroy(&staged);
    clmove_buffer_destroy(&wrapped);
    clmove_memory_info info = {.struct_size = sizeof info};
    ASSERT_OK(clmove_device_get_memory(way.device, &info, &way.error), &way.error);
    assert_int_equal(info.used_bytes, 0);
    journey_end(&way);
    check_no_object_left();
    free(memory);
}

/* What was not unmapped, as that failed, still has the driver's buffer alone. */
static void what_stays_mapped_is_not_wrapped(void **state) {
    (void)state;
    clmove_buffer *buffer = NULL, *wrapped = NULL;
    clmove_buffer_info info = {.struct_size = sizeof info};
    void *mapped = NULL;
    ASSERT_OK(journey_open(&way, "cpu", true), &way.error);
    ASSERT_OK(clmove_buffer_create(way.device, 4096, &buffer, &way.error), &way.error);
    ASSERT_OK(clmove_buffer_map(buffer, CLMOVE_ACCESS_READ, 0, 4096, &mapped, &way.error), &way.error);
    for (int failed = 0; failed < 2; failed++) {
        ASSERT_OK(clmove_buffer_wrap(way.device, mapped, 4096, &wrapped, &way.error), &way.error);
        ASSERT_OK(clmove_buffer_get_info(wrapped, &info, &way.error), &way.error);
        assert_false(info.zero_copy);
        clmove_buffer_destroy(&wrapped);
        faults->arm("clEnqueueUnmapMemObject", 1, CL_OUT_OF_RESOURCES, false);
        ASSERT_FAILS(CLMOVE_DEVICE_FAILED, clmove_buffer_unmap(buffer, mapped, &way.error), &way.error);
        faults->disarm();
    }
    ASSERT_OK(clmove_buffer_unmap(buffer, mapped, &way.error), &way.error);
    clmove_buffer_destroy(&buffer);
    journey_end(&way);
    check_no_object_left();
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

/* The calls of two passes, each failing once, in a first run, whose memory between them is new, and in a later one. */
static void two_passes_report(void **state) {
    (void)state;
    static const struct {
        const char *call;
        unsigned nth;
        bool only_new;
    } rows[] = {{"clCreateBuffer", 1, true},
                {"clSetKernelArg", 1, false},
                {"clSetKernelArg", 9, false},
                {"clEnqueueNDRangeKernel", 1, false},
                {"clEnqueueNDRangeKernel", 2, false}};
    const clmove_plan_params params = {.struct_size = sizeof params, .variant = "two_passes"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        clmove_buffer *src = NULL, *dst = NULL;
        clmove_map map;
        uint8_t wanted[JOURNEY_BYTES], got[JOURNEY_BYTES];
        ASSERT_OK(journey_open(&way, "cpu", false), &way.error);
        ASSERT_OK(clmove_map_init(&map, 32, 3, (int64_t[]){JOURNEY_ROWS, 31, 3}, &way.error), &way.error);
        ASSERT_OK(clmove_map_permute(&map, 3, (int64_t[]){2, 1, 0}, &way.error), &way.error);
        for (int64_t k = 0; k < JOURNEY_ROWS * 93; k++)
            copy_element(32, way.src.data, k, wanted, (k % 3 * 31 + k / 3 % 31) * JOURNEY_ROWS + k / 93);
        for (unsigned nth = 1; nth < 3; nth++) { /* a part that cannot be made */
            faults->arm("clCreateKernel", nth, CL_OUT_OF_RESOURCES, false);
            if (clmove_plan_create(way.device, &map, &params, &way.plan, &way.error) != CLMOVE_UNSUPPORTED)
                assert_mentions(way.error.text, "clCreateKernel");
            assert_null(way.plan);
            faults->disarm();
        }
        const clmove_status planned = clmove_plan_create(way.device, &map, &params, &way.plan, &way.error);
        if (planned == CLMOVE_UNSUPPORTED) /* of plain kernels */
            skip();
        ASSERT_OK(planned, &way.error);
        ASSERT_OK(clmove_buffer_create(way.device, JOURNEY_BYTES, &src, &way.error), &way.error);
        ASSERT_OK(clmove_buffer_create(way.device, JOURNEY_BYTES, &dst, &way.error), &way.error);
        ASSERT_OK(clmove_buffer_write(src, 0, way.src.data, JOURNEY_BYTES, &way.error), &way.error);
        for (int later = 0; later < 2 - rows[i].only_new; later++) {
            const clmove_view from = clmove_buffer_view(src, 0), to = clmove_buffer_view(dst, 0);
            faults->arm(rows[i].call, rows[i].nth, CL_OUT_OF_RESOURCES, false);
            ASSERT_FAILS(CLMOVE_DEVICE_FAILED, clmove_enqueue(way.plan, from, to, NULL, &way.error), &way.error);
            assert_mentions(way.error.text, rows[i].call);
            assert_int_equal(faults->fired(), 1);
            faults->disarm();
            for (int run = 0; run < 2; run++)
                ASSERT_OK(clmove_enqueue(way.plan, from, to, NULL, &way.error), &way.error);
            ASSERT_OK(clmove_buffer_read(dst, 0, got, JOURNEY_BYTES, &way.error), &way.error);
            check_bytes(got, wanted, JOURNEY_BYTES, rows[i].call);
        }
        clmove_buffer_destroy(&src);
        clmove_buffer_destroy(&dst);
        journey_end(&way);
        check_no_object_left();
    }
}

int main(int count, char **arguments) {
    int missing = layer_find("buffer faults", "cpu", count, arguments);
    if (missing)
        return missing;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(buffers_report, layer_clean_up),
        cmocka_unit_test_teardown(two_passes_report, layer_clean_up),
        cmocka_unit_test_teardown(buffers_of_all_kinds_report, layer_clean_up),
        cmocka_unit_test_teardown(what_stays_mapped_is_not_wrapped, layer_clean_up),
        cmocka_unit_test_teardown(pools_make_no_objects, layer_clean_up),
    };
    return cmocka_run_group_tests_name("buffer faults", tests, NULL, NULL) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
