/* What was measured, as a table line by line, or as JSON in the end.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_TUNE_REPORT_H
#define CLMOVE_HOST_TOOLS_TUNE_REPORT_H

#include "host/tools/tune/trial.h"

#include <jansson.h>

typedef struct tune_report {
    bool as_json;
    json_t *trials;
} tune_report;

/* How tuning ended. */
typedef struct tune_end {
    const clmove_device_info *device;
    const tuning_view *before, *now;
    const char *path; /* of the file; "" */
    const char *body; /* the section's lines; "" when nothing changed */
    bool is_written;
    double waited; /* the share of their time for which threads had no processor */
} tune_end;

/* Begins with what is measured. */
bool tune_report_begin(tune_report *report, const clmove_device_info *device, const tune_bench *bench);

/* The scores of a key. */
bool tune_report_key(tune_report *report, const clmove_tuning_value *present, const tune_score *scores, int count);

/* The best of them, tried again; taken: it is the new value. */
bool tune_report_again(tune_report *report, const clmove_tuning_value *present, const tune_score *again, bool taken);

/* Ends, and releases the report. */
bool tune_report_end(tune_report *report, const tune_end *end);

#endif
