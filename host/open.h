/* Making a device of an executor.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_OPEN_H
#define CLMOVE_HOST_OPEN_H

#include "host/device/device.h"
#include "host/opencl/opencl.h"

/* A device of an executor that was opened, and of the host's behind it; of the host's alone where there is none. The executor is
 * the device's, and closed where this fails. */
clmove_status clm_open(clm_executor *opened, const clmove_device_params *params, clmove_device **device, clmove_error *error);

#endif
