/* SPDX-License-Identifier: Apache-2.0 */
#include "host/run/self_test.h"

#include "host/clock.h"
#include "host/run/self_test_forms.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The most seconds of all launches after the first, and the least number of launches. 30 launches take POCL 0.3 ms. */
#define LAUNCH_SECONDS 0.002
enum { LEAST_LAUNCHES = 5 };

/* The data of a test: the launches, their order, noise as the source, and the expected and the actual destination. */
typedef struct test {
    clm_test_launches launches;
    const clm_test_launch *order[CLM_TEST_LAUNCHES];
    clm_trial_launch tried[CLM_TEST_LAUNCHES];
    uint64_t src[CLM_TEST_SRC_BYTES / 8];
    uint64_t expected[CLM_TEST_DST_BYTES / 8], got[CLM_TEST_DST_BYTES / 8];
} test;

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
static clmove_status expect(test *it, const clmove_device *device, size_t count, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_kernel kernel = {.executor = clm_device_host(device)};
    for (size_t i = 0; i < count; i++) {
        const clm_test_launch *launch = it->order[i];
        TRY(clm_choose(&launch->form, &kernel.executor->traits, NULL, 0, &kernel.launch_plan, error));
        kernel.executor->calls->run(&kernel, (const char *)it->src + launch->src_base, (char *)it->expected + launch->dst_base);
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

/* Every third comes first, so that the few launches of a slow driver have many forms. */
static void put_in_order(test *it) {
    size_t count = 0;
    for (size_t first = 0; first < 3; first++)
        for (size_t i = first; i < it->launches.count; i += 3)
            it->order[count++] = &it->launches.of[i];
    for (size_t i = 0; i < count; i++)
        it->tried[i] = (clm_trial_launch){&it->order[i]->launch_plan, it->order[i]->src_base, it->order[i]->dst_base};
}

/* *wrong: how many of *bytes. */
static clmove_status run_test(clmove_device *device, clm_kernel *kernel, const clm_traits *traits, size_t *wrong, size_t *bytes,
                              clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    size_t done = 0;
    const clm_launch_plan *launch_plan = &kernel->launch_plan;
    const clm_test_subject subject = {
        .source = launch_plan->variant->source,
        .unit_bits = launch_plan->unit_bits,
        .block = launch_plan->constant,
    };
    test *it = malloc(sizeof *it); /* only its used pages take memory */
    REQUIRE(it, OUT_OF_MEMORY, "no memory for a test of %zu bytes", sizeof *it);
    TRY(clm_test_launches_find(&subject, traits, launch_plan->index_bits, &it->launches, error));
    REQUIRE(it->launches.count > 0, UNSUPPORTED, "there is no self-test of %s", subject.source);
    put_in_order(it);
    const clm_trial trial = {.launches = it->tried,
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
    TRY(expect(it, device, done, error));
    *wrong = memcmp(it->got, it->expected, trial.dst_bytes) == 0 ? 0 : count_wrong(it);
    *bytes = trial.dst_bytes;
out:
    free(it);
    return status;
}

static void log_wrong(const clmove_device *device, const clm_kernel *kernel, size_t wrong, size_t bytes) {
    const clmove_device_info *info = &kernel->executor->info;
    const clm_launch_plan *launch_plan = &kernel->launch_plan;
    char text[512];
    int length = snprintf(text, sizeof text, "self-test: %s, driver %s: variant %s for units of %" PRIu32 " bits", info->name,
                          info->driver, launch_plan->variant->name, launch_plan->unit_bits);
    if (length < 0 || (size_t)length >= sizeof text)
        return;
    if (launch_plan->variant->m_is_constant)
        length += snprintf(text + length, sizeof text - (size_t)length, " in blocks of %" PRId64, launch_plan->m);
    snprintf(text + length, sizeof text - (size_t)length,
             ", with %" PRIu32 "-bit indices, is not used: %zu of %zu bytes were wrong in its self-test", launch_plan->index_bits,
             wrong, bytes);
    clm_device_log(device, text);
}

clmove_status clm_self_test(clmove_device *device, clm_kernel *kernel, const clm_traits *traits, clm_verdict *verdict,
                            clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    size_t wrong = 0, bytes = 0;
    *verdict = device->tests_itself && kernel->executor->calls->verdict ? kernel->executor->calls->verdict(kernel) : CLM_RIGHT;
    if (*verdict != CLM_UNTRIED)
        return status;
    const double start = clm_now();
    status = run_test(device, kernel, traits, &wrong, &bytes, error);
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
