/* The tuning of executors, from the built-in table, the user's file, the environment and the caller.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_SETTINGS_TUNING_H
#define CLMOVE_HOST_SETTINGS_TUNING_H

#include "host/executor.h"

/* Sets the tunings of a device's executors, the last of which is the host's. given: clmove_device_params.tuning. CLMOVE_TUNING
 * and given apply to the first executor alone. *tuned: the first executor's values. Raises INVALID_ARGUMENT. */
clmove_status clm_tune(clm_executor *const *executors, int32_t count, const char *given, clm_tuned *tuned, clmove_error *error);

/* Writes the path of the device's own file as clmove_device_get_tuning_path does. */
clmove_status clm_tuning_path(const clmove_device_info *device, char *path, size_t capacity, clmove_error *error);

#endif
