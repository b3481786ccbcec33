/* Tunings of open devices: which files are read, what goes over what, and what keeps a device closed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/settings/file.h"
#include "support.h"
#include "tuning_keys.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static clmove_error error;

static char folder[64], file[128];

static void write_file(const char *path, const char *text) {
    FILE *to = fopen(path, "w");
    assert_non_null(to);
    assert_true(fputs(text, to) >= 0 && fclose(to) == 0);
}

static int make_folder(void **state) {
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/clmove-tuning-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(file, sizeof file, "%s/clmove", folder);
    mkdir(file, 0700);
    snprintf(file, sizeof file, "%s/clmove/tuning.conf", folder);
    unsetenv("CLMOVE_TUNING");
    unsetenv("CLMOVE_TUNING_FILE");
    setenv("XDG_CONFIG_HOME", folder, 1);
    return 0;
}

static int remove_folder(void **state) {
    char path[128];
    (void)state;
    unlink(file);
    snprintf(path, sizeof path, "%s/clmove", folder);
    rmdir(path);
    unsetenv("XDG_CONFIG_HOME");
    return rmdir(folder);
}

static void expect_in_force(const char *tuning, const char *key, int64_t wanted, clmove_tuning_origin origin) {
    clmove_device_params params = {.struct_size = sizeof params, .selector = "host", .tuning = tuning};
    clmove_device *device = NULL;
    clmove_tuning_value values[16] = {{.struct_size = sizeof *values}};
    int64_t count = 0, i = 0;
    ASSERT_OK(clmove_device_open(&params, &device, &error), &error);
    ASSERT_OK(clmove_device_get_tuning(device, values, 16, &count, &error), &error);
    while (i < count && strcmp(values[i].key, key) != 0)
        i++;
    assert_in_range(i, 0, count - 1);
    assert_int_equal(values[i].value, wanted);
    assert_int_equal(values[i].origin, origin);
    clmove_device_close(&device);
}

static void expect_refused(const char *tuning, const char *sentence) {
    clmove_device_params params = {.struct_size = sizeof params, .selector = "auto", .allow_fallback = true, .tuning = tuning};
    clmove_device *device = NULL;
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_device_open(&params, &device, &error), &error);
    assert_mentions(error.text, sentence);
    assert_null(device);
}

static void each_goes_over_those_before(void **state) {
    (void)state;
    expect_in_force(NULL, "max_dst_rows", 32, CLMOVE_TUNING_BUILT_IN);
    write_file(file, "[class host]\nmax_dst_rows = 2\n");
    expect_in_force(NULL, "max_dst_rows", 2, CLMOVE_TUNING_FROM_FILE);
    write_file(file, "[device host]\nmax_dst_rows = 3\n[class host]\nmax_dst_rows = 2\n");
    expect_in_force("", "max_dst_rows", 3, CLMOVE_TUNING_FROM_FILE);
    setenv("CLMOVE_TUNING", "max_dst_rows=4", 1);
    expect_in_force(NULL, "max_dst_rows", 4, CLMOVE_TUNING_ENVIRONMENT);
    expect_in_force("max_dst_rows=5", "max_dst_rows", 5, CLMOVE_TUNING_PARAMS);
    expect_in_force("segment_bytes=5", "max_dst_rows", 4, CLMOVE_TUNING_ENVIRONMENT);
    setenv("CLMOVE_TUNING", "", 1);
    expect_in_force(NULL, "max_dst_rows", 3, CLMOVE_TUNING_FROM_FILE);
    setenv("CLMOVE_TUNING_FILE", "", 1);
    expect_in_force(NULL, "max_dst_rows", 32, CLMOVE_TUNING_BUILT_IN);
    unsetenv("CLMOVE_TUNING");
    unsetenv("CLMOVE_TUNING_FILE");
}

static void what_is_wrong_keeps_devices_closed(void **state) {
    (void)state;
    char sentence[512];
    expect_refused("max_stream=1", "clmove_device_params.tuning: there is no key \"max_stream\": there are " TUNING_KEYS);
    setenv("CLMOVE_TUNING", "max_dst_rows=x", 1);
    expect_refused(NULL, "CLMOVE_TUNING: max_dst_rows is \"x\", it must be a whole number from 0 to 65536");
    unsetenv("CLMOVE_TUNING");
    write_file(file, "[class gpu]\nmax_item = 2\n");
    snprintf(sentence, sizeof sentence, "%s, line 2: there is no key \"max_item\": there are " TUNING_KEYS, file);
    expect_refused(NULL, sentence);
    unlink(file);
    expect_in_force(NULL, "max_dst_rows", 32, CLMOVE_TUNING_BUILT_IN);
    setenv("CLMOVE_TUNING_FILE", file, 1);
    snprintf(sentence, sizeof sentence, "%s, a file of tunings, cannot be read: No such file or directory", file);
    expect_refused(NULL, sentence);
    setenv("CLMOVE_TUNING_FILE", folder, 1);
    snprintf(sentence, sizeof sentence, "%s cannot be a file of tunings: it is no regular file", folder);
    expect_refused(NULL, sentence);
    FILE *large = fopen(file, "w");
    assert_non_null(large);
    for (int i = 0; i < 4096; i++)
        fputs("# comments only\n", large);
    fputs("\n", large);
    assert_int_equal(fclose(large), 0);
    setenv("CLMOVE_TUNING_FILE", file, 1);
    snprintf(sentence, sizeof sentence, "%s has more than 65536 bytes: it is no file of tunings", file);
    expect_refused(NULL, sentence);
    assert_int_equal(truncate(file, 65536), 0);
    expect_in_force(NULL, "max_dst_rows", 32, CLMOVE_TUNING_BUILT_IN);
    unsetenv("CLMOVE_TUNING_FILE");
    unlink(file);
}

/* As in a container whose HOME is another user's. */
static void a_folder_that_may_not_be_entered_has_no_file(void **state) {
    char sentence[512];
    const bool is_root = geteuid() == 0;
    (void)state;
    write_file(file, "[class host]\nmax_dst_rows = 2\n");
    assert_int_equal(chmod(folder, is_root ? 0700 : 0), 0);
    if (is_root && seteuid(65534) != 0) /* where no other user is mapped */
        skip();
    expect_in_force(NULL, "max_dst_rows", 32, CLMOVE_TUNING_BUILT_IN);
    setenv("CLMOVE_TUNING_FILE", file, 1);
    snprintf(sentence, sizeof sentence, "%s, a file of tunings, cannot be read: Permission denied", file);
    expect_refused(NULL, sentence);
}

