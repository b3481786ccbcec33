/* See report.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/transfer/report.h"

#include "host/tools/common/message.h"
#include "host/tools/common/printable.h"
#include "host/tools/transfer/even.h"
#include "host/tools/transfer/summary.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Whether bytes go over a link: a map is no transfer, whatever time it takes. */
static bool is_link(transfer_memory with) {
    return with != TRANSFER_ZERO_COPY;
}

static double gigabytes(int64_t bytes, double seconds) {
    return (double)bytes / seconds / 1e9;
}

/* ---- break-even ---- */

typedef struct evens {
    transfer_even ways, moves; /* b against a; an upload and moves on the device against as many on the host */
    char ways_text[32], moves_text[32];
} evens;

static void even_text(const transfer_even *even, const char *from, char text[32]) {
    if (even->verdict == TRANSFER_FROM)
        snprintf(text, 32, "%s", from);
    else
        snprintf(text, 32, "%s", even->verdict == TRANSFER_NEVER ? "never" : "always");
}

static transfer_seconds measured_seconds(const transfer_result *result, transfer_memory with) {
    const bench_summary *of = result->with[with].of;
    double gap = result->device.median - result->device_event.median;
    return (transfer_seconds){
        .host = result->host.median,
        .device = result->device.median,
        .launch = result->device_event.median < 0 || gap < 0 ? 0 : gap,
        .upload_src = of[TRANSFER_UPLOAD_SRC].median,
        .upload_dst = of[TRANSFER_UPLOAD_DST].median,
    };
}

/* The model's word, to set beside what was measured. */
static transfer_seconds predicted_seconds(const transfer_result *result) {
    return (transfer_seconds){
        .host = result->predicted[TRANSFER_WAY_E],
        .device = result->predicted[TRANSFER_WAY_C],
        .launch = result->predicted_launch,
        .upload_src = result->predicted_upload_src,
        .upload_dst = result->predicted_upload_dst,
    };
}

/* For Tile the way is a question of repeats, for the others of the tensor's size. */
static evens find_evens(const bench_case *one, const transfer_result *result, transfer_seconds seconds) {
    bool is_tile = one->what.op.kind == OPERATION_TILE;
    char from[24];
    evens found = {.moves = transfer_even_moves(&seconds)};
    if (is_tile) {
        found.ways = transfer_even_repeats(&seconds, (double)result->dst_bytes / (double)result->src_bytes);
        snprintf(from, sizeof from, "%" PRId64 " repeats", found.ways.from);
    } else {
        found.ways = transfer_even_bytes(&seconds, result->moved);
        bench_bytes_text(found.ways.from, from);
    }
    even_text(&found.ways, from, found.ways_text);
    snprintf(from, sizeof from, "%" PRId64, found.moves.from);
    even_text(&found.moves, from, found.moves_text);
    return found;
}

/* -1, and so null: never. 0 and 1 would be always, for bytes and for counts. */
static int64_t even_count(const transfer_even *even) {
    return even->verdict == TRANSFER_NEVER ? -1 : even->verdict == TRANSFER_ALWAYS ? 1 : even->from;
}

/* How a winner is called, and how it is shown with its ratio. */
typedef struct winner_texts {
    char way[4], shown[16];
} winner_texts;

static winner_texts texts_of(const transfer_winner *winner) {
    winner_texts found = {.way = {winner->way}};
    if (winner->way == '=')
        snprintf(found.way, sizeof found.way, "tie");
    snprintf(found.shown, sizeof found.shown, "%c %.*fx", winner->way,
             winner->ratio < 10    ? 2
             : winner->ratio < 100 ? 1
                                   : 0,
             winner->ratio);
    return found;
}

/* The longest stage of way d as a share of all of it: 1 when the others took no time of their own. Negative: not known. */
static double overlap(const bench_summary of[TRANSFER_STEPS]) {
    double longest = -1;
    for (int k = TRANSFER_D_UPLOAD; k <= TRANSFER_D_DOWNLOAD; k++)
        longest = of[k].median > longest ? of[k].median : longest;
    return longest < 0 ? -1 : longest / of[TRANSFER_D].median;
}

static void print_title(const transfer_report *it) {
    printf("%s (%s) and the host%s; every way is verified before it is measured\n"
           "a: moved on the host, result uploaded    b: source uploaded, moved on the device    c: both stay on the device\n"
           "d: clmove_run, host memory to host memory    STEPS: of d, one by one    e: on the host alone\n"
           "=: even, that is within 5 %%; FROM and MOVES are from where on b, or the device, is faster by more\n\n",
           printable(it->device.name), clmove_device_type_text(it->device.type),
           it->is_cold ? ", caches flushed before each step" : "");
}

