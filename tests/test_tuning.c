/* Tunings: what lists and files may say, each sentence for what they may not, and what goes over what.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/plan/tuning.h"
#include "host/settings/file.h"
#include "support.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ALL                                                                                                                      \
    "segment_bytes, item_min_bytes, items_per_worker, max_streams, near_bytes, short_run_bytes, max_items, stream_min_bytes, "   \
    "local_size and piece_bytes"
#define CPU                                                                                                                      \
    "segment_bytes, item_min_bytes, items_per_worker, max_streams, near_bytes, short_run_bytes, stream_min_bytes and "           \
    "piece_bytes"
#define GPU "segment_bytes, max_items, local_size and piece_bytes"
#define HEADERS "there are [class host], [class cpu], [class gpu] and [device NAME | DRIVER]"

static clmove_error error;
static const clmove_device_info tpu = {.name = " Tensor #1 [rev] ", .driver = "1.0"}, host = {.name = "host"};

/* ---- lists ---- */

static void lists_are_read(void **state) {
    (void)state;
    clm_tuned tuned;
    clm_tuned_start(&tuned, CLM_CLASS_CPU, 0);
    clm_tuning before = tuned.values;
    ASSERT_OK(clm_tuned_add_list(&tuned, NULL, CLMOVE_TUNING_PARAMS, "it", &error), &error);
    ASSERT_OK(clm_tuned_add_list(&tuned, "", CLMOVE_TUNING_PARAMS, "it", &error), &error);
    assert_memory_equal(&before, &tuned.values, sizeof before);
    ASSERT_OK(clm_tuned_add_list(&tuned, "segment_bytes=1, max_streams = 0,stream_min_bytes=9223372036854775807",
                                 CLMOVE_TUNING_PARAMS, "it", &error),
              &error);
    before.segment_bytes = 1;
    before.max_streams = 0;
    before.stream_min_bytes = INT64_MAX;
    assert_memory_equal(&before, &tuned.values, sizeof before);
    clmove_tuning_value values[9];
    size_t count = 0;
    clm_tuned_list(&tuned, 4096, values, 9, &count);
    assert_int_equal(count, 8);
    for (size_t i = 0; i < count; i++) {
        bool is_given = strcmp(values[i].key, "segment_bytes") == 0 || strcmp(values[i].key, "max_streams") == 0 ||
                        strcmp(values[i].key, "stream_min_bytes") == 0;
        assert_int_equal(values[i].origin, is_given ? CLMOVE_TUNING_PARAMS : CLMOVE_TUNING_BUILT_IN);
        assert_in_range(values[i].value, values[i].least, values[i].most);
    }
}

static void the_cache_decides_about_streams_unless_something_else_does(void **state) {
    (void)state;
    clm_tuned tuned;
    clm_tuned_start(&tuned, CLM_CLASS_HOST, 0);
    assert_int_equal(clm_stream_min_bytes(&tuned.values, 4096), 5120);
    assert_int_equal(clm_stream_min_bytes(&tuned.values, 0), 0);
    ASSERT_OK(clm_tuned_add_list(&tuned, "stream_min_bytes=7", CLMOVE_TUNING_PARAMS, "it", &error), &error);
    assert_int_equal(clm_stream_min_bytes(&tuned.values, 4096), 7);
    ASSERT_OK(clm_tuned_add_list(&tuned, "stream_min_bytes=0", CLMOVE_TUNING_PARAMS, "it", &error), &error);
    assert_int_equal(clm_stream_min_bytes(&tuned.values, 4096), 5120);
    clm_tuned_start(&tuned, CLM_CLASS_GPU, 0);
    assert_int_equal(clm_stream_min_bytes(&tuned.values, 4096), 0);
}

/* A desktop, virtual machines with 2 cores of a server, a whole server, one thread of a desktop, a small board, and machines that
 * do not say. */
