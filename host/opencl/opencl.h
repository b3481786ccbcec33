/* OpenCL devices as executors: listing and opening them. host/executor.h has the functions of an open one.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_OPENCL_OPENCL_H
#define CLMOVE_HOST_OPENCL_OPENCL_H

#include "host/error.h"
#include "host/executor.h"

/* Lists the devices of all platforms in the loader's order, as clmove_device_list does, in an array that the caller frees. Raises
 * NO_DEVICE, with the reason, if there are none. */
clmove_status clm_opencl_list(clmove_device_info **infos, size_t *count, clmove_error *error);

/* Opens the device at an index of clm_opencl_list. Of the params it takes two. profile: events have the times of commands. log
 * gets a line, once, if programs cannot be kept on disk or read from there. Raises INVALID_ARGUMENT for unknown values of
 * CLMOVE_PROGRAM_CACHE, CLMOVE_KERNELS and CLMOVE_IN_PLACE. */
clmove_status clm_opencl_open(int32_t index, const clmove_device_params *params, clm_executor **executor, clmove_error *error);

#endif
