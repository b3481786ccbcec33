/* Devices: how they are chosen, listed and refused.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "test_api.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static clmove_error error;

static void unknown_devices_are_refused(void **state) {
    (void)state;
    clmove_device *untouched = api_device;
    clmove_device_params params = {.struct_size = sizeof params, .selector = "no such device surely"};
    ASSERT_FAILS(CLMOVE_NO_DEVICE, clmove_device_open(&params, &untouched, &error), &error);
    assert_mentions(error.text, "no such device surely");
    params.selector = "4711";
    ASSERT_FAILS(CLMOVE_NO_DEVICE, clmove_device_open(&params, &untouched, &error), &error);
    params.selector = "-1";
    ASSERT_FAILS(CLMOVE_NO_DEVICE, clmove_device_open(&params, &untouched, &error), &error);
    params.selector = "99999999999999999999999";
    ASSERT_FAILS(CLMOVE_NO_DEVICE, clmove_device_open(&params, &untouched, &error), &error);
    assert_ptr_equal(untouched, api_device);
    setenv("CLMOVE_DEVICE", "not a device either", 1);
    params.selector = NULL;
    ASSERT_FAILS(CLMOVE_NO_DEVICE, clmove_device_open(&params, &untouched, &error), &error);
    assert_mentions(error.text, "not a device either");
    params.struct_size = sizeof params - 1;
    params.selector = "host";
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_device_open(&params, &untouched, &error), &error);
    params.struct_size = 0;
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_device_open(&params, &untouched, &error), &error);
    assert_ptr_equal(untouched, api_device);
    unsetenv("CLMOVE_DEVICE");
}

typedef struct variable {
    const char *name, *must_be;
} variable;

static void expect_refused(const variable *the, const char *value) {
    const char *const selectors[] = {"host", "auto", api_selector};
    int64_t count = 0;
    char text[128];
    setenv(the->name, value, 1);
    snprintf(text, sizeof text, "%s is \"%s\", it must be %s", the->name, value, the->must_be);
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_device_list(NULL, 0, &count, &error), &error);
    assert_string_equal(error.text, text);
    for (size_t i = 0; i < sizeof selectors / sizeof *selectors; i++) {
        const clmove_device_params params = {.struct_size = sizeof params, .selector = selectors[i], .allow_fallback = true};
        clmove_device *none = NULL;
        ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_device_open(&params, &none, &error), &error);
        assert_string_equal(error.text, text);
        assert_null(none);
    }
}

/* Also by devices that do not use the variable. */
static void variables_of_other_values_are_refused(void **state) {
    static const variable variables[] = {{"CLMOVE_IN_PLACE", "0, 1, or nothing"},
                                         {"CLMOVE_KERNELS", "plain or clang, or nothing"},
                                         {"CLMOVE_PROGRAM_CACHE", "0 or off, 1 or on, or nothing"},
                                         {"CLMOVE_SELF_TEST", "0, 1, or nothing"}};
    static const char *const wrong[] = {"yes", "2", "On", " 1", "plain ", "offf"};
    (void)state;
    for (size_t v = 0; v < sizeof variables / sizeof *variables; v++) {
        const char *given = getenv(variables[v].name);
        char *kept = given ? strdup(given) : NULL;
        int64_t count = 0;
        for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
            expect_refused(&variables[v], wrong[i]);
        setenv(variables[v].name, "", 1); /* as if it were not there */
        ASSERT_OK(clmove_device_list(NULL, 0, &count, &error), &error);
        if (kept)
            setenv(variables[v].name, kept, 1);
        else
            unsetenv(variables[v].name);
        free(kept);
    }
}

static void expect_opens(const char *by, const char *named, const clmove_device_info *wanted) {
    clmove_device_params params = {.struct_size = sizeof params, .selector = by};
    clmove_device *opened = NULL;
    clmove_device_info info = {.struct_size = sizeof info};
    if (named)
        setenv("CLMOVE_DEVICE", named, 1);
    ASSERT_OK(clmove_device_open(&params, &opened, &error), &error);
    unsetenv("CLMOVE_DEVICE");
    ASSERT_OK(clmove_device_get_info(opened, &info, &error), &error);
    assert_int_equal(info.type, wanted->type);
    assert_int_equal(info.index, wanted->index);
    assert_string_equal(info.name, wanted->name);
    assert_string_equal(clmove_device_fallback(opened), "");
    clmove_device_close(&opened);
}

/* A name finds the first device that has it, such as that of the first of two equal servers. */
static clmove_device_info find_first_named(const char *name) {
    clmove_device_info infos[64];
    int64_t count = 0, place = 0;
    infos[0].struct_size = sizeof *infos;
    ASSERT_OK(clmove_device_list(infos, 64, &count, &error), &error);
    while (place + 1 < count && strcmp(infos[place].name, name) != 0)
        place++;
    return infos[place];
}