static int may_enter_again(void **state) {
    (void)state;
    unsetenv("CLMOVE_TUNING_FILE");
    return seteuid(getuid()) == 0 && chmod(folder, 0700) == 0 && unlink(file) == 0 ? 0 : -1;
}

/* The path of a device's own file, without the folder. */
static const char *own_file(const char *name, const char *driver) {
    static const clm_config_file tuning = {.name = "tuning", .variable = "CLMOVE_TUNING_FILE", .what = "file"};
    static char paths[4][PATH_MAX];
    static int next;
    clmove_device_info info = {.type = CLMOVE_DEVICE_GPU};
    char *path = paths[next++ % 4];
    snprintf(info.name, sizeof info.name, "%s", name);
    snprintf(info.driver, sizeof info.driver, "%s", driver);
    ASSERT_OK(clm_config_path(&tuning, &info, path, PATH_MAX, &error), &error);
    assert_memory_equal(path, folder, strlen(folder));
    assert_memory_equal(path + strlen(folder), "/clmove/tuning/", 15);
    return path + strlen(folder) + 15;
}

static void each_device_has_a_file_of_its_own(void **state) {
    (void)state;
    char long_name[128], own[192], sentence[512];
    memset(long_name, '/', sizeof long_name - 1);
    long_name[127] = '\0';
    assert_string_equal(own_file("Tensor #1 [rev]", "1.0"), "Tensor-1-rev-1.0-99b423b4bdac23a8.ini");
    assert_string_equal(own_file("Tensor  1 (rev)", "1.0"), "Tensor-1-rev-1.0-02620f5e79aed872.ini");
    assert_string_not_equal(own_file("a", "b"), own_file("a b", ""));
    assert_string_not_equal(own_file("host", ""), "host.ini");
    static const char *const odd[] = {"", ".", "../../x", "\x1b[2J\n\xff", "\xc3\xa4"};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        const char *path = own_file(odd[i], "");
        assert_int_equal(strspn(path, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"), strlen(path));
    }
    memset(long_name, 'n', sizeof long_name - 1);
    assert_in_range(strlen(own_file(long_name, "d")), 60, 100);
    assert_string_not_equal(own_file(long_name, "d"), own_file(long_name, "e"));

    snprintf(own, sizeof own, "%s/clmove/tuning", folder);
    assert_int_equal(mkdir(own, 0700), 0);
    snprintf(own, sizeof own, "%s/clmove/tuning/host.ini", folder);
    write_file(file, "[class host]\nmax_dst_rows = 2\nsegment_bytes = 2\n[device host]\nmax_dst_rows = 3\n");
    write_file(own, "; made by hand\n[device host]\nmax_dst_rows = 4\n");
    expect_in_force(NULL, "max_dst_rows", 4, CLMOVE_TUNING_FROM_FILE);
    expect_in_force(NULL, "segment_bytes", 2, CLMOVE_TUNING_FROM_FILE);
    write_file(own, "[device another | 1]\nmax_dst_rows = 4\n");
    snprintf(sentence, sizeof sentence, "%s has no section [device host]", own);
    expect_refused(NULL, sentence);
    setenv("CLMOVE_TUNING_FILE", "/dev/null", 1);
    expect_in_force(NULL, "max_dst_rows", 32, CLMOVE_TUNING_BUILT_IN);
    unsetenv("CLMOVE_TUNING_FILE");
    assert_int_equal(unlink(own) | unlink(file), 0);
    *strrchr(own, '/') = '\0';
    assert_int_equal(rmdir(own), 0);
}

static void expect_path(const char *wanted) {
    char path[256];
    ASSERT_OK(clmove_tuning_path(path, sizeof path, &error), &error);
    assert_string_equal(path, wanted);
}

static void the_path_is_that_of_the_specification(void **state) {
    (void)state;
    char small[8], wanted[192], before[256];
    snprintf(before, sizeof before, "%s", getenv("HOME") ? getenv("HOME") : "/");
    expect_path(file);
    setenv("HOME", "/h", 1);
    setenv("XDG_CONFIG_HOME", "relative", 1);
    expect_path("/h/.config/clmove/tuning.conf");
    setenv("XDG_CONFIG_HOME", "", 1);
    expect_path("/h/.config/clmove/tuning.conf");
    unsetenv("XDG_CONFIG_HOME");
    expect_path("/h/.config/clmove/tuning.conf");
    unsetenv("HOME");
    expect_path("");
    setenv("HOME", "h", 1);
    expect_path("");
    setenv("CLMOVE_TUNING_FILE", "here.conf", 1);
    expect_path("here.conf");
    setenv("CLMOVE_TUNING_FILE", "", 1);
    expect_path("");
    unsetenv("CLMOVE_TUNING_FILE");
    setenv("HOME", before, 1);
    setenv("XDG_CONFIG_HOME", folder, 1);
    snprintf(wanted, sizeof wanted, "the path has %zu bytes and a final 0, and there is room for 8", strlen(file));
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_tuning_path(small, sizeof small, &error), &error);
    assert_string_equal(error.text, wanted);
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_tuning_path(NULL, 8, &error), &error);
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_tuning_path(small, 0, &error), &error);
}

