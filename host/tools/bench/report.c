/* See bench_report.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/bench/report.h"

#include "host/tools/common/message.h"
#include "host/tools/common/printable.h"

#include <stdio.h>
#include <stdlib.h>

static double roofline(const bench_result *result) {
    return result->limit.median / result->operation.median;
}

static double gigabytes(const bench_result *result, double seconds) {
    return (double)(result->bytes_read + result->bytes_written) / seconds / 1e9;
}

/* ---- JSON ---- */

static bool print_json(const bench_report *it, const bench_case *one, const bench_result *result, const char *repeat) {
    const bench_json_entry entries[] = {
        {"name", bench_json_text(one->name)},
        {"op", json_string(bench_operation_name(one->what.op.kind))},
        {"device", bench_json_text(it->device.name)},
        {"device_type", json_string(clmove_device_type_text(it->device.type))},
        {"variant", json_string(result->variant)},
        {"bytes_read", json_integer(result->bytes_read)},
        {"bytes_written", json_integer(result->bytes_written)},
        {"bytes", json_integer(result->bytes_read + result->bytes_written)},
        {"seconds_min", bench_json_number(result->operation.min)},
        {"seconds_median", bench_json_number(result->operation.median)},
        {"seconds_p95", bench_json_number(result->operation.p95)},
        {"device_seconds_median", bench_json_number(result->device.median)},
        {"stream_seconds_median", bench_json_number(result->limit.median)},
        {"roofline", bench_json_number(roofline(result))},
        {"gbps_median", bench_json_number(gigabytes(result, result->operation.median))},
        {"verified", json_true()},
        {"runs", json_integer((json_int_t)result->runs)},
        {"noise", bench_json_number(result->operation.noise)},
        {"stream_noise", bench_json_number(result->limit.noise)},
        {"stream", json_string(result->stream)},
        {"cold", json_boolean(it->is_cold)},
        {"open_seconds", bench_json_number(it->open_seconds)},
        {"plan_seconds", bench_json_number(result->plan_seconds)},
        {"first_run_seconds", bench_json_number(result->first_run_seconds)},
        {"plan_again_seconds", bench_json_number(result->plan_again_seconds)},
        {"repro", bench_json_text(repeat)},
    };
    if (bench_json_print(entries, sizeof entries / sizeof entries[0]))
        return true;
    failed("the result of %s cannot be written as JSON", one->name);
    return false;
}

/* ---- table ---- */

static void print_row(const bench_case *one, const bench_result *result) {
    char moved[16], min[16], median[16], p95[16], device[16], noise[16];
    snprintf(noise, sizeof noise, "%.1f%%", result->operation.noise * 100);
    printf("%-22s %-12s %9s %9s %9s %9s %9s %6zu %6s %6.2f %6.2f %5.2f\n", printable(one->name), result->variant,
           bench_bytes_text(result->bytes_read + result->bytes_written, moved), bench_time_text(result->operation.min, min),
           bench_time_text(result->operation.median, median), bench_time_text(result->operation.p95, p95),
           bench_time_text(result->device.median, device), result->runs, noise, gigabytes(result, result->operation.median),
           gigabytes(result, result->limit.median), roofline(result));
}

/* The table's last part is kept until then. */
static bool keep(bench_report *it, const bench_result *result, const char *repeat) {
    if (bench_series_add(&it->plan_again, result->plan_again_seconds))
        return bench_lines_add(&it->repeats, repeat);
    failed("there is no memory for what is said at the end");
    return false;
}

/* ---- all ---- */

bool bench_report_begin(bench_report *it) {
    clmove_error error;
    it->device.struct_size = sizeof it->device;
    if (clmove_device_get_info(it->who->device, &it->device, &error) != CLMOVE_OK) {
        failed("%s", error.text);
        return false;
    }
    return true;
}

static void print_head(const bench_report *it) {
    printf("%s (%s)%s; every result is verified before it is measured\n", printable(it->device.name),
           clmove_device_type_text(it->device.type), it->is_cold ? ", caches flushed before each run" : "");
    printf("%-22s %-12s %9s %9s %9s %9s %9s %6s %6s %6s %6s %5s\n", "NAME", "VARIANT", "MOVED", "MIN", "MEDIAN", "P95", "DEVICE",
           "RUNS", "NOISE", "GB/S", "STREAM", "ROOF");
}

bool bench_report_add(bench_report *it, const bench_case *one, const bench_result *result, const char *repeat) {
    if (it->results++ == 0) {
        if (!it->as_json)
            print_head(it);
        it->plan_seconds = result->plan_seconds;
        it->first_run_seconds = result->first_run_seconds;
    }
    if (it->as_json)
        return print_json(it, one, result, repeat) && bench_is_written();
    print_row(one, result);
    return bench_is_written() && keep(it, result, repeat);
}

bool bench_report_end(bench_report *it) {
    bool done = true;
    bench_summary again;
    if (!it->as_json && it->results > 0 && bench_series_summarise(&it->plan_again, &again)) {
        char open[16], plan[16], run[16], all[16], later[16];
        printf("\nstart: device opened in %s, first plan made in %s, its first run in %s: %s in all; another plan: %s\n",
               bench_time_text(it->open_seconds, open), bench_time_text(it->plan_seconds, plan),
               bench_time_text(it->first_run_seconds, run),
               bench_time_text(it->open_seconds + it->plan_seconds + it->first_run_seconds, all),
               bench_time_text(again.median, later));
        printf("to repeat a case:\n%s", it->repeats.text);
        done = bench_is_written();
    }
    free(it->repeats.text);
    free(it->plan_again.values);
    return done;
}
