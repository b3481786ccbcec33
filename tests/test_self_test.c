/* What self-tests move: that every program has launches, which its variants can do, apart from each other, within the memory that
 * a test has; and that they are as odd as they should be.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/run/self_test_forms.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

static const uint32_t units[] = {1, 2, 4, 8, 16, 32, 64, 128};

/* The three kinds of devices: a CPU with kernels of its own, a CPU with plain ones, and a GPU. */
enum { CPU, PLAIN_CPU, GPU, KINDS };

static clm_traits traits_of(int kind) {
    const bool long_runs = kind != GPU;
    clm_tuned tuned;
    clm_tuned_start(&tuned, long_runs ? CLM_CLASS_CPU : CLM_CLASS_GPU, long_runs ? 0 : 256);
    return (clm_traits){.few_long_runs = long_runs,
                        .takes_rows = kind == CPU,
                        .shuffle_window = 64,
                        .items_make_tables = true,
                        .any_alignment = kind == CPU,
                        .workers = 2,
                        .max_outer = 15,
                        .max_outer_narrow = 33,
                        .local_bytes = 32768,
                        .cache_bytes = 1 << 25,
                        .max_local_size = 256,
                        .tuning = tuned.values};
}

/* A span, found in another way than the library does: place by place. */
static void find_ends(const clm_normal_form *form, int64_t *src, int64_t *dst, int64_t *least_src) {
    *src = *least_src = form->src_offset;
    *dst = form->dst_offset;
    for (int32_t i = 0; i < form->rank; i++)
        for (int64_t step = 1; step < form->axes[i].extent; step++) {
            *(form->axes[i].src < 0 ? least_src : src) += form->axes[i].src;
            *dst += form->axes[i].dst;
        }
}

enum { MOST_CONSTANT = 23 };

/* Whether a program of the variant can be compiled for a constant: a block; of bits a copy, a fill, a choice with and without
 * blocks, or units from afar without blocks, woven, or with blocks, each with either order of bits. */
static bool is_constant(const clm_variant *row, int kind, uint32_t unit_bits, uint32_t constant) {
    static const uint32_t cases[] = {0, 3, 6, 8, 9, 10, 11};
    const clm_launch_plan any = {.takes_rows = kind == CPU, .has_local = kind == GPU};
    if (!clm_has_variant(&any, row))
        return false;
    if (row->is_local) { /* how tiles are read, and four times how they are written */
        static const uint32_t wide[] = {0, 1, 2, 4, 5, 6, 8, 9}, narrow[] = {2, 3, 6, 7, 8, 9, 12};
        bool is_one = constant == 0 && unit_bits == 128;
        for (size_t i = 0; i < sizeof wide / sizeof *wide && (unit_bits == 32 || unit_bits == 64); i++)
            is_one |= constant == wide[i];
        for (size_t i = 0; i < sizeof narrow / sizeof *narrow && unit_bits < 32; i++)
            is_one |= constant == narrow[i];
        return is_one;
    }
    if (row->m_is_constant)
        return constant >= (strcmp(row->name, "repeat") == 0 ? 1 : 2) && constant <= 16;
    if (strcmp(row->name, "bits") != 0 || kind != CPU)
        return constant == 1;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (cases[i] == constant / 2)
            return true;
    return false;
}

/* Every program that a plan can ask for: calls check with its launches. */
static void each_program(void (*check)(const clm_launch_plan *subject, int kind, uint32_t index_bits,
                                       const clm_test_launches *launches)) {
    clm_test_launches *launches = malloc(sizeof *launches);
    unsigned programs = 0;
    assert_non_null(launches);
    for (const clm_variant *row = clm_variants; row->name; row++)
        for (size_t u = 0; u < sizeof units / sizeof *units; u++)
            for (uint32_t block = 0; block <= MOST_CONSTANT; block++)
                for (int which = 0; which < 2 * KINDS; which++) {
                    clmove_error error;
                    const clm_traits traits = traits_of(which % KINDS);
                    const uint32_t index_bits = which < KINDS ? 32 : 64;
                    const clm_launch_plan subject = {
                        .variant = row, .unit_bits = units[u], .constant = block, .index_bits = index_bits};
                    if ((units[u] < 8) != (strcmp(row->name, "bits") == 0) || !is_constant(row, which % KINDS, units[u], block))
                        continue; /* no plan asks for it */
                    clmove_status status = clm_test_launches_find(&subject, &traits, launches, &error);
                    if (status != CLMOVE_OK)
                        fail_msg("%s, %u bits, block %u: %s", row->name, units[u], block, error.text);
                    check(&subject, which % KINDS, index_bits, launches);
                    programs++;
                }
    /* three without a constant, three with a block, bits, and on CPUs with kernels of their own bits by cases, transpose,
     * transpose_runs, period and shuffle; on GPUs tiles in local memory */
    assert_int_equal(programs, 2 * (KINDS * (3 * 5 + 5 * (16 + 15 + 15)) + 3 * (KINDS - 1) + 3 * 14 + 4 * 5 + 2 * 7 + 2 * 8 + 1));
    free(launches);
}

