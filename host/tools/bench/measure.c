/* The benchmark of operations on the device's own buffers. Operation and limit are measured in turn, so that what slows the
 * machine down for a while slows both. Each timed run follows an untimed run of the same pass, since another one may have left
 * lines in the caches that have to be written first: f32 [6721,13,10] repeated 3 times on 2 cores of an Intel Xeon (model 167)
 * made 22 GB/s after a limit with ordinary stores, and makes 57.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/bench/limit.h"
#include "host/tools/bench/run.h"
#include "host/tools/common/message.h"
#include "host/tools/common/printable.h"
#include "host/tools/common/table.h"

#include <stdio.h>
#include <stdlib.h>

/* Finding the fastest way: at most so many runs of each way, and so long. */
#define TRIAL_RUNS 15
#define TRIAL_SECONDS 0.1

/* The last case, and what is printed about all cases at the end. */
typedef struct results {
    const bench_request *asked;
    /* How the limit was made. */
    char limit_way[BENCH_WAY_NAME];
    size_t runs;
    /* device: by the device's clock; negative when not known. */
    bench_summary operation, device, limit;
    /* In seconds, of all. */
    bench_series plan_again;
    /* In seconds, of the first. */
    double plan_seconds, first_run_seconds;
} results;

/* ---- measuring ---- */

typedef struct bench {
    const bench_request *asked;
    const bench_subject *subject;
    bench_limit candidates;
    bench_series operation, device;
    /* By the kind of stores. No way: there is none, or it is slow. */
    struct {
        const bench_way *way;
        bench_series series;
    } limits[BENCH_KINDS];
} bench;

static bool is_cold(const bench *it) {
    return it->asked->cold.plan != NULL;
}

/* Makes the pass, and adds its seconds to a series. NULL: to none. */
static bool run_way(const bench *it, const bench_way *way, bench_series *to, clmove_error *error) {
    double seconds;
    return (is_cold(it) || bench_limit_run(&it->candidates, way, &seconds, error)) && bench_cold_flush(&it->asked->cold, error) &&
           bench_limit_run(&it->candidates, way, &seconds, error) && (!to || bench_record(to, seconds, error));
}

static bool run_operation(bench *it, clmove_error *error) {
    const bench_subject *subject = it->subject;
    const clmove_view src = clmove_buffer_view(subject->src, 0), dst = clmove_buffer_view(subject->dst, 0);
    clmove_times times = {.struct_size = sizeof times};
    return (is_cold(it) || clmove_measure(subject->plan, src, dst, &times, error) == CLMOVE_OK) &&
           bench_cold_flush(&it->asked->cold, error) && clmove_measure(subject->plan, src, dst, &times, error) == CLMOVE_OK &&
           bench_record(&it->device, times.device_seconds, error) && bench_record(&it->operation, times.host_seconds, error);
}

/* In turn, so that the first is not the coldest; the first round of all warms up, and does not count. */
static bool try_ways(bench *it, clmove_error *error) {
    double start = bench_now();
    for (int round = 0; round <= TRIAL_RUNS && !*it->asked->stop; round++) {
        if (round > BENCH_LEAST && bench_now() - start > TRIAL_SECONDS)
            break;
        for (int i = 0; i < it->candidates.count && !*it->asked->stop; i++)
            if (!run_way(it, &it->candidates.ways[i], round > 0 ? &it->candidates.ways[i].trials : NULL, error))
                return false;
    }
    return true;
}

/* The fastest way of each kind of stores, unless it is much slower than the fastest of all. Only in turn with the operation it
 * shows which kind is faster: ordinary stores are fast as long as what they write is in a cache, where others leave nothing. */
#define MUCH_SLOWER 1.5
static bool choose_ways(bench *it, clmove_error *error) {
    double best[BENCH_KINDS] = {0}, least = 0;
    if (!try_ways(it, error))
        return false;
    for (int i = 0; i < it->candidates.count; i++) {
        const bench_way *way = &it->candidates.ways[i];
        bench_summary summary;
        if (way->trials.count == 0)
            continue;
        if (!bench_summarise(&way->trials, &summary, error))
            return false;
        if (best[way->kind] == 0 || summary.median < best[way->kind]) {
            best[way->kind] = summary.median;
            it->limits[way->kind].way = way;
        }
        least = least == 0 || summary.median < least ? summary.median : least;
    }
    for (int kind = 0; kind < BENCH_KINDS; kind++)
        if (best[kind] > MUCH_SLOWER * least)
            it->limits[kind].way = NULL;
    return true;
}

static bool run_all(void *user, clmove_error *error) {
    bench *it = user;
    if (!run_operation(it, error))
        return false;
    for (int kind = 0; kind < BENCH_KINDS; kind++) /* an interrupt ends after this round, so that all have as many */
        if (it->limits[kind].way && !run_way(it, it->limits[kind].way, &it->limits[kind].series, error))
            return false;
    return true;
}

static bool run_until_quiet(bench *it, clmove_error *error) {
    const bench_series *series[1 + BENCH_KINDS] = {&it->operation};
    bench_rounds rounds = {.once = run_all, .user = it, .series = series, .count = 1};
    for (int kind = 0; kind < BENCH_KINDS; kind++)
        if (it->limits[kind].way)
            series[rounds.count++] = &it->limits[kind].series;
    return bench_rounds_run(&rounds, it->asked->seconds, it->asked->stop, error);
}

