/* See measure.h.
 *
 * All ways are measured in turn, so that what slows the machine down for a while slows all of them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/transfer/measure.h"

#include "host/tools/measured/statistics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct transfer {
    const bench_request *asked;
    const bench_subject *subject;
    clmove_plan *host_plan;
    transfer_host with[TRANSFER_MEMORIES];
    /* A run of way d copied what it moved to the device and back. */
    bool was_staged[TRANSFER_MEMORIES];
    bench_series of[TRANSFER_MEMORIES][TRANSFER_STEPS];
} transfer;

/* ---- the ways ---- */

/* Takes one way once, and writes its seconds and those of its steps. */
typedef bool take_way(transfer *it, const transfer_host *with, double seconds[TRANSFER_STEPS], clmove_error *error);

static bool move_on_host(const transfer *it, const transfer_host *with, clmove_error *error) {
    return clmove_run(it->host_plan, with->src.memory, with->src.bytes, with->dst.memory, with->dst.bytes, error) == CLMOVE_OK;
}

/* a */
static bool host_then_upload(transfer *it, const transfer_host *with, double seconds[TRANSFER_STEPS], clmove_error *error) {
    double start = bench_now();
    if (!transfer_host_take(with, error))
        return false;
    double taken = bench_now();
    if (!move_on_host(it, with, error))
        return false;
    double moved = bench_now();
    if (!transfer_host_give(with, &seconds[TRANSFER_UPLOAD_DST_EVENT], error))
        return false;
    seconds[TRANSFER_A] = bench_now() - start;
    seconds[TRANSFER_UPLOAD_DST] = seconds[TRANSFER_A] - (moved - taken);
    return true;
}

/* b */
static bool upload_then_device(transfer *it, const transfer_host *with, double seconds[TRANSFER_STEPS], clmove_error *error) {
    double start = bench_now();
    if (!transfer_copy(with, &with->src, true, &seconds[TRANSFER_UPLOAD_SRC_EVENT], error))
        return false;
    seconds[TRANSFER_UPLOAD_SRC] = bench_now() - start;
    if (clmove_enqueue(it->subject->plan, clmove_buffer_view(with->src.buffer, 0), clmove_buffer_view(with->dst.buffer, 0), NULL,
                       error) != CLMOVE_OK ||
        clmove_device_finish(it->subject->device, error) != CLMOVE_OK)
        return false;
    seconds[TRANSFER_B] = bench_now() - start;
    return true;
}

/* d: of zero-copy memory, which belongs to its buffers, without clmove_run. */
static bool there_and_back(transfer *it, const transfer_host *with, double seconds[TRANSFER_STEPS], clmove_error *error) {
    clmove_run_info info = {.struct_size = sizeof info, .upload_seconds = -1, .move_seconds = -1, .download_seconds = -1};
    const clmove_run_params params = {.struct_size = sizeof params, .info = &info};
    double start = bench_now(), unused[TRANSFER_STEPS];
    bool done = with->kind == TRANSFER_ZERO_COPY
                    ? upload_then_device(it, with, unused, error) && transfer_copy(with, &with->dst, false, unused, error)
                    : clmove_run_with(it->subject->plan, with->src.memory, with->src.bytes, with->dst.memory, with->dst.bytes,
                                      &params, error) == CLMOVE_OK;
    seconds[TRANSFER_D] = bench_now() - start;
    it->was_staged[with->kind] |= info.method == CLMOVE_RUN_STAGED;
    seconds[TRANSFER_D_UPLOAD] = info.upload_seconds;
    seconds[TRANSFER_D_MOVE] = info.move_seconds;
    seconds[TRANSFER_D_DOWNLOAD] = info.download_seconds;
    return done;
}

static bool download(transfer *it, const transfer_host *with, double seconds[TRANSFER_STEPS], clmove_error *error) {
    (void)it;
    double start = bench_now();
    bool done = transfer_copy(with, &with->dst, false, &seconds[TRANSFER_DOWNLOAD_EVENT], error);
    seconds[TRANSFER_DOWNLOAD] = bench_now() - start;
    return done;
}

/* ---- in turn ---- */

static bool flush(const transfer *it, clmove_error *error) {
    return bench_cold_flush(&it->asked->cold, error);
}

/* The device's part and the host's take turns. What comes first after a change is slower, as threads wake up and change
 * processors, and does not count. */
