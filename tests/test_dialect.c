/* Which kernels a driver gets, and whether its programs are kept: what drivers say of themselves, word for word, and the verdict.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/opencl/dialect.h"
#include "tests/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POCL "Portable Computing Language"
#define POCL_6 "OpenCL 3.0 PoCL HSTR: cpu-x86_64-pc-linux-gnu-skylake-avx512"
#define POCL_6_R POCL_6 " HSTR: pocl-remote: cpu-skylake-avx512-Intel(R) Xeon(R) Processor"
#define POCL_R "OpenCL 3.0 PoCL "

static const struct {
    const char *platform, *platform_version, *version, *driver;
    clmove_device_type type;
    const char *kernels;
    bool refused;
} rows[] = {
    {POCL, "", "OpenCL 3.0 PoCL HSTR: pthread-x86_64-pc-linux-gnu-skylake-avx512", "3.1+debian", CLMOVE_DEVICE_CPU, "clang",
     false},
    {POCL, "", POCL_6, "6.0+debian", CLMOVE_DEVICE_CPU, "clang", false},
    {POCL, "", POCL_6, "10.2", CLMOVE_DEVICE_CPU, "clang", false},
    {POCL, POCL_R "7.3  Linux", POCL_6_R, "6.0+debian", CLMOVE_DEVICE_CPU, "plain", false},
    {POCL, POCL_R "7.2-RC1  Linux", POCL_6_R, "6.0+debian", CLMOVE_DEVICE_CPU, "plain", true},
    {POCL, POCL_R "8.0  Linux", POCL_6_R, "3.1+debian", CLMOVE_DEVICE_CPU, "plain", false},
    {POCL, POCL_R "7.1  Linux", POCL_6_R, "8.0", CLMOVE_DEVICE_CPU, "plain", true},
    {POCL, POCL_R "6.0+debian  Linux", POCL_6_R, "6.0+debian", CLMOVE_DEVICE_GPU, "plain", true},
    {POCL, "", POCL_6_R, "8.0", CLMOVE_DEVICE_CPU, "plain", true},
    {POCL, "", "OpenCL 1.2 pocl HSTR: pthread-x86_64-pc-linux-gnu-haswell", "1.6", CLMOVE_DEVICE_CPU, "plain", false},
    {POCL, "", "OpenCL 3.0 PoCL HSTR: pthread-x86_64", "3.0", CLMOVE_DEVICE_CPU, "plain", false},
    {POCL, "", "OpenCL 3.0 PoCL HSTR: CUDA-sm_90", "6.0", CLMOVE_DEVICE_GPU, "plain", false},
    {"Intel(R) OpenCL", "", "OpenCL 3.1 (Build 0)", "2026.22.10.0.01_160000", CLMOVE_DEVICE_CPU, "plain", false},
    {"Intel(R) OpenCL Graphics", "", "OpenCL 3.0 NEO ", "23.22", CLMOVE_DEVICE_GPU, "plain", false},
    {"AMD Accelerated Parallel Processing", "", "OpenCL 2.0 ", "3570.0", CLMOVE_DEVICE_GPU, "plain", false},
    {"Oclgrind", "", "OpenCL 1.2 (Oclgrind 21.10)", "Oclgrind 21.10", CLMOVE_DEVICE_GPU, "plain", false},
    {"rusticl", "", "OpenCL 3.0 ", "22.3.6", CLMOVE_DEVICE_CPU, "plain", true},
    {"rusticl", "", "OpenCL 3.0 ", "22.3.6", CLMOVE_DEVICE_GPU, "plain", true},
    {"rusticl", "", "OpenCL 3.0 ", "25.0.7-2+deb13u1", CLMOVE_DEVICE_CPU, "plain", false},
    {"NVIDIA CUDA", "", "OpenCL 3.0 CUDA", "570.86", CLMOVE_DEVICE_GPU, "plain", false},
    {"Portable Computing Language 2", "", POCL_6, "6.0", CLMOVE_DEVICE_CPU, "plain", false},
    {"", "", "", "", CLMOVE_DEVICE_ACCELERATOR, "plain", false},
};

static clmove_device_info info_of(size_t row) {
    clmove_device_info info = {.type = rows[row].type};
    snprintf(info.platform, sizeof info.platform, "%s", rows[row].platform);
    snprintf(info.version, sizeof info.version, "%s", rows[row].version);
    snprintf(info.driver, sizeof info.driver, "%s", rows[row].driver);
    return info;
}

static void test_table(void **state) {
    (void)state;
    unsetenv("CLMOVE_KERNELS");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        clmove_device_info info = info_of(i);
        clmove_error error = {0};
        clm_dialect dialect = CLM_DIALECT_PLAIN;
        if (rows[i].refused) {
            ASSERT_FAILS(CLMOVE_NO_DEVICE, clm_dialect_choose(rows[i].platform_version, &info, &dialect, &error), &error);
            assert_non_null(strstr(error.text, info.refused));
            assert_non_null(strstr(error.text, rows[i].driver));
        } else {
            ASSERT_OK(clm_dialect_choose(rows[i].platform_version, &info, &dialect, &error), &error);
            assert_int_equal(dialect == CLM_DIALECT_CLANG, strcmp(rows[i].kernels, "clang") == 0);
        }
        assert_string_equal(info.kernels, rows[i].kernels);
        assert_int_equal(info.refused[0] != '\0', rows[i].refused);
    }
}

static void test_forced(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int clang = 0; clang < 2; clang++) {
            clmove_device_info info = info_of(i);
            clmove_error error = {0};
            clm_dialect dialect = clang ? CLM_DIALECT_PLAIN : CLM_DIALECT_CLANG;
            setenv("CLMOVE_KERNELS", clang ? "clang" : "plain", 1);
            ASSERT_OK(clm_dialect_choose(rows[i].platform_version, &info, &dialect, &error), &error);
            assert_string_equal(info.kernels, clang ? "clang" : "plain");
            assert_string_equal(info.refused, "");
            assert_int_equal(dialect == CLM_DIALECT_CLANG, clang);
        }
    unsetenv("CLMOVE_KERNELS");
}

static void test_empty_value(void **state) {
    (void)state;
    clmove_device_info info = info_of(0);
    clmove_error error = {0};
    clm_dialect dialect = CLM_DIALECT_PLAIN;
    setenv("CLMOVE_KERNELS", "", 1); /* as if it were not there */
    ASSERT_OK(clm_dialect_choose("", &info, &dialect, &error), &error);
    assert_int_equal(dialect, CLM_DIALECT_CLANG);
    unsetenv("CLMOVE_KERNELS");
}