static bool summarise(const bench *it, results *to, clmove_error *error) {
    const bench_way *fastest = NULL;
    for (int kind = 0; kind < BENCH_KINDS; kind++) {
        bench_summary summary;
        if (!it->limits[kind].way)
            continue;
        if (!bench_summarise(&it->limits[kind].series, &summary, error))
            return false;
        if (!fastest || summary.median < to->limit.median) {
            fastest = it->limits[kind].way;
            to->limit = summary;
        }
    }
    snprintf(to->limit_way, sizeof to->limit_way, "%s", fastest ? fastest->name : "");
    to->runs = it->operation.count;
    return bench_summarise(&it->operation, &to->operation, error) && bench_summarise(&it->device, &to->device, error);
}

static bench_outcome measure(void *user, const bench_subject *subject, char *why) {
    clmove_error error;
    results *to = user;
    bench it = {.asked = to->asked, .subject = subject};
    bench_outcome outcome = BENCH_DONE;
    if (!bench_limit_open(&it.candidates, subject, &it.asked->device, &error) || !choose_ways(&it, &error) ||
        !run_until_quiet(&it, &error))
        outcome = bench_failed(why, "%s", error.text);
    else if (it.operation.count < BENCH_LEAST)
        outcome = BENCH_STOPPED;
    else if (!summarise(&it, to, &error))
        outcome = bench_failed(why, "%s", error.text);
    bench_limit_close(&it.candidates);
    free(it.operation.values);
    free(it.device.values);
    for (int kind = 0; kind < BENCH_KINDS; kind++)
        free(it.limits[kind].series.values);
    return outcome;
}

/* ---- printing ---- */

static bool print_result(const results *it, const bench_subject *subject, const char *repeat, table_part part) {
    const bench_summary *of = &it->operation, *limit = &it->limit;
    const int64_t read = subject->info.src_bytes, written = subject->info.written_bytes;
    const table_cell cells[] = {
        {"name", "NAME", 1, -22, AS_TEXT(subject->of->name)},
        {"op", AS_TEXT(bench_operation_name(subject->of->what.op.kind))},
        {"device", AS_TEXT(it->asked->device.name)},
        {"device_type", AS_TEXT(clmove_device_type_text(it->asked->device.type))},
        {"variant", "VARIANT", 2, -12, AS_TEXT(subject->info.variant)},
        {"bytes_read", AS_BYTES(read)},
        {"bytes_written", AS_BYTES(written)},
        {"bytes", "MOVED", 3, 9, AS_BYTES(read + written)},
        {"seconds_min", "MIN", 4, 9, AS_TIME(of->min)},
        {"seconds_median", "MEDIAN", 5, 9, AS_TIME(of->median)},
        {"seconds_p95", "P95", 6, 9, AS_TIME(of->p95)},
        {"device_seconds_median", "DEVICE", 7, 9, AS_TIME(it->device.median)},
        {"stream_seconds_median", AS_TIME(limit->median)},
        {"roofline", "ROOF", 12, 5, AS_RATE(limit->median / of->median)},
        {"gbps_median", "GB/S", 10, 6, AS_RATE(bench_gbps(read + written, of->median))},
        {NULL, "LIMIT", 11, 6, AS_RATE(bench_gbps(read + written, limit->median))},
        {"verified", AS_FLAG(true)},
        {"runs", "RUNS", 8, 6, AS_COUNT(it->runs)},
        {"noise", "NOISE", 9, 6, AS_PERCENT(of->noise)},
        {"stream_noise", AS_PERCENT(limit->noise)},
        {"stream", AS_TEXT(it->limit_way)},
        {"cold", AS_FLAG(it->asked->is_cold)},
        {"open_seconds", AS_TIME(it->asked->open_seconds)},
        {"plan_seconds", AS_TIME(subject->plan_seconds)},
        {"first_run_seconds", AS_TIME(subject->first_run_seconds)},
        {"plan_again_seconds", AS_TIME(subject->plan_again_seconds)},
        {"repro", AS_TEXT(repeat)},
    };
    return table_put(TABLE_CELLS(cells), part, NULL) ? table_is_written()
                                                     : refused("the result of %s cannot be written as JSON", subject->of->name);
}

static bool report_result(void *user, const bench_subject *subject, const char *repeat) {
    results *it = user;
    const bool is_first = it->plan_again.count == 0;
    if (!bench_series_add(&it->plan_again, subject->plan_again_seconds))
        return refused("there is no memory for what is said at the end");
    if (is_first) {
        it->plan_seconds = subject->plan_seconds;
        it->first_run_seconds = subject->first_run_seconds;
    }
    if (it->asked->as_json)
        return print_result(it, subject, repeat, TABLE_OBJECT);
    if (is_first)
        printf("%s (%s)%s; every result is verified before it is measured\n", printable(it->asked->device.name),
               clmove_device_type_text(it->asked->device.type), it->asked->is_cold ? ", caches flushed before each run" : "");
    return print_result(it, subject, repeat, is_first ? TABLE_HEAD_AND_ROW : TABLE_ROW);
}

static bool end(void *user) {
    const results *it = user;
    bench_summary again;
    char open[16], plan[16], run[16], all[16], later[16];
    if (it->asked->as_json || !bench_series_summarise(&it->plan_again, &again))
        return true;
    printf("\nstart: device opened in %s, first plan made in %s, its first run in %s: %s in all; another plan: %s\n",
           table_time_text(it->asked->open_seconds, open), table_time_text(it->plan_seconds, plan),
           table_time_text(it->first_run_seconds, run),
           table_time_text(it->asked->open_seconds + it->plan_seconds + it->first_run_seconds, all),
           table_time_text(again.median, later));
    return true;
}

int bench_operations(const bench_request *asked) {
    results all = {.asked = asked};
    const bench_kind kind = {.user = &all, .copies = 2, .measure = measure, .print = report_result, .end = end};
    int status = bench_run(asked, &kind);
    free(all.plan_again.values);
    return status;
}
