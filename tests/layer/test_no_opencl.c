/* A machine without OpenCL, or with a loader and nothing behind it: the host does everything, and says why. The environment makes
 * it so.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "journey.h"

static void auto_opens_the_host(void **state) {
    (void)state;
    journey it;
    ASSERT_OK(journey_open(&it, "auto", false), &it.error);
    assert_mentions(clmove_device_fallback(it.device), "OpenCL");
    ASSERT_OK(journey_plan(&it), &it.error);
    ASSERT_OK(journey_run(&it), &it.error);
    journey_check_bytes(&it);
    ASSERT_OK(journey_enqueue(&it), &it.error);
    journey_check_bytes(&it);
    journey_check_fallback(&it, "OpenCL");
    journey_end(&it);
}

static void named_devices_are_missing(void **state) {
    (void)state;
    static const char *const selectors[] = {"cpu", "gpu", "accelerator", "0", "pthread"};
    for (size_t i = 0; i < sizeof selectors / sizeof *selectors; i++) {
        journey it;
        ASSERT_FAILS(CLMOVE_NO_DEVICE, journey_open(&it, selectors[i], false), &it.error);
        assert_mentions(it.error.text, "OpenCL");
        assert_null(it.device);
        journey_end(&it);
    }
}

static void a_named_device_falls_back_when_allowed(void **state) {
    (void)state;
    journey it;
    ASSERT_OK(journey_open(&it, "cpu", true), &it.error);
    ASSERT_OK(journey_plan(&it), &it.error);
    ASSERT_OK(journey_run(&it), &it.error);
    journey_check_bytes(&it);
    journey_check_fallback(&it, "OpenCL");
    journey_end(&it);
}

static void the_host_is_no_fallback(void **state) {
    (void)state;
    journey it;
    ASSERT_OK(journey_open(&it, "host", false), &it.error);
    ASSERT_OK(journey_plan(&it), &it.error);
    ASSERT_OK(journey_run(&it), &it.error);
    journey_check_bytes(&it);
    assert_string_equal(clmove_device_fallback(it.device), "");
    assert_int_equal(it.logged, 0);
    journey_end(&it);
}

static void the_host_is_listed_alone(void **state) {
    (void)state;
    clmove_device_info infos[4] = {{.struct_size = sizeof *infos}};
    clmove_error error;
    int64_t count = 0;
    ASSERT_OK(clmove_device_list(infos, 4, &count, &error), &error);
    assert_int_equal(count, 1);
    assert_int_equal(infos[0].type, CLMOVE_DEVICE_HOST);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(auto_opens_the_host),
        cmocka_unit_test(named_devices_are_missing),
        cmocka_unit_test(a_named_device_falls_back_when_allowed),
        cmocka_unit_test(the_host_is_no_fallback),
        cmocka_unit_test(the_host_is_listed_alone),
    };
    return cmocka_run_group_tests_name("no OpenCL", tests, NULL, NULL);
}
