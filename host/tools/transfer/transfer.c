/* The benchmark of ways between host and device.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/common/message.h"
#include "host/tools/common/printable.h"
#include "host/tools/common/table.h"
#include "host/tools/transfer/even.h"
#include "host/tools/transfer/summary.h"

#include <inttypes.h>
#include <stdio.h>

/* Seconds of a calibration beside each workload, for a second of measuring that one. */
#define CALIBRATION_SHARE 0.3

typedef struct run {
    const bench_request *asked;
    chosen_device host;
    transfer_calibration calibration;
    /* Who says how fast the device is. */
    clmove_calibration_origin calibrated_by;
    transfer_result last;
    transfer_tally tally;
} run;

/* ---- measuring ---- */

/* For pageable memory. Of the host device everything is known. */
static bool predict(const bench_subject *subject, transfer_result *result, clmove_error *error) {
    clmove_prediction by = {.struct_size = sizeof by};
    if (clmove_plan_predict(subject->plan, &by, error) != CLMOVE_OK)
        return false;
    result->is_predicted = subject->info.executor == CLMOVE_EXECUTOR_OPENCL;
    result->calibration_noise = by.noise;
    for (int i = 0; i < TRANSFER_MEMORIES; i++)
        for (int k = 0; k < TRANSFER_STEPS; k++)
            result->predicted[i][k] = -1;
    if (!result->is_predicted)
        return true;
    double *seconds = result->predicted[TRANSFER_PAGEABLE];
    seconds[TRANSFER_A] = by.host_seconds + by.upload_dst_seconds;
    seconds[TRANSFER_B] = by.upload_src_seconds + by.device_seconds;
    seconds[TRANSFER_C] = by.device_seconds;
    seconds[TRANSFER_D] = by.run_seconds;
    seconds[TRANSFER_E] = by.host_seconds;
    seconds[TRANSFER_ONE_BY_ONE] = by.upload_src_seconds + by.device_seconds + by.download_dst_seconds;
    seconds[TRANSFER_UPLOAD_SRC] = by.upload_src_seconds;
    seconds[TRANSFER_UPLOAD_DST] = by.upload_dst_seconds;
    seconds[TRANSFER_C_EVENT] = by.device_seconds - by.launch_seconds;
    return true;
}

static bench_outcome measure(void *user, const bench_subject *subject, char *why) {
    clmove_error error;
    run *it = user;
    bench_outcome outcome = transfer_measure(it->asked, &it->host, subject, &it->calibration, &it->last, why);
    if (outcome != BENCH_DONE)
        return outcome;
    if (transfer_calibration_settle(&it->calibration, &it->asked->who, &error) && predict(subject, &it->last, &error))
        return BENCH_DONE;
    return bench_failed(why, "it cannot be predicted: %.480s", error.text);
}

/* ---- break-even ---- */

typedef struct evens {
    /* Way b against a; an upload and moves on the device against as many on the host. */
    int64_t ways, moves;
    char ways_text[32], moves_text[32];
} evens;

static void even_text(int64_t even, const char *from, char text[32]) {
    snprintf(text, 32, "%s", even == TRANSFER_NEVER ? "never" : even == TRANSFER_ALWAYS ? "always" : from);
}

/* Of what was measured, or of what was predicted, to set beside it. For Tile the way is a question of repeats, for the others of
 * the tensor's size. */
static evens find_evens(const bench_subject *subject, const double of[TRANSFER_STEPS]) {
    char from[24];
    const clmove_plan_info *info = &subject->info;
    const double gap = of[TRANSFER_C] - of[TRANSFER_C_EVENT];
    const transfer_seconds seconds = {.host = of[TRANSFER_E],
                                      .device = of[TRANSFER_C],
                                      .launch = of[TRANSFER_C_EVENT] < 0 || gap < 0 ? 0 : gap,
                                      .upload_src = of[TRANSFER_UPLOAD_SRC],
                                      .upload_dst = of[TRANSFER_UPLOAD_DST]};
    evens found = {.moves = transfer_even_moves(&seconds)};
    if (subject->of->what.op.kind == OPERATION_TILE) {
        found.ways = transfer_even_repeats(&seconds, (double)info->dst_bytes / (double)info->src_bytes);
        snprintf(from, sizeof from, "%" PRId64 " repeats", found.ways);
    } else {
        found.ways = transfer_even_bytes(&seconds, info->src_bytes + info->written_bytes);
        table_bytes_text(found.ways, from);
    }
    even_text(found.ways, from, found.ways_text);
    snprintf(from, sizeof from, "%" PRId64, found.moves);
    even_text(found.moves, from, found.moves_text);
    return found;
}

