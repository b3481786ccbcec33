/* What a device is tuned to, read from the library and told.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_MEASURED_TUNING_VIEW_H
#define CLMOVE_HOST_TOOLS_MEASURED_TUNING_VIEW_H

#include <clmove/clmove.h>

enum { TUNING_MOST = 16, TUNING_HEADER = 288 };

typedef struct tuning_view {
    clmove_device_info device;
    /* The device's header in a file of tunings: [device NAME | DRIVER]. */
    char header[TUNING_HEADER];
    /* The path of its file, or "". */
    char path[4096];
    clmove_tuning_value values[TUNING_MOST];
    int64_t count;
} tuning_view;

clmove_status tuning_view_get(tuning_view *view, const clmove_device *device, clmove_error *error);

/* "built in", "file", "environment" or "params". */
const char *tuning_origin_text(clmove_tuning_origin origin);

#endif
