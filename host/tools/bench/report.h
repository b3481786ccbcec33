/* Results for people and for programs.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_BENCH_REPORT_H
#define CLMOVE_HOST_TOOLS_BENCH_REPORT_H

#include "host/tools/bench/measure.h"
#include "host/tools/common/table.h"

#include <stddef.h>

/* What is said about all results. Starts as {.as_json, .is_cold, .who, .open_seconds}; closed by bench_report_end. */
typedef struct bench_report {
    bool as_json, is_cold;
    const executor *who; /* open */
    double open_seconds; /* to open the device */
    /* private: */
    clmove_device_info device;
    bench_lines repeats; /* for the end of the table */
    size_t results;
    bench_series plan_again;
    double plan_seconds, first_run_seconds; /* of the first result */
} bench_report;

/* Each prints at once. On false a sentence has been printed, and there is no use in going on. */
bool bench_report_begin(bench_report *it);
bool bench_report_add(bench_report *it, const bench_case *one, const bench_result *result, const char *repeat);
bool bench_report_end(bench_report *it);

#endif
