/* See bench_transfer_report.h.
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

/* ---- JSON ---- */

/* null: never. 0 and 1 would be always, for bytes and for counts. */
static json_t *even_json(const transfer_even *even) {
    if (even->verdict == TRANSFER_NEVER)
        return json_null();
    return json_integer(even->verdict == TRANSFER_ALWAYS ? 1 : even->from);
}

static json_t *winner_json(const transfer_winner *winner) {
    return winner->way == '=' ? json_string("tie") : json_stringn(&winner->way, 1);
}

static json_t *predicted_json(const transfer_result *result, transfer_memory with, transfer_way way) {
    return result->is_predicted && with == TRANSFER_PAGEABLE ? bench_json_number(result->predicted[way]) : json_null();
}

/* The longest stage of way d as a share of all of it: 1 when the others took no time of their own. Negative: not known. */
static double overlap(const bench_summary of[TRANSFER_STEPS]) {
    double longest = -1;
    for (int k = TRANSFER_D_UPLOAD; k <= TRANSFER_D_DOWNLOAD; k++)
        longest = of[k].median > longest ? of[k].median : longest;
    return longest < 0 ? -1 : longest / of[TRANSFER_D].median;
}

static bool print_json(const transfer_report *it, const bench_case *one, const transfer_result *result, transfer_memory with,
                       const char *repeat) {
    const bench_summary *of = result->with[with].of;
    bool links = is_link(with), in_place = result->with[with].d_in_place, is_tile = one->what.op.kind == OPERATION_TILE;
    const evens even = find_evens(one, result, measured_seconds(result, with));
    const transfer_winner there = transfer_winner_of(result, with, TRANSFER_ON_DEVICE);
    const transfer_winner here = transfer_winner_of(result, with, TRANSFER_ON_HOST);
    const evens thought = find_evens(one, result, predicted_seconds(result));
    bool has_thought = result->is_predicted && with == TRANSFER_PAGEABLE;
    const int64_t src = result->src_bytes, dst = result->dst_bytes;
    const double steps = transfer_seconds_of(result, with, TRANSFER_WAY_STEPS);
    const bench_json_entry entries[] = {
        {"name", bench_json_text(one->name)},
        {"op", json_string(bench_operation_name(one->what.op.kind))},
        {"device", bench_json_text(it->device.name)},
        {"device_type", json_string(clmove_device_type_text(it->device.type))},
        {"variant", json_string(result->variant)},
        {"memory", json_string(transfer_memory_name(with))},
        {"src_bytes", json_integer(src)},
        {"dst_bytes", json_integer(dst)},
        {"bytes", json_integer(result->moved)},
        {"runs", json_integer((json_int_t)result->runs)},
        {"verified", json_true()},
        {"cold", json_boolean(it->is_cold)},
        {"a_seconds_median", bench_json_number(of[TRANSFER_A].median)},
        {"b_seconds_median", bench_json_number(of[TRANSFER_B].median)},
        {"c_seconds_median", bench_json_number(result->device.median)},
        {"c_device_seconds_median", bench_json_number(result->device_event.median)},
        {"d_seconds_median", bench_json_number(of[TRANSFER_D].median)},
        {"e_seconds_median", bench_json_number(result->host.median)},
        {"steps_seconds", bench_json_number(steps)},
        {"upload_src_seconds_median", bench_json_number(of[TRANSFER_UPLOAD_SRC].median)},
        {"upload_dst_seconds_median", bench_json_number(of[TRANSFER_UPLOAD_DST].median)},
        {"download_dst_seconds_median", bench_json_number(of[TRANSFER_DOWNLOAD].median)},
        {"upload_src_device_seconds_median", bench_json_number(of[TRANSFER_UPLOAD_SRC_EVENT].median)},
        {"upload_dst_device_seconds_median", bench_json_number(of[TRANSFER_UPLOAD_DST_EVENT].median)},
        {"download_dst_device_seconds_median", bench_json_number(of[TRANSFER_DOWNLOAD_EVENT].median)},
        {"a_link_bytes", json_integer(links ? dst : 0)},
        {"b_link_bytes", json_integer(links ? src : 0)},
        {"d_link_bytes", json_integer(links && !in_place ? src + dst : 0)},
        {"d_in_place", json_boolean(in_place)},
        {"d_upload_device_seconds_median", bench_json_number(of[TRANSFER_D_UPLOAD].median)},
        {"d_move_device_seconds_median", bench_json_number(of[TRANSFER_D_MOVE].median)},
        {"d_download_device_seconds_median", bench_json_number(of[TRANSFER_D_DOWNLOAD].median)},
        {"d_overlap", bench_json_number(overlap(of))},
        {"upload_src_gbps", links ? bench_json_number(gigabytes(src, of[TRANSFER_UPLOAD_SRC].median)) : json_null()},
        {"upload_dst_gbps", links ? bench_json_number(gigabytes(dst, of[TRANSFER_UPLOAD_DST].median)) : json_null()},
        {"download_dst_gbps", links ? bench_json_number(gigabytes(dst, of[TRANSFER_DOWNLOAD].median)) : json_null()},
        {"device_gbps", bench_json_number(gigabytes(result->moved, result->device.median))},
        {"host_gbps", bench_json_number(gigabytes(result->moved, result->host.median))},
        {"on_device_winner", winner_json(&there)},
        {"on_device_ratio", bench_json_number(there.ratio)},
        {"on_host_winner", winner_json(&here)},
        {"on_host_ratio", bench_json_number(here.ratio)},
        {"b_from_repeats", is_tile ? even_json(&even.ways) : json_null()},
        {"b_from_bytes", is_tile ? json_null() : even_json(&even.ways)},
        {"upload_pays_from_moves", even_json(&even.moves)},
        {"a_seconds_predicted", predicted_json(result, with, TRANSFER_WAY_A)},
        {"b_seconds_predicted", predicted_json(result, with, TRANSFER_WAY_B)},
        {"c_seconds_predicted", predicted_json(result, with, TRANSFER_WAY_C)},
        {"d_seconds_predicted", predicted_json(result, with, TRANSFER_WAY_D)},
        {"e_seconds_predicted", predicted_json(result, with, TRANSFER_WAY_E)},
        {"steps_seconds_predicted", predicted_json(result, with, TRANSFER_WAY_STEPS)},
        {"b_from_repeats_predicted", has_thought && is_tile ? even_json(&thought.ways) : json_null()},
        {"b_from_bytes_predicted", has_thought && !is_tile ? even_json(&thought.ways) : json_null()},
        {"upload_pays_from_moves_predicted", has_thought ? even_json(&thought.moves) : json_null()},
        {"repro", bench_json_text(repeat)},
    };
    if (bench_json_print(entries, sizeof entries / sizeof entries[0]))
        return true;
    failed("the result of %s cannot be written as JSON", one->name);
    return false;
}