static void a_worker_counts_on_its_part_of_the_cache(void **state) {
    static const struct {
        uint64_t reported_mib;
        uint32_t workers, processors;
        uint64_t kib;
    } machines[] = {{16, 8, 8, 16384},  {480, 64, 2, 2560}, {480, 2, 2, 2560}, {480, 60, 60, 491520}, {48, 2, 2, 2560},
                    {32, 1, 16, 16384}, {1, 4, 4, 1024},    {32, 2, 2, 32768}, {33, 2, 2, 2560},      {16, 1, 1, 16384},
                    {17, 1, 1, 1280},   {0, 1, 1, 16384},   {0, 64, 64, 16384}};
    (void)state;
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
        assert_int_equal(clm_cache_for_workers(machines[i].reported_mib << 20, machines[i].workers, machines[i].processors),
                         machines[i].kib << 10);
    assert_true(clm_cache_for_workers(UINT64_MAX, UINT32_MAX, UINT32_MAX) == (uint64_t)UINT32_MAX * 5 << 18);
}

static void groups_are_as_large_as_the_device_can_do(void **state) {
    (void)state;
    clm_tuned tuned;
    clm_tuned_start(&tuned, CLM_CLASS_GPU, 64);
    assert_int_equal(tuned.values.local_size, 64);
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clm_tuned_add_list(&tuned, "local_size=65", CLMOVE_TUNING_PARAMS, "it", &error),
                 &error);
    assert_string_equal(error.text, "it: local_size is \"65\", it must be a whole number from 1 to 64");
    const char whole_class[] = "[class gpu]\nlocal_size = 128\n", one[] = "[device Tensor #1 [rev]  | 1.0]\nlocal_size = 128\n";
    ASSERT_OK(clm_tuned_add_file(&tuned, whole_class, strlen(whole_class), "f", &tpu, false, &error), &error);
    assert_int_equal(tuned.values.local_size, 64);
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clm_tuned_add_file(&tuned, one, strlen(one), "f", &tpu, true, &error), &error);
    assert_string_equal(error.text, "f, line 2: local_size is \"128\", it must be a whole number from 1 to 64");
    clm_tuned_start(&tuned, CLM_CLASS_GPU, 0);
    assert_int_equal(tuned.values.local_size, 256);
}

static void bad_lists_are_refused(void **state) {
    (void)state;
    static const struct {
        clm_tuning_class class;
        const char *list, *sentence;
    } rows[] = {
        {CLM_CLASS_CPU, "segment=1", "it: there is no key \"segment\": there are " ALL},
        {CLM_CLASS_CPU, "segment_bytesx=1", "it: there is no key \"segment_bytesx\": there are " ALL},
        {CLM_CLASS_CPU, "=1", "it: there is no key \"\": there are " ALL},
        {CLM_CLASS_CPU, "SEGMENT_BYTES=1", "it: there is no key \"SEGMENT_BYTES\": there are " ALL},
        {CLM_CLASS_CPU, "segment_bytes", "it: \"segment_bytes\" is not key=value"},
        {CLM_CLASS_CPU, ",", "it: there is a comma without a key=value on both sides"},
        {CLM_CLASS_CPU, "segment_bytes=1,", "it: there is a comma without a key=value on both sides"},
        {CLM_CLASS_CPU, "segment_bytes=1;max_streams=2",
         "it: segment_bytes is \"1;max_streams=2\", it must be a whole number from 1 to 1073741824"},
        {CLM_CLASS_CPU, "segment_bytes=", "it: segment_bytes is \"\", it must be a whole number from 1 to 1073741824"},
        {CLM_CLASS_CPU, "segment_bytes=0", "it: segment_bytes is \"0\", it must be a whole number from 1 to 1073741824"},
        {CLM_CLASS_CPU, "segment_bytes=1073741825",
         "it: segment_bytes is \"1073741825\", it must be a whole number from 1 to 1073741824"},
        {CLM_CLASS_CPU, "segment_bytes=64k", "it: segment_bytes is \"64k\", it must be a whole number from 1 to 1073741824"},
        {CLM_CLASS_CPU, "segment_bytes=0x40", "it: segment_bytes is \"0x40\", it must be a whole number from 1 to 1073741824"},
        {CLM_CLASS_CPU, "segment_bytes=+64", "it: segment_bytes is \"+64\", it must be a whole number from 1 to 1073741824"},
        {CLM_CLASS_CPU, "max_streams=-1", "it: max_streams is \"-1\", it must be a whole number from 0 to 65536"},
        {CLM_CLASS_CPU, "stream_min_bytes=9223372036854775808",
         "it: stream_min_bytes is \"9223372036854775808\", it must be a whole number from 0 to 9223372036854775807"},
        {CLM_CLASS_CPU, "max_streams=2,max_streams=2", "it: max_streams is given twice"},
        {CLM_CLASS_CPU, "local_size=64", "it: local_size means nothing to a device of class cpu, which has " CPU},
        {CLM_CLASS_HOST, "max_items=64", "it: max_items means nothing to a device of class host, which has " CPU},
        {CLM_CLASS_GPU, "max_streams=2", "it: max_streams means nothing to a device of class gpu, which has " GPU},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        clm_tuned tuned;
        clm_tuned_start(&tuned, rows[i].class, 1024);
        ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clm_tuned_add_list(&tuned, rows[i].list, CLMOVE_TUNING_PARAMS, "it", &error),
                     &error);
        assert_string_equal(error.text, rows[i].sentence);
    }
}

