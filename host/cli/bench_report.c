/* See bench_report.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "bench_report.h"

#include "message.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double roofline(const bench_result *result) {
    return result->limit.median / result->operation.median;
}

static double gigabytes(const bench_result *result, double seconds) {
    return (double)(result->bytes_read + result->bytes_written) / seconds / 1e9;
}

static bool is_written(void) {
    if (fflush(stdout) == 0 && !ferror(stdout))
        return true;
    failed("standard output cannot be written");
    return false;
}

/* ---- JSON ---- */

/* A driver's text need not be UTF-8, and JSON's must be. */
static json_t *json_text(const char *text) {
    json_t *value = json_string(text);
    return value ? value : json_string("a name that is not UTF-8");
}

/* What is not known is null. */
static json_t *json_number(double value) {
    return value < 0 || !isfinite(value) ? json_null() : json_real(value);
}

static bool print_json(const bench_report *it, const bench_case *one, const bench_result *result, const char *repeat) {
    const struct {
        const char *key;
        json_t *value;
    } entries[] = {
        {"name", json_text(one->name)},
        {"op", json_string(bench_operation_name(one->what.op.kind))},
        {"device", json_text(it->device.name)},
        {"device_type", json_string(clmove_device_type_text(it->device.type))},
        {"variant", json_string(result->variant)},
        {"bytes_read", json_integer(result->bytes_read)},
        {"bytes_written", json_integer(result->bytes_written)},
        {"bytes", json_integer(result->bytes_read + result->bytes_written)},
        {"seconds_min", json_number(result->operation.min)},
        {"seconds_median", json_number(result->operation.median)},
        {"seconds_p95", json_number(result->operation.p95)},
        {"device_seconds_median", json_number(result->device.median)},
        {"stream_seconds_median", json_number(result->limit.median)},
        {"roofline", json_number(roofline(result))},
        {"gbps_median", json_number(gigabytes(result, result->operation.median))},
        {"verified", json_true()},
        {"runs", json_integer((json_int_t)result->runs)},
        {"noise", json_number(result->operation.noise)},
        {"stream_noise", json_number(result->limit.noise)},
        {"stream", json_string(result->stream)},
        {"cold", json_boolean(it->is_cold)},
        {"open_seconds", json_number(it->open_seconds)},
        {"plan_seconds", json_number(result->plan_seconds)},
        {"first_run_seconds", json_number(result->first_run_seconds)},
        {"plan_again_seconds", json_number(result->plan_again_seconds)},
        {"repro", json_text(repeat)},
    };
    json_t *object = json_object();
    int failures = !object;
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++)
        failures += json_object_set_new(object, entries[i].key, entries[i].value) != 0;
    if (failures == 0)
        failures = json_dumpf(object, stdout, JSON_COMPACT | JSON_REAL_PRECISION(6)) != 0 || putchar('\n') != '\n';
    json_decref(object);
    if (failures > 0)
        failed("the result of %s cannot be written as JSON", one->name);
    return failures == 0;
}

/* ---- table ---- */

static const char *time_text(double seconds, char text[16]) {
    if (seconds < 0)
        return "-";
    if (seconds < 1e-3)
        snprintf(text, 16, "%.1f us", seconds * 1e6);
    else if (seconds < 1)
        snprintf(text, 16, "%.*f ms", seconds < 0.1 ? 2 : 1, seconds * 1e3);
    else
        snprintf(text, 16, "%.2f s", seconds);
    return text;
}

static const char *bytes_text(int64_t bytes, char text[16]) {
    if (bytes < 1000)
        snprintf(text, 16, "%d B", (int)bytes);
    else if (bytes < 1000000)
        snprintf(text, 16, "%.1f kB", (double)bytes * 1e-3);
    else if (bytes < 1000000000)
        snprintf(text, 16, "%.1f MB", (double)bytes * 1e-6);
    else
        snprintf(text, 16, "%.2f GB", (double)bytes * 1e-9);
    return text;
}

static void print_row(const bench_case *one, const bench_result *result) {
    char moved[16], min[16], median[16], p95[16], device[16], noise[16];
    snprintf(noise, sizeof noise, "%.1f%%", result->operation.noise * 100);
    printf("%-22s %-12s %9s %9s %9s %9s %9s %6zu %6s %6.2f %6.2f %5.2f\n", one->name, result->variant,
           bytes_text(result->bytes_read + result->bytes_written, moved), time_text(result->operation.min, min),
           time_text(result->operation.median, median), time_text(result->operation.p95, p95),
           time_text(result->device.median, device), result->runs, noise, gigabytes(result, result->operation.median),
           gigabytes(result, result->limit.median), roofline(result));
}

/* The table's last part is kept until then. */
static bool keep(bench_report *it, const bench_result *result, const char *repeat) {
    size_t length = strlen(repeat);
    char *grown = realloc(it->repeats, it->repeats_length + length + 4);
    if (!grown || !bench_series_add(&it->plan_again, result->plan_again_seconds)) {
        it->repeats = grown ? grown : it->repeats;
        failed("there is no memory for the line that repeats a case: %s", repeat);
        return false;
    }
    it->repeats = grown;
    it->repeats_length += (size_t)sprintf(grown + it->repeats_length, "  %s\n", repeat);
    return true;
}

/* ---- all ---- */

bool bench_report_begin(bench_report *it) {
    clmove_error error;
    if (clmove_device_get_info(it->who->device, &it->device, &error) != CLMOVE_OK) {
        failed("%s", error.text);
        return false;
    }
    return true;
}

static void print_head(const bench_report *it) {
    printf("%s (%s)%s; every result is verified before it is measured\n", it->device.name,
           clmove_device_type_text(it->device.type), it->is_cold ? ", caches flushed before each run" : "");
    printf("%-22s %-12s %9s %9s %9s %9s %9s %6s %6s %6s %6s %5s\n", "NAME", "VARIANT", "MOVED", "MIN", "MEDIAN", "P95", "DEVICE",
           "RUNS", "NOISE", "GB/S", "STREAM", "ROOF");
}

bool bench_report_add(bench_report *it, const bench_case *one, const bench_result *result) {
    char repeat[BENCH_REPEAT];
    bench_repeat_text(one, it->who, it->more, repeat);
    if (it->results++ == 0) {
        if (!it->as_json)
            print_head(it);
        it->plan_seconds = result->plan_seconds;
        it->first_run_seconds = result->first_run_seconds;
    }
    if (it->as_json)
        return print_json(it, one, result, repeat) && is_written();
    print_row(one, result);
    return is_written() && keep(it, result, repeat);
}

bool bench_report_end(bench_report *it) {
    bool done = true;
    bench_summary again;
    if (!it->as_json && it->results > 0 && bench_series_summarise(&it->plan_again, &again)) {
        char open[16], plan[16], run[16], all[16], later[16];
        printf("\nstart: device opened in %s, first plan made in %s, its first run in %s: %s in all; another plan: %s\n",
               time_text(it->open_seconds, open), time_text(it->plan_seconds, plan), time_text(it->first_run_seconds, run),
               time_text(it->open_seconds + it->plan_seconds + it->first_run_seconds, all), time_text(again.median, later));
        printf("to repeat a case:\n%s", it->repeats);
        done = is_written();
    }
    free(it->repeats);
    free(it->plan_again.values);
    return done;
}