static bool measure_on_device(transfer *it, double seconds[TRANSFER_MEMORIES][TRANSFER_STEPS], clmove_error *error) {
    const bench_subject *subject = it->subject;
    clmove_times times = {.struct_size = sizeof times};
    bool done = clmove_measure(subject->plan, clmove_buffer_view(subject->src, 0), clmove_buffer_view(subject->dst, 0), &times,
                               error) == CLMOVE_OK &&
                flush(it, error) &&
                clmove_measure(subject->plan, clmove_buffer_view(subject->src, 0), clmove_buffer_view(subject->dst, 0), &times,
                               error) == CLMOVE_OK;
    for (int i = 0; i < TRANSFER_MEMORIES && done; i++) {
        const transfer_host *with = &it->with[i];
        seconds[i][TRANSFER_C] = times.host_seconds;
        seconds[i][TRANSFER_C_EVENT] = times.device_seconds;
        done = !with->exists ||
               (flush(it, error) && upload_then_device(it, with, seconds[i], error) && flush(it, error) &&
                download(it, with, seconds[i], error) && flush(it, error) && there_and_back(it, with, seconds[i], error));
    }
    return done;
}

static bool measure_on_host(transfer *it, double seconds[TRANSFER_MEMORIES][TRANSFER_STEPS], clmove_error *error) {
    const transfer_host *pageable = &it->with[TRANSFER_PAGEABLE];
    if (!move_on_host(it, pageable, error) || !flush(it, error))
        return false;
    double start = bench_now();
    bool done = move_on_host(it, pageable, error);
    double taken = bench_now() - start;
    for (int i = 0; i < TRANSFER_MEMORIES && done; i++) {
        seconds[i][TRANSFER_E] = taken;
        done = !it->with[i].exists || (flush(it, error) && host_then_upload(it, &it->with[i], seconds[i], error));
    }
    return done;
}

static bool measure_all(void *user, clmove_error *error) {
    transfer *it = user;
    double seconds[TRANSFER_MEMORIES][TRANSFER_STEPS] = {{0}};
    bool done = measure_on_device(it, seconds, error) && measure_on_host(it, seconds, error);
    for (int i = 0; i < TRANSFER_MEMORIES; i++)
        for (int k = 0; k < TRANSFER_STEPS && done && it->with[i].exists; k++)
            done = bench_record(&it->of[i][k], seconds[i][k], error);
    return done;
}

static bool measure_until_quiet(transfer *it, transfer_calibration *calibration, clmove_error *error) {
    const bench_series *series[(int)TRANSFER_MEMORIES * TRANSFER_ONE_BY_ONE];
    bench_rounds rounds = {.once = measure_all, .user = it, .series = series};
    const chosen_device *device = &it->asked->who;
    for (int i = 0; i < TRANSFER_MEMORIES; i++)
        for (int k = 0; k < TRANSFER_ONE_BY_ONE && it->with[i].exists; k++)
            series[rounds.count++] = &it->of[i][k];
    bool done = transfer_calibration_start(calibration, device, error);
    for (int part = 0; part < TRANSFER_PARTS && done && !*it->asked->stop; part++)
        done = bench_rounds_run(&rounds, it->asked->seconds / TRANSFER_PARTS, it->asked->stop, error) &&
               (*it->asked->stop || transfer_calibration_take(calibration, device, error));
    return done;
}

/* ---- every byte ---- */

/* Nothing that was right before is left, neither in host memory nor on the device. */
static bool spoil(const transfer_host *with, clmove_error *error) {
    double unused;
    if (!transfer_host_take(with, error))
        return false;
    memset(with->dst.memory, 0xa5, with->dst.bytes);
    return transfer_host_give(with, &unused, error);
}

/* What is done in turn, and where its result then is. */
static const struct check {
    const char *what;
    /* How it is done. NULL: it was done before, and is looked at elsewhere. */
    take_way *take;
    /* It spoils what comes before it. */
    bool spoils;
    bool on_device;
} CHECKS[] = {{"(b) uploaded, then moved on the device", upload_then_device, true, true},
              {"(b) and downloaded", download, false, false},
              {"(d) there and back", there_and_back, true, false},
              {"(a) moved on the host, then uploaded", host_then_upload, true, true},
              {"(e) moved on the host", NULL, false, false}};