/* ---- cells ---- */

static const char *winner_text(const transfer_winner *winner, char text[16]) {
    const int digits = winner->ratio < 10 ? 2 : winner->ratio < 100 ? 1 : 0;
    snprintf(text, 16, "%s %.*fx", winner->is_tie ? "=" : winner->way, digits, winner->ratio);
    return text;
}

/* The longest stage of way d as a share of all of it: 1 when the others took no time of their own. Negative: not known. */
static double overlap(const double of[TRANSFER_STEPS]) {
    double longest = -1;
    for (int k = TRANSFER_D_UPLOAD; k <= TRANSFER_D_DOWNLOAD; k++)
        longest = of[k] > longest ? of[k] : longest;
    return longest < 0 ? -1 : longest / of[TRANSFER_D];
}

static void print_title(const run *it) {
    printf("%s (%s) and the host%s\n"
           "every way is verified before it is measured\n"
           "a: moved on the host, result uploaded    b: source uploaded, moved on the device    c: both stay on the device\n"
           "d: clmove_run, host memory to host memory    STEPS: of d, one by one    e: on the host alone\n"
           "=: even, that is within 5 %%; FROM and MOVES are from where on b, or the device, is faster by more\n\n",
           printable(it->asked->device.name), clmove_device_type_text(it->asked->device.type),
           it->asked->is_cold ? ", caches flushed before each step" : "");
}

