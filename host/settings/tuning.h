/* The tuning of executors, from the built-in table, the user's file, the environment and the caller.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_SETTINGS_TUNING_H
#define CLMOVE_HOST_SETTINGS_TUNING_H

#include "host/executor.h"
#include "host/settings/file.h"

/* Sets the tunings of a device's executors, the last of which is the host's. given: clmove_device_params.tuning. CLMOVE_TUNING
 * and given apply to the first executor alone. *tuned: the first executor's values. Raises INVALID_ARGUMENT. */
clmove_status clm_tune(clm_executor *const *executors, int32_t count, const char *given, clm_tuned *tuned, clmove_error *error);

/* The user's files of tunings. */
extern const clm_config_file clm_tuning_file;

#endif
