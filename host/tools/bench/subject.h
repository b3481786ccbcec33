/* What is measured: one operation on buffers of a device, whose result was compared with the operator's definition.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_BENCH_SUBJECT_H
#define CLMOVE_HOST_TOOLS_BENCH_SUBJECT_H

#include "host/tools/measured/statistics.h"
#include "host/tools/workloads/case.h"

typedef enum bench_outcome {
    BENCH_DONE,
    /* A variant or an index width is forced that does not fit. */
    BENCH_SKIPPED,
    BENCH_FAILED,
    /* The result differs from the one of the definition. */
    BENCH_WRONG,
    /* It was interrupted before there was anything to report. */
    BENCH_STOPPED,
} bench_outcome;

enum { BENCH_WHY = 640 };

typedef struct bench_subject {
    const bench_case *of;
    clmove_device *device;
    clmove_plan *plan;
    clmove_plan_info info;
    clmove_buffer *src, *dst;
    /* What src holds, in host memory. */
    unsigned char *noise;
    /* What dst must hold, from the operator's definition. */
    unsigned char *expected;
    /* What the first plan took, with what had to be built. */
    double plan_seconds;
    /* What the first run took, with what the driver leaves until then. */
    double first_run_seconds;
    /* What another plan took, with nothing to build. */
    double plan_again_seconds;
} bench_subject;

/* Plans a case, fills its buffers with noise, runs it once and compares every byte. Unless BENCH_DONE, why says what is wrong, in
 * BENCH_WHY characters. The subject is to be closed in any case; the case must outlive it. */
bench_outcome bench_subject_open(bench_subject *subject, const chosen_device *who, const bench_case *one, char *why);

/* BENCH_FAILED, for a reason as printf writes it. */
bench_outcome bench_failed(char *why, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Whether the device ran the plan so far, and not the host in its place. On false *error says why. */
bool bench_subject_check(bench_subject *subject, clmove_error *error);

void bench_subject_close(bench_subject *subject);

/* Compares a destination in a buffer, or in host memory, with what must come out. BENCH_WRONG: why names the first wrong byte. */
bench_outcome bench_subject_compare(const bench_subject *subject, clmove_buffer *dst, char *why);
bench_outcome bench_subject_compare_memory(const bench_subject *subject, const unsigned char *dst, char *why);

/* How many bytes source and destination together may have, for sure, when so many copies of them are in memory. */
uint64_t bench_room(const clmove_device_info *device, int copies);

/* Whether there is memory for so many bytes. Some drivers end the process when memory runs out, and some systems another one, so
 * that is seen before. */
bool bench_has_memory(uint64_t bytes, char *why);

#endif