static bool print_row(const run *it, const bench_subject *subject, transfer_memory with, const char *repeat, table_part part) {
    const transfer_result *result = &it->last;
    const double *of = result->seconds[with], *predicted = result->predicted[with];
    const bool has_prediction = predicted[TRANSFER_C] >= 0;
    const bool links = with != TRANSFER_ZERO_COPY; /* a map is no transfer, whatever time it takes */
    const bool in_place = result->d_in_place[with];
    const bool is_tile = subject->of->what.op.kind == OPERATION_TILE;
    const evens even = find_evens(subject, of), thought = find_evens(subject, predicted);
    const transfer_winner there = transfer_winner_of(of, TRANSFER_ON_DEVICE), here = transfer_winner_of(of, TRANSFER_ON_HOST);
    char there_text[16], here_text[16];
    const int64_t src = subject->info.src_bytes, dst = subject->info.dst_bytes, moved = src + subject->info.written_bytes;
    const int64_t from = even.ways, thought_from = has_prediction ? thought.ways : TRANSFER_NEVER; /* never is null in JSON */
    const char *no_link = links ? NULL : "-";
    const table_cell cells[] = {
        {"name", AS_TEXT(subject->of->name)},
        {"op", AS_TEXT(bench_operation_name(subject->of->what.op.kind))},
        {"device", AS_TEXT(it->asked->device.name)},
        {"device_type", AS_TEXT(clmove_device_type_text(it->asked->device.type))},
        {"variant", AS_TEXT(subject->info.variant)},
        {"memory", "MEMORY", 1, -9, AS_TEXT(transfer_memory_name(with))},
        {"src_bytes", AS_BYTES(src)},
        {"dst_bytes", AS_BYTES(dst)},
        {"bytes", AS_BYTES(moved)},
        {"runs", AS_COUNT(result->runs)},
        {"verified", AS_FLAG(true)},
        {"cold", AS_FLAG(it->asked->is_cold)},
        {"a_seconds_median", "a", 6, 8, AS_TIME(of[TRANSFER_A])},
        {"b_seconds_median", "b", 7, 8, AS_TIME(of[TRANSFER_B])},
        {"c_seconds_median", AS_TIME(of[TRANSFER_C])},
        {"c_device_seconds_median", AS_TIME(of[TRANSFER_C_EVENT])},
        {"d_seconds_median", "d", 8, 8, AS_TIME(of[TRANSFER_D])},
        {"e_seconds_median", AS_TIME(of[TRANSFER_E])},
        {"steps_seconds", "STEPS", 9, 8, AS_TIME(of[TRANSFER_ONE_BY_ONE])},
        {"upload_src_seconds_median", AS_TIME(of[TRANSFER_UPLOAD_SRC])},
        {"upload_dst_seconds_median", AS_TIME(of[TRANSFER_UPLOAD_DST])},
        {"download_dst_seconds_median", AS_TIME(of[TRANSFER_DOWNLOAD])},
        {"upload_src_device_seconds_median", AS_TIME(of[TRANSFER_UPLOAD_SRC_EVENT])},
        {"upload_dst_device_seconds_median", AS_TIME(of[TRANSFER_UPLOAD_DST_EVENT])},
        {"download_dst_device_seconds_median", AS_TIME(of[TRANSFER_DOWNLOAD_EVENT])},
        {"a_link_bytes", "a LINK", 2, 8, AS_BYTES(links ? dst : 0), .shown = no_link},
        {"b_link_bytes", "b LINK", 3, 8, AS_BYTES(links ? src : 0), .shown = no_link},
        {"d_link_bytes", AS_BYTES(links && !in_place ? src + dst : 0)},
        {"d_in_place", AS_FLAG(in_place)},
        {"d_upload_device_seconds_median", AS_TIME(of[TRANSFER_D_UPLOAD])},
        {"d_move_device_seconds_median", AS_TIME(of[TRANSFER_D_MOVE])},
        {"d_download_device_seconds_median", AS_TIME(of[TRANSFER_D_DOWNLOAD])},
        {"d_overlap", AS_PERCENT(overlap(of))},
        {"upload_src_gbps", "UP", 4, 5, AS_RATE(links ? bench_gbps(src, of[TRANSFER_UPLOAD_SRC]) : -1)},
        {"upload_dst_gbps", AS_RATE(links ? bench_gbps(dst, of[TRANSFER_UPLOAD_DST]) : -1)},
        {"download_dst_gbps", "DOWN", 5, 5, AS_RATE(links ? bench_gbps(dst, of[TRANSFER_DOWNLOAD]) : -1)},
        {"device_gbps", AS_RATE(bench_gbps(moved, of[TRANSFER_C]))},
        {"host_gbps", AS_RATE(bench_gbps(moved, of[TRANSFER_E]))},
        {"on_device_winner", "ON DEV", 10, 7, AS_TEXT(there.way), .shown = winner_text(&there, there_text)},
        {"on_device_ratio", AS_RATE(there.ratio)},
        {"on_host_winner", "ON HOST", 11, 7, AS_TEXT(here.way), .shown = winner_text(&here, here_text)},
        {"on_host_ratio", AS_RATE(here.ratio)},
        {NULL, "", 12, 0, AS_TEXT("")},
        {"b_from_repeats", "b FROM", 13, -12, AS_COUNT(is_tile ? from : -1), .shown = even.ways_text},
        {"b_from_bytes", AS_BYTES(is_tile ? -1 : from)},
        {"upload_pays_from_moves", "MOVES", 14, 6, AS_COUNT(even.moves), .shown = even.moves_text},
        {"a_seconds_predicted", AS_TIME(predicted[TRANSFER_A])},
        {"b_seconds_predicted", AS_TIME(predicted[TRANSFER_B])},
        {"c_seconds_predicted", AS_TIME(predicted[TRANSFER_C])},
        {"d_seconds_predicted", AS_TIME(predicted[TRANSFER_D])},
        {"e_seconds_predicted", AS_TIME(predicted[TRANSFER_E])},
        {"steps_seconds_predicted", AS_TIME(predicted[TRANSFER_ONE_BY_ONE])},
        {"b_from_repeats_predicted", AS_COUNT(is_tile ? thought_from : -1)},
        {"b_from_bytes_predicted", AS_BYTES(is_tile ? -1 : thought_from)},
        {"upload_pays_from_moves_predicted", AS_COUNT(has_prediction ? thought.moves : -1)},
        {"repro", AS_TEXT(repeat)},
    };
    if (part != TABLE_OBJECT)
        printf("  ");
    return table_put(TABLE_CELLS(cells), part, NULL) || refused("the result of %s cannot be written as JSON", subject->of->name);
}

