/* Rounds of measuring: until the figures stand still or the time is up.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_BENCH_ROUNDS_H
#define CLMOVE_HOST_TOOLS_BENCH_ROUNDS_H

#include "host/tools/bench/cold.h"
#include "host/tools/bench/statistics.h"

#include <signal.h>

/* How to measure. */
typedef struct bench_settings {
    double seconds;                    /* of measuring a case, at most */
    bench_cold cold;                   /* what flushes the caches before each run, if so */
    const volatile sig_atomic_t *stop; /* not 0: end now, with what there is */
} bench_settings;

/* Fewer rounds than these are nothing to report. */
enum { BENCH_LEAST = 3 };

/* What is measured in one round, and whose medians are to stand still. */
typedef struct bench_rounds {
    clmove_status (*once)(void *user, clmove_error *error); /* adds a value to each series */
    void *user;
    const bench_series *const *series;
    size_t count; /* of series; the first of them counts the rounds */
} bench_rounds;

/* Measures round after round. When it was stopped there may be fewer than BENCH_LEAST. */
clmove_status bench_rounds_run(const bench_rounds *rounds, const bench_settings *settings, clmove_error *error);

/* Adds a value to a series, or says that there is no memory. */
clmove_status bench_record(bench_series *series, double value, clmove_error *error);

/* Of a series with at least one value, or says that there is no memory. */
clmove_status bench_summarise(const bench_series *series, bench_summary *summary, clmove_error *error);

#endif
