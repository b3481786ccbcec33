/* Kernels compiled as host code, with clang's checks of addresses and of undefined behaviour, which no OpenCL driver offers:
 * host_kernels cpu|gpu. Every case by every variant whose kernel was linked in, between forbidden pages, and maps whose
 * places are far apart. sanitize.sh compiles the kernels under names such as cpu_interleave_8_32_4: the set, the kernel, and its
 * UNIT_BITS, INDEX_BITS and BLOCK.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "block_cases.h"
#include "far_cases.h"
#include "form_walk.h"
#include "host/opencl/arguments.h"
#include "host/plan/local.h"
#include "support.h"
#include "view_cases.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the kernels call, by the name that OpenCL C gives it. */
uint64_t host_kernels_id(uint32_t dimension) __asm__("_Z13get_global_idj");
uint64_t host_kernels_group(uint32_t dimension) __asm__("_Z12get_group_idj");
uint64_t host_kernels_groups(uint32_t dimension) __asm__("_Z14get_num_groupsj");
uint64_t host_kernels_local_id(uint32_t dimension) __asm__("_Z12get_local_idj");
uint64_t host_kernels_local_size(uint32_t dimension) __asm__("_Z14get_local_sizej");
void host_kernels_barrier(uint32_t flags) __asm__("_Z7barrierj");
void __sanitizer_set_death_callback(void (*callback)(void)); /* of clang's runtime */

typedef void (*narrow_kernel)(const void *, void *, move_args_32, uint64_t, uint64_t);
typedef void (*wide_kernel)(const void *, void *, move_args_64, uint64_t, uint64_t);

static struct {
    const char *set, *name;
    uint64_t item, items;
    /* By variant. */
    int run[32];
} at_hand;

/* A group has one item, so that nobody waits at a barrier. */
uint64_t host_kernels_id(uint32_t dimension) {
    return dimension == 0 ? at_hand.item : 0;
}

uint64_t host_kernels_group(uint32_t dimension) {
    return host_kernels_id(dimension);
}

uint64_t host_kernels_groups(uint32_t dimension) {
    return dimension == 0 ? at_hand.items : 1;
}

uint64_t host_kernels_local_id(uint32_t dimension) {
    (void)dimension;
    return 0;
}

uint64_t host_kernels_local_size(uint32_t dimension) {
    (void)dimension;
    return 1;
}

void host_kernels_barrier(uint32_t flags) {
    (void)flags;
}

static void say_case(void) {
    fprintf(stderr, "host_kernels: in the case \"%s\"\n", at_hand.name);
}

static void *find_kernel(const clm_launch_plan *launch_plan, uint32_t index_bits) {
    char name[96];
    int length = snprintf(name, sizeof name, "%s_%s_%u_%u_%u", at_hand.set, clm_source_names[launch_plan->variant->source],
                          launch_plan->unit_bits, index_bits, launch_plan->constant);
    if (clm_has_gaps_in_groups(launch_plan))
        snprintf(name + length, sizeof name - (size_t)length, "_%d", (int)launch_plan->m);
    return dlsym(RTLD_DEFAULT, name);
}

/* All items of all launches, and one item more than there are, as a group may have. */
static void run_kernel(void *found, const clm_launch_plan *launch_plan, const void *src, void *dst) {
    clm_arguments arguments;
    narrow_kernel narrow;
    wide_kernel wide;
    memcpy(&narrow, &found, sizeof found);
    memcpy(&wide, &found, sizeof found);
    clm_arguments_set(&arguments, launch_plan, 0, 0);
    at_hand.items = (uint64_t)launch_plan->items;
    for (at_hand.item = 0; at_hand.item <= at_hand.items; at_hand.item++)
        if (launch_plan->index_bits == 32)
            narrow(src, dst, arguments.as.narrow, 0, 0);
        else
            wide(src, dst, arguments.as.wide, 0, 0);
}

static void check_plan(const test_case *it, const clm_launch_plan *launch_plan, expectation *expected, bool at_end) {
    void *kernel = find_kernel(launch_plan, launch_plan->index_bits);
    if (!kernel || launch_plan->launches != 1)
        return;
    cornered src = cornered_create(expected->src_bytes, at_end, 1), dst = cornered_create(expected->dst_bytes, at_end, 2);
    uint8_t *wanted = malloc(expected->dst_bytes + 1);
    assert_non_null(wanted);
    if (!expected->dense)
        expect_compute(it, src.data, expected);
    memcpy(wanted, dst.data, dst.bytes);
    expect_store(it, expected, wanted);
    cornered_protect(&src);
    run_kernel(kernel, launch_plan, src.data, dst.data);
    at_hand.run[launch_plan->variant - clm_variants]++;
    check_bytes(dst.data, wanted, dst.bytes, launch_plan->variant->name);
    cornered_destroy(&src);
    cornered_destroy(&dst);
    free(wanted);
}

static void find_form(const test_case *it, clm_normal_form *form) {
    clmove_map map;
    at_hand.name = it->name;
    case_to_map(it, &map);
    *form = normal_form_of(&map);
}

