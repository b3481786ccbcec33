/* A run of the benchmark: the cases that were asked for, one after the other.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_BENCH_RUN_H
#define CLMOVE_HOST_TOOLS_BENCH_RUN_H

#include "host/tools/bench/rounds.h"
#include "host/tools/bench/subject.h"

/* Which cases. */
typedef struct bench_choice {
    bool named; /* an operation was: single */
    bench_case single;
    const char *workloads, *only, *sweep; /* as given, or NULL */
    operation_kind swept;
} bench_choice;

/* What is done with each case. */
typedef struct bench_kind {
    void *user;
    int copies; /* of source and destination, that are in memory at once */
    /* Measures a case and prints what was found. *is_broken: it cannot be printed, and there is no use in going on. repeat is
     * the line that repeats the case. As bench_subject_open. */
    bench_outcome (*one)(void *user, const bench_case *one, const bench_settings *settings, const char *repeat, bool *is_broken,
                         char *why);
    /* After the last case, however it went. On false a sentence has been printed. */
    bool (*end)(void *user);
} bench_kind;

/* Runs all cases on an open executor. settings has what flushes the caches and the signal that ends it; more is for
 * bench_repeat_text. Returns an exit status. */
int bench_run(const bench_choice *choice, const executor *who, const bench_settings *settings, const char *more,
              const bench_kind *kind);

#endif