static void check_launches(const clm_launch_plan *subject, int kind, uint32_t index_bits, const clm_test_launches *launches) {
    size_t end = 0;
    if (launches->count < 8 || launches->count > CLM_TEST_LAUNCHES || launches->src_bytes > CLM_TEST_SRC_BYTES ||
        launches->dst_bytes > CLM_TEST_DST_BYTES)
        fail_msg("%s, %u bits, block %u: %zu launches, %zu and %zu bytes", clm_source_names[subject->variant->source],
                 subject->unit_bits, subject->constant, launches->count, launches->src_bytes, launches->dst_bytes);
    for (size_t i = 0; i < launches->count; i++) {
        const clm_trial_launch *it = &launches->of[i];
        const size_t unit_bytes = (size_t)clm_unit_bytes(it->launch_plan);
        int64_t src, dst, least_src;
        find_ends(&launches->forms[i], &src, &dst, &least_src);
        assert_true(least_src >= 0);
        assert_int_equal(it->launch_plan->variant->source, subject->variant->source);
        assert_int_equal(it->launch_plan->index_bits, index_bits);
        assert_int_equal(it->launch_plan->unit_bits, subject->unit_bits);
        assert_int_equal(it->launch_plan->launches, 1);
        assert_int_equal(it->launch_plan->constant, subject->constant);
        if (it->launch_plan->variant->m_is_constant)
            assert_int_equal(it->launch_plan->m, subject->constant);
        assert_true(it->dst_base >= end + 64); /* a guard before each, and behind the last */
        end = it->dst_base + ((size_t)(dst + 1) * subject->unit_bits + 7) / 8;
        assert_true(end + 64 <= launches->dst_bytes);
        assert_true(it->src_base + ((size_t)(src + 1) * subject->unit_bits + 7) / 8 <= launches->src_bytes);
        if (kind != CPU) { /* whose kernels take whole units only, and know one kind of stores */
            assert_int_equal(it->src_base % unit_bytes + it->dst_base % unit_bytes, 0);
            assert_false(it->launch_plan->stream);
        }
    }
}

static void every_program_has_launches(void **state) {
    (void)state;
    each_program(check_launches);
}

/* Several jobs, several items, jobs side by side in an item, shorter ones at the end, every place in a line and both kinds of
 * stores: each somewhere among a program's launches. */
static void check_oddness(const clm_launch_plan *subject, int kind, uint32_t index_bits, const clm_test_launches *launches) {
    bool jobs = false, items = false, runs = false, odd_end = false, odd_item = false, stream = false, cached = false,
         line = false, anywhere = false;
    for (size_t i = 0; i < launches->count; i++) {
        const clm_launch_plan *it = launches->of[i].launch_plan;
        jobs |= it->jobs > 1;
        items |= it->items > 1;
        runs |= it->item_jobs > 1;
        odd_end |= (it->q > 1 ? it->q : it->n) % it->segment != 0 || (it->band > 0 && it->m % it->band != 0);
        odd_item |= it->jobs % it->item_jobs != 0;
        stream |= it->stream;
        cached |= !it->stream;
        line |= launches->of[i].dst_base % 64 == 0;
        anywhere |= launches->of[i].dst_base % 64 != 0;
    }
    const bool has_no_ends =
        subject->variant->is_local &&
        (subject->constant == 0 || subject->constant == 3); /* of runs so short that whole ones are cut off */
    if (!jobs || !items || !runs || !(odd_end || has_no_ends) || !odd_item || !cached || !line || !anywhere ||
        stream != (kind == CPU && subject->unit_bits >= 8))
        fail_msg("%s, %u bits, block %u, %u-bit indices, kind %d: %d %d %d %d %d %d %d %d %d",
                 clm_source_names[subject->variant->source], subject->unit_bits, subject->constant, index_bits, kind, jobs, items,
                 runs, odd_end, odd_item, stream, cached, line, anywhere);
}

static void they_are_odd(void **state) {
    (void)state;
    each_program(check_oddness);
}

/* Tables with windows of both sizes, and blocks of whole lines that are streamed. */
static void both_windows_are_tested(void **state) {
    (void)state;
    clm_test_launches *launches = malloc(sizeof *launches);
    assert_non_null(launches);
    for (uint32_t bits = 8; bits <= 128; bits *= 2) {
        clmove_error error;
        clm_launch_plan subject = {.variant = clm_variants, .unit_bits = bits, .constant = 1, .index_bits = 32};
        const clm_traits traits = traits_of(CPU);
        unsigned whole = 0, pieces = 0, streamed = 0;
        while (strcmp(subject.variant->name, "shuffle") != 0)
            subject.variant++;
        ASSERT_OK(clm_test_launches_find(&subject, &traits, launches, &error), &error);
        for (size_t i = 0; i < launches->count; i++) {
            const clm_launch_plan *it = launches->of[i].launch_plan;
            const int64_t table_bytes = it->blocks_together * it->n * bits / 8;
            whole += it->window == 64;
            pieces += it->window == 16;
            streamed += it->stream && table_bytes % 64 == 0 && launches->of[i].dst_base % 64 == 0;
        }
        if ((bits < 128 && whole == 0) || pieces == 0 || streamed == 0)
            fail_msg("%u bits: %u tables of whole windows, %u of pieces, %u streamed", bits, whole, pieces, streamed);
    }
    free(launches);
}

