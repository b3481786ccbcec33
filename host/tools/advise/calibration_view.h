/* A calibration, as a table or as JSON.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_ADVISE_CALIBRATION_VIEW_H
#define CLMOVE_HOST_TOOLS_ADVISE_CALIBRATION_VIEW_H

#include "host/tools/measured/tuning_view.h"
#include "host/tools/transfer/figures.h"

typedef struct calibration_view {
    /* The device and its header. */
    const tuning_view *of;
    /* The path of the file, or "". */
    const char *path;
    bool is_clear, is_written;
    double noise;
    const figures *found;
} calibration_view;

/* On false a sentence has been printed. */
bool calibration_view_print(const calibration_view *view);
bool calibration_view_json(const calibration_view *view);

/* "a guess", "the file", "measured" or "given". */
const char *calibration_origin_text(clmove_calibration_origin origin);

#endif
