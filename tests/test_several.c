/* Several devices as one: test_several LIST [ONE...]
 *
 * LIST is a selector of two devices or more, of which at least one is of OpenCL; ONE are the selectors of its devices. Runs that
 * are cut over all of them, runs that are not, what a list refuses, and how much each device gets.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "test_several.h"

#include <clmove/advice.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *several_list;
char **several_ones;
int several_count;
clmove_device *several_device;
static clmove_error error;

/* ---- lists ---- */

static void check_refused(clmove_status status, const char *selector, const char *why) {
    const clmove_device_params params = {.struct_size = sizeof params, .selector = selector};
    clmove_device *untouched = several_device;
    ASSERT_FAILS(status, clmove_device_open(&params, &untouched, &error), &error);
    assert_ptr_equal(untouched, several_device);
    assert_mentions(error.text, why);
}

static void lists_are_checked(void **state) {
    (void)state;
    check_refused(CLMOVE_INVALID_ARGUMENT, "host,", "part 2");
    check_refused(CLMOVE_INVALID_ARGUMENT, ",host", "part 1");
    check_refused(CLMOVE_INVALID_ARGUMENT, "0,,host", "part 2");
    check_refused(CLMOVE_INVALID_ARGUMENT, "0, ,host", "part 2");
    check_refused(CLMOVE_INVALID_ARGUMENT, ",", "part 1");
    check_refused(CLMOVE_INVALID_ARGUMENT, "auto,host", "stands alone");
    check_refused(CLMOVE_INVALID_ARGUMENT, "host,auto", "stands alone");
    check_refused(CLMOVE_INVALID_ARGUMENT, "host,host", "twice");
    check_refused(CLMOVE_INVALID_ARGUMENT, "0,host,0", "twice");
    check_refused(CLMOVE_NO_DEVICE, "host,no such device", "no such device");
    check_refused(CLMOVE_NO_DEVICE, "4711,host", "4711");
    check_refused(CLMOVE_INVALID_ARGUMENT, "a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q", "more than 16");
}

static void a_list_of_what_there_is(void **state) {
    (void)state;
    char selector[256];
    clmove_device_params params = {.struct_size = sizeof params, .selector = selector};
    clmove_device *opened = NULL;
    clmove_device_info info = {.struct_size = sizeof info};
    snprintf(selector, sizeof selector, "no such device, host , %s", several_ones[0]);
    if (strcmp(several_ones[0], "host") == 0)
        snprintf(selector, sizeof selector, " host ,no such device, %s", several_ones[1]);
    ASSERT_FAILS(CLMOVE_NO_DEVICE, clmove_device_open(&params, &opened, &error), &error);
    params.allow_fallback = true;
    ASSERT_OK(clmove_device_open(&params, &opened, &error), &error);
    assert_mentions(clmove_device_fallback(opened), "no such device");
    ASSERT_OK(clmove_device_get_info(opened, &info, &error), &error);
    assert_int_equal(info.type, CLMOVE_DEVICE_SEVERAL);
    clmove_device_close(&opened);
    snprintf(selector, sizeof selector, "none,neither");
    ASSERT_OK(clmove_device_open(&params, &opened, &error), &error);
    ASSERT_OK(clmove_device_get_info(opened, &info, &error), &error);
    assert_int_equal(info.type, CLMOVE_DEVICE_HOST);
    clmove_device_close(&opened);
    setenv("CLMOVE_DEVICE", several_list, 1);
    ASSERT_OK(clmove_device_open(NULL, &opened, &error), &error);
    unsetenv("CLMOVE_DEVICE");
    ASSERT_OK(clmove_device_get_info(opened, &info, &error), &error);
    assert_int_equal(info.type, CLMOVE_DEVICE_SEVERAL);
    clmove_device_close(&opened);
}