/* ---- files ---- */

static clmove_status add_file(clm_tuned *tuned, clm_tuning_class class, const clmove_device_info *device, const char *text) {
    clm_tuned_start(tuned, class, 1024);
    return clm_tuned_add_file(tuned, text, strlen(text), "f", device, false, &error);
}

static void files_are_read(void **state) {
    (void)state;
    static const char text[] = "# of all sorts\r\n"
                               "\n"
                               "  [ device Tensor #1 [rev]  | 1.0 ]  \n"
                               "segment_bytes=32\r\n"
                               "\tmax_items\t=  5\n"
                               "[class gpu]\n"
                               "  # over which the device goes, though it stands above\n"
                               "segment_bytes = 64\n"
                               "local_size = 128\n"
                               "[device host]\n"
                               "max_streams = 3\n"
                               "[class cpu]\n"
                               "segment_bytes = 128\n"
                               "[device Tensor #1 [rev]  | 1.1]\n"
                               "segment_bytes = 48\n"
                               "[class host]"; /* without a line's end */
    clm_tuned tuned;
    ASSERT_OK(add_file(&tuned, CLM_CLASS_GPU, &tpu, text), &error);
    assert_int_equal(tuned.values.segment_bytes, 32);
    assert_int_equal(tuned.values.max_items, 5);
    assert_int_equal(tuned.values.local_size, 128);
    assert_int_equal(tuned.values.max_streams, CLM_NO_KEY);
    assert_int_equal(tuned.origins[0], CLMOVE_TUNING_FILE);
    ASSERT_OK(add_file(&tuned, CLM_CLASS_HOST, &host, text), &error);
    assert_int_equal(tuned.values.segment_bytes, 65536);
    assert_int_equal(tuned.values.max_streams, 3);
    assert_int_equal(tuned.origins[0], CLMOVE_TUNING_BUILT_IN);
    clmove_device_info other = tpu;
    snprintf(other.name, sizeof other.name, "Tensor #1");
    ASSERT_OK(add_file(&tuned, CLM_CLASS_CPU, &other, text), &error);
    assert_int_equal(tuned.values.segment_bytes, 128);
    assert_int_equal(tuned.values.max_streams, 16);
    ASSERT_OK(add_file(&tuned, CLM_CLASS_CPU, &other, ""), &error);
    assert_int_equal(tuned.values.segment_bytes, 65536);
}