static bool print_row(const transfer_report *it, const bench_case *one, const transfer_result *result, transfer_memory with,
                      const char *repeat, table_part part) {
    const bench_summary *of = result->with[with].of;
    const bool links = is_link(with), in_place = result->with[with].d_in_place, is_tile = one->what.op.kind == OPERATION_TILE;
    const bool has_thought = result->is_predicted && with == TRANSFER_PAGEABLE;
    const evens even = find_evens(one, result, measured_seconds(result, with));
    const evens thought = find_evens(one, result, predicted_seconds(result));
    const transfer_winner there = transfer_winner_of(result, with, TRANSFER_ON_DEVICE);
    const transfer_winner here = transfer_winner_of(result, with, TRANSFER_ON_HOST);
    const winner_texts there_texts = texts_of(&there), here_texts = texts_of(&here);
    const int64_t src = result->src_bytes, dst = result->dst_bytes;
    const int64_t from = even_count(&even.ways), thought_from = has_thought ? even_count(&thought.ways) : -1;
    const char *no_link = links ? NULL : "-";
    double predicted[TRANSFER_WAYS];
    for (int i = 0; i < TRANSFER_WAYS; i++)
        predicted[i] = has_thought ? result->predicted[i] : -1;
    const table_cell cells[] = {
        {"name", AS_TEXT(one->name)},
        {"op", AS_TEXT(bench_operation_name(one->what.op.kind))},
        {"device", AS_TEXT(it->device.name)},
        {"device_type", AS_TEXT(clmove_device_type_text(it->device.type))},
        {"variant", AS_TEXT(result->variant)},
        {"memory", "MEMORY", 1, -9, AS_TEXT(transfer_memory_name(with))},
        {"src_bytes", AS_BYTES(src)},
        {"dst_bytes", AS_BYTES(dst)},
        {"bytes", AS_BYTES(result->moved)},
        {"runs", AS_COUNT(result->runs)},
        {"verified", AS_FLAG(true)},
        {"cold", AS_FLAG(it->is_cold)},
        {"a_seconds_median", "a", 6, 8, AS_TIME(of[TRANSFER_A].median)},
        {"b_seconds_median", "b", 7, 8, AS_TIME(of[TRANSFER_B].median)},
        {"c_seconds_median", AS_TIME(result->device.median)},
        {"c_device_seconds_median", AS_TIME(result->device_event.median)},
        {"d_seconds_median", "d", 8, 8, AS_TIME(of[TRANSFER_D].median)},
        {"e_seconds_median", AS_TIME(result->host.median)},
        {"steps_seconds", "STEPS", 9, 8, AS_TIME(transfer_seconds_of(result, with, TRANSFER_WAY_STEPS))},
        {"upload_src_seconds_median", AS_TIME(of[TRANSFER_UPLOAD_SRC].median)},
        {"upload_dst_seconds_median", AS_TIME(of[TRANSFER_UPLOAD_DST].median)},
        {"download_dst_seconds_median", AS_TIME(of[TRANSFER_DOWNLOAD].median)},
        {"upload_src_device_seconds_median", AS_TIME(of[TRANSFER_UPLOAD_SRC_EVENT].median)},
        {"upload_dst_device_seconds_median", AS_TIME(of[TRANSFER_UPLOAD_DST_EVENT].median)},
        {"download_dst_device_seconds_median", AS_TIME(of[TRANSFER_DOWNLOAD_EVENT].median)},
        {"a_link_bytes", "a LINK", 2, 8, AS_BYTES(links ? dst : 0), .shown = no_link},
        {"b_link_bytes", "b LINK", 3, 8, AS_BYTES(links ? src : 0), .shown = no_link},
        {"d_link_bytes", AS_BYTES(links && !in_place ? src + dst : 0)},
        {"d_in_place", AS_FLAG(in_place)},
        {"d_upload_device_seconds_median", AS_TIME(of[TRANSFER_D_UPLOAD].median)},
        {"d_move_device_seconds_median", AS_TIME(of[TRANSFER_D_MOVE].median)},
        {"d_download_device_seconds_median", AS_TIME(of[TRANSFER_D_DOWNLOAD].median)},
        {"d_overlap", AS_PERCENT(overlap(of))},
        {"upload_src_gbps", "UP", 4, 5, AS_RATE(links ? gigabytes(src, of[TRANSFER_UPLOAD_SRC].median) : -1)},
        {"upload_dst_gbps", AS_RATE(links ? gigabytes(dst, of[TRANSFER_UPLOAD_DST].median) : -1)},
        {"download_dst_gbps", "DOWN", 5, 5, AS_RATE(links ? gigabytes(dst, of[TRANSFER_DOWNLOAD].median) : -1)},
        {"device_gbps", AS_RATE(gigabytes(result->moved, result->device.median))},
        {"host_gbps", AS_RATE(gigabytes(result->moved, result->host.median))},
        {"on_device_winner", "ON DEV", 10, 7, AS_TEXT(there_texts.way), .shown = there_texts.shown},
        {"on_device_ratio", AS_RATE(there.ratio)},
        {"on_host_winner", "ON HOST", 11, 7, AS_TEXT(here_texts.way), .shown = here_texts.shown},
        {"on_host_ratio", AS_RATE(here.ratio)},
        {NULL, "", 12, 0, AS_TEXT("")},
        {"b_from_repeats", "b FROM", 13, -12, AS_COUNT(is_tile ? from : -1), .shown = even.ways_text},
        {"b_from_bytes", AS_BYTES(is_tile ? -1 : from)},
        {"upload_pays_from_moves", "MOVES", 14, 6, AS_COUNT(even_count(&even.moves)), .shown = even.moves_text},
        {"a_seconds_predicted", AS_TIME(predicted[TRANSFER_WAY_A])},
        {"b_seconds_predicted", AS_TIME(predicted[TRANSFER_WAY_B])},
        {"c_seconds_predicted", AS_TIME(predicted[TRANSFER_WAY_C])},
        {"d_seconds_predicted", AS_TIME(predicted[TRANSFER_WAY_D])},
        {"e_seconds_predicted", AS_TIME(predicted[TRANSFER_WAY_E])},
        {"steps_seconds_predicted", AS_TIME(predicted[TRANSFER_WAY_STEPS])},
        {"b_from_repeats_predicted", AS_COUNT(is_tile ? thought_from : -1)},
        {"b_from_bytes_predicted", AS_BYTES(is_tile ? -1 : thought_from)},
        {"upload_pays_from_moves_predicted", AS_COUNT(has_thought ? even_count(&thought.moves) : -1)},
        {"repro", AS_TEXT(repeat)},
    };
    if (part != TABLE_OBJECT)
        printf("  ");
    if (table_put(TABLE_CELLS(cells), part, NULL))
        return true;
    failed("the result of %s cannot be written as JSON", one->name);
    return false;
}