static void test_programs(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) { /* of the rows one alone builds anew in each process */
        clmove_device_info info = info_of(i);
        assert_int_equal(clm_keeps_no_programs(rows[i].platform_version, &info), strcmp(info.platform, "Intel(R) OpenCL") == 0);
    }
}

static void test_versions(void **state) {
    (void)state;
    static const struct {
        const char *platform, *platform_version;
        bool early, collide;
    } known[] = {{POCL, POCL_R "3.1+debian  Linux", false, true}, {POCL, POCL_R "6.0+debian  Linux", true, false},
                 {POCL, POCL_R "7.1  Linux", true, false},        {POCL, "", false, true},
                 {"rusticl", POCL_R "6.0", false, false},         {"rusticl", POCL_R "3.1", false, false}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        clmove_device_info info = {.type = CLMOVE_DEVICE_CPU};
        snprintf(info.platform, sizeof info.platform, "%s", known[i].platform);
        assert_int_equal(clm_finish_is_early(known[i].platform_version, &info), known[i].early);
        assert_int_equal(clm_builds_collide(known[i].platform_version, &info), known[i].collide);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_table), cmocka_unit_test(test_forced),
                                       cmocka_unit_test(test_empty_value), cmocka_unit_test(test_programs),
                                       cmocka_unit_test(test_versions)};
    return cmocka_run_group_tests_name("dialect", tests, NULL, NULL);
}
