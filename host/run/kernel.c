/* Kernels, and the self-test of their programs. The first time that a program is built or loaded, it moves a few small tensors.
 * Every byte is compared with the host executor's result.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/clock.h"
#include "host/run/plan.h"
#include "host/run/self_test_forms.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Shorter copies are done before other threads wake. */
#define THREADS_MIN_BYTES 65536

/* The most seconds of all launches after the first, and the least number of launches. 30 launches take POCL 0.3 ms. */
#define LAUNCH_SECONDS 0.002
enum { LEAST_LAUNCHES = 5 };

/* The data of a test: the launches, noise as the source, and the expected and the actual destination. */
typedef struct test {
    clm_test_launches launches;
    uint64_t src[CLM_TEST_SRC_BYTES / 8];
    uint64_t expected[CLM_TEST_DST_BYTES / 8], got[CLM_TEST_DST_BYTES / 8];
} test;

clmove_status clm_plan_run_form_on_host(clmove_plan *plan, const clm_normal_form *form, bool stream, const void *src, void *dst,
                                        clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_candidate *host = clm_plan_host(plan);
    const int64_t unit_bytes = form->unit_bits / 8, bytes = form->rank == 1 ? form->axes[0].extent * unit_bytes : 0;
    clm_launch_plan launch_plan;
    clm_kernel *kernel = NULL;
    if (bytes > 0 && bytes < THREADS_MIN_BYTES && form->axes[0].src == 1 && form->axes[0].dst == 1) {
        memcpy((char *)dst + form->dst_offset * unit_bytes, (const char *)src + form->src_offset * unit_bytes, (size_t)bytes);
        goto out;
    }
    clm_traits traits = host->traits;
    traits.shuffle_window = 0; /* a table would be made for each call, and passes planned */
    traits.has_passes = false;
    TRY(clm_choose(form, &traits, NULL, 0, &launch_plan, error));
    launch_plan.stream |= stream;
    TRY(host->executor->calls->kernel_create(host->executor, &launch_plan, &kernel, error));
    host->executor->calls->run(kernel, NULL, src, dst);
out:
    if (kernel)
        host->executor->calls->kernel_destroy(kernel);
    return status;
}

/* Noise by position (splitmix64). */
static void fill(uint64_t *memory, size_t bytes, uint64_t seed) {
    for (size_t i = 0; i < (bytes + 7) / 8; i++) {
        uint64_t z = seed += UINT64_C(0x9e3779b97f4a7c15);
        z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
        memory[i] = z ^ z >> 31;
    }
}

/* Computes the expected destination of the first launches with the host. */
static clmove_status expect(test *it, clmove_plan *plan, size_t count, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    for (size_t i = 0; i < count; i++) {
        const void *src = (const char *)it->src + it->launches.of[i].src_base;
        void *dst = (char *)it->expected + it->launches.of[i].dst_base;
        TRY(clm_plan_run_form_on_host(plan, &it->launches.forms[i], false, src, dst, error));
    }
out:
    return status;
}

static size_t count_wrong(const test *it) {
    const unsigned char *got = (const unsigned char *)it->got, *expected = (const unsigned char *)it->expected;
    size_t wrong = 0;
    for (size_t i = 0; i < it->launches.dst_bytes; i++)
        wrong += got[i] != expected[i];
    return wrong;
}

/* *wrong: how many of *bytes. */
static clmove_status run_test(clmove_plan *plan, clm_kernel *kernel, const clm_traits *traits, size_t *wrong, size_t *bytes,
                              clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    size_t done = 0;
    test *it = malloc(sizeof *it); /* only its used pages take memory */
    REQUIRE(it, OUT_OF_MEMORY, "no memory for a test of %zu bytes", sizeof *it);
    TRY(clm_test_launches_find(&kernel->launch_plan, traits, &it->launches, error));
    REQUIRE(it->launches.count > 0, UNSUPPORTED, "there is no self-test of %s",
            clm_source_names[kernel->launch_plan.variant->source]);
    const clm_trial trial = {.launches = it->launches.of,
                             .count = it->launches.count,
                             .least = LEAST_LAUNCHES,
                             .seconds = LAUNCH_SECONDS,
                             .src = it->src,
                             .src_bytes = it->launches.src_bytes,
                             .dst = it->got,
                             .dst_bytes = it->launches.dst_bytes};
    fill(it->src, trial.src_bytes, 1);
    fill(it->expected, trial.dst_bytes, 2);
    memcpy(it->got, it->expected, trial.dst_bytes);
    TRY(kernel->executor->calls->try(kernel, &trial, &done, error));
    TRY(expect(it, plan, done, error));
    *wrong = memcmp(it->got, it->expected, trial.dst_bytes) == 0 ? 0 : count_wrong(it);
    *bytes = trial.dst_bytes;
out:
    free(it);
    return status;
}