/* ---- table ---- */

#define ROW "  %-9s %8s %8s %5s %5s %8s %8s %8s %8s %7s %7s  %-12s %6s\n"

static void print_head(const transfer_report *it) {
    printf("%s (%s) and the host%s; every way is verified before it is measured\n"
           "a: moved on the host, result uploaded    b: source uploaded, moved on the device    c: both stay on the device\n"
           "d: clmove_run, host memory to host memory    STEPS: of d, one by one    e: on the host alone\n"
           "=: even, that is within 5 %%; FROM and MOVES are from where on b, or the device, is faster by more\n\n",
           printable(it->device.name), clmove_device_type_text(it->device.type),
           it->is_cold ? ", caches flushed before each step" : "");
    printf(ROW, "MEMORY", "a LINK", "b LINK", "UP", "DOWN", "a", "b", "d", "STEPS", "ON DEV", "ON HOST", "b FROM", "MOVES");
}

static void print_rate(char text[16], bool links, int64_t bytes, double seconds) {
    if (links)
        snprintf(text, 16, "%.2f", gigabytes(bytes, seconds));
    else
        snprintf(text, 16, "-");
}

static void print_winner(char text[16], const transfer_winner *winner) {
    snprintf(text, 16, "%c %.*fx", winner->way, winner->ratio < 10 ? 2 : winner->ratio < 100 ? 1 : 0, winner->ratio);
}

static void print_row(const bench_case *one, const transfer_result *result, transfer_memory with) {
    char links[2][16], rates[2][16], times[4][16], winners[2][16];
    const bench_summary *of = result->with[with].of;
    bool is_copied = is_link(with);
    const evens even = find_evens(one, result, measured_seconds(result, with));
    const transfer_winner there = transfer_winner_of(result, with, TRANSFER_ON_DEVICE);
    const transfer_winner here = transfer_winner_of(result, with, TRANSFER_ON_HOST);
    print_rate(rates[0], is_copied, result->src_bytes, of[TRANSFER_UPLOAD_SRC].median);
    print_rate(rates[1], is_copied, result->dst_bytes, of[TRANSFER_DOWNLOAD].median);
    print_winner(winners[0], &there);
    print_winner(winners[1], &here);
    printf(ROW, transfer_memory_name(with), is_copied ? bench_bytes_text(result->dst_bytes, links[0]) : "-",
           is_copied ? bench_bytes_text(result->src_bytes, links[1]) : "-", rates[0], rates[1],
           bench_time_text(of[TRANSFER_A].median, times[0]), bench_time_text(of[TRANSFER_B].median, times[1]),
           bench_time_text(of[TRANSFER_D].median, times[2]),
           bench_time_text(transfer_seconds_of(result, with, TRANSFER_WAY_STEPS), times[3]), winners[0], winners[1],
           even.ways_text, even.moves_text);
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

static void print_block(const bench_case *one, const transfer_result *result) {
    char src[16], dst[16], device[16], event[16], host[16];
    printf("%s: %s to %s, %s; c %s, %.2f GB/s (event %s); e %s, %.2f GB/s%s\n", printable(one->name),
           bench_bytes_text(result->src_bytes, src), bench_bytes_text(result->dst_bytes, dst), result->variant,
           bench_time_text(result->device.median, device), gigabytes(result->moved, result->device.median),
           bench_time_text(result->device_event.median, event), bench_time_text(result->host.median, host),
           gigabytes(result->moved, result->host.median), result->with[TRANSFER_PAGEABLE].d_in_place ? "; d zero-copy" : "");
    for (int i = 0; i < TRANSFER_MEMORIES; i++)
        if (result->with[i].measured)
            print_row(one, result, (transfer_memory)i);
    if (result->is_predicted)
        print_predicted(one, result);
}

bool transfer_report_add(transfer_report *it, const bench_case *one, const transfer_result *result, const char *repeat) {
    transfer_tally_add(&it->tally, result);
    if (it->as_json) {
        for (int i = 0; i < TRANSFER_MEMORIES; i++)
            if (result->with[i].measured && !print_json(it, one, result, (transfer_memory)i, repeat))
                return false;
        return bench_is_written();
    }
    if (it->tally.results == 1)
        print_head(it);
    print_block(one, result);
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
