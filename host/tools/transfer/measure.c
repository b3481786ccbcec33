/* See bench_transfer_measure.h.
 *
 * All ways are measured in turn, so that what slows the machine down for a while slows all of them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/transfer/measure.h"

#include "host/tools/verify/case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct transfer {
    const bench_settings *settings;
    bench_subject subject;
    clmove_plan *host_plan;
    transfer_host with[TRANSFER_MEMORIES];
    bool has[TRANSFER_MEMORIES];
    bool was_staged[TRANSFER_MEMORIES]; /* a run of way d copied what it moved to the device and back */
    bench_series device, device_event, host, of[TRANSFER_MEMORIES][TRANSFER_STEPS];
} transfer;

/* ---- the ways ---- */

static clmove_status move_on_host(const transfer *it, const transfer_host *with, clmove_error *error) {
    return clmove_run(it->host_plan, with->src, (size_t)it->subject.info.src_bytes, with->dst, (size_t)it->subject.info.dst_bytes,
                      error);
}

static clmove_status run_on_device(const transfer *it, const transfer_host *with, clmove_run_info *info, clmove_error *error) {
    const clmove_run_params params = {.struct_size = sizeof params, .info = info};
    return clmove_run_with(it->subject.plan, with->src, (size_t)it->subject.info.src_bytes, with->dst,
                           (size_t)it->subject.info.dst_bytes, &params, error);
}

/* a */
static clmove_status host_then_upload(const transfer *it, const transfer_host *with, double seconds[TRANSFER_STEPS],
                                      clmove_error *error) {
    double start = bench_now();
    clmove_status status = transfer_host_take(with, error);
    double taken = bench_now(), moved = taken, event = -1;
    if (status == CLMOVE_OK)
        status = move_on_host(it, with, error);
    if (status == CLMOVE_OK) {
        moved = bench_now();
        status = transfer_host_give(with, &event, error);
    }
    seconds[TRANSFER_A] = bench_now() - start;
    seconds[TRANSFER_UPLOAD_DST] = seconds[TRANSFER_A] - (moved - taken);
    seconds[TRANSFER_UPLOAD_DST_EVENT] = event;
    return status;
}

/* b */
static clmove_status upload_then_device(const transfer *it, const transfer_host *with, double seconds[TRANSFER_STEPS],
                                        clmove_error *error) {
    double start = bench_now();
    clmove_status status = transfer_upload_src(with, &seconds[TRANSFER_UPLOAD_SRC_EVENT], error);
    seconds[TRANSFER_UPLOAD_SRC] = bench_now() - start;
    if (status == CLMOVE_OK)
        status = clmove_enqueue(it->subject.plan, with->src_buffer, with->dst_buffer, error);
    if (status == CLMOVE_OK)
        status = clmove_device_finish(it->subject.device, error);
    seconds[TRANSFER_B] = bench_now() - start;
    return status;
}

/* d: of zero-copy memory, which belongs to its buffers, without clmove_run. */
static clmove_status there_and_back(transfer *it, const transfer_host *with, double seconds[TRANSFER_STEPS],
                                    clmove_error *error) {
    clmove_status status;
    clmove_run_info info = {.struct_size = sizeof info, .upload_seconds = -1, .move_seconds = -1, .download_seconds = -1};
    double start = bench_now(), unused[TRANSFER_STEPS];
    if (with->kind == TRANSFER_ZERO_COPY) {
        status = upload_then_device(it, with, unused, error);
        if (status == CLMOVE_OK)
            status = transfer_download_dst(with, &unused[TRANSFER_DOWNLOAD_EVENT], error);
    } else
        status = run_on_device(it, with, &info, error);
    seconds[TRANSFER_D] = bench_now() - start;
    it->was_staged[with->kind] |= info.way == CLMOVE_RUN_STAGED;
    seconds[TRANSFER_D_UPLOAD] = info.upload_seconds;
    seconds[TRANSFER_D_MOVE] = info.move_seconds;
    seconds[TRANSFER_D_DOWNLOAD] = info.download_seconds;
    return status;
}

