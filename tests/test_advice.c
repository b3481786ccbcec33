/* Calibrations of an open device, what plans predict from them, and where auto runs.
 *
 *   test_advice DEVICE
 *
 * No figure that was measured is judged, but that it is one.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "support.h"

#include <clmove/advice.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROWS = 93, COLUMNS = 144, BYTES = ROWS * COLUMNS };

static clmove_error error;
static const char *selector;
static bool is_host;
static clmove_device *device;
static clmove_plan *plan;
static char path[64], logged[512], text[16384];
static int lines;

static void note(void *user, const char *line) {
    (void)user;
    lines++;
    snprintf(logged, sizeof logged, "%s", line);
}

static void open_it(const char *which) {
    clmove_device_params params = {.struct_size = sizeof params, .selector = which, .log = note};
    lines = 0;
    ASSERT_OK(clmove_device_open(&params, &device, &error), &error);
}

static void plan_it(void) {
    clmove_map map;
    clmove_plan_destroy(&plan);
    ASSERT_OK(clmove_map_init(&map, 8, 2, (int64_t[]){ROWS, COLUMNS}, &error), &error);
    ASSERT_OK(clmove_map_permute(&map, 2, (int64_t[]){1, 0}, &error), &error);
    ASSERT_OK(clmove_plan_create(device, &map, NULL, &plan, &error), &error);
}

static int close_it(void **state) {
    (void)state;
    clmove_plan_destroy(&plan);
    clmove_device_close(&device);
    setenv("CLMOVE_CALIBRATION_FILE", "", 1);
    return 0;
}

static void write_file(const char *content) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(content, file) >= 0 && fclose(file) == 0);
    setenv("CLMOVE_CALIBRATION_FILE", path, 1);
}

static clmove_calibration_origin origin(void) {
    clmove_calibration_info info = {.struct_size = sizeof info};
    ASSERT_OK(clmove_device_get_calibration_info(device, &info, &error), &error);
    assert_true(info.noise >= 0);
    return info.origin;
}

static const char *figures_now(void) {
    static char figures[8192];
    ASSERT_OK(clmove_device_get_calibration_text(device, figures, sizeof figures, &error), &error);
    return figures;
}

/* The file that says of a device what it is said to be now. */
static void write_now(const char *more) {
    clmove_device_info info = {.struct_size = sizeof info};
    ASSERT_OK(clmove_device_get_info(device, &info, &error), &error);
    snprintf(text, sizeof text, "[device none]\nx = 1\n[device %s%s%s]\n%s%s", info.name, info.driver[0] ? " | " : "",
             info.driver, figures_now(), more);
    write_file(text);
}

/* ---- calibrations ---- */

static int count_entries(const char *folder) {
    int count = 0;
    DIR *all = opendir(folder);
    assert_non_null(all);
    for (const struct dirent *it; (it = readdir(all));)
        count += it->d_name[0] != '.';
    closedir(all);
    return count;
}

static mode_t mode_of(const char *file) {
    struct stat about;
    assert_int_equal(stat(file, &about), 0);
    return about.st_mode & 0777;
}

