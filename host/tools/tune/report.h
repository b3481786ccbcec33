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
    const tuning_view *before, *now;
    /* The path of the file, or "". */
    const char *path;
    /* To be released. */
    json_t *trials;
} tune_report;

/* Begins with what is measured, on so many maps. False, here and below: a sentence has been printed. */
bool tune_report_begin(tune_report *report, size_t maps);

/* The scores of a key. */
bool tune_report_key(tune_report *report, const clmove_tuning_value *present, const tune_score *scores, int count);

/* The best of them, tried again; taken: it is the new value. */
bool tune_report_again(tune_report *report, const clmove_tuning_value *present, const tune_score *again, bool taken);

/* Ends. body: the section's lines; "" when nothing changed. waited: the share of their time for which threads had no processor.
 */
bool tune_report_end(tune_report *report, const char *body, bool is_written, double waited);

#endif
