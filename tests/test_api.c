/* The public functions at their edges, on one device: test_api SELECTOR
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "test_api.h"

#include <clmove/advice.h>

#include <stdio.h>
#include <stdlib.h>

const char *api_selector;
clmove_device *api_device;
static clmove_error error;

clmove_map api_map(void) {
    clmove_map map;
    ASSERT_OK(clmove_map_init(&map, 32, 2, (const int64_t[]){4, 6}, &error), &error);
    ASSERT_OK(clmove_map_permute(&map, 2, (const int64_t[]){1, 0}, &error), &error);
    return map;
}

void api_transpose(const uint8_t *src, uint8_t *dst) {
    for (int64_t i = 0; i < 6; i++)
        for (int64_t k = 0; k < 4; k++)
            copy_element(32, src, k * 6 + i, dst, i * 4 + k);
}

clmove_plan *api_plan(clmove_device *on, const clmove_map *map) {
    clmove_plan *plan = NULL;
    ASSERT_OK(clmove_plan_create(on, map, NULL, &plan, &error), &error);
    assert_non_null(plan);
    return plan;
}

clmove_buffer *api_buffer(clmove_device *on, size_t bytes) {
    clmove_buffer *buffer = NULL;
    ASSERT_OK(clmove_buffer_create(on, bytes, &buffer, &error), &error);
    assert_non_null(buffer);
    return buffer;
}

clmove_device *api_another_device(void) {
    clmove_device *other = open_device(api_selector);
    assert_non_null(other);
    return other;
}

clmove_memory_info api_memory_of(const clmove_device *device) {
    clmove_memory_info info = {.struct_size = sizeof info};
    ASSERT_OK(clmove_device_get_memory(device, &info, &error), &error);
    return info;
}

clmove_pool_info api_pool_of(const clmove_pool *pool) {
    clmove_pool_info info = {.struct_size = sizeof info};
    ASSERT_OK(clmove_pool_get_info(pool, &info, &error), &error);
    return info;
}

clmove_device_type api_type_of(const clmove_device *device) {
    clmove_device_info info = {.struct_size = sizeof info};
    ASSERT_OK(clmove_device_get_info(device, &info, &error), &error);
    return info.type;
}

clmove_device *api_open_with_budget(uint64_t bytes) {
    clmove_device_params params = {.struct_size = sizeof params, .selector = api_selector, .memory_budget = bytes};
    clmove_device *opened = NULL;
    ASSERT_OK(clmove_device_open(&params, &opened, &error), &error);
    return opened;
}

static void statuses_have_words(void **state) {
    (void)state;
#define CHECK_STATUS(name, text) assert_string_equal(clmove_status_text(CLMOVE_##name), text);
    CLMOVE_STATUS_LIST(CHECK_STATUS)
#undef CHECK_STATUS
    assert_string_equal(clmove_status_text((clmove_status)1000), "unknown status");
    assert_string_equal(clmove_status_text((clmove_status)-1), "unknown status");
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", CLMOVE_VERSION_MAJOR, CLMOVE_VERSION_MINOR, CLMOVE_VERSION_PATCH);
    assert_string_equal(clmove_version(), version);
    assert_string_equal(clmove_device_type_text(CLMOVE_DEVICE_HOST), "host");
    assert_string_equal(clmove_device_type_text(CLMOVE_DEVICE_CPU), "cpu");
    assert_string_equal(clmove_device_type_text(CLMOVE_DEVICE_GPU), "gpu");
    assert_string_equal(clmove_device_type_text(CLMOVE_DEVICE_ACCELERATOR), "accelerator");
    assert_string_equal(clmove_device_type_text(CLMOVE_DEVICE_SEVERAL), "several");
    assert_string_equal(clmove_device_type_text((clmove_device_type)77), "unknown");
    assert_string_equal(clmove_executor_text(CLMOVE_EXECUTOR_HOST), "host");
    assert_string_equal(clmove_executor_text(CLMOVE_EXECUTOR_OPENCL), "opencl");
    assert_string_equal(clmove_executor_text(CLMOVE_EXECUTOR_SEVERAL), "several");
    assert_string_equal(clmove_executor_text((clmove_executor)77), "unknown executor");
    static const char *const methods[] = {"none", "host", "in place", "staged", "several", "unknown method"};
    for (int method = 0; method < 6; method++)
        assert_string_equal(clmove_run_method_text((clmove_run_method)method), methods[method]);
#define CHECK_STEPS(name, text) assert_string_equal(clmove_steps_text(CLMOVE_STEPS_##name), text);
    CLMOVE_STEPS_LIST(CHECK_STEPS)
#undef CHECK_STEPS
    assert_string_equal(clmove_steps_text((clmove_steps)77), "unknown steps");
}

/* ---- NULL ---- */