static void bad_files_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *text, *sentence;
    } rows[] = {
        {"segment_bytes = 1\n", "f, line 1: segment_bytes stands before the first header, such as [class cpu]"},
        {"\nhello\n", "f, line 2: \"hello\" is neither a header in brackets nor key = value"},
        {"[class cpu]\n\n{}\n", "f, line 3: \"{}\" is neither a header in brackets nor key = value"},
        {"[class tpu]\n", "f, line 1: there is no class \"tpu\": there are host, cpu and gpu"},
        {"[class]\n", "f, line 1: \"[class]\" is no header: " HEADERS},
        {"[classcpu]\n", "f, line 1: \"[classcpu]\" is no header: " HEADERS},
        {"[cpu]\n", "f, line 1: \"[cpu]\" is no header: " HEADERS},
        {"[device]\n", "f, line 1: \"[device]\" is no header: " HEADERS},
        {"[device ]\n", "f, line 1: \"[device]\" is no header: " HEADERS},
        {"[]\n", "f, line 1: \"[]\" is no header: " HEADERS},
        {"[", "f, line 1: \"[\" does not end with a ]"},
        {"[class cpu\n", "f, line 1: \"[class cpu\" does not end with a ]"},
        {"[class cpu] # mine\n", "f, line 1: \"[class cpu] # mine\" does not end with a ]"},
        {"[class cpu]\nmax_streams = 2\n[class gpu]\n[ class  cpu ]\nmax_streams = 3\n", "f, line 5: max_streams is given twice"},
        {"[device Tensor #1 [rev]  | 1.0]\nmax_streams = 2\n[class gpu]\n[device Tensor #1 [rev]  | 1.0]\nmax_streams = 3\n",
         "f, line 5: max_streams is given twice"},
        {"[device other | 1]\nmax_streams = 2\nmax_streams = 2\n", "f, line 3: max_streams is given twice"},
        {"[class cpu]\nthreads = 2\n", "f, line 2: there is no key \"threads\": there are " ALL},
        {"[class cpu]\nlocal_size = 2\n", "f, line 2: local_size means nothing to a device of class cpu, which has " CPU},
        {"[class gpu]\nmax_streams = 2\n", "f, line 2: max_streams means nothing to a device of class gpu, which has " GPU},
        {"[class cpu]\nmax_streams = 2\nmax_streams = 2\n", "f, line 3: max_streams is given twice"},
        {"[class cpu]\nmax_streams = 2 # few\n",
         "f, line 2: max_streams is \"2 # few\", it must be a whole number from 0 to 65536"},
        {"[class cpu]\nmax_streams = 65537\n", "f, line 2: max_streams is \"65537\", it must be a whole number from 0 to 65536"},
        /* what is for others is checked as well */
        {"[device other | 1]\nthreads = 2\n", "f, line 2: there is no key \"threads\": there are " ALL},
        {"[device other | 1]\nlocal_size = 0\n", "f, line 2: local_size is \"0\", it must be a whole number from 1 to 65536"},
        {"[class host]\nlocal_size = 1\n", "f, line 2: local_size means nothing to a device of class host, which has " CPU},
        {"[device Tensor #1 [rev]  | 1.0]\nlocal_size = 1\n",
         "f, line 2: local_size means nothing to a device of class cpu, which has " CPU},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        clm_tuned tuned;
        ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, add_file(&tuned, CLM_CLASS_CPU, &tpu, rows[i].text), &error);
        assert_string_equal(error.text, rows[i].sentence);
    }
    static const char with_0[] = "[class cpu]\nmax_streams = 2\0\n";
    clm_tuned tuned;
    clm_tuned_start(&tuned, CLM_CLASS_CPU, 0);
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clm_tuned_add_file(&tuned, with_0, sizeof with_0 - 1, "f", &tpu, false, &error),
                 &error);
}

/* ---- open devices ---- */

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
    expect_in_force(NULL, "max_streams", 32, CLMOVE_TUNING_BUILT_IN);
    write_file(file, "[class host]\nmax_streams = 2\n");
    expect_in_force(NULL, "max_streams", 2, CLMOVE_TUNING_FILE);
    write_file(file, "[device host]\nmax_streams = 3\n[class host]\nmax_streams = 2\n");
    expect_in_force("", "max_streams", 3, CLMOVE_TUNING_FILE);
    setenv("CLMOVE_TUNING", "max_streams=4", 1);
    expect_in_force(NULL, "max_streams", 4, CLMOVE_TUNING_ENVIRONMENT);
    expect_in_force("max_streams=5", "max_streams", 5, CLMOVE_TUNING_PARAMS);
    expect_in_force("segment_bytes=5", "max_streams", 4, CLMOVE_TUNING_ENVIRONMENT);
    setenv("CLMOVE_TUNING", "", 1);
    expect_in_force(NULL, "max_streams", 3, CLMOVE_TUNING_FILE);
    setenv("CLMOVE_TUNING_FILE", "", 1);
    expect_in_force(NULL, "max_streams", 32, CLMOVE_TUNING_BUILT_IN);
    unsetenv("CLMOVE_TUNING");
    unsetenv("CLMOVE_TUNING_FILE");
}