static void it_is_saved_and_loaded(void **state) {
    (void)state;
    char folder[] = "/tmp/clmove-test-XXXXXX", below[64], file[80], link[80], saved[8192], changed[8192], command[64];
    assert_non_null(mkdtemp(folder));
    snprintf(below, sizeof below, "%s/a/b", folder);
    snprintf(file, sizeof file, "%s/mine.ini", below);
    open_it(selector);
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_device_save_calibration(device, file, &error), &error);
    assert_mentions(error.text, "a guess");
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_device_load_calibration(device, file, &error), &error);
    assert_mentions(error.text, "is not there");
    snprintf(saved, sizeof saved, "%s", figures_now());
    snprintf(changed, sizeof changed, "%s", saved);
    char *noise = strstr(changed, "noise_percent = 0\n");
    assert_non_null(noise);
    noise[strlen("noise_percent = ")] = '9';

    ASSERT_OK(clmove_device_set_calibration_text(device, saved, &error), &error);
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_device_save_calibration(device, NULL, &error), &error);
    assert_mentions(error.text, "CLMOVE_CALIBRATION_FILE is empty");
    struct rlimit limit, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    small = limit;
    small.rlim_cur = 16;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_device_save_calibration(device, file, &error),
                 &error); /* it ended the process */
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_mentions(error.text, "more than the process may write to a file");
    ASSERT_OK(clmove_device_save_calibration(device, file, &error), &error); /* with the folders above it */
    assert_int_equal(mode_of(file), 0600);
    assert_int_equal(mode_of(below), 0700);
    setenv("CLMOVE_CALIBRATION_FILE", file, 1);
    clmove_device_close(&device);
    open_it(selector);
    assert_int_equal(lines, 0);
    assert_int_equal(origin(), CLMOVE_CALIBRATION_FROM_FILE);
    assert_string_equal(figures_now(), saved);

    ASSERT_OK(clmove_device_set_calibration_text(device, changed, &error), &error);
    ASSERT_OK(clmove_device_load_calibration(device, NULL, &error), &error);
    assert_int_equal(origin(), CLMOVE_CALIBRATION_FROM_FILE);
    assert_string_equal(figures_now(), saved);
    assert_int_equal(chmod(file, 0640), 0);
    ASSERT_OK(clmove_device_set_calibration_text(device, changed, &error), &error);
    ASSERT_OK(clmove_device_save_calibration(device, NULL, &error), &error); /* replaces it */
    assert_int_equal(mode_of(file), 0640);
    assert_int_equal(count_entries(below), 1);
    ASSERT_OK(clmove_device_set_calibration_text(device, saved, &error), &error);
    ASSERT_OK(clmove_device_load_calibration(device, file, &error), &error);
    assert_string_equal(figures_now(), changed);

    /* A link stays one: what it leads to is replaced, if that is there. */
    struct stat about;
    snprintf(link, sizeof link, "%s/link", folder);
    assert_int_equal(symlink(file, link), 0);
    ASSERT_OK(clmove_device_save_calibration(device, link, &error), &error);
    ASSERT_OK(clmove_device_load_calibration(device, file, &error), &error);
    assert_int_equal(unlink(file), 0);
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_device_save_calibration(device, link, &error), &error);
    assert_mentions(error.text, "is a symbolic link to nothing");
    assert_int_equal(lstat(link, &about), 0);
    assert_true(S_ISLNK(about.st_mode));

    /* What cannot be written stays as it was. */
    write_now("");
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_device_save_calibration(device, path, &error), &error);
    assert_mentions(error.text, "line 1: [device none] would be lost");
    ASSERT_OK(clmove_device_load_calibration(device, path, &error), &error);
    write_file("[device none]\nx = 1\n");
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_device_load_calibration(device, path, &error), &error);
    assert_mentions(error.text, "has no section [device ");
    write_file("copy_ns = 1\n");
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_device_save_calibration(device, path, &error), &error);
    assert_mentions(error.text, "line 1: copy_ns stands before the first header and would be lost");
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_device_save_calibration(device, folder, &error), &error);
    assert_mentions(error.text, "is no regular file");
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_device_load_calibration(device, folder, &error), &error);
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_device_save_calibration(device, "/dev/null/mine", &error), &error);
    assert_mentions(error.text, "cannot be written: ");
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_device_save_calibration(NULL, file, &error), &error);
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_device_load_calibration(NULL, file, &error), &error);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