static void log_wrong(const clmove_device *device, const clm_kernel *kernel, size_t wrong, size_t bytes) {
    const clmove_device_info *info = &kernel->executor->info;
    const clm_launch_plan *launch_plan = &kernel->launch_plan;
    char text[512], blocks[40] = "";
    if (launch_plan->variant->m_is_constant)
        snprintf(blocks, sizeof blocks, " in blocks of %" PRId64, launch_plan->m);
    snprintf(text, sizeof text,
             "self-test: %s, driver %s: variant %s for units of %" PRIu32 " bits%s, with %" PRIu32
             "-bit indices, is not used: %zu of %zu bytes were wrong in its self-test",
             info->name, info->driver, launch_plan->variant->name, launch_plan->unit_bits, blocks, launch_plan->index_bits, wrong,
             bytes);
    clm_device_log(device, text);
}

/* The verdict on a kernel's program: of an earlier test, or of a test that this makes. It is CLM_RIGHT if self-tests are turned
 * off. A wrong program is logged. traits: those that the kernel's launch plan was chosen for. Raises failures of the executor in
 * a test, which are no verdict. A program is tested once; tests of other programs run at the same time. */
static clmove_status find_verdict(clmove_plan *plan, clm_kernel *kernel, const clm_traits *traits, clm_verdict *verdict,
                                  clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clmove_device *device = plan->device;
    size_t wrong = 0, bytes = 0;
    *verdict = device->tests_itself && kernel->executor->calls->verdict ? kernel->executor->calls->verdict(kernel) : CLM_RIGHT;
    if (*verdict != CLM_UNTRIED)
        return status;
    const double start = clm_now();
    status = run_test(plan, kernel, traits, &wrong, &bytes, error);
    atomic_fetch_add(&device->self_test_nanoseconds, (uint64_t)((clm_now() - start) * 1e9));
    if (status == CLMOVE_OK) {
        *verdict = wrong ? CLM_WRONG : CLM_RIGHT;
        atomic_fetch_add(&device->self_tests, 1);
    }
    kernel->executor->calls->judge(kernel, *verdict);
    if (wrong)
        log_wrong(device, kernel, wrong, bytes);
    return status;
}

/* ---- making kernels ---- */

/* Makes one kernel. *kernel is NULL if its program moves wrong bytes. */
static clmove_status try_launch_plan(clmove_plan *plan, const clm_candidate *candidate, const clm_launch_plan *launch_plan,
                                     clm_kernel **kernel, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_kernel *made = NULL;
    clm_verdict verdict;
    TRY(candidate->executor->calls->kernel_create(candidate->executor, launch_plan, &made, error));
    if (made->part_count == 0)
        TRY(find_verdict(plan, made, &candidate->traits, &verdict, error));
    for (int32_t i = 0; i < made->part_count; i++) {
        TRY(find_verdict(plan, made->parts[i], &candidate->traits, &verdict, error));
        if (verdict != CLM_RIGHT)
            break;
    }
    if (verdict == CLM_RIGHT) {
        *kernel = made;
        made = NULL;
    }
out:
    if (made)
        made->executor->calls->kernel_destroy(made);
    return status;
}

/* Tries the variants from the chosen one on, or all of those that are poor. *kernel stays NULL if none moves right bytes. */
static clmove_status try_others(clmove_plan *plan, const clm_candidate *candidate, const clm_normal_form *form,
                                const clm_launch_plan *chosen, bool is_forced, bool are_poor, clm_kernel **kernel,
                                clmove_error *error) {
    static const uint32_t widths[] = {32, 64};
    clmove_status status = CLMOVE_OK;
    for (const clm_variant *row = are_poor ? clm_variants : chosen->variant; row->name && !*kernel; row++)
        for (int i = 0; i < 2 && !*kernel; i++) {
            clm_launch_plan other;
            bool was_tried = row == chosen->variant && widths[i] <= chosen->index_bits;
            bool is_forced_out =
                is_forced && ((plan->variant && row != chosen->variant) || (plan->index_bits && plan->index_bits != widths[i]));
            if (was_tried || is_forced_out ||
                clm_choose(form, &candidate->traits, row->name, widths[i], &other, NULL) != CLMOVE_OK)
                continue;
            if (is_forced && plan->variant ? are_poor : (other.passed_over >> row->source & 1) != are_poor)
                continue;
            other.stream |= chosen->stream;
            other.passed_over |= chosen->passed_over;
            TRY(try_launch_plan(plan, candidate, &other, kernel, error));
        }
out:
    return status;
}

clmove_status clm_kernel_make(clmove_plan *plan, const clm_candidate *candidate, const clm_normal_form *form,
                              const clm_launch_plan *chosen, bool is_forced, clm_kernel **kernel, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clmove_device_info *info = &candidate->executor->info;
    *kernel = NULL;
    TRY(try_launch_plan(plan, candidate, chosen, kernel, error));
    TRY(try_others(plan, candidate, form, chosen, is_forced, false, kernel, error));
    TRY(try_others(plan, candidate, form, chosen, is_forced, true, kernel,
                   error)); /* slow ones, since all faster ones are wrong */
    REQUIRE(*kernel, DEVICE_FAILED,
            "%s, driver %s, moves wrong bytes: variant %s for units of %" PRIu32 " bits failed its self-test, and %s", info->name,
            info->driver, chosen->variant->name, chosen->unit_bits,
            is_forced && (plan->variant || plan->index_bits) ? "nothing else was allowed" : "so did every other that fits");
out:
    return status;
}