static void print_predicted(const bench_case *one, const transfer_result *result) {
    const evens even = find_evens(one, result, predicted_seconds(result));
    char times[6][16];
    for (int i = 0; i < TRANSFER_WAYS; i++)
        bench_time_text(result->predicted[i], times[i]);
    printf("  %-9s %8s %8s %5s %5s %8s %8s %8s %8s  c %s, e %s; b %s%s\n", "predicted", "", "", "", "", times[TRANSFER_WAY_A],
           times[TRANSFER_WAY_B], times[TRANSFER_WAY_D], times[TRANSFER_WAY_STEPS], times[TRANSFER_WAY_C], times[TRANSFER_WAY_E],
           even.ways.verdict == TRANSFER_FROM ? "from " : "", even.ways_text);
}

static void print_block(const transfer_report *it, const bench_case *one, const transfer_result *result, const char *repeat) {
    char src[16], dst[16], device[16], event[16], host[16];
    printf("%s: %s to %s, %s; c %s, %.2f GB/s (event %s); e %s, %.2f GB/s%s\n", printable(one->name),
           bench_bytes_text(result->src_bytes, src), bench_bytes_text(result->dst_bytes, dst), result->variant,
           bench_time_text(result->device.median, device), gigabytes(result->moved, result->device.median),
           bench_time_text(result->device_event.median, event), bench_time_text(result->host.median, host),
           gigabytes(result->moved, result->host.median), result->with[TRANSFER_PAGEABLE].d_in_place ? "; d zero-copy" : "");
    for (int i = 0; i < TRANSFER_MEMORIES; i++)
        if (result->with[i].measured)
            print_row(it, one, result, (transfer_memory)i, repeat, TABLE_ROW);
    if (result->is_predicted)
        print_predicted(one, result);
}

bool transfer_report_add(transfer_report *it, const bench_case *one, const transfer_result *result, const char *repeat) {
    transfer_tally_add(&it->tally, result);
    if (it->as_json) {
        for (int i = 0; i < TRANSFER_MEMORIES; i++)
            if (result->with[i].measured && !print_row(it, one, result, (transfer_memory)i, repeat, TABLE_OBJECT))
                return false;
        return bench_is_written();
    }
    if (it->tally.results == 1) {
        print_title(it);
        print_row(it, one, result, TRANSFER_PAGEABLE, repeat, TABLE_HEAD);
    }
    print_block(it, one, result, repeat);
    return bench_is_written() && bench_lines_add(&it->repeats, repeat);
}

/* ---- the end ---- */

bool transfer_report_end(transfer_report *it) {
    bool done = true;
    if (it->tally.results > 0) {
        if (it->as_json)
            done = transfer_summary_json(&it->tally, it->calibration, it->is_sweep);
        else {
            transfer_summary_print(&it->tally, it->calibration, it->is_sweep);
            printf("to repeat a case:\n%s", it->repeats.text);
        }
        done = done && bench_is_written();
    }
    free(it->repeats.text);
    return done;
}