static void null_is_refused(void **state) {
    (void)state;
    clmove_map map = api_map();
    clmove_plan *plan = api_plan(api_device, &map), *no_plan = NULL;
    clmove_buffer *buffer = api_buffer(api_device, API_BYTES), *no_buffer = NULL;
    clmove_device *no_device = NULL;
    clmove_pool *pool = NULL, *no_pool = NULL;
    ASSERT_OK(clmove_pool_create(api_device, 0, &pool, &error), &error);
    clmove_buffer_info buffer_info = {.struct_size = sizeof buffer_info};
    clmove_pool_info pool_info = {.struct_size = sizeof pool_info};
    void *mapped = NULL;
    uint8_t bytes[API_BYTES] = {0}, others[API_BYTES] = {0};
    char text[64] = "untouched";
    clmove_device_info device_info = {.struct_size = sizeof device_info};
    clmove_device_stats stats = {.struct_size = sizeof stats};
    clmove_memory_info memory = {.struct_size = sizeof memory};
    clmove_plan_info plan_info = {.struct_size = sizeof plan_info};
    int64_t count;
#define REFUSED(call)                                                                                                            \
    do {                                                                                                                         \
        clmove_error *to = &error;                                                                                               \
        ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, call, to);                                                                         \
        to = NULL;                                                                                                               \
        assert_int_equal(call, CLMOVE_INVALID_ARGUMENT);                                                                         \
    } while (0)
    REFUSED(clmove_device_open(&(clmove_device_params){.struct_size = sizeof(clmove_device_params)}, NULL, to));
    REFUSED(clmove_device_list(NULL, 1, &count, to));
    REFUSED(clmove_device_list(NULL, 0, NULL, to));
    REFUSED(clmove_device_get_info(NULL, &device_info, to));
    REFUSED(clmove_device_get_info(api_device, NULL, to));
    REFUSED(clmove_device_get_stats(NULL, &stats, to));
    REFUSED(clmove_device_get_stats(api_device, NULL, to));
    REFUSED(clmove_device_get_memory(NULL, &memory, to));
    REFUSED(clmove_device_get_memory(api_device, NULL, to));
    REFUSED(clmove_device_finish(NULL, to));
    REFUSED(clmove_plan_create(NULL, &map, NULL, &no_plan, to));
    REFUSED(clmove_plan_create(api_device, NULL, NULL, &no_plan, to));
    REFUSED(clmove_plan_create(api_device, &map, NULL, NULL, to));
    REFUSED(clmove_plan_get_info(NULL, &plan_info, to));
    REFUSED(clmove_plan_get_info(plan, NULL, to));
    REFUSED(clmove_plan_explain(NULL, text, sizeof text, to));
    REFUSED(clmove_plan_explain(plan, NULL, 1, to));
    REFUSED(clmove_run(NULL, bytes, API_BYTES, others, API_BYTES, to));
    REFUSED(clmove_run(plan, NULL, API_BYTES, others, API_BYTES, to));
    REFUSED(clmove_run(plan, bytes, API_BYTES, NULL, API_BYTES, to));
    REFUSED(clmove_buffer_create(NULL, API_BYTES, &no_buffer, to));
    REFUSED(clmove_buffer_create(api_device, API_BYTES, NULL, to));
    REFUSED(clmove_buffer_write(NULL, 0, bytes, API_BYTES, to));
    REFUSED(clmove_buffer_write(buffer, 0, NULL, API_BYTES, to));
    REFUSED(clmove_buffer_read(NULL, 0, bytes, API_BYTES, to));
    REFUSED(clmove_buffer_read(buffer, 0, NULL, API_BYTES, to));
    REFUSED(clmove_buffer_create_pinned(NULL, API_BYTES, &no_buffer, to));
    REFUSED(clmove_buffer_create_pinned(api_device, API_BYTES, NULL, to));
    REFUSED(clmove_buffer_wrap(NULL, bytes, API_BYTES, &no_buffer, to));
    REFUSED(clmove_buffer_wrap(api_device, NULL, API_BYTES, &no_buffer, to));
    REFUSED(clmove_buffer_wrap(api_device, bytes, API_BYTES, NULL, to));
    REFUSED(clmove_buffer_get_info(NULL, &buffer_info, to));
    REFUSED(clmove_buffer_get_info(buffer, NULL, to));
    REFUSED(clmove_buffer_map(NULL, CLMOVE_ACCESS_READ, 0, 1, &mapped, to));
    REFUSED(clmove_buffer_map(buffer, CLMOVE_ACCESS_READ, 0, 1, NULL, to));
    REFUSED(clmove_buffer_map(buffer, (clmove_access)0, 0, 1, &mapped, to));
    REFUSED(clmove_buffer_map(buffer, (clmove_access)4, 0, 1, &mapped, to));
    REFUSED(clmove_buffer_unmap(NULL, bytes, to));
    REFUSED(clmove_buffer_fill(NULL, 0, 1, bytes, 1, to));
    REFUSED(clmove_buffer_fill(buffer, 0, 1, NULL, 1, to));
    REFUSED(clmove_buffer_fill(buffer, 0, 1, bytes, 0, to));
    REFUSED(clmove_buffer_copy(NULL, 0, buffer, 0, 1, to));
    REFUSED(clmove_buffer_copy(buffer, 0, NULL, 0, 1, to));
    REFUSED(clmove_pool_create(NULL, 1, &no_pool, to));
    REFUSED(clmove_pool_create(api_device, 1, NULL, to));
    REFUSED(clmove_pool_take(NULL, 1, &no_buffer, to));
    REFUSED(clmove_pool_take(pool, 1, NULL, to));
    REFUSED(clmove_pool_trim(NULL, 1, to));
    REFUSED(clmove_pool_get_info(NULL, &pool_info, to));
    REFUSED(clmove_pool_get_info(pool, NULL, to));
    REFUSED(clmove_enqueue(NULL, clmove_buffer_view(buffer, 0), clmove_buffer_view(buffer, 0), NULL, to));
    REFUSED(clmove_enqueue(plan, clmove_buffer_view(NULL, 0), clmove_buffer_view(buffer, 0), NULL, to));
    REFUSED(clmove_enqueue(plan, clmove_buffer_view(buffer, 0), clmove_buffer_view(NULL, 0), NULL, to));
