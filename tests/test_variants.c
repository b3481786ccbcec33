/* Which variant serves what on this host, and that the case table and CTest know all of them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/native/native.h"
#include "host/plan/launch_plan.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct choice {
    const char *name_of_case, *variant;
} choice;

/* Of a host that looks bytes up in 64 bytes. */
static const choice choices[] = {
    {"identity of 93 x 144, 4 bytes", "copy"},
    {"identity of rank 0, 3 bytes", "copy"},
    {"tile by all ones", "copy"},
    {"s2d then d2s, 4 bytes", "copy"},
    {"tile a vector by 144", "period"},
    {"tile one element by a megabyte", "repeat"},
    {"tile one element of 48 bytes by many", "period"},
    {"tile a period of 63 bytes", "period"},
    {"tile a period of 3 KiB in one run", "period"},
    {"tile periods of 96 places", "period"},
    {"tile last axis of 1, 4 bytes", "repeat"},
    {"tile rows of 3, 1 byte", "repeat"},
    {"tile 0.2 MB of rows of 3, f32", "repeat"},
    {"tile 0.2 MB of rows of 5, f32", "repeat"},
    {"tile a batch, f32", "rows"},
    {"tile 2d, larger, u8", "repeat"},
    {"tile long rows, u8", "rows"},
    {"concatenation, 0.4 MB", "rows"},
    {"window partition", "transpose_runs"},
    {"matrices of 3 x 3, u8", "shuffle"},
    {"matrices of 5 x 7, f32", "shuffle"},
    {"matrices of 37 x 33, u8", "transpose"},
    {"s2d depth 7 of 28 x 28, f16", "shuffle"},
    {"d2s blocks 7 of 2 x 2, f64", "shuffle"},
    {"s2d blocks 7 of 14 x 14, u8", "two_passes"},
    {"s2d blocks 7 of 28 x 28, u8", "two_passes"},
    {"s2d blocks 7 of 14 x 14, in parts of its channels, u8", "two_passes"},
    {"s2d blocks 2 of 14 x 14, in parts of its channels, f16", "two_passes"},
    {"s2d blocks 2 of 14 x 14, f32", "two_passes"},
    {"patches of 16, RGB of u8", "two_passes"},
    {"patches of 16, RGB of f16", "two_passes"},
    {"d2s depth 10 of rows of 3, u8", "two_passes"},
    {"d2s blocks 14 of 16 x 16, f16", "two_passes"},
    {"pairs to columns from afar, u8", "interleave"},
    {"s2d depth 2, 0.2 MB, u8", "deinterleave"},
    {"s2d blocks 14, u8", "deinterleave"},
    {"s2d blocks 3, larger, f16", "deinterleave"},
    {"s2d depth 8, f32", "deinterleave"},
    {"s2d depth 32, f32", "transpose"},
    {"d2s depth 17, f32", "transpose"},
    {"permute rank 9 of 3, backwards, f32", "transpose"},
    {"pictures turned, RGB of u8", "transpose_runs"},
    {"pictures turned, RGB of f16", "transpose_runs"},
    {"pictures turned, 16 channels of f32", "transpose_runs"},
    {"s2d blocks 16 of 224 x 224, u8", "transpose"},
    {"pictures turned, runs of 320 bytes", "transpose_runs"},
    {"pictures turned, runs of 324 bytes", "rows"},
    {"runs of 99 bytes, columns backwards", "transpose_runs"},
    {"two pictures side by side, RGB of u8", "transpose_runs"},
    {"NHWC to NCHW, u8", "deinterleave"},
    {"d2s depth 2, 0.2 MB, u8", "interleave"},
    {"d2s depth 4, larger, f32", "interleave"},
    {"NCHW to NHWC, u8", "interleave"},
    {"columns flipped", "shuffle"},
    {"columns flipped, bytes", "shuffle"},
    {"slice to slice", "gather"},
    {"d2s blocks 2, 1 bit", "bits"},
    {"tile 3 bits by many", "bits"},
    {"empty source", "none"},
    {"repeat of 0", "none"},
};

/* Those of a host that looks bytes up in fewer, or not at all, where they differ. */
static const struct {
    const char *name_of_case, *with_fewer, *without;
} elsewhere[] = {
    {"matrices of 3 x 3, u8", "shuffle", "interleave"},
    {"matrices of 5 x 7, f32", "shuffle", "two_passes"},
    {"s2d depth 7 of 28 x 28, f16", "shuffle", "deinterleave"},
    {"d2s blocks 7 of 2 x 2, f64", "two_passes", "two_passes"},
    {"s2d blocks 7 of 28 x 28, u8", "shuffle", "two_passes"},
    {"patches of 16, RGB of f16", "interleave", "interleave"},
    {"d2s blocks 14 of 16 x 16, f16", "interleave", "interleave"},
    {"columns flipped", "shuffle", "gather"},
    {"columns flipped, bytes", "shuffle", "gather"},
};

