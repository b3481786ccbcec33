/* Kernels compiled as host code, with clang's checks of addresses and of undefined behaviour, which no OpenCL driver offers:
 * host_kernels cpu|gpu. Every case by every variant whose kernel was linked in, between forbidden pages. sanitize.sh compiles the
 * kernels under names such as cpu_interleave_8_32_4: the set, the kernel, and its UNIT_BITS, INDEX_BITS and BLOCK.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "expect.h"
#include "host/opencl/arguments.h"
#include "support.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the kernels call, by the name that OpenCL C gives it. */
uint64_t host_kernels_id(uint32_t dimension) __asm__("_Z13get_global_idj");
void __sanitizer_set_death_callback(void (*callback)(void)); /* of clang's runtime */

typedef void (*narrow_kernel)(const void *, void *, move_args_32, uint64_t, uint64_t);
typedef void (*wide_kernel)(const void *, void *, move_args_64, uint64_t, uint64_t);

static struct {
    const char *set, *name;
    uint64_t item;
    int run[32]; /* by variant */
} at_hand;

uint64_t host_kernels_id(uint32_t dimension) {
    return dimension == 0 ? at_hand.item : 0;
}

static void say_case(void) {
    fprintf(stderr, "host_kernels: in the case \"%s\"\n", at_hand.name);
}

static void *find_kernel(const clm_launch_plan *movement, uint32_t index_bits) {
    char name[96];
    snprintf(name, sizeof name, "%s_%s_%u_%u_%u", at_hand.set, movement->variant->source, movement->unit_bits, index_bits,
             movement->constant);
    return dlsym(RTLD_DEFAULT, name);
}

/* All items of all launches, and one item more than there are, as a group may have. */
static void run_kernel(void *found, const clm_launch_plan *movement, const void *src, void *dst) {
    clm_arguments arguments;
    narrow_kernel narrow;
    wide_kernel wide;
    memcpy(&narrow, &found, sizeof found);
    memcpy(&wide, &found, sizeof found);
    clm_arguments_set(&arguments, movement, 0, 0);
    for (at_hand.item = 0; at_hand.item <= (uint64_t)movement->items; at_hand.item++)
        if (movement->index_bits == 32)
            narrow(src, dst, arguments.as.narrow, 0, 0);
        else
            wide(src, dst, arguments.as.wide, 0, 0);
}

static void check_movement(const test_case *it, const clm_launch_plan *movement, expectation *expected, bool at_end) {
    void *kernel = find_kernel(movement, movement->index_bits);
    if (!kernel || movement->launches != 1)
        return;
    cornered src = cornered_create(expected->src_bytes, at_end, 1), dst = cornered_create(expected->dst_bytes, at_end, 2);
    uint8_t *wanted = malloc(expected->dst_bytes + 1);
    assert_non_null(wanted);
    if (!expected->dense)
        expect_compute(it, src.data, expected);
    memcpy(wanted, dst.data, dst.bytes);
    expect_store(it, expected, wanted);
    cornered_protect(&src);
    run_kernel(kernel, movement, src.data, dst.data);
    at_hand.run[movement->variant - clm_variants]++;
    check_bytes(dst.data, wanted, dst.bytes, movement->variant->name);
    cornered_destroy(&src);
    cornered_destroy(&dst);
    free(wanted);
}

static void check_case(void **state) {
    const test_case *it = *state;
    const bool cpu = strcmp(at_hand.set, "cpu") == 0;
    expectation expected;
    clmove_map map;
    clm_map held;
    clm_normal_form form;
    at_hand.name = it->name;
    expect_shapes(it, &expected);
    case_to_map(it, &map);
    clm_map_load(&map, &held);
    clm_form_from_map(&held, &form);
    clm_form_normalise(&form);
    for (int turn = 0; turn < 4 && expected.elements > 0; turn++) {
        clm_traits traits = {.few_long_runs = cpu,
                             .takes_rows = cpu,
                             .any_alignment = cpu,
                             .workers = 3,
                             .max_outer = MOVE_OUTER,
                             .cache_bytes = turn & 1,
                             .max_local_size = 256};
        clm_tuned tuned;
        clm_launch_plan movement;
        clm_tuned_start(&tuned, cpu ? CLM_CLASS_CPU : CLM_CLASS_GPU, 0);
        traits.tuning = tuned.values;
        for (const clm_variant *variant = clm_variants; variant->name; variant++)
            if (clm_choose(&form, &traits, variant->name, turn & 2 ? 64 : 32, &movement, NULL) == CLMOVE_OK)
                check_movement(it, &movement, &expected, turn & 1);
    }
    expect_destroy(&expected);
}

/* Fails where a kernel's checks did not run. */
static void every_variant_ran(void **state) {
    (void)state;
    for (const clm_variant *variant = clm_variants; variant->name; variant++) {
        printf("host_kernels: %s: %d movements\n", variant->name, at_hand.run[variant - clm_variants]);
        assert_true(at_hand.run[variant - clm_variants] >= (variant->makes_tiles && strcmp(at_hand.set, "cpu") != 0 ? 0 : 20));
    }
}

int main(int count, char **arguments) {
    static struct CMUnitTest tests[4096];
    if (count != 2 || test_case_count >= 4096)
        return 2;
    at_hand.set = arguments[1];
    __sanitizer_set_death_callback(say_case);
    for (size_t i = 0; i < test_case_count; i++)
        tests[i] = (struct CMUnitTest){
            .name = test_cases[i].name, .test_func = check_case, .initial_state = (void *)(uintptr_t)&test_cases[i]};
    tests[test_case_count] = (struct CMUnitTest){.name = "every variant ran", .test_func = every_variant_ran};
    return _cmocka_run_group_tests(arguments[1], tests, test_case_count + 1, NULL, NULL);
}