static void properties_are_sums(void **state) {
    (void)state;
    clmove_device_info info = {.struct_size = sizeof info};
    clmove_memory_info memory = {.struct_size = sizeof memory};
    int64_t units = 0;
    ASSERT_OK(clmove_device_get_info(several_device, &info, &error), &error);
    assert_int_equal(info.type, CLMOVE_DEVICE_SEVERAL);
    assert_string_equal(clmove_device_type_text(info.type), "several");
    assert_int_equal(info.index, -1);
    assert_string_equal(clmove_device_fallback(several_device), "");
    for (int i = 0; i < several_count; i++) {
        clmove_device *one = open_device(several_ones[i]);
        clmove_device_info of = {.struct_size = sizeof of};
        assert_non_null(one);
        ASSERT_OK(clmove_device_get_info(one, &of, &error), &error);
        units += of.compute_units;
        if (strlen(info.name) < sizeof info.name - 1) /* else it is cut */
            assert_mentions(info.name, of.name);
        clmove_device_close(&one);
    }
    assert_int_equal(info.compute_units, units);
    ASSERT_OK(clmove_device_get_memory(several_device, &memory, &error), &error);
    assert_true(memory.budget_bytes > 0);
    ASSERT_OK(clmove_device_finish(several_device, &error), &error);
}

static void what_one_device_has_is_refused(void **state) {
    (void)state;
    uint8_t bytes[64] = {0};
    char text[8192];
    int64_t count;
    clmove_buffer *buffer = NULL;
    clmove_pool *pool = NULL;
    turned it = turned_create(several_device, 4, 4);
    clmove_times times = {.struct_size = sizeof times};
    clmove_prediction prediction = {.struct_size = sizeof prediction};
    clmove_advice advice = {.struct_size = sizeof advice};
    clmove_calibration_info calibration = {.struct_size = sizeof calibration};
    const clmove_view view = clmove_buffer_view(NULL, 0);
#define REFUSED(call)                                                                                                            \
    do {                                                                                                                         \
        ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, call, &error);                                                                     \
        assert_mentions(error.text, "a list of devices has no");                                                                 \
    } while (0)
    REFUSED(clmove_buffer_create(several_device, 64, &buffer, &error));
    REFUSED(clmove_buffer_create_pinned(several_device, 64, &buffer, &error));
    REFUSED(clmove_buffer_wrap(several_device, bytes, 64, &buffer, &error));
    REFUSED(clmove_pool_create(several_device, 64, &pool, &error));
    REFUSED(clmove_enqueue(it.plan, view, view, NULL, &error));
    REFUSED(clmove_measure(it.plan, view, view, &times, &error));
    REFUSED(clmove_plan_predict(it.plan, &prediction, &error));
    REFUSED(clmove_plan_advise(it.plan, CLMOVE_AT_HOST, CLMOVE_AT_HOST, &advice, &error));
    REFUSED(clmove_device_calibrate(several_device, 1, &error));
    REFUSED(clmove_device_get_calibration_info(several_device, &calibration, &error));
    REFUSED(clmove_device_get_calibration_text(several_device, text, sizeof text, &error));
    REFUSED(clmove_device_set_calibration_text(several_device, "", &error));
    REFUSED(clmove_device_get_calibration_path(several_device, text, sizeof text, &error));
    REFUSED(clmove_device_save_calibration(several_device, "/nonexistent/file", &error));
    REFUSED(clmove_device_load_calibration(several_device, "/nonexistent/file", &error));
    REFUSED(clmove_device_get_tuning(several_device, NULL, 0, &count, &error));
    REFUSED(clmove_device_get_tuning_path(several_device, text, sizeof text, &error));
#undef REFUSED
    assert_null(buffer);
    assert_null(pool);
    turned_destroy(&it);
}

/* ---- plans ---- */

