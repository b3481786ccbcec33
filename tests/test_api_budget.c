/* Memory budgets: what they are, and what they refuse.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "test_api.h"

#include <stdlib.h>
#include <string.h>

static clmove_error error;

static void the_budget_is_what_there_is_or_what_is_asked(void **state) {
    (void)state;
    clmove_device_info info = {.struct_size = sizeof info};
    ASSERT_OK(clmove_device_get_info(api_device, &info, &error), &error);
    clmove_memory_info memory = api_memory_of(api_device);
    assert_true(memory.budget_bytes > 0 && memory.budget_bytes <= info.memory_bytes);
    bool gpu = info.type == CLMOVE_DEVICE_GPU;
    assert_int_equal(memory.shares_host_memory, info.host_unified);
    assert_int_equal(memory.zero_copy_alignment, !info.host_unified ? 0 : gpu ? 4096 : 1);
    assert_int_equal(memory.zero_copy_multiple, !info.host_unified ? 0 : gpu ? 64 : 1);

    setenv("CLMOVE_MEMORY_BUDGET", "12345", 1);
    clmove_device *opened = api_open_with_budget(0);
    assert_int_equal(api_memory_of(opened).budget_bytes, 12345);
    clmove_device_close(&opened);
    opened = api_open_with_budget(54321); /* over the variable */
    assert_int_equal(api_memory_of(opened).budget_bytes, 54321);
    clmove_device_close(&opened);
    setenv("CLMOVE_MEMORY_BUDGET", "3K", 1);
    opened = api_open_with_budget(0);
    assert_int_equal(api_memory_of(opened).budget_bytes, 3072);
    clmove_device_close(&opened);
    setenv("CLMOVE_MEMORY_BUDGET", "", 1);
    opened = api_open_with_budget(0);
    assert_true(api_memory_of(opened).budget_bytes > 3072);
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
    clmove_device *opened = api_open_with_budget(1000);
    clmove_buffer *first = api_buffer(opened, 600), *second = NULL;
    assert_int_equal(api_memory_of(opened).used_bytes, 600);
    ASSERT_FAILS(CLMOVE_OUT_OF_MEMORY, clmove_buffer_create(opened, 401, &second, &error), &error);
    assert_null(second);
    assert_mentions(error.text, "401");
    assert_mentions(error.text, "1000");
    assert_mentions(error.text, "400");
    ASSERT_FAILS(CLMOVE_OUT_OF_MEMORY, clmove_buffer_create(opened, SIZE_MAX, &second, &error), &error);
    assert_int_equal(api_memory_of(opened).used_bytes, 600);
    second = api_buffer(opened, 400);
    assert_int_equal(api_memory_of(opened).used_bytes, 1000);
    clmove_buffer_destroy(&first);
    clmove_buffer_destroy(&second);
    clmove_memory_info memory = api_memory_of(opened);
    assert_int_equal(memory.used_bytes, 0);
    assert_int_equal(memory.most_used_bytes, 1000);
    clmove_device_close(&opened);
}

/* Rather than in pieces of a few bytes, for hours. */
static void a_run_wants_room_for_pieces(void **state) {
    (void)state;
    enum { SIDE = 96, TENSOR = SIDE * SIDE * 4 };
    clmove_device *opened = api_open_with_budget(8191);
    clmove_map map;
    bool in_place = api_memory_of(opened).zero_copy_alignment == 1;
    uint8_t *memory = malloc(2 * TENSOR + 4); /* never what a GPU could reach */
    assert_non_null(memory);
    ASSERT_OK(clmove_map_init(&map, 32, 2, (const int64_t[]){SIDE, SIDE}, &error), &error);
    ASSERT_OK(clmove_map_permute(&map, 2, (const int64_t[]){1, 0}, &error), &error);
    clmove_plan *plan = api_plan(opened, &map);
    if (in_place)
        ASSERT_OK(clmove_run(plan, memory + 4, TENSOR, memory + 4 + TENSOR, TENSOR, &error), &error);
    else {
        ASSERT_FAILS(CLMOVE_OUT_OF_MEMORY, clmove_run(plan, memory + 4, TENSOR, memory + 4 + TENSOR, TENSOR, &error), &error);
        assert_mentions(error.text, "8191");
        assert_mentions(error.text, "stage");
    }
    clmove_plan_destroy(&plan);
    clmove_device_close(&opened);
    free(memory);
}

static void every_kind_takes_from_the_budget(void **state) {
    (void)state;
    clmove_device *opened = api_open_with_budget(10000);
    clmove_buffer *buffer = NULL;
    clmove_pool *pool = NULL;
    unsigned char memory[10002];
    memset(memory, 1, sizeof memory);
    ASSERT_OK(clmove_pool_create(opened, 20000, &pool, &error), &error);
    ASSERT_FAILS(CLMOVE_OUT_OF_MEMORY, clmove_buffer_create_pinned(opened, 10001, &buffer, &error), &error);
    assert_mentions(error.text, "pinned");
    ASSERT_FAILS(CLMOVE_OUT_OF_MEMORY, clmove_pool_take(pool, 10001, &buffer, &error), &error);
    if (api_memory_of(opened).zero_copy_alignment != 1) {
        ASSERT_FAILS(CLMOVE_OUT_OF_MEMORY, clmove_buffer_wrap(opened, memory + 1, 10001, &buffer, &error), &error);
        assert_mentions(error.text, "10001");
    } else { /* in place it takes nothing */
        ASSERT_OK(clmove_buffer_wrap(opened, memory + 1, 10001, &buffer, &error), &error);
        clmove_buffer_destroy(&buffer);
    }
    assert_null(buffer);
    assert_int_equal(api_pool_of(pool).misses, 0); /* none was made */
    /* 9999 bytes are rounded up past the budget, and taken as they are then. */
    ASSERT_OK(clmove_pool_take(pool, 9999, &buffer, &error), &error);
    assert_int_equal(api_pool_of(pool).misses, 1);
    assert_int_equal(api_memory_of(opened).used_bytes, 9999);
    clmove_buffer_destroy(&buffer);
    assert_int_equal(api_memory_of(opened).used_bytes, 0);
    /* What is kept makes way for what is asked for. */
    ASSERT_OK(clmove_pool_take(pool, 6000, &buffer, &error), &error);
    clmove_buffer_destroy(&buffer);
    assert_int_equal(api_memory_of(opened).used_bytes, 6144);
    ASSERT_OK(clmove_pool_take(pool, 7000, &buffer, &error), &error);
    assert_int_equal(api_memory_of(opened).used_bytes, 7168);
    clmove_buffer_destroy(&buffer);
    /* For what is asked for elsewhere, too. */
    assert_int_equal(api_pool_of(pool).kept_bytes, 7168);
    buffer = api_buffer(opened, 6000);
    assert_int_equal(api_pool_of(pool).kept_bytes, 0);
    assert_int_equal(api_memory_of(opened).used_bytes, 6000);
    clmove_buffer_destroy(&buffer);
    clmove_pool_destroy(&pool);
    assert_int_equal(api_memory_of(opened).used_bytes, 0);
    clmove_device_close(&opened);
}

int api_budget_tests(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_budget_is_what_there_is_or_what_is_asked),
        cmocka_unit_test(what_is_above_the_budget_is_refused),
        cmocka_unit_test(a_run_wants_room_for_pieces),
        cmocka_unit_test(every_kind_takes_from_the_budget),
    };
    return cmocka_run_group_tests_name("budget", tests, NULL, NULL);
}