/* What the plan of a map says of its launch. */
static void explain_map(clmove_device *device, const clmove_map *map, const char *tuning, char text[4096]) {
    clmove_plan_params params = {.struct_size = sizeof params, .tuning = tuning};
    clmove_plan *plan = NULL;
    ASSERT_OK(clmove_plan_create(device, map, &params, &plan, &error), &error);
    ASSERT_OK(clmove_plan_explain(plan, text, 4096, &error), &error);
    clmove_plan_destroy(&plan);
}

static void explain(clmove_device *device, const char *tuning, char text[4096]) {
    clmove_map map;
    ASSERT_OK(clmove_map_init(&map, 32, 2, (int64_t[]){1024, 250}, &error), &error);
    ASSERT_OK(clmove_map_tile(&map, 2, (int64_t[]){1, 4}, CLMOVE_RULES_OPENVINO, &error), &error);
    explain_map(device, &map, tuning, text);
}

/* tune tells plans apart by what they say. */
static void plans_say_how_they_go_past_the_cache(void **state) {
    (void)state;
    static const char *const ways[] = {"non-temporal stores", "non-temporal stores, strips",
                                       "non-temporal stores, by way of rooms", "non-temporal stores, strips of two lines"};
    clmove_device_params params = {.struct_size = sizeof params, .selector = "host", .tuning = "stream_min_bytes=1"};
    clmove_device *device = NULL;
    clmove_map map;
    ASSERT_OK(clmove_device_open(&params, &device, &error), &error);
    ASSERT_OK(clmove_map_init(&map, 32, 2, (int64_t[]){1024, 240}, &error), &error);
    ASSERT_OK(clmove_map_permute(&map, 2, (int64_t[]){1, 0}, &error), &error);
    for (int i = 0; i < 4; i++) {
        char tuning[16], text[4096], line[80];
        snprintf(tuning, sizeof tuning, "strips=%d", i + 1);
        snprintf(line, sizeof line, "%s\n", ways[i]);
        explain_map(device, &map, tuning, text);
        assert_mentions(text, line);
    }
    clmove_device_close(&device);
}