#undef REFUSED
    assert_null(no_plan);
    assert_null(no_buffer);
    assert_null(no_pool);
    assert_null(mapped);
    assert_null(no_device);
    clmove_pool_destroy(&pool);
    assert_string_equal(text, "untouched");
    assert_non_null(clmove_device_fallback(NULL));
    clmove_plan_destroy(&plan);
    clmove_buffer_destroy(&buffer);
}

static void destructors_null_and_accept_null(void **state) {
    (void)state;
    clmove_map map = api_map();
    clmove_device *opened = api_another_device();
    clmove_plan *plan = api_plan(opened, &map);
    clmove_buffer *buffer = api_buffer(opened, API_BYTES);
    clmove_pool *pool = NULL;
    ASSERT_OK(clmove_pool_create(opened, 0, &pool, &error), &error);
    for (int twice = 0; twice < 2; twice++) {
        clmove_plan_destroy(&plan);
        clmove_buffer_destroy(&buffer);
        clmove_pool_destroy(&pool);
        clmove_device_close(&opened);
        assert_null(pool);
        assert_null(plan);
        assert_null(buffer);
        assert_null(opened);
    }
    clmove_plan_destroy(NULL);
    clmove_buffer_destroy(NULL);
    clmove_pool_destroy(NULL);
    clmove_device_close(NULL);
}

static int plain_tests(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(statuses_have_words),
        cmocka_unit_test(null_is_refused),
        cmocka_unit_test(destructors_null_and_accept_null),
    };
    return cmocka_run_group_tests_name("api", tests, NULL, NULL);
}

int main(int count, char **arguments) {
    if (count != 2) {
        fprintf(stderr, "usage: test_api SELECTOR\n");
        return 2;
    }
    unsetenv("CLMOVE_DEVICE");
    unsetenv("CLMOVE_MEMORY_BUDGET");
    api_selector = arguments[1];
    api_device = open_device(api_selector);
    if (!api_device) {
        printf("api: skipped: there is no device %s\n", api_selector);
        return EXIT_SKIPPED;
    }
    int failed = plain_tests() + api_device_tests() + api_plan_tests() + api_memory_tests() + api_params_tests() +
                 api_output_tests() + api_buffer_tests() + api_mapping_tests() + api_budget_tests() + api_pool_tests() +
                 api_submit_tests() + api_spread_tests() + api_thread_tests();
    clmove_device_close(&api_device);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
