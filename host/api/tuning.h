/* What a device is tuned to: the built-in table, the user's file, the environment, the caller.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_API_TUNING_H
#define CLMOVE_HOST_API_TUNING_H

#include "host/api/objects.h"

/* Fills the tunings of a device whose info and traits are known. given: clmove_device_params.tuning. What CLMOVE_TUNING and given
 * say is for the device that was opened, not for the host behind it. Raises INVALID_ARGUMENT. */
clmove_status clm_device_tune(clmove_device *device, const char *given, clmove_error *error);

#endif
