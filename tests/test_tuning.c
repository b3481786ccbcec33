/* Tunings as text: what lists and files may say, and each sentence for what they may not.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/plan/tuning.h"
#include "host/settings/file.h"
#include "support.h"
#include "tuning_keys.h"

#include <stdio.h>
#include <string.h>

#define CPU                                                                                                                      \
    "segment_bytes, item_min_bytes, items_per_worker, max_dst_rows, near_bytes, short_run_bytes, strips, stream_min_bytes, "     \
    "chunk_bytes and piece_bytes"
#define HOST                                                                                                                     \
    "segment_bytes, item_min_bytes, items_per_worker, max_dst_rows, near_bytes, short_run_bytes, strips, stream_min_bytes and "  \
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
    ASSERT_OK(clm_tuned_add_list(&tuned, "segment_bytes=1, max_dst_rows = 0,stream_min_bytes=9223372036854775807",
                                 CLMOVE_TUNING_PARAMS, "it", &error),
              &error);
    before.segment_bytes = 1;
    before.max_dst_rows = 0;
    before.stream_min_bytes = INT64_MAX;
    assert_memory_equal(&before, &tuned.values, sizeof before);
    clmove_tuning_value values[10];
    size_t count = 0;
    clm_tuned_list(&tuned, 4096, values, 10, &count);
    assert_int_equal(count, 10);
    for (size_t i = 0; i < count; i++) {
        bool is_given = strcmp(values[i].key, "segment_bytes") == 0 || strcmp(values[i].key, "max_dst_rows") == 0 ||
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
    assert_int_equal(clm_own_caches(UINT64_C(32) << 20, 2), 2560 << 10);
    assert_int_equal(clm_own_caches(UINT64_C(1) << 20, 2), 1 << 20);
    assert_int_equal(clm_own_caches(0, 2), 0);
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
        {CLM_CLASS_CPU, "segment=1", "it: there is no key \"segment\": there are " TUNING_KEYS},
        {CLM_CLASS_CPU, "segment_bytesx=1", "it: there is no key \"segment_bytesx\": there are " TUNING_KEYS},
        {CLM_CLASS_CPU, "=1", "it: there is no key \"\": there are " TUNING_KEYS},
        {CLM_CLASS_CPU, "SEGMENT_BYTES=1", "it: there is no key \"SEGMENT_BYTES\": there are " TUNING_KEYS},
        {CLM_CLASS_CPU, "segment_bytes", "it: \"segment_bytes\" is not key=value"},
        {CLM_CLASS_CPU, ",", "it: there is a comma without a key=value on both sides"},
        {CLM_CLASS_CPU, "segment_bytes=1,", "it: there is a comma without a key=value on both sides"},
        {CLM_CLASS_CPU, "segment_bytes=1;max_dst_rows=2",
         "it: segment_bytes is \"1;max_dst_rows=2\", it must be a whole number from 1 to 1073741824"},
        {CLM_CLASS_CPU, "segment_bytes=", "it: segment_bytes is \"\", it must be a whole number from 1 to 1073741824"},
        {CLM_CLASS_CPU, "segment_bytes=0", "it: segment_bytes is \"0\", it must be a whole number from 1 to 1073741824"},
        {CLM_CLASS_CPU, "segment_bytes=1073741825",
         "it: segment_bytes is \"1073741825\", it must be a whole number from 1 to 1073741824"},
        {CLM_CLASS_CPU, "segment_bytes=64k", "it: segment_bytes is \"64k\", it must be a whole number from 1 to 1073741824"},
        {CLM_CLASS_CPU, "segment_bytes=0x40", "it: segment_bytes is \"0x40\", it must be a whole number from 1 to 1073741824"},
        {CLM_CLASS_CPU, "segment_bytes=+64", "it: segment_bytes is \"+64\", it must be a whole number from 1 to 1073741824"},
        {CLM_CLASS_CPU, "max_dst_rows=-1", "it: max_dst_rows is \"-1\", it must be a whole number from 0 to 65536"},
        {CLM_CLASS_CPU, "stream_min_bytes=9223372036854775808",
         "it: stream_min_bytes is \"9223372036854775808\", it must be a whole number from 0 to 9223372036854775807"},
        {CLM_CLASS_CPU, "max_dst_rows=2,max_dst_rows=2", "it: max_dst_rows is given twice"},
        {CLM_CLASS_CPU, "local_size=64", "it: local_size means nothing to a device of class cpu, which has " CPU},
        {CLM_CLASS_HOST, "max_items=64", "it: max_items means nothing to a device of class host, which has " HOST},
        {CLM_CLASS_GPU, "max_dst_rows=2", "it: max_dst_rows means nothing to a device of class gpu, which has " GPU},
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
                               "max_dst_rows = 3\n"
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
    assert_int_equal(tuned.values.max_dst_rows, CLM_NO_KEY);
    assert_int_equal(tuned.origins[0], CLMOVE_TUNING_FROM_FILE);
    ASSERT_OK(add_file(&tuned, CLM_CLASS_HOST, &host, text), &error);
    assert_int_equal(tuned.values.segment_bytes, 65536);
    assert_int_equal(tuned.values.max_dst_rows, 3);
    assert_int_equal(tuned.origins[0], CLMOVE_TUNING_BUILT_IN);
    clmove_device_info other = tpu;
    snprintf(other.name, sizeof other.name, "Tensor #1");
    ASSERT_OK(add_file(&tuned, CLM_CLASS_CPU, &other, text), &error);
    assert_int_equal(tuned.values.segment_bytes, 128);
    assert_int_equal(tuned.values.max_dst_rows, 16);
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
        {"[class cpu]\nmax_dst_rows = 2\n[class gpu]\n[ class  cpu ]\nmax_dst_rows = 3\n",
         "f, line 5: max_dst_rows is given twice"},
        {"[device Tensor #1 [rev]  | 1.0]\nmax_dst_rows = 2\n[class gpu]\n[device Tensor #1 [rev]  | 1.0]\nmax_dst_rows = 3\n",
         "f, line 5: max_dst_rows is given twice"},
        {"[device other | 1]\nmax_dst_rows = 2\nmax_dst_rows = 2\n", "f, line 3: max_dst_rows is given twice"},
        {"[class cpu]\nthreads = 2\n", "f, line 2: there is no key \"threads\": there are " TUNING_KEYS},
        {"[class cpu]\nlocal_size = 2\n", "f, line 2: local_size means nothing to a device of class cpu, which has " CPU},
        {"[class gpu]\nmax_dst_rows = 2\n", "f, line 2: max_dst_rows means nothing to a device of class gpu, which has " GPU},
        {"[class cpu]\nmax_dst_rows = 2\nmax_dst_rows = 2\n", "f, line 3: max_dst_rows is given twice"},
        {"[class cpu]\nmax_dst_rows = 2 # few\n",
         "f, line 2: max_dst_rows is \"2 # few\", it must be a whole number from 0 to 65536"},
        {"[class cpu]\nmax_dst_rows = 65537\n",
         "f, line 2: max_dst_rows is \"65537\", it must be a whole number from 0 to 65536"},
        /* what is for others is checked as well */
        {"[device other | 1]\nthreads = 2\n", "f, line 2: there is no key \"threads\": there are " TUNING_KEYS},
        {"[device other | 1]\nlocal_size = 0\n", "f, line 2: local_size is \"0\", it must be a whole number from 1 to 65536"},
        {"[class host]\nlocal_size = 1\n", "f, line 2: local_size means nothing to a device of class host, which has " HOST},
        {"[device Tensor #1 [rev]  | 1.0]\nlocal_size = 1\n",
         "f, line 2: local_size means nothing to a device of class cpu, which has " CPU},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        clm_tuned tuned;
        ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, add_file(&tuned, CLM_CLASS_CPU, &tpu, rows[i].text), &error);
        assert_string_equal(error.text, rows[i].sentence);
    }
    static const char with_0[] = "[class cpu]\nmax_dst_rows = 2\0\n";
    clm_tuned tuned;
    clm_tuned_start(&tuned, CLM_CLASS_CPU, 0);
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clm_tuned_add_file(&tuned, with_0, sizeof with_0 - 1, "f", &tpu, false, &error),
                 &error);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_are_read),
        cmocka_unit_test(the_cache_decides_about_streams_unless_something_else_does),
        cmocka_unit_test(a_worker_counts_on_its_part_of_the_cache),
        cmocka_unit_test(groups_are_as_large_as_the_device_can_do),
        cmocka_unit_test(bad_lists_are_refused),
        cmocka_unit_test(files_are_read),
        cmocka_unit_test(bad_files_are_refused),
    };
    return cmocka_run_group_tests_name("texts", tests, NULL, NULL);
}