static clmove_status download(const transfer_host *with, double seconds[TRANSFER_STEPS], clmove_error *error) {
    double start = bench_now();
    clmove_status status = transfer_download_dst(with, &seconds[TRANSFER_DOWNLOAD_EVENT], error);
    seconds[TRANSFER_DOWNLOAD] = bench_now() - start;
    return status;
}

/* ---- in turn ---- */

static clmove_status flush(const transfer *it, clmove_status so_far, clmove_error *error) {
    return so_far == CLMOVE_OK ? bench_cold_flush(&it->settings->cold, error) : so_far;
}

/* The device's part and the host's take turns. What comes first after a change is slower, as threads wake up and change
 * processors, and does not count. */
static clmove_status measure_on_device(transfer *it, double seconds[TRANSFER_MEMORIES][TRANSFER_STEPS], clmove_error *error) {
    clmove_times times = {.struct_size = sizeof times};
    clmove_status status = clmove_measure(it->subject.plan, it->subject.src, it->subject.dst, &times, error);
    status = flush(it, status, error);
    if (status == CLMOVE_OK)
        status = clmove_measure(it->subject.plan, it->subject.src, it->subject.dst, &times, error);
    if (status == CLMOVE_OK)
        status = bench_record(&it->device, times.host_seconds, error);
    if (status == CLMOVE_OK)
        status = bench_record(&it->device_event, times.device_seconds, error);
    for (int i = 0; i < TRANSFER_MEMORIES && status == CLMOVE_OK; i++) {
        if (!it->has[i])
            continue;
        status = flush(it, status, error);
        if (status == CLMOVE_OK)
            status = upload_then_device(it, &it->with[i], seconds[i], error);
        status = flush(it, status, error);
        if (status == CLMOVE_OK)
            status = download(&it->with[i], seconds[i], error);
        status = flush(it, status, error);
        if (status == CLMOVE_OK)
            status = there_and_back(it, &it->with[i], seconds[i], error);
    }
    return status;
}

static clmove_status measure_on_host(transfer *it, double seconds[TRANSFER_MEMORIES][TRANSFER_STEPS], clmove_error *error) {
    clmove_status status = move_on_host(it, &it->with[TRANSFER_PAGEABLE], error);
    status = flush(it, status, error);
    double start = bench_now();
    if (status == CLMOVE_OK)
        status = move_on_host(it, &it->with[TRANSFER_PAGEABLE], error);
    if (status == CLMOVE_OK)
        status = bench_record(&it->host, bench_now() - start, error);
    for (int i = 0; i < TRANSFER_MEMORIES && status == CLMOVE_OK; i++) {
        if (!it->has[i])
            continue;
        status = flush(it, status, error);
        if (status == CLMOVE_OK)
            status = host_then_upload(it, &it->with[i], seconds[i], error);
    }
    return status;
}

static clmove_status measure_all(void *user, clmove_error *error) {
    transfer *it = user;
    double seconds[TRANSFER_MEMORIES][TRANSFER_STEPS];
    clmove_status status = measure_on_device(it, seconds, error);
    if (status == CLMOVE_OK)
        status = measure_on_host(it, seconds, error);
    for (int i = 0; i < TRANSFER_MEMORIES; i++)
        for (int k = 0; k < TRANSFER_STEPS && status == CLMOVE_OK && it->has[i]; k++)
            status = bench_record(&it->of[i][k], seconds[i][k], error);
    return status;
}