static void what_is_wrong_keeps_devices_closed(void **state) {
    (void)state;
    char sentence[512];
    expect_refused("max_stream=1", "clmove_device_params.tuning: there is no key \"max_stream\": there are " ALL);
    setenv("CLMOVE_TUNING", "max_streams=x", 1);
    expect_refused(NULL, "CLMOVE_TUNING: max_streams is \"x\", it must be a whole number from 0 to 65536");
    unsetenv("CLMOVE_TUNING");
    write_file(file, "[class gpu]\nmax_item = 2\n");
    snprintf(sentence, sizeof sentence, "%s, line 2: there is no key \"max_item\": there are " ALL, file);
    expect_refused(NULL, sentence);
    unlink(file);
    expect_in_force(NULL, "max_streams", 32, CLMOVE_TUNING_BUILT_IN);
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
    expect_in_force(NULL, "max_streams", 32, CLMOVE_TUNING_BUILT_IN);
    unsetenv("CLMOVE_TUNING_FILE");
    unlink(file);
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
    write_file(file, "[class host]\nmax_streams = 2\nsegment_bytes = 2\n[device host]\nmax_streams = 3\n");
    write_file(own, "; made by hand\n[device host]\nmax_streams = 4\n");
    expect_in_force(NULL, "max_streams", 4, CLMOVE_TUNING_FILE);
    expect_in_force(NULL, "segment_bytes", 2, CLMOVE_TUNING_FILE);
    write_file(own, "[device another | 1]\nmax_streams = 4\n");
    snprintf(sentence, sizeof sentence, "%s has no section [device host]", own);
    expect_refused(NULL, sentence);
    setenv("CLMOVE_TUNING_FILE", "/dev/null", 1);
    expect_in_force(NULL, "max_streams", 32, CLMOVE_TUNING_BUILT_IN);
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

/* What a plan says of its launch. */
static void explain(clmove_device *device, const char *tuning, char text[4096]) {
    clmove_plan_params params = {.struct_size = sizeof params, .tuning = tuning};
    clmove_plan *plan = NULL;
    clmove_map map;
    ASSERT_OK(clmove_map_init(&map, 32, 2, (int64_t[]){1024, 250}, &error), &error);
    ASSERT_OK(clmove_map_tile(&map, 2, (int64_t[]){1, 4}, CLMOVE_RULES_OPENVINO, &error), &error);
    ASSERT_OK(clmove_plan_create(device, &map, &params, &plan, &error), &error);
    ASSERT_OK(clmove_plan_explain(plan, text, 4096, &error), &error);
    clmove_plan_destroy(&plan);
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
    assert_mentions(text, "streaming stores");
    explain(device, "stream_min_bytes=9223372036854775807", again);
    assert_null(strstr(again, "streaming stores"));
    explain(device, "segment_bytes=2000", again);
    assert_mentions(again, "streaming stores");
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
    static const struct CMUnitTest texts[] = {
        cmocka_unit_test(lists_are_read),
        cmocka_unit_test(the_cache_decides_about_streams_unless_something_else_does),
        cmocka_unit_test(a_worker_counts_on_its_part_of_the_cache),
        cmocka_unit_test(groups_are_as_large_as_the_device_can_do),
        cmocka_unit_test(bad_lists_are_refused),
        cmocka_unit_test(files_are_read),
        cmocka_unit_test(bad_files_are_refused),
    };
    static const struct CMUnitTest devices[] = {
        cmocka_unit_test(each_goes_over_those_before),
        cmocka_unit_test(what_is_wrong_keeps_devices_closed),
        cmocka_unit_test(each_device_has_a_file_of_its_own),
        cmocka_unit_test(the_path_is_that_of_the_specification),
        cmocka_unit_test(plans_follow_the_device_unless_told_otherwise),
    };
    int failed = cmocka_run_group_tests_name("texts", texts, NULL, NULL);
    return failed + cmocka_run_group_tests_name("devices", devices, make_folder, remove_folder);
}