static void it_is_measured(void **state) {
    (void)state;
    open_it(selector);
    assert_int_equal(origin(), CLMOVE_CALIBRATION_GUESS);
    clmove_prediction guess = {.struct_size = sizeof guess};
    plan_it();
    ASSERT_OK(clmove_plan_predict(plan, &guess, &error), &error);
    assert_false(guess.is_calibrated);
    snprintf(text, sizeof text, "%s", figures_now());
    ASSERT_OK(clmove_device_calibrate(device, 0.02, &error), &error);
    assert_int_equal(origin(), CLMOVE_CALIBRATION_MEASURED);
    assert_string_not_equal(figures_now(), text);
    assert_int_equal(strstr(figures_now(), "upload_ns = ") != NULL, !is_host);
    assert_int_equal(strstr(figures_now(), "device_gather_percent = ") != NULL, !is_host);
    assert_int_equal(strstr(figures_now(), "launch_ns = ") != NULL, !is_host);
    assert_non_null(strstr(figures_now(), "host_gather_percent = "));
    snprintf(text, sizeof text, "%s", figures_now());
    ASSERT_OK(clmove_device_set_calibration_text(device, text, &error), &error); /* what it measures is legal */
    assert_int_equal(origin(), CLMOVE_CALIBRATION_GIVEN);
    assert_string_equal(figures_now(), text);
    ASSERT_OK(clmove_plan_predict(plan, &guess, &error), &error);
    assert_true(guess.is_calibrated);
    assert_int_equal(guess.read_bytes, BYTES);
    assert_int_equal(guess.written_bytes, BYTES);
    assert_int_equal(guess.upload_src_seconds > 0, !is_host);
    assert_int_equal(guess.launch_seconds > 0, !is_host);
    assert_true(guess.launch_seconds <= guess.device_seconds);
    assert_int_equal(stats_of(device).host_runs, 0);
    assert_int_equal(lines, 0);
}

static void the_file_is_followed(void **state) {
    (void)state;
    open_it(selector);
    calibrate_as(device, 0.25, 0);
    assert_mentions(figures_now(), "host_copy_ns = 250000000 500000000 750000000");
    write_now("");
    static char given[8192];
    snprintf(given, sizeof given, "%s", figures_now());
    clmove_device_close(&device);
    open_it(selector);
    assert_int_equal(lines, 0);
    assert_int_equal(origin(), CLMOVE_CALIBRATION_FROM_FILE);
    assert_string_equal(figures_now(), given);
    plan_it();
    clmove_prediction prediction = {.struct_size = sizeof prediction};
    ASSERT_OK(clmove_plan_predict(plan, &prediction, &error), &error);
    assert_true(prediction.is_calibrated && prediction.host_seconds > 0.1);
}

/* A measurement that cannot be read can be made again: it keeps no device closed. */
static void a_broken_file_is_left_aside(void **state) {
    (void)state;
    open_it(selector);
    write_now("host_copy_ns = 1\n");
    clmove_device_close(&device);
    open_it(selector);
    assert_int_equal(lines, 1);
    assert_memory_equal(logged, "calibration: ", 13);
    assert_mentions(logged, "host_copy_ns is given twice; it is ignored");
    assert_int_equal(origin(), CLMOVE_CALIBRATION_GUESS);
    clmove_device_close(&device);

    char *large = malloc(70000);
    assert_non_null(large);
    memset(large, '#', 69999);
    large[69999] = '\0';
    write_file(large);
    free(large);
    open_it(selector);
    assert_int_equal(lines, 1);
    assert_mentions(logged, "has more than 65536 bytes: it is no file of calibrations");
    clmove_device_close(&device);

    setenv("CLMOVE_CALIBRATION_FILE", "/nowhere/at/all", 1);
    open_it(selector);
    assert_int_equal(lines, 0);
}

static void the_path_is_found(void **state) {
    (void)state;
    char found[64];
    setenv("CLMOVE_CALIBRATION_FILE", "/some/file", 1);
    ASSERT_OK(clmove_calibration_path(found, sizeof found, &error), &error);
    assert_string_equal(found, "/some/file");
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_calibration_path(found, 10, &error), &error);
    assert_mentions(error.text, "10 bytes and a final 0, and there is room for 10");
    unsetenv("CLMOVE_CALIBRATION_FILE");
    setenv("XDG_CONFIG_HOME", "/config", 1);
    ASSERT_OK(clmove_calibration_path(found, sizeof found, &error), &error);
    assert_string_equal(found, "/config/clmove/calibration.conf");
    unsetenv("XDG_CONFIG_HOME");
    setenv("HOME", "/home", 1);
    ASSERT_OK(clmove_calibration_path(found, sizeof found, &error), &error);
    assert_string_equal(found, "/home/.config/clmove/calibration.conf");
}

