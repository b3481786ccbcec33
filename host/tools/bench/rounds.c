/* See bench_rounds.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/bench/rounds.h"

#include "host/tools/bench/subject.h"

/* As nvbench: at least so many runs, and so long; then it ends when all medians are known to this share of themselves. */
#define ENOUGH_RUNS 10
#define ENOUGH_SECONDS 0.3
#define ENOUGH_NOISE 0.005

/* Long before that memory would count. */
#define MOST_RUNS 200000

static clmove_status out_of_memory(clmove_error *error) {
    *error = (clmove_error){.status = CLMOVE_OUT_OF_MEMORY, .text = "there is no memory for its measurements"};
    return CLMOVE_OUT_OF_MEMORY;
}

clmove_status bench_record(bench_series *series, double value, clmove_error *error) {
    return bench_series_add(series, value) ? CLMOVE_OK : out_of_memory(error);
}

clmove_status bench_summarise(const bench_series *series, bench_summary *summary, clmove_error *error) {
    return bench_series_summarise(series, summary) ? CLMOVE_OK : out_of_memory(error);
}

static clmove_status is_quiet(const bench_rounds *rounds, bool *quiet, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    *quiet = true;
    for (size_t i = 0; i < rounds->count && *quiet && status == CLMOVE_OK; i++) {
        bench_summary summary = {0};
        status = bench_summarise(rounds->series[i], &summary, error);
        *quiet = summary.noise < ENOUGH_NOISE;
    }
    return status;
}

clmove_status bench_rounds_run(const bench_rounds *rounds, const bench_settings *settings, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    bool quiet = false;
    size_t next = ENOUGH_RUNS;
    double start = bench_now();
    while (status == CLMOVE_OK && !quiet && !*settings->stop && rounds->series[0]->count < MOST_RUNS) {
        double elapsed = bench_now() - start;
        size_t count = rounds->series[0]->count;
        if (count >= BENCH_LEAST && elapsed >= settings->seconds)
            break;
        if (count >= next && elapsed >= ENOUGH_SECONDS) { /* sorting costs more than small runs: not each time */
            status = is_quiet(rounds, &quiet, error);
            next = count + count / 8 + 1;
        } else
            status = rounds->once(rounds->user, error);
    }
    return status;
}