static void devices_are_found_by_type_index_name_and_variable(void **state) {
    (void)state;
    clmove_device_info info = {.struct_size = sizeof info};
    ASSERT_OK(clmove_device_get_info(api_device, &info, &error), &error);
    assert_true(info.name[0] != '\0' && info.compute_units > 0);
    expect_opens(api_selector, NULL, &info);
    expect_opens(NULL, api_selector, &info);
    expect_opens(api_selector, "no such device", &info);
    if (info.type == CLMOVE_DEVICE_HOST) {
        assert_true(info.max_alloc_bytes > 0 && info.max_alloc_bytes <= PTRDIFF_MAX); /* however large the machine is */
        assert_int_equal(info.index, -1);
        assert_string_equal(info.platform, "");
        return;
    }
    char index[16], part[128];
    snprintf(index, sizeof index, "%d", (int)info.index);
    expect_opens(index, NULL, &info);
    expect_opens(NULL, index, &info);
    snprintf(part, sizeof part, "%s", info.name);
    part[strlen(part) - 1] = '\0';
    const clmove_device_info named = find_first_named(info.name);
    expect_opens(part, NULL, &named);
    expect_opens(part + 1, NULL, &named);
    assert_true(info.address_bits == 32 || info.address_bits == 64);
    assert_true(info.max_alloc_bytes > 0 && info.memory_bytes >= info.max_alloc_bytes);
    assert_true(info.platform[0] != '\0');
    assert_mentions(info.version, "OpenCL");
}

static void devices_are_listed_to_capacity(void **state) {
    (void)state;
    clmove_device_info infos[64], wanted = {.struct_size = sizeof wanted};
    memset(infos, 0x5a, sizeof infos);
    infos[0].struct_size = sizeof *infos;
    int64_t all = 0, again = 0;
    ASSERT_OK(clmove_device_list(NULL, 0, &all, &error), &error);
    assert_in_range(all, 1, 63);
    ASSERT_OK(clmove_device_list(infos, all - 1, &again, &error), &error);
    assert_int_equal(again, all);
    assert_int_equal(infos[all - 1].type, 0x5a5a5a5a);
    ASSERT_OK(clmove_device_list(infos, 64, &again, &error), &error);
    assert_int_equal(infos[all - 1].type, CLMOVE_DEVICE_HOST);
    assert_int_equal(infos[all].type, 0x5a5a5a5a);
    for (int64_t i = 0; i + 1 < all; i++)
        assert_int_equal(infos[i].index, i);
    ASSERT_OK(clmove_device_get_info(api_device, &wanted, &error), &error);
    int64_t place = wanted.type == CLMOVE_DEVICE_HOST ? all - 1 : wanted.index;
    assert_string_equal(infos[place].name, wanted.name);
    assert_int_equal(infos[place].type, wanted.type);
}

static void auto_takes_a_gpu_or_says_why_not(void **state) {
    (void)state;
    clmove_device_params params = {.struct_size = sizeof params, .selector = "auto"};
    clmove_device *opened = NULL;
    clmove_device_info info = {.struct_size = sizeof info};
    ASSERT_OK(clmove_device_open(&params, &opened, &error), &error);
    ASSERT_OK(clmove_device_get_info(opened, &info, &error), &error);
    assert_int_not_equal(info.type, CLMOVE_DEVICE_CPU);
    assert_int_equal(clmove_device_fallback(opened)[0] != '\0', info.type == CLMOVE_DEVICE_HOST);
    clmove_device_close(&opened);
    ASSERT_OK(clmove_device_open(NULL, &opened, &error), &error); /* no params at all: auto, unless this is refused */
    clmove_device_close(&opened);
}

/* 60000 are more than a process gets. */
static void threads_are_bounded(void **state) {
    (void)state;
    enum { ROWS = 3000, COLUMNS = 2000 };
    clmove_device_params params = {.struct_size = sizeof params, .selector = "host", .threads = 60000};
    clmove_device *opened = NULL;
    clmove_plan *plan = NULL;
    clmove_device_info info = {.struct_size = sizeof info};
    clmove_map map;
    unsigned char *src = calloc(ROWS, COLUMNS), *dst = calloc(ROWS, COLUMNS);
    assert_non_null(src);
    assert_non_null(dst);
    src[1] = 7;
    ASSERT_OK(clmove_device_open(&params, &opened, &error), &error);
    ASSERT_OK(clmove_device_get_info(opened, &info, &error), &error);
    assert_true(info.compute_units >= 1 && info.compute_units <= 256);
    ASSERT_OK(clmove_map_init(&map, 8, 2, (int64_t[]){ROWS, COLUMNS}, &error), &error);
    ASSERT_OK(clmove_map_permute(&map, 2, (int64_t[]){1, 0}, &error), &error);
    ASSERT_OK(clmove_plan_create(opened, &map, NULL, &plan, &error), &error);
    ASSERT_OK(clmove_run(plan, src, ROWS * COLUMNS, dst, ROWS * COLUMNS, &error), &error);
    assert_int_equal(dst[ROWS], 7);
    clmove_plan_destroy(&plan);
    clmove_device_close(&opened);
    free(src);
    free(dst);
}

int api_device_tests(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(unknown_devices_are_refused),
        cmocka_unit_test(devices_are_found_by_type_index_name_and_variable),
        cmocka_unit_test(devices_are_listed_to_capacity),
        cmocka_unit_test(auto_takes_a_gpu_or_says_why_not),
        cmocka_unit_test(threads_are_bounded),
        cmocka_unit_test(variables_of_other_values_are_refused),
    };
    return cmocka_run_group_tests_name("devices", tests, NULL, NULL);
}