static void nonsense_is_refused(void **state) {
    (void)state;
    clmove_advice advice = {.struct_size = sizeof advice};
    clmove_prediction prediction = {.struct_size = sizeof prediction};
    open_it(selector);
    plan_it();
    clmove_calibration_info it = {.struct_size = sizeof it};
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_device_get_calibration_info(NULL, &it, &error), &error);
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_device_get_calibration_info(device, NULL, &error), &error);
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_device_set_calibration_text(NULL, figures_now(), &error), &error);
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_device_set_calibration_text(device, NULL, &error), &error);
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_device_set_calibration_text(device, "", &error), &error);
    assert_mentions(error.text, "the text of a calibration: there is no host_copy_ns");
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_device_set_calibration_text(device, "[device host]\n", &error), &error);
    assert_mentions(error.text, "the text of a calibration, line 1: there is a header, [device host]");
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_device_calibrate(NULL, 0, &error), &error);
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_device_calibrate(device, -1, &error), &error);
    assert_mentions(error.text, "seconds is -1, it must be from 0 to 3600");
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_device_get_calibration_text(device, NULL, 9, &error), &error);
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_device_get_calibration_text(device, text, 9, &error), &error);
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_calibration_path(NULL, 9, &error), &error);
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_plan_predict(NULL, &prediction, &error), &error);
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_plan_predict(plan, NULL, &error), &error);
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_plan_advise(NULL, CLMOVE_AT_HOST, CLMOVE_AT_HOST, &advice, &error), &error);
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_plan_advise(plan, CLMOVE_AT_HOST, CLMOVE_AT_HOST, NULL, &error), &error);
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_plan_advise(plan, (clmove_place)2, CLMOVE_AT_HOST, &advice, &error), &error);
    assert_mentions(error.text, "the places are 2 and 0");
    char *zero = strstr(strcpy(text, figures_now()), "host_fill_ns = ");
    assert_non_null(zero);
    memcpy(zero, "host_fill_ns = 0 ", 17);
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_device_set_calibration_text(device, text, &error), &error);
    assert_mentions(error.text, "host_fill_ns must be 17 whole numbers from 1 to 1000000000000000");
    assert_int_equal(origin(), CLMOVE_CALIBRATION_GUESS);
}

static void empty_plans_cost_nothing(void **state) {
    (void)state;
    clmove_map map;
    clmove_advice advice = {.struct_size = sizeof advice};
    open_it(selector);
    ASSERT_OK(clmove_map_init(&map, 32, 2, (int64_t[]){0, 7}, &error), &error);
    ASSERT_OK(clmove_plan_create(device, &map, NULL, &plan, &error), &error);
    for (int pair = 0; pair < 4; pair++) {
        ASSERT_OK(clmove_plan_advise(plan, (clmove_place)(pair / 2), (clmove_place)(pair % 2), &advice, &error), &error);
        assert_true(advice.ways[advice.choice].move_seconds == 0 && advice.ways[advice.choice].link_bytes == 0);
    }
}

/* ---- auto ---- */

/* A calibration by which the host, or the device, takes next to nothing. */
static void favour(clmove_place place) {
    calibrate_as(device, place == CLMOVE_AT_HOST ? 1e-9 : 1, place == CLMOVE_AT_HOST ? 1 : 1e-9);
}