static void plans_say_who_works(void **state) {
    (void)state;
    char text[16384];
    clmove_plan_info info = {.struct_size = sizeof info};
    clmove_device_info names = {.struct_size = sizeof names};
    turned it = turned_create(several_device, 300, 200);
    ASSERT_OK(clmove_plan_get_info(it.plan, &info, &error), &error);
    assert_int_equal(info.executor, CLMOVE_EXECUTOR_SEVERAL);
    assert_int_equal(info.run_executor, CLMOVE_EXECUTOR_SEVERAL);
    assert_int_equal(info.written_bytes, 240000);
    assert_string_equal(info.fallback, "");
    ASSERT_OK(clmove_plan_explain(it.plan, text, sizeof text, &error), &error);
    assert_mentions(text, "\nseveral  ");
    assert_mentions(text, "takes pieces when it is free");
    ASSERT_OK(clmove_device_get_info(several_device, &names, &error), &error);
    for (size_t capacity = 1; capacity < strlen(text) + 2; capacity += 7) {
        char small[16384];
        memset(small, 'x', sizeof small);
        ASSERT_OK(clmove_plan_explain(it.plan, small, capacity, &error), &error);
        assert_true(strlen(small) < capacity);
        assert_memory_equal(small, text, strlen(small));
        assert_int_equal(small[capacity], 'x');
    }
    turned_destroy(&it);
}

static void forced_choices_are_for_the_devices(void **state) {
    (void)state;
    clmove_map map;
    clmove_plan *plan = NULL;
    clmove_plan_params params = {.struct_size = sizeof params, .variant = "gather"};
    clmove_plan_info info = {.struct_size = sizeof info};
    ASSERT_OK(clmove_map_init(&map, 32, 2, (const int64_t[]){30, 20}, &error), &error);
    ASSERT_OK(clmove_map_permute(&map, 2, (const int64_t[]){1, 0}, &error), &error);
    ASSERT_OK(clmove_plan_create(several_device, &map, &params, &plan, &error), &error);
    ASSERT_OK(clmove_plan_get_info(plan, &info, &error), &error);
    assert_string_equal(info.variant, "gather");
    clmove_plan_destroy(&plan);
    params.variant = "copy";
    ASSERT_FAILS(CLMOVE_UNSUPPORTED, clmove_plan_create(several_device, &map, &params, &plan, &error), &error);
    params.variant = "none such";
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_plan_create(several_device, &map, &params, &plan, &error), &error);
    params = (clmove_plan_params){.struct_size = sizeof params, .tuning = "max_items"};
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_plan_create(several_device, &map, &params, &plan, &error), &error);
    assert_null(plan);
}

static void empty_tensors_are_nothing(void **state) {
    (void)state;
    clmove_map map;
    clmove_plan *plan = NULL;
    clmove_plan_info info = {.struct_size = sizeof info};
    clmove_run_info run = {.struct_size = sizeof run};
    const clmove_run_params params = {.struct_size = sizeof params, .info = &run};
    char text[4096];
    ASSERT_OK(clmove_map_init(&map, 32, 2, (const int64_t[]){0, 20}, &error), &error);
    ASSERT_OK(clmove_plan_create(several_device, &map, NULL, &plan, &error), &error);
    ASSERT_OK(clmove_plan_get_info(plan, &info, &error), &error);
    assert_int_equal(info.executor, CLMOVE_EXECUTOR_SEVERAL);
    assert_string_equal(info.variant, "none");
    ASSERT_OK(clmove_plan_explain(plan, text, sizeof text, &error), &error);
    ASSERT_OK(clmove_run_with(plan, NULL, 0, NULL, 0, &params, &error), &error);
    assert_int_equal(run.method, CLMOVE_RUN_NOTHING);
    clmove_plan_destroy(&plan);
}

int main(int count, char **arguments) {
    if (count < 4) {
        fprintf(stderr, "usage: test_several LIST ONE ONE...\n");
        return 2;
    }
    unsetenv("CLMOVE_DEVICE");
    several_list = arguments[1];
    several_ones = arguments + 2;
    several_count = count - 2;
    several_device = open_device(several_list);
    if (!several_device) {
        printf("several: skipped: there are no devices %s\n", several_list);
        return EXIT_SKIPPED;
    }
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_are_checked),         cmocka_unit_test(a_list_of_what_there_is),
        cmocka_unit_test(properties_are_sums),       cmocka_unit_test(what_one_device_has_is_refused),
        cmocka_unit_test(plans_say_who_works),       cmocka_unit_test(forced_choices_are_for_the_devices),
        cmocka_unit_test(empty_tensors_are_nothing),
    };
    int failed = cmocka_run_group_tests_name(several_list, tests, NULL, NULL) + several_run_tests();
    clmove_device_close(&several_device);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