/* In the cache, and past it: row by row, in strips, in rooms, and in wide strips. */
enum { CACHED, ROW_BY_ROW, IN_STRIPS, IN_ROOMS, IN_WIDE_STRIPS, WAYS };

static clm_traits traits_of(int way) {
    const bool cpu = strcmp(at_hand.set, "cpu") == 0;
    clm_tuned tuned;
    clm_tuned_start(&tuned, cpu ? CLM_CLASS_CPU : CLM_CLASS_GPU, 0);
    if (!cpu)
        tuned.values.local_size = 1;
    else
        tuned.values.strips = way;
    const int32_t window = !cpu ? 0 : way == CACHED || way == IN_STRIPS ? 64 : 16;
    return (clm_traits){.few_long_runs = cpu,
                        .takes_rows = cpu,
                        .shuffle_window = window,
                        .has_short_vectors = window == 16,
                        .items_make_tables = true,
                        .any_alignment = cpu,
                        .workers = 3,
                        .max_outer = MOVE_OUTER_64,
                        .max_outer_narrow = MOVE_OUTER_32,
                        .local_bytes = CLM_LOCAL_MEMORY_BYTES,
                        .cache_bytes = way != CACHED,
                        .max_local_size = 256,
                        .tuning = tuned.values};
}

static void check_case(void **state) {
    const test_case *it = *state;
    expectation expected;
    clm_normal_form form;
    expect_shapes(it, &expected);
    find_form(it, &form);
    for (int turn = 0; turn < 2 * WAYS && expected.elements > 0; turn++) {
        const clm_traits traits = traits_of(turn % WAYS);
        clm_launch_plan launch_plan;
        for (const clm_variant *variant = clm_variants; variant->name; variant++)
            if (clm_choose(&form, &traits, variant->name, turn < WAYS ? 32 : 64, &launch_plan, NULL) == CLMOVE_OK)
                check_plan(it, &launch_plan, &expected, turn % WAYS != CACHED);
    }
    expect_destroy(&expected);
}

/* Where a kernel makes more of an index than there are units, though the end is right. */
static void check_far(void **state) {
    (void)state;
    unsigned moved = 0;
    for (size_t i = 0; i < far_case_count; i++)
        for (uint32_t which = 0; which < 3 * WAYS; which++) {
            const clm_traits traits = traits_of((int)(which % WAYS));
            clm_launch_plan launch_plan;
            clm_normal_form form;
            expectation expected;
            far_memories used;
            test_case it;
            far_make(&far_cases[i], 2U << which / WAYS, &it);
            find_form(&it, &form);
            if (clm_choose(&form, &traits, far_cases[i].variant, 32, &launch_plan, NULL) != CLMOVE_OK)
                continue;
            void *kernel = find_kernel(&launch_plan, 32);
            if (!kernel || !far_create(&it, &expected, &used))
                continue;
            run_kernel(kernel, &launch_plan, used.src, used.dst);
            far_check(&it, &expected, &used);
            far_destroy(&expected, &used);
            moved++;
        }
    printf("host_kernels: %u maps between places far apart\n", moved);
    assert_true(moved >= 20);
}

/* Fails where a kernel's checks did not run. */
static void every_variant_ran(void **state) {
    (void)state;
    for (const clm_variant *variant = clm_variants; variant->name; variant++) {
        printf("host_kernels: %s: %d launch plans\n", variant->name, at_hand.run[variant - clm_variants]);
        const bool cpu = strcmp(at_hand.set, "cpu") == 0;
        const clm_launch_plan any = {.takes_rows = cpu, .has_local = !cpu};
        assert_true(at_hand.run[variant - clm_variants] >= (clm_has_variant(&any, variant) ? 20 : 0));
    }
}

/* Fills in a test for each of some cases, and returns how many there are. */
static size_t add_tests(struct CMUnitTest *tests, const test_case *cases, size_t count) {
    for (size_t i = 0; i < count; i++)
        tests[i] =
            (struct CMUnitTest){.name = cases[i].name, .test_func = check_case, .initial_state = (void *)(uintptr_t)&cases[i]};
    return count;
}

int main(int count, char **arguments) {
    static struct CMUnitTest tests[8192];
    size_t view_count, block_count, all = 0;
    const test_case *const views = view_cases(&view_count), *const blocks = block_cases(&block_count);
    if (count != 2 || test_case_count + view_count + block_count + 2 > sizeof tests / sizeof *tests)
        return 2;
    at_hand.set = arguments[1];
    __sanitizer_set_death_callback(say_case);
    all += add_tests(tests, test_cases, test_case_count);
    all += add_tests(tests + all, views, view_count);
    if (strcmp(at_hand.set, "cpu") == 0) /* whose kernels read and write groups in pieces */
        all += add_tests(tests + all, blocks, block_count);
    tests[all++] = (struct CMUnitTest){.name = "every variant ran", .test_func = every_variant_ran};
    tests[all++] = (struct CMUnitTest){.name = "places far apart", .test_func = check_far};
    return _cmocka_run_group_tests(arguments[1], tests, all, NULL, NULL);
}
