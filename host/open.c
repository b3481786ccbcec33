/* Opening devices: the selected executor, the host's executor behind it, and the attachments of the folders above.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/open.h"

#include "host/advice/advice.h"
#include "host/native/native.h"
#include "host/run/staging.h"
#include "host/selection.h"

#include <stdio.h>

clmove_status clm_open(clm_executor *opened, const clmove_device_params *params, clmove_device **device, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_executor *executors[CLM_EXECUTORS] = {opened};
    clmove_device *made = NULL;
    int32_t count = opened ? 1 : 0;
    TRY(clm_native_open(params->threads, &executors[count], error));
    count++;
    status = clm_device_create(executors, count, params, &made, error); /* it closes them on failure */
    count = 0;
    TRY(status);
    TRY(clm_staging_open(made, error));
    TRY(clm_advice_open(made, error));
    *device = made;
    made = NULL;
out:
    if (made)
        clm_device_release(made);
    if (count > 0 && executors[0])
        executors[0]->calls->close(executors[0]);
    return status;
}

/* Opens the executor that a selector means. *opened NULL: the host. */
static clmove_status open_selected(const clmove_device_params *params, clm_selection *selection, clm_executor **opened,
                                   clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    *opened = NULL;
    TRY(clm_select(params->selector, selection, error));
    if (selection->index != CLM_HOST_INDEX)
        TRY(clm_opencl_open(selection->index, params->profile, (clm_log){.write = params->log, .user = params->log_user}, opened,
                            error));
out:
    return status;
}

clmove_status clmove_device_open(const clmove_device_params *given, clmove_device **device, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_selection selection;
    clmove_error failure = {0};
    clmove_device_params params;
    clmove_device *made = NULL;
    clm_executor *opened = NULL;
    TRY(clm_params_read("clmove_device_params", given, &params, sizeof params, error));
    REQUIRE(device, INVALID_ARGUMENT, "device is NULL");
    status = open_selected(&params, &selection, &opened, &failure);
    bool may_fall_back = params.allow_fallback || selection.is_auto, failed = status != CLMOVE_OK;
    if (failed && !clm_may_fall_back(may_fall_back, status)) {
        if (error)
            *error = failure;
        goto out;
    }
    TRY(clm_open(opened, &params, &made, error));
    made->may_fall_back = may_fall_back;
    made->is_auto = selection.is_auto && opened;
    if (!opened)
        snprintf(made->fallback, sizeof made->fallback, "%s", failed ? failure.text : selection.reason);
    if (failed || (!opened && selection.is_odd))
        clm_device_log(made, made->fallback);
    *device = made;
out:
    return status;
}