static clmove_status measure_until_quiet(transfer *it, const executor *device, transfer_calibration *calibration,
                                         clmove_error *error) {
    bench_settings settings = *it->settings;
    const bench_series *series[2 + 3 * TRANSFER_MEMORIES] = {&it->device, &it->host};
    bench_rounds rounds = {.once = measure_all, .user = it, .series = series, .count = 2};
    for (int i = 0; i < TRANSFER_MEMORIES; i++)
        for (int k = TRANSFER_A; k <= TRANSFER_D && it->has[i]; k++)
            series[rounds.count++] = &it->of[i][k];
    settings.seconds /= TRANSFER_PARTS;
    clmove_status status = transfer_calibration_start(calibration, device, error);
    for (int part = 0; part < TRANSFER_PARTS && status == CLMOVE_OK && !*settings.stop; part++) {
        status = bench_rounds_run(&rounds, &settings, error);
        if (status == CLMOVE_OK && !*settings.stop)
            status = transfer_calibration_take(calibration, device, error);
    }
    return status;
}

/* ---- every byte ---- */

/* Nothing that was right before is left, neither in host memory nor on the device. */
static clmove_status spoil(const transfer_host *with, clmove_error *error) {
    clmove_status status = transfer_host_take(with, error);
    if (status != CLMOVE_OK)
        return status;
    memset(with->dst, 0xa5, (size_t)with->subject->info.dst_bytes);
    double unused;
    return transfer_host_give(with, &unused, error);
}

static bench_outcome judge(const transfer_host *with, const char *what, bool on_device, clmove_status status,
                           const clmove_error *error, char *why) {
    char told[BENCH_WHY];
    bench_outcome outcome = BENCH_FAILED;
    if (status != CLMOVE_OK)
        snprintf(told, sizeof told, "%.480s", error->text);
    else if (on_device)
        outcome = bench_subject_compare(with->subject, with->dst_buffer, told);
    else
        outcome = bench_subject_compare_memory(with->subject, with->dst, told);
    if (outcome != BENCH_DONE)
        snprintf(why, BENCH_WHY, "%s, %s memory: %.480s", what, transfer_memory_name(with->kind), told);
    return outcome;
}

static bench_outcome verify_with(transfer *it, const transfer_host *with, char *why) {
    clmove_error error = {0};
    double unused[TRANSFER_STEPS];
    clmove_status status = spoil(with, &error);
    if (status == CLMOVE_OK)
        status = upload_then_device(it, with, unused, &error);
    bench_outcome outcome = judge(with, "(b) uploaded, then moved on the device", true, status, &error, why);
    if (outcome != BENCH_DONE)
        return outcome;
    status = download(with, unused, &error);
    outcome = judge(with, "(b) and downloaded", false, status, &error, why);
    if (outcome != BENCH_DONE)
        return outcome;
    status = spoil(with, &error);
    if (status == CLMOVE_OK)
        status = there_and_back(it, with, unused, &error);
    outcome = judge(with, "(d) there and back", false, status, &error, why);
    if (outcome != BENCH_DONE)
        return outcome;
    status = spoil(with, &error);
    if (status == CLMOVE_OK)
        status = host_then_upload(it, with, unused, &error);
    outcome = judge(with, "(a) moved on the host, then uploaded", true, status, &error, why);
    if (outcome != BENCH_DONE || with->kind != TRANSFER_PAGEABLE)
        return outcome;
    return judge(with, "(e) moved on the host", false, status, &error, why);
}

/* ---- results ---- */

double transfer_seconds_of(const transfer_result *result, transfer_memory with, transfer_way way) {
    const bench_summary *of = result->with[with].of;
    switch (way) {
    case TRANSFER_WAY_A:
        return of[TRANSFER_A].median;
    case TRANSFER_WAY_B:
        return of[TRANSFER_B].median;
    case TRANSFER_WAY_C:
        return result->device.median;
    case TRANSFER_WAY_D:
        return of[TRANSFER_D].median;
    case TRANSFER_WAY_E:
        return result->host.median;
    default:
        return of[TRANSFER_UPLOAD_SRC].median + result->device.median + of[TRANSFER_DOWNLOAD].median;
    }
}

