/* The case table on the caller's cl_mem and queue: test_mem_suite in_order|out_of_order|sub_device [any|VARIANT [MOST [EVERY]]]
 *
 * MOST: cases whose destination has more bytes are left out. EVERY: it is each EVERY-th case that runs;
 * part_of_cases (support.h) says the same from outside.
 * VARIANT: cases that it does not fit are left out.
 * Tensors begin at bytes that nothing is aligned to; what lies before and behind them is a fence.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "bed.h"
#include "tests/opencl/enqueue.h"

#include "tests/expect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bed it;
static const char *variant;
static size_t moved, most_bytes = SIZE_MAX, every = 1;

/* Source and destination offsets. 16 and 8: as far apart as units are wide, and less. */
static const size_t offsets[][2] = {{0, 0}, {1, 3}, {64, 8}, {20, 16}};

static void check_at(const test_case *one, clmove_plan *plan, expectation *expected, size_t src_offset, size_t dst_offset) {
    clmove_error error;
    size_t src_total = src_offset + expected->src_bytes + 32, dst_total = dst_offset + expected->dst_bytes + 32;
    uint8_t *src = malloc(src_total), *dst = malloc(dst_total), *got = malloc(dst_total);
    assert_true(src && dst && got);
    fill_noise(src, src_total, 1);
    fill_noise(dst, dst_total, 2);
    cl_mem from = bed_memory(&it, CL_MEM_READ_ONLY, src, src_total), to = bed_memory(&it, CL_MEM_READ_WRITE, dst, dst_total);
    cl_event gate, done = NULL;
    ASSERT_CL(clEnqueueMarkerWithWaitList(it.queue, 0, NULL, &gate));
    ASSERT_OK(enqueue_mem(plan, it.queue, from, src_offset, to, dst_offset, 1, &gate, &done, &error), &error);
    assert_non_null(done);
    ASSERT_CL(clWaitForEvents(1, &done));
    ASSERT_CL(clEnqueueReadBuffer(it.queue, to, CL_TRUE, 0, dst_total, got, 0, NULL, NULL));
    expect_compute(one, src + src_offset, expected);
    expect_store(one, expected, dst + dst_offset);
    check_bytes(got, dst, dst_total, "enqueue_mem");
    expect_destroy(expected);
    expect_shapes(one, expected);
    ASSERT_CL(clReleaseEvent(gate));
    ASSERT_CL(clReleaseEvent(done));
    ASSERT_CL(clReleaseMemObject(from));
    ASSERT_CL(clReleaseMemObject(to));
    free(src);
    free(dst);
    free(got);
}

static void run_case(void **state) {
    const test_case *one = *state;
    clmove_error error;
    clmove_map map;
    clmove_plan *plan = NULL;
    expectation expected;
    case_to_map(one, &map);
    expect_shapes(one, &expected);
    if (expected.dst_bytes > most_bytes) {
        expect_destroy(&expected);
        skip();
    }
    const clmove_plan_params params = {.struct_size = sizeof params, .variant = variant};
    const clmove_status status = clmove_plan_create(it.device, &map, &params, &plan, &error);
    if (status == CLMOVE_UNSUPPORTED && variant) {
        expect_destroy(&expected);
        skip();
    }
    ASSERT_OK(status, &error);
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++)
        check_at(one, plan, &expected, offsets[i][0], offsets[i][1]);
    moved += expected.elements > 0;
    clmove_plan_destroy(&plan);
    expect_destroy(&expected);
}

int main(int count, char **arguments) {
    const char *kind = count >= 2 && count <= 5 ? arguments[1] : "";
    bool in_order = strcmp(kind, "in_order") == 0, out_of_order = strcmp(kind, "out_of_order") == 0;
    bool on_part = strcmp(kind, "sub_device") == 0;
    if (count >= 3 && strcmp(arguments[2], "any") != 0)
        variant = arguments[2];
    if (count >= 4)
        most_bytes = (size_t)strtoull(arguments[3], NULL, 10);
    if (count == 5)
        every = (size_t)strtoull(arguments[4], NULL, 10);
    if ((!in_order && !out_of_order && !on_part) || every == 0) {
        fprintf(stderr, "usage: test_mem_suite in_order|out_of_order|sub_device [any|VARIANT [MOST [EVERY]]]\n");
        return 2;
    }
    if (on_part) {
        cl_device_id part;
        bed_split((const cl_device_partition_property[]){CL_DEVICE_PARTITION_BY_COUNTS, 1, 0, 0}, &part, 1);
        bed_make_on(&it, part, 0); /* and the part is held: test_sub_devices.c says why */
    } else
        bed_make(&it, out_of_order ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0);
    const test_part part = part_of_cases(every);
    const size_t tests_count = part_count(part, test_case_count);
    struct CMUnitTest *tests = calloc(tests_count, sizeof *tests);
    if (!tests)
        return EXIT_FAILURE;
    for (size_t i = part.first, at = 0; i < test_case_count; i += part.every)
        tests[at++] = (struct CMUnitTest){
            .name = test_cases[i].name, .test_func = run_case, .initial_state = (void *)(uintptr_t)&test_cases[i]};
    int failed = _cmocka_run_group_tests(arguments[1], tests, tests_count, NULL, NULL);
    clmove_device_stats stats = stats_of(it.device);
    printf("opencl: %zu cases moved, %u kernels, %u runs on the host\n", moved, (unsigned)stats.kernels_run,
           (unsigned)stats.host_runs);
    bool complete = moved > 0 && stats.host_runs == 0 && (size_t)stats.kernels_run >= moved * sizeof offsets / sizeof *offsets;
    bed_end(&it);
    free(tests);
    return failed == 0 && complete ? EXIT_SUCCESS : EXIT_FAILURE;
}