static bench_outcome verify(transfer *it, const transfer_host *with, const struct check *check, char *why) {
    char told[BENCH_WHY];
    clmove_error error;
    double unused[TRANSFER_STEPS];
    bench_outcome outcome;
    if ((check->spoils && !spoil(with, &error)) || (check->take && !check->take(it, with, unused, &error)))
        outcome = bench_failed(told, "%s", error.text);
    else if (check->on_device)
        outcome = bench_subject_compare(it->subject, with->dst.buffer, told);
    else
        outcome = bench_subject_compare_memory(it->subject, with->dst.memory, told);
    if (outcome != BENCH_DONE)
        snprintf(why, BENCH_WHY, "%s, %s memory: %.480s", check->what, transfer_memory_name(with->kind), told);
    return outcome;
}

/* Zero-copy memory belongs to its buffers after (a), and pinned memory is no other to the host than pageable one. */
static bench_outcome verify_all(transfer *it, const transfer_host *with, char *why) {
    bench_outcome outcome = BENCH_DONE;
    for (size_t i = 0; i < sizeof CHECKS / sizeof *CHECKS && outcome == BENCH_DONE; i++)
        if (CHECKS[i].take || with->kind == TRANSFER_PAGEABLE)
            outcome = verify(it, with, &CHECKS[i], why);
    return outcome;
}

/* ---- all ---- */

static bool plan_on_host(transfer *it, const chosen_device *host, clmove_error *error) {
    clmove_map map;
    return task_describe(&it->subject->of->what, &map, error) == CLMOVE_OK &&
           clmove_plan_create(host->device, &map, NULL, &it->host_plan, error) == CLMOVE_OK;
}

static bench_outcome open_all(transfer *it, const chosen_device *host, char *why) {
    clmove_error error;
    bench_outcome outcome = BENCH_DONE;
    uint64_t both = (uint64_t)it->subject->info.src_bytes + (uint64_t)it->subject->info.dst_bytes;
    if (!bench_has_memory(both * TRANSFER_MEMORIES, why))
        return BENCH_FAILED;
    bool done = plan_on_host(it, host, &error);
    for (int i = 0; i < TRANSFER_MEMORIES && done; i++)
        done = transfer_host_open(&it->with[i], (transfer_memory)i, it->subject, &error);
    if (!done)
        return bench_failed(why, "%s", error.text);
    for (int i = 0; i < TRANSFER_MEMORIES && outcome == BENCH_DONE; i++)
        if (it->with[i].exists)
            outcome = verify_all(it, &it->with[i], why);
    return outcome;
}

static void close_all(transfer *it) {
    for (int i = 0; i < TRANSFER_MEMORIES; i++) {
        transfer_host_close(&it->with[i]);
        for (int k = 0; k < TRANSFER_STEPS; k++)
            free(it->of[i][k].values);
    }
    clmove_plan_destroy(&it->host_plan);
}

static bool summarise(const transfer *it, transfer_result *result, clmove_error *error) {
    bench_summary summary;
    *result = (transfer_result){.runs = it->of[TRANSFER_PAGEABLE][TRANSFER_A].count};
    for (int i = 0; i < TRANSFER_MEMORIES; i++) {
        double *seconds = result->seconds[i];
        result->measured[i] = it->with[i].exists;
        result->d_in_place[i] = !it->was_staged[i];
        for (int k = 0; k < TRANSFER_STEPS && it->with[i].exists; k++) {
            if (!bench_summarise(&it->of[i][k], &summary, error))
                return false;
            seconds[k] = summary.median;
        }
        seconds[TRANSFER_ONE_BY_ONE] = seconds[TRANSFER_UPLOAD_SRC] + seconds[TRANSFER_C] + seconds[TRANSFER_DOWNLOAD];
    }
    return true;
}

bench_outcome transfer_measure(const bench_request *asked, const chosen_device *host, const bench_subject *subject,
                               transfer_calibration *calibration, transfer_result *result, char *why) {
    clmove_error error;
    transfer it = {.asked = asked, .subject = subject};
    bench_outcome outcome = open_all(&it, host, why);
    if (outcome == BENCH_DONE && !measure_until_quiet(&it, calibration, &error))
        outcome = bench_failed(why, "%s", error.text);
    else if (outcome == BENCH_DONE && it.of[TRANSFER_PAGEABLE][TRANSFER_A].count < BENCH_LEAST)
        outcome = BENCH_STOPPED;
    else if (outcome == BENCH_DONE && !summarise(&it, result, &error))
        outcome = bench_failed(why, "%s", error.text);
    close_all(&it);
    return outcome;
}