static clmove_plan_info info_of(clmove_device *device, const test_case *it, const char *variant) {
    clmove_plan_params params = {.struct_size = sizeof params, .variant = variant};
    clmove_plan *plan = NULL;
    clmove_plan_info info = {.struct_size = sizeof info};
    clmove_map map;
    clmove_error error;
    case_to_map(it, &map);
    clmove_status status = clmove_plan_create(device, &map, &params, &plan, &error);
    if (status == CLMOVE_UNSUPPORTED && variant)
        return info;
    ASSERT_OK(status, &error);
    ASSERT_OK(clmove_plan_get_info(plan, &info, &error), &error);
    clmove_plan_destroy(&plan);
    return info;
}

/* The bytes in which the host looks bytes up, 0: it shuffles only if asked to. */
static int32_t window_of_host;

static const char *find_wanted(const choice *it) {
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere && window_of_host < 64; i++)
        if (strcmp(elsewhere[i].name_of_case, it->name_of_case) == 0)
            return window_of_host > 0 ? elsewhere[i].with_fewer : elsewhere[i].without;
    return it->variant;
}

static void cases_have_variants(void **state) {
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        const char *wanted = find_wanted(&choices[i]);
        const char *got = info_of(*state, case_find(choices[i].name_of_case), NULL).variant;
        if (strcmp(got, wanted) != 0)
            fail_msg("\"%s\" is served by %s, not by %s", choices[i].name_of_case, got, wanted);
    }
}

/* Every variant is somebody's first choice, more often than once, and can be forced on somebody. */
static void variants_have_cases(void **state) {
    for (const clm_variant *row = clm_variants; row->name; row++) {
        if (row->is_local) /* which the host has not; suite.gpu_like and suite.gpusim have it */
            continue;
        int first = 0, forced = 0;
        for (size_t i = 0; i < test_case_count; i++) {
            first += strcmp(info_of(*state, &test_cases[i], NULL).variant, row->name) == 0;
            const char *got = info_of(*state, &test_cases[i], row->name).variant;
            forced += got && strcmp(got, row->name) == 0;
        }
        printf("variants: %s is chosen for %d cases, fits %d\n", row->name, first, forced);
        assert_true((first >= 5 || (window_of_host == 0 && strcmp(row->name, "shuffle") == 0)) && forced >= 5 && forced >= first);
    }
}

static void case_names_are_unique(void **state) {
    (void)state;
    for (size_t i = 0; i < test_case_count; i++)
        assert_ptr_equal(case_find(test_cases[i].name), &test_cases[i]);
}

/* The list for which CTest registers forced suites. */
static void ctest_knows_them(void **state) {
    (void)state;
    char names[256] = "";
    for (const clm_variant *row = clm_variants; row->name; row++) {
        strncat(names, names[0] ? " " : "", sizeof names - strlen(names) - 1);
        strncat(names, row->name, sizeof names - strlen(names) - 1);
    }
    assert_string_equal(names, CLMOVE_VARIANTS);
}

static int open_host(void **state) {
    setenv("CLMOVE_THREADS", "2", 1); /* which choose two_passes where each has two blocks */
    return (*state = open_device("host")) ? 0 : -1;
}

static int close_host(void **state) {
    clmove_device *device = *state;
    clmove_device_close(&device);
    return 0;
}

/* Argument: a level of instructions of the host, or none. */
int main(int count, char **arguments) {
    clm_executor *host;
    clmove_error error;
    if (count > 1)
        setenv("CLMOVE_HOST_ISA", arguments[1], 1);
    if (clm_native_open(0, &host, &error) != CLMOVE_OK) {
        printf("test_variants: skipped: %s\n", error.text);
        return count > 1 ? EXIT_SKIPPED : EXIT_FAILURE;
    }
    window_of_host = host->traits.shuffle_window;
    host->calls->close(host);
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(cases_have_variants),
        cmocka_unit_test(variants_have_cases),
        cmocka_unit_test(case_names_are_unique),
        cmocka_unit_test(ctest_knows_them),
    };
    return cmocka_run_group_tests_name("variants", tests, open_host, close_host);
}
