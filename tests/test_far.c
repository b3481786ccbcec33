/* Places that lie gigabytes apart: test_far SELECTOR [TUNING]
 *
 * Each variant runs the maps of far_cases.h that are its own, with indices of 32 bits. TUNING: what CLMOVE_TUNING says. Exit
 * status 77 when there is no such device, or the address space or its buffers are too small.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "far_cases.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    clmove_device *device;
    bool opencl;
    uint64_t max_alloc;
    unsigned moved, too_large;
} far;

static void move(const test_case *it, clmove_plan *plan) {
    clmove_error error;
    expectation expected;
    far_memories used;
    expect_shapes(it, &expected);
    if (expected.src_bytes > far.max_alloc || expected.dst_bytes > far.max_alloc || !far_create(it, &expected, &used)) {
        far.too_large++;
        return;
    }
    const clmove_device_stats before = stats_of(far.device);
    ASSERT_OK(clmove_run(plan, used.src, used.src_bytes, used.dst, used.dst_bytes, &error), &error);
    assert_int_equal(stats_of(far.device).kernels_run > before.kernels_run, far.opencl);
    far_check(it, &expected, &used);
    far_destroy(&expected, &used);
    far.moved++;
}

static void run_case(void **state) {
    const far_case *row = *state;
    for (uint32_t unit_bytes = 2; unit_bytes <= 8; unit_bytes *= 2) {
        clmove_plan_params params = {.struct_size = sizeof params, .variant = row->variant, .index_bits = 32};
        clmove_plan *plan = NULL;
        clmove_map map;
        clmove_error error;
        test_case it;
        far_make(row, unit_bytes, &it);
        case_to_map(&it, &map);
        ASSERT_OK(clmove_plan_create(far.device, &map, &params, &plan, &error), &error);
        move(&it, plan);
        clmove_plan_destroy(&plan);
    }
}

int main(int count, char **arguments) {
    static struct CMUnitTest tests[256];
    size_t used = 0;
    clmove_device_info info = {.struct_size = sizeof info};
    if (count < 2 || count > 3 || far_case_count > 256 || (count == 3 && setenv("CLMOVE_TUNING", arguments[2], 1) != 0))
        return 2;
    if (SIZE_MAX <= UINT32_MAX) {
        printf("far: skipped: addresses have 32 bits\n");
        return EXIT_SKIPPED;
    }
    far.device = open_device(arguments[1]);
    if (!far.device || clmove_device_get_info(far.device, &info, NULL) != CLMOVE_OK) {
        printf("far: skipped: there is no device %s\n", arguments[1]);
        return EXIT_SKIPPED;
    }
    far.opencl = info.type != CLMOVE_DEVICE_HOST;
    far.max_alloc = info.max_alloc_bytes;
    const bool is_gpu = info.type == CLMOVE_DEVICE_GPU; /* which has no kernels that transpose or shuffle */
    for (size_t i = 0; i < far_case_count; i++)
        if (!is_gpu || (strncmp(far_cases[i].variant, "transpose", strlen("transpose")) != 0 &&
                        strcmp(far_cases[i].variant, "shuffle") != 0))
            tests[used++] = (struct CMUnitTest){
                .name = far_cases[i].what, .test_func = run_case, .initial_state = (void *)(uintptr_t)&far_cases[i]};
    int failed = _cmocka_run_group_tests("far", tests, used, NULL, NULL);
    clmove_device_close(&far.device);
    printf("far: %u maps; %u too large for the address space or the device's buffers\n", far.moved, far.too_large);
    return failed ? 1 : far.moved > 0 ? 0 : EXIT_SKIPPED;
}
