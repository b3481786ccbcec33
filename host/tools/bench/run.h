/* A run of the benchmark: what was asked for, and its cases, one after the other.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_BENCH_RUN_H
#define CLMOVE_HOST_TOOLS_BENCH_RUN_H

#include "host/tools/bench/cold.h"
#include "host/tools/bench/subject.h"
#include "host/tools/measured/statistics.h"

#include <signal.h>

/* What is measured, and how. */
typedef struct bench_request {
    chosen_device who;
    /* An operation was named: a single one. */
    bool named;
    bench_case single;
    /* As given, or NULL. */
    const char *workloads, *only, *sweep;
    operation_kind swept;
    bool as_json, is_cold;
    /* --transfer: it calibrates although a file says how fast the device is. */
    bool calibrates;
    /* The most seconds that measuring a case takes; for starts, the least. */
    double seconds;
    /* The text of bench_repeat_text. */
    char more[64];
    /* Not 0: end now, and print what was measured. */
    const volatile sig_atomic_t *stop;
    /* of the open device: */
    clmove_device_info device;
    double open_seconds;
    /* It flushes the caches before each run, if that is asked for. */
    bench_cold cold;
} bench_request;

/* What is done with each case. On false, here and below, a sentence has been printed, and there is no use in going on. */
typedef struct bench_kind {
    void *user;
    /* Pairs of source and destination that are in memory at once. */
    int copies;
    /* Measures an open subject. As bench_subject_open. */
    bench_outcome (*measure)(void *user, const bench_subject *subject, char *why);
    /* Prints what was found. repeat is the line that repeats the case. */
    bool (*print)(void *user, const bench_subject *subject, const char *repeat);
    /* Prints what all cases say together, after the last one. */
    bool (*end)(void *user);
} bench_kind;

/* Runs all cases on the open device. Returns an exit status, as what follows. */
int bench_run(const bench_request *asked, const bench_kind *kind);

/* clmove bench of operations on the device's own buffers: each is measured in turn with the limit, until the figures stand still
 * or the time is up. In measure.c. */
int bench_operations(const bench_request *asked);

/* clmove bench --transfer: whether to move a tensor here and upload the result, or to upload it and move it there, on the open
 * device and the host beside it. In the room transfer. */
int bench_transfer(const bench_request *asked);

/* clmove bench --start, in the room start: how long a fresh process takes from opening the device to its first result. Starts
 * this program again and again, with the command line of bench and `child` after it, and prints what these processes say of
 * themselves. Each cold start finds the caches of programs empty, clmove's and the driver's; warm ones find them filled. Goes on
 * for asked->seconds when the least number of starts took less. No device may be open: not every driver survives a fork. */
int bench_start(const bench_request *asked, int argc, char **argv, const char *child);

/* What such a process does: opens the device, plans and runs asked->single, checks every byte of the result, and prints one JSON
 * object. */
int bench_start_child(bench_request *asked);

/* The case that is measured when none is named: so small that only starting takes time. */
void bench_start_default(bench_case *one);

#endif
