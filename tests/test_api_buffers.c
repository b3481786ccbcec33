/* Buffers of every kind, pools, and the budget that they share.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "test_api.h"

#include <stdlib.h>
#include <string.h>

static clmove_error error;

static clmove_memory_info memory_of(const clmove_device *device) {
    clmove_memory_info info;
    ASSERT_OK(clmove_device_get_memory(device, &info, &error), &error);
    return info;
}

static clmove_device *open_with_budget(uint64_t bytes) {
    clmove_device_params params = {.struct_size = sizeof params, .selector = api_selector, .memory_budget = bytes};
    clmove_device *opened = NULL;
    ASSERT_OK(clmove_device_open(&params, &opened, &error), &error);
    return opened;
}

/* ---- the budget ---- */

static void the_budget_is_what_there_is_or_what_is_asked(void **state) {
    (void)state;
    clmove_device_info info;
    ASSERT_OK(clmove_device_get_info(api_device, &info, &error), &error);
    clmove_memory_info memory = memory_of(api_device);
    assert_true(memory.budget_bytes > 0 && memory.budget_bytes <= info.memory_bytes);
    assert_true(memory.shares_host_memory); /* in every device that the tests have */
    bool gpu = info.type == CLMOVE_DEVICE_GPU;
    assert_int_equal(memory.zero_copy_alignment, gpu ? 4096 : 1);
    assert_int_equal(memory.zero_copy_multiple, gpu ? 64 : 1);

    setenv("CLMOVE_MEMORY_BUDGET", "12345", 1);
    clmove_device *opened = open_with_budget(0);
    assert_int_equal(memory_of(opened).budget_bytes, 12345);
    clmove_device_close(&opened);
    opened = open_with_budget(54321); /* over the variable */
    assert_int_equal(memory_of(opened).budget_bytes, 54321);
    clmove_device_close(&opened);
    setenv("CLMOVE_MEMORY_BUDGET", "3K", 1);
    opened = open_with_budget(0);
    assert_int_equal(memory_of(opened).budget_bytes, 3072);
    clmove_device_close(&opened);
    setenv("CLMOVE_MEMORY_BUDGET", "", 1);
    opened = open_with_budget(0);
    assert_true(memory_of(opened).budget_bytes > 3072);
    clmove_device_close(&opened);
    setenv("CLMOVE_MEMORY_BUDGET", "plenty", 1);
    clmove_device_params params = {.struct_size = sizeof params, .selector = api_selector};
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_device_open(&params, &opened, &error), &error);
    assert_null(opened);
    assert_mentions(error.text, "CLMOVE_MEMORY_BUDGET");
    assert_mentions(error.text, "plenty");
    unsetenv("CLMOVE_MEMORY_BUDGET");
}

static void what_is_above_the_budget_is_refused(void **state) {
    (void)state;
    clmove_device *opened = open_with_budget(1000);
    clmove_buffer *first = api_buffer(opened, 600), *second = NULL;
    assert_int_equal(memory_of(opened).used_bytes, 600);
    ASSERT_FAILS(CLMOVE_OUT_OF_MEMORY, clmove_buffer_create(opened, 401, &second, &error), &error);
    assert_null(second);
    assert_mentions(error.text, "401");
    assert_mentions(error.text, "1000");
    assert_mentions(error.text, "400");
    ASSERT_FAILS(CLMOVE_OUT_OF_MEMORY, clmove_buffer_create(opened, SIZE_MAX, &second, &error), &error);
    assert_int_equal(memory_of(opened).used_bytes, 600);
    second = api_buffer(opened, 400);
    assert_int_equal(memory_of(opened).used_bytes, 1000);
    clmove_buffer_destroy(&first);
    clmove_buffer_destroy(&second);
    clmove_memory_info memory = memory_of(opened);
    assert_int_equal(memory.used_bytes, 0);
    assert_int_equal(memory.most_used_bytes, 1000);
    clmove_device_close(&opened);
}

int api_buffer_tests(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_budget_is_what_there_is_or_what_is_asked),
        cmocka_unit_test(what_is_above_the_budget_is_refused),
    };
    return cmocka_run_group_tests_name("buffers", tests, NULL, NULL);
}
