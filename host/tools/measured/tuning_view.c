/* SPDX-License-Identifier: Apache-2.0 */
#include "host/tools/measured/tuning_view.h"

#include <stdio.h>

clmove_status tuning_view_get(tuning_view *view, const clmove_device *device, clmove_error *error) {
    clmove_device_info *info = &view->device;
    info->struct_size = sizeof *info;
    clmove_status status = clmove_device_get_info(device, info, error);
    view->values[0].struct_size = sizeof *view->values;
    if (status == CLMOVE_OK)
        status = clmove_device_get_tuning(device, view->values, TUNING_MOST, &view->count, error);
    if (status == CLMOVE_OK)
        status = clmove_device_get_tuning_path(device, view->path, sizeof view->path, error);
    if (status == CLMOVE_OK)
        snprintf(view->header, sizeof view->header, "[device %s%s%s]", info->name, info->driver[0] ? " | " : "", info->driver);
    return status;
}

const char *tuning_origin_text(clmove_tuning_origin origin) {
    static const char *const texts[] = {"built in", "file", "environment", "params"};
    return origin <= CLMOVE_TUNING_PARAMS ? texts[origin] : "unknown";
}
