/* See report.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/bench/report.h"

#include "host/tools/common/message.h"
#include "host/tools/common/printable.h"

#include <stdio.h>
#include <stdlib.h>

static double gigabytes(const bench_result *result, double seconds) {
    return (double)(result->bytes_read + result->bytes_written) / seconds / 1e9;
}

static bool print_result(const bench_report *it, const bench_case *one, const bench_result *result, const char *repeat) {
    const bench_summary *of = &result->operation;
    const table_cell cells[] = {
        {"name", "NAME", 1, -22, AS_TEXT(one->name)},
        {"op", AS_TEXT(bench_operation_name(one->what.op.kind))},
        {"device", AS_TEXT(it->device.name)},
        {"device_type", AS_TEXT(clmove_device_type_text(it->device.type))},
        {"variant", "VARIANT", 2, -12, AS_TEXT(result->variant)},
        {"bytes_read", AS_BYTES(result->bytes_read)},
        {"bytes_written", AS_BYTES(result->bytes_written)},
        {"bytes", "MOVED", 3, 9, AS_BYTES(result->bytes_read + result->bytes_written)},
        {"seconds_min", "MIN", 4, 9, AS_TIME(of->min)},
        {"seconds_median", "MEDIAN", 5, 9, AS_TIME(of->median)},
        {"seconds_p95", "P95", 6, 9, AS_TIME(of->p95)},
        {"device_seconds_median", "DEVICE", 7, 9, AS_TIME(result->device.median)},
        {"stream_seconds_median", AS_TIME(result->limit.median)},
        {"roofline", "ROOF", 12, 5, AS_RATE(result->limit.median / of->median)},
        {"gbps_median", "GB/S", 10, 6, AS_RATE(gigabytes(result, of->median))},
        {NULL, "STREAM", 11, 6, AS_RATE(gigabytes(result, result->limit.median))},
        {"verified", AS_FLAG(true)},
        {"runs", "RUNS", 8, 6, AS_COUNT(result->runs)},
        {"noise", "NOISE", 9, 6, AS_PERCENT(of->noise)},
        {"stream_noise", AS_PERCENT(result->limit.noise)},
        {"stream", AS_TEXT(result->stream)},
        {"cold", AS_FLAG(it->is_cold)},
        {"open_seconds", AS_TIME(it->open_seconds)},
        {"plan_seconds", AS_TIME(result->plan_seconds)},
        {"first_run_seconds", AS_TIME(result->first_run_seconds)},
        {"plan_again_seconds", AS_TIME(result->plan_again_seconds)},
        {"repro", AS_TEXT(repeat)},
    };
    const bool is_first = it->results == 1 && !it->as_json;
    if (is_first)
        printf("%s (%s)%s; every result is verified before it is measured\n", printable(it->device.name),
               clmove_device_type_text(it->device.type), it->is_cold ? ", caches flushed before each run" : "");
    if (table_put(TABLE_CELLS(cells), it->as_json ? TABLE_OBJECT : is_first ? TABLE_HEAD_AND_ROW : TABLE_ROW, NULL))
        return bench_is_written();
    failed("the result of %s cannot be written as JSON", one->name);
    return false;
}

/* The table's last part is kept until then. */
static bool keep(bench_report *it, const bench_result *result, const char *repeat) {
    if (bench_series_add(&it->plan_again, result->plan_again_seconds))
        return bench_lines_add(&it->repeats, repeat);
    failed("there is no memory for what is said at the end");
    return false;
}

bool bench_report_begin(bench_report *it) {
    clmove_error error;
    it->device.struct_size = sizeof it->device;
    if (clmove_device_get_info(it->who->device, &it->device, &error) != CLMOVE_OK) {
        failed("%s", error.text);
        return false;
    }
    return true;
}

bool bench_report_add(bench_report *it, const bench_case *one, const bench_result *result, const char *repeat) {
    if (it->results++ == 0) {
        it->plan_seconds = result->plan_seconds;
        it->first_run_seconds = result->first_run_seconds;
    }
    return print_result(it, one, result, repeat) && (it->as_json || keep(it, result, repeat));
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
