/* SPDX-License-Identifier: Apache-2.0 */
#include "host/tools/tune/tuning_view.h"

#include <inttypes.h>
#include <stdio.h>

clmove_status tuning_view_get(tuning_view *view, const clmove_device *device, clmove_error *error) {
    clmove_device_info info = {.struct_size = sizeof info};
    clmove_status status = clmove_device_get_info(device, &info, error);
    view->values[0].struct_size = sizeof *view->values;
    if (status == CLMOVE_OK)
        status = clmove_device_get_tuning(device, view->values, TUNING_MOST, &view->count, error);
    if (status == CLMOVE_OK)
        status = clmove_device_get_tuning_path(device, view->path, sizeof view->path, error);
    if (status == CLMOVE_OK)
        snprintf(view->header, sizeof view->header, "[device %s%s%s]", info.name, info.driver[0] ? " | " : "", info.driver);
    return status;
}

const char *tuning_origin_text(clmove_tuning_origin origin) {
    switch (origin) {
    case CLMOVE_TUNING_BUILT_IN:
        return "built in";
    case CLMOVE_TUNING_FILE:
        return "file";
    case CLMOVE_TUNING_ENVIRONMENT:
        return "environment";
    case CLMOVE_TUNING_PARAMS:
        return "params";
    }
    return "unknown";
}

void tuning_view_list(const tuning_view *view, char list[TUNING_LIST]) {
    int length = 0;
    for (size_t i = 0; i < view->count; i++)
        length += snprintf(list + length, (size_t)(TUNING_LIST - length), "%s%s=%" PRId64, i ? "," : "", view->values[i].key,
                           view->values[i].value);
}