/* The rows that POCL 6.0 gets wrong, of bytes in blocks of 8: shorter than a vector, one after the other in the source, joined in
 * another order than the destination's. */
static void short_rows_are_joined(void **state) {
    (void)state;
    clmove_error error;
    clm_launch_plan subject = {.variant = clm_variants, .unit_bits = 8, .constant = 8, .index_bits = 32};
    const clm_traits traits = traits_of(CPU);
    clm_test_launches *launches = malloc(sizeof *launches);
    unsigned found = 0;
    assert_non_null(launches);
    while (strcmp(subject.variant->name, "interleave") != 0)
        subject.variant++;
    ASSERT_OK(clm_test_launches_find(&subject, &traits, launches, &error), &error);
    for (size_t i = 0; i < launches->count; i++) {
        const clm_launch_plan *it = launches->of[i].launch_plan;
        found += it->n == 18 && it->q == 8 && it->q_src == it->n && it->n_dst == 8 && it->m_src > 0 && it->rows > 1 &&
                 it->q_dst > it->n * 8 && !it->stream;
    }
    assert_true(found > 0);
    free(launches);
}

/* Programs of groups that are read with the gap between them: any number of units, any part of them. */
static void groups_with_gaps_have_launches(void **state) {
    (void)state;
    const clm_traits traits = traits_of(CPU);
    clm_test_launches *launches = malloc(sizeof *launches);
    unsigned programs = 0;
    assert_non_null(launches);
    for (uint32_t bits = 8; bits <= 128; bits *= 2)
        for (uint32_t group = 3; group <= 16; group++)
            for (uint32_t rows = 2; rows < group; rows++, programs++) {
                clmove_error error;
                clm_launch_plan subject = {.variant = clm_variants,
                                           .unit_bits = bits,
                                           .constant = group,
                                           .index_bits = 32,
                                           .takes_rows = true,
                                           .n_src = group,
                                           .m = rows};
                while (strcmp(subject.variant->name, "deinterleave") != 0)
                    subject.variant++;
                ASSERT_OK(clm_test_launches_find(&subject, &traits, launches, &error), &error);
                assert_true(launches->count >= 8 && launches->count <= CLM_TEST_LAUNCHES);
                for (size_t i = 0; i < launches->count; i++) {
                    assert_int_equal(launches->of[i].launch_plan->constant, group);
                    assert_int_equal(launches->of[i].launch_plan->m, rows);
                }
            }
    assert_int_equal(programs, 5 * 105);
    free(launches);
}

/* Units, and blocks, that no plan asks for: what does not fit into a test's memory is refused. */
static void what_is_too_large_is_refused(void **state) {
    (void)state;
    clm_test_launches *launches = malloc(sizeof *launches);
    unsigned of_units = 0, of_blocks = 0;
    assert_non_null(launches);
    for (const clm_variant *row = clm_variants; row->name; row++)
        for (uint32_t size = 1; size <= 1024; size *= 2)
            for (int kind = 0;
                 kind < KINDS && strcmp(row->name, "bits") != 0 && !row->makes_tiles && !row->makes_passes && !row->is_local;
                 kind++) {
                clmove_error error;
                const clm_traits traits = traits_of(kind);
                const clm_launch_plan subject = {.variant = row,
                                                 .unit_bits = row->m_is_constant ? 128 : 128 * size,
                                                 .constant = row->m_is_constant ? size : 1,
                                                 .index_bits = 32};
                clmove_status status = clm_test_launches_find(&subject, &traits, launches, &error);
                if (status == CLMOVE_OK) {
                    assert_true(launches->count <= CLM_TEST_LAUNCHES && launches->src_bytes <= CLM_TEST_SRC_BYTES &&
                                launches->dst_bytes <= CLM_TEST_DST_BYTES);
                    continue;
                }
                assert_int_equal(status, CLMOVE_UNSUPPORTED);
                *(row->m_is_constant ? &of_blocks : &of_units) += strstr(error.text, "a self-test of ") != NULL;
            }
    assert_true(of_units > 0 && of_blocks > 0);
    free(launches);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_program_has_launches),     cmocka_unit_test(they_are_odd),
        cmocka_unit_test(both_windows_are_tested),        cmocka_unit_test(short_rows_are_joined),
        cmocka_unit_test(groups_with_gaps_have_launches), cmocka_unit_test(what_is_too_large_is_refused),
    };
    return cmocka_run_group_tests_name("self-test", tests, NULL, NULL) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