static void print_predicted(const bench_subject *subject, const transfer_result *result) {
    const double *predicted = result->predicted[TRANSFER_PAGEABLE];
    const evens even = find_evens(subject, predicted);
    char times[TRANSFER_WAYS][16];
    for (int i = 0; i < TRANSFER_WAYS; i++)
        table_time_text(predicted[i], times[i]);
    printf("  %-9s %8s %8s %5s %5s %8s %8s %8s %8s  c %s, e %s; b %s%s\n", "predicted", "", "", "", "", times[TRANSFER_A],
           times[TRANSFER_B], times[TRANSFER_D], times[TRANSFER_ONE_BY_ONE], times[TRANSFER_C], times[TRANSFER_E],
           even.ways > TRANSFER_ALWAYS ? "from " : "", even.ways_text);
}

static void print_head(const bench_subject *subject, const transfer_result *result) {
    const clmove_plan_info *info = &subject->info;
    const double *of = result->seconds[TRANSFER_PAGEABLE];
    const int64_t moved = info->src_bytes + info->written_bytes;
    char src[16], dst[16], device[16], event[16], host[16];
    printf("%s: %s to %s, %s; c %s, %.2f GB/s (event %s); e %s, %.2f GB/s%s\n", printable(subject->of->name),
           table_bytes_text(info->src_bytes, src), table_bytes_text(info->dst_bytes, dst), info->variant,
           table_time_text(of[TRANSFER_C], device), bench_gbps(moved, of[TRANSFER_C]),
           table_time_text(of[TRANSFER_C_EVENT], event), table_time_text(of[TRANSFER_E], host), bench_gbps(moved, of[TRANSFER_E]),
           result->d_in_place[TRANSFER_PAGEABLE] ? "; d zero-copy" : "");
}

static bool report_result(void *user, const bench_subject *subject, const char *repeat) {
    run *it = user;
    const transfer_result *result = &it->last;
    const bool as_json = it->asked->as_json;
    bool done = true;
    transfer_tally_add(&it->tally, result, subject->info.src_bytes + subject->info.written_bytes);
    if (!as_json && it->tally.results == 1) {
        print_title(it);
        print_row(it, subject, TRANSFER_PAGEABLE, repeat, TABLE_HEAD);
    }
    if (!as_json)
        print_head(subject, result);
    for (int i = 0; i < TRANSFER_MEMORIES && done; i++)
        if (result->measured[i])
            done = print_row(it, subject, (transfer_memory)i, repeat, as_json ? TABLE_OBJECT : TABLE_ROW);
    if (!as_json && result->is_predicted)
        print_predicted(subject, result);
    return done && table_is_written();
}

static bool end(void *user) {
    const run *it = user;
    const bool is_sweep = it->asked->sweep != NULL;
    if (it->asked->as_json)
        return transfer_summary_json(&it->tally, it->calibrated_by, is_sweep);
    transfer_summary_print(&it->tally, it->calibrated_by, is_sweep);
    return true;
}

/* ---- all ---- */

/* So that the predictions are no guesses. The host device has nothing to predict: there is no link. */
static bool prepare(run *it, clmove_error *error) {
    const bench_request *asked = it->asked;
    clmove_calibration_info known = {.struct_size = sizeof known};
    if (clmove_device_get_calibration_info(asked->who.device, &known, error) != CLMOVE_OK)
        return false;
    it->calibrated_by = known.origin;
    if (asked->device.type != CLMOVE_DEVICE_HOST && (asked->calibrates || known.origin == CLMOVE_CALIBRATION_GUESS)) {
        it->calibration.seconds = CALIBRATION_SHARE * (asked->seconds < 1 ? asked->seconds : 1);
        it->calibrated_by = CLMOVE_CALIBRATION_MEASURED;
    }
    return true;
}

int bench_transfer(const bench_request *asked) {
    clmove_error error;
    run it = {.asked = asked, .host = {.selector = "host"}};
    /* the subject's on the device and in host memory, and one more of each kind of host memory */
    const bench_kind kind = {
        .user = &it, .copies = 2 + TRANSFER_MEMORIES, .measure = measure, .print = report_result, .end = end};
    if (!prepare(&it, &error))
        return failed("the device cannot be calibrated: %s", error.text);
    if (!chosen_device_open(&it.host))
        return STATUS_FAILED;
    int status = bench_run(asked, &kind);
    chosen_device_close(&it.host);
    return status;
}