static void run_it(bool on_host, bool chose) {
    uint8_t src[BYTES], dst[BYTES];
    clmove_plan_info info = {.struct_size = sizeof info};
    clmove_device_stats before = stats_of(device), after;
    plan_it();
    fill_noise(src, BYTES, 1);
    ASSERT_OK(clmove_run(plan, src, BYTES, dst, BYTES, &error), &error);
    for (int i = 0; i < BYTES; i++)
        if (dst[i] != src[i % ROWS * COLUMNS + i / ROWS])
            fail_msg("byte %d is %d", i, dst[i]);
    after = stats_of(device);
    assert_int_equal(after.host_runs - before.host_runs, on_host);
    assert_int_equal(after.kernels_run - before.kernels_run, !on_host);
    ASSERT_OK(clmove_plan_get_info(plan, &info, &error), &error);
    assert_int_equal(info.run_executor, on_host ? CLMOVE_EXECUTOR_HOST : CLMOVE_EXECUTOR_OPENCL);
    assert_int_equal(info.executor, is_host ? CLMOVE_EXECUTOR_HOST : CLMOVE_EXECUTOR_OPENCL);
    assert_string_equal(info.fallback, "");
    ASSERT_OK(clmove_plan_explain(plan, text, sizeof text, &error), &error);
    assert_int_equal(strstr(text, "\nrun ") != NULL, chose);
    if (chose)
        assert_mentions(text,
                        on_host ? "the host does clmove_run: \"host\" takes" : "the device does clmove_run: \"upload, device");
}

static void auto_runs_where_it_is_faster(void **state) {
    (void)state;
    clmove_device_info info = {.struct_size = sizeof info};
    open_it("auto");
    ASSERT_OK(clmove_device_get_info(device, &info, &error), &error);
    if (info.type == CLMOVE_DEVICE_HOST)
        skip(); /* there is nothing to choose from */
    favour(CLMOVE_AT_HOST);
    run_it(true, true);
    clmove_buffer *src = NULL, *dst = NULL; /* what lies on the device is moved there all the same */
    ASSERT_OK(clmove_buffer_create(device, BYTES, &src, &error), &error);
    ASSERT_OK(clmove_buffer_create(device, BYTES, &dst, &error), &error);
    int64_t kernels = stats_of(device).kernels_run;
    ASSERT_OK(clmove_enqueue(plan, clmove_buffer_view(src, 0), clmove_buffer_view(dst, 0), NULL, &error), &error);
    assert_int_equal(stats_of(device).kernels_run, kernels + 1);
    clmove_buffer_destroy(&src);
    clmove_buffer_destroy(&dst);

    favour(CLMOVE_AT_DEVICE);
    run_it(false, true);
    write_now("");
    clmove_device_close(&device);
    open_it("auto");
    run_it(false, true);
    favour(CLMOVE_AT_HOST);
    run_it(true, true);
    ASSERT_OK(clmove_device_calibrate(device, 0.02, &error), &error); /* measures the device even so */
    assert_int_equal(lines, 0);
}

static void a_device_that_was_named_is_used(void **state) {
    (void)state;
    open_it(selector);
    favour(CLMOVE_AT_HOST);
    run_it(is_host, false);
}

int main(int count, char **arguments) {
    if (count != 2) {
        fprintf(stderr, "usage: test_advice DEVICE\n");
        return 2;
    }
    selector = arguments[1];
    is_host = strcmp(selector, "host") == 0;
    setenv("CLMOVE_CALIBRATION_FILE", "", 1);
    device = open_device(selector);
    if (!device) {
        printf("advice: skipped: there is no device \"%s\"\n", selector);
        return EXIT_SKIPPED;
    }
    clmove_device_close(&device);
    snprintf(path, sizeof path, "/tmp/clmove_advice_%d.conf", (int)getpid());
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(it_is_measured, close_it),
        cmocka_unit_test_teardown(it_is_saved_and_loaded, close_it),
        cmocka_unit_test_teardown(the_file_is_followed, close_it),
        cmocka_unit_test_teardown(a_broken_file_is_left_aside, close_it),
        cmocka_unit_test_teardown(nonsense_is_refused, close_it),
        cmocka_unit_test_teardown(empty_plans_cost_nothing, close_it),
        cmocka_unit_test_teardown(auto_runs_where_it_is_faster, close_it),
        cmocka_unit_test_teardown(a_device_that_was_named_is_used, close_it),
        cmocka_unit_test_teardown(the_path_is_found, close_it),
    };
    int failed = cmocka_run_group_tests_name("advice", tests, NULL, NULL);
    unlink(path);
    return failed;
}
