/* Opening devices, and assembling one of its executors.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_OPEN_H
#define CLMOVE_HOST_OPEN_H

#include "host/device/device.h"
#include "host/opencl/opencl.h"

/* Makes a device of an open executor, with the host's executor behind it. opened NULL: a device of the host's alone. The executor
 * belongs to the device, and is closed on failure. */
clmove_status clm_open(clm_executor *opened, const clmove_device_params *params, clmove_device **device, clmove_error *error);

/* Opens the device that a selector means, which is no list. params->selector is not read. */
clmove_status clm_open_one(const char *selector, const clmove_device_params *params, clmove_device **device, clmove_error *error);

/* Whether a text with a letter in it is part of the name of one of the devices, or of its platform's. */
bool clm_names_device(const char *text, const clmove_device_info *infos, size_t count);

/* Opens a list of devices: selectors with commas between them, each for one device. A name may have commas of its own, and a list
 * of one is that device. If params allow fallback, those that cannot be opened are left out; without any it is the host. */
clmove_status clm_open_several(const char *list, const clmove_device_params *params, clmove_device **device, clmove_error *error);

#endif