/* ---- all ---- */

static clmove_status plan_on_host(transfer *it, const executor *host, const bench_case *one, clmove_error *error) {
    clmove_map map;
    clmove_status status = task_describe(&one->what, &map, error);
    return status == CLMOVE_OK ? clmove_plan_create(host->device, &map, NULL, &it->host_plan, error) : status;
}

static bench_outcome open_all(transfer *it, const transfer_executors *who, const bench_case *one, char *why) {
    clmove_error error;
    bench_outcome outcome = bench_subject_open(&it->subject, who->device, one, why);
    if (outcome != BENCH_DONE)
        return outcome;
    uint64_t both = (uint64_t)it->subject.info.src_bytes + (uint64_t)it->subject.info.dst_bytes;
    if (!bench_has_memory(both * TRANSFER_MEMORIES, why))
        return BENCH_FAILED;
    clmove_status status = plan_on_host(it, who->host, one, &error);
    for (int i = 0; i < TRANSFER_MEMORIES && status == CLMOVE_OK; i++)
        status = transfer_host_open(&it->with[i], (transfer_memory)i, &it->subject, &it->has[i], &error);
    if (status != CLMOVE_OK) {
        snprintf(why, BENCH_WHY, "%s", error.text);
        return BENCH_FAILED;
    }
    for (int i = 0; i < TRANSFER_MEMORIES && outcome == BENCH_DONE; i++)
        if (it->has[i])
            outcome = verify_with(it, &it->with[i], why);
    return outcome;
}

static void close_all(transfer *it) {
    for (int i = 0; i < TRANSFER_MEMORIES; i++) {
        transfer_host_close(&it->with[i]);
        for (int k = 0; k < TRANSFER_STEPS; k++)
            free(it->of[i][k].values);
    }
    clmove_plan_destroy(&it->host_plan);
    bench_subject_close(&it->subject);
    free(it->device.values);
    free(it->device_event.values);
    free(it->host.values);
}

static clmove_status summarise(const transfer *it, transfer_result *result, clmove_error *error) {
    const bench_subject *subject = &it->subject;
    *result = (transfer_result){
        .variant = subject->info.variant,
        .src_bytes = subject->info.src_bytes,
        .dst_bytes = subject->info.dst_bytes,
        .moved = subject->bytes_read + subject->bytes_written,
        .runs = it->host.count,
    };
    if (result->runs == 0)
        return CLMOVE_OK;
    clmove_status status = bench_summarise(&it->device, &result->device, error);
    if (status == CLMOVE_OK)
        status = bench_summarise(&it->device_event, &result->device_event, error);
    if (status == CLMOVE_OK)
        status = bench_summarise(&it->host, &result->host, error);
    for (int i = 0; i < TRANSFER_MEMORIES; i++) {
        result->with[i].measured = it->has[i];
        result->with[i].d_in_place = !it->was_staged[i];
        for (int k = 0; k < TRANSFER_STEPS && it->has[i] && status == CLMOVE_OK; k++)
            status = bench_summarise(&it->of[i][k], &result->with[i].of[k], error);
    }
    return status;
}

bench_outcome transfer_measure(const transfer_executors *who, const bench_case *one, const bench_settings *settings,
                               transfer_calibration *calibration, transfer_result *result, char *why) {
    clmove_error error;
    transfer it = {.settings = settings};
    bench_outcome outcome = open_all(&it, who, one, why);
    if (outcome == BENCH_DONE) {
        clmove_status status = measure_until_quiet(&it, who->device, calibration, &error);
        if (status == CLMOVE_OK)
            status = bench_subject_check(&it.subject, &error);
        if (status == CLMOVE_OK)
            status = summarise(&it, result, &error);
        if (status != CLMOVE_OK) {
            snprintf(why, BENCH_WHY, "%s", error.text);
            outcome = BENCH_FAILED;
        }
    }
    close_all(&it);
    return outcome;
}
