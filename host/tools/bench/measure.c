/* See bench_measure.h.
 *
 * Operation and limit are measured in turn, so that what slows the machine down for a while slows both.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/bench/measure.h"

#include <stdio.h>
#include <stdlib.h>

/* Finding the fastest stream: at most so many runs of each way, and so long. */
#define TRIAL_RUNS 15
#define TRIAL_SECONDS 0.1

typedef struct bench {
    const bench_settings *settings;
    bench_subject subject;
    bench_stream stream;
    const bench_way *way;
    bench_series operation, device, limit;
} bench;

static clmove_status run_stream(const bench *it, const bench_way *way, double *seconds, clmove_error *error) {
    clmove_status status = bench_cold_flush(&it->settings->cold, error);
    return status == CLMOVE_OK ? bench_stream_run(&it->stream, way, seconds, error) : status;
}

/* In turn, so that the first is not the coldest; the first round of all warms up, and does not count. */
static clmove_status choose_way(bench *it, clmove_error *error) {
    bench_series series[BENCH_WAYS] = {0};
    clmove_status status = CLMOVE_OK;
    int count = it->stream.count;
    double start = bench_now(), best = 0, seconds;
    for (int round = 0; round <= TRIAL_RUNS && !*it->settings->stop && status == CLMOVE_OK; round++) {
        if (round > BENCH_LEAST && bench_now() - start > TRIAL_SECONDS)
            break;
        for (int i = 0; i < count && status == CLMOVE_OK; i++) {
            status = run_stream(it, &it->stream.ways[i], &seconds, error);
            if (status == CLMOVE_OK && round > 0)
                status = bench_record(&series[i], seconds, error);
        }
    }
    it->way = &it->stream.ways[0];
    for (int i = 0; i < count && status == CLMOVE_OK; i++) {
        bench_summary summary;
        if (series[i].count == 0)
            continue;
        status = bench_summarise(&series[i], &summary, error);
        if (status == CLMOVE_OK && (best == 0 || summary.median < best)) {
            best = summary.median;
            it->way = &it->stream.ways[i];
        }
    }
    for (int i = 0; i < BENCH_WAYS; i++)
        free(series[i].values);
    return status;
}

static clmove_status run_both(void *user, clmove_error *error) {
    bench *it = user;
    clmove_times times = {.struct_size = sizeof times};
    double seconds;
    clmove_status status = bench_cold_flush(&it->settings->cold, error);
    if (status == CLMOVE_OK)
        status = clmove_measure(it->subject.plan, it->subject.src, it->subject.dst, &times, error);
    if (status == CLMOVE_OK)
        status = run_stream(it, it->way, &seconds, error);
    if (status == CLMOVE_OK)
        status = bench_record(&it->limit, seconds, error);
    if (status == CLMOVE_OK)
        status = bench_record(&it->device, times.device_seconds, error);
    return status == CLMOVE_OK ? bench_record(&it->operation, times.host_seconds, error) : status;
}

static clmove_status run_until_quiet(bench *it, clmove_error *error) {
    const bench_series *const series[] = {&it->operation, &it->limit};
    const bench_rounds rounds = {.once = run_both, .user = it, .series = series, .count = 2};
    return bench_rounds_run(&rounds, it->settings, error);
}

static clmove_status summarise(const bench *it, bench_result *result, clmove_error *error) {
    const bench_subject *subject = &it->subject;
    *result = (bench_result){
        .variant = subject->info.variant,
        .bytes_read = subject->bytes_read,
        .bytes_written = subject->bytes_written,
        .runs = it->operation.count,
        .plan_seconds = subject->plan_seconds,
        .plan_again_seconds = subject->plan_again_seconds,
        .first_run_seconds = subject->first_run_seconds,
    };
    snprintf(result->stream, sizeof result->stream, "%s", it->way->name);
    if (result->runs == 0)
        return CLMOVE_OK;
    clmove_status status = bench_summarise(&it->operation, &result->operation, error);
    if (status == CLMOVE_OK)
        status = bench_summarise(&it->device, &result->device, error);
    return status == CLMOVE_OK ? bench_summarise(&it->limit, &result->limit, error) : status;
}

bench_outcome bench_measure(const executor *who, const bench_case *one, const bench_settings *settings, bench_result *result,
                            char *why) {
    clmove_error error;
    bench it = {.settings = settings};
    bench_outcome outcome = bench_subject_open(&it.subject, who, one, why);
    if (outcome == BENCH_DONE) {
        clmove_status status = bench_stream_open(&it.stream, &it.subject, &error);
        if (status == CLMOVE_OK)
            status = choose_way(&it, &error);
        if (status == CLMOVE_OK)
            status = run_until_quiet(&it, &error);
        if (status == CLMOVE_OK)
            status = bench_subject_check(&it.subject, &error);
        if (status == CLMOVE_OK)
            status = summarise(&it, result, &error);
        if (status != CLMOVE_OK) {
            snprintf(why, BENCH_WHY, "%s", error.text);
            outcome = BENCH_FAILED;
        }
        bench_stream_close(&it.stream);
    }
    bench_subject_close(&it.subject);
    free(it.operation.values);
    free(it.device.values);
    free(it.limit.values);
    return outcome;
}
