/* SPDX-License-Identifier: Apache-2.0 */
#include "host/settings/tuning.h"

#include "host/settings/file.h"

#include <limits.h>
#include <stdlib.h>

static const clm_config_file tuning_file = {.name = "tuning", .variable = "CLMOVE_TUNING_FILE", .what = "file of tunings"};

clmove_status clmove_tuning_path(char *path, size_t capacity, clmove_error *error) {
    return clm_config_path(&tuning_file, NULL, path, capacity, error);
}

clmove_status clm_tuning_path(const clmove_device_info *device, char *path, size_t capacity, clmove_error *error) {
    return clm_config_path(&tuning_file, device, path, capacity, error);
}

static clm_tuning_class class_of(const clm_executor *executor) {
    return executor->info.type == CLMOVE_DEVICE_HOST ? CLM_CLASS_HOST
           : executor->traits.few_long_runs          ? CLM_CLASS_CPU
                                                     : CLM_CLASS_GPU;
}

/* own: the device, for its own file; NULL: the file for all. */
static clmove_status add_file(clm_tuned *tuned, const clmove_device_info *device, const clmove_device_info *own,
                              clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    char path[PATH_MAX], *text = NULL;
    size_t length = 0;
    TRY(clm_config_read(&tuning_file, own, path, &text, &length, error));
    if (text)
        TRY(clm_tuned_add_file(tuned, text, length, path, device, own != NULL, error));
out:
    free(text);
    return status;
}

clmove_status clm_tune(clm_executor *const *executors, int32_t count, const char *given, clm_tuned *tuned, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    for (int32_t i = count - 1; i >= 0; i--) {
        const clmove_device_info *device = &executors[i]->info;
        clm_tuned_start(tuned, class_of(executors[i]), executors[i]->traits.max_local_size);
        TRY(add_file(tuned, device, NULL, error));
        TRY(add_file(tuned, device, device, error));
        executors[i]->traits.tuning = tuned->values;
    }
    TRY(clm_tuned_add_list(tuned, getenv("CLMOVE_TUNING"), CLMOVE_TUNING_ENVIRONMENT, "CLMOVE_TUNING", error));
    TRY(clm_tuned_add_list(tuned, given, CLMOVE_TUNING_PARAMS, "clmove_device_params.tuning", error));
    executors[0]->traits.tuning = tuned->values;
out:
    return status;
}