static void plans_follow_the_device_unless_told_otherwise(void **state) {
    (void)state;
    clmove_device_params params = {.struct_size = sizeof params, .selector = "host", .tuning = "stream_min_bytes=1"};
    clmove_device *device = NULL;
    clmove_plan *plan = NULL;
    clmove_map map;
    char text[4096], again[4096];
    ASSERT_OK(clmove_device_open(&params, &device, &error), &error);
    explain(device, NULL, text);
    assert_mentions(text, "non-temporal stores");
    explain(device, "stream_min_bytes=9223372036854775807", again);
    assert_null(strstr(again, "non-temporal stores"));
    explain(device, "segment_bytes=2000", again);
    assert_mentions(again, "non-temporal stores");
    assert_string_not_equal(text, again);
    explain(device, "", again);
    assert_string_equal(text, again);
    ASSERT_OK(clmove_map_init(&map, 8, 1, (int64_t[]){4}, &error), &error);
    clmove_plan_params wrong = {.struct_size = sizeof wrong, .tuning = "no"};
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_plan_create(device, &map, &wrong, &plan, &error), &error);
    assert_string_equal(error.text, "clmove_plan_params.tuning: \"no\" is not key=value");
    assert_null(plan);
    int64_t count = 4711;
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_device_get_tuning(device, NULL, 1, &count, &error), &error);
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_device_get_tuning(device, NULL, -1, &count, &error), &error);
    assert_string_equal(error.text, "capacity is -1, a number of entries from 0 on is needed");
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_device_get_tuning(NULL, NULL, 0, &count, &error), &error);
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_device_get_tuning(device, NULL, 0, NULL, &error), &error);
    assert_int_equal(count, 4711);
    clmove_device_close(&device);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_goes_over_those_before),
        cmocka_unit_test(what_is_wrong_keeps_devices_closed),
        cmocka_unit_test_teardown(a_folder_that_may_not_be_entered_has_no_file, may_enter_again),
        cmocka_unit_test(each_device_has_a_file_of_its_own),
        cmocka_unit_test(the_path_is_that_of_the_specification),
        cmocka_unit_test(plans_follow_the_device_unless_told_otherwise),
        cmocka_unit_test(plans_say_how_they_go_past_the_cache),
    };
    return cmocka_run_group_tests_name("devices", tests, make_folder, remove_folder);
}
