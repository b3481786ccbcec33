/* OpenCL devices as executors: listing and opening them. host/executor.h has the functions of an open one.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_OPENCL_OPENCL_H
#define CLMOVE_HOST_OPENCL_OPENCL_H

#include "host/error.h"
#include "host/executor.h"

/* Lists the devices of all platforms in the loader's order, as clmove_device_list does. Raises NO_DEVICE, with the reason, if
 * there are none. */
clmove_status clm_opencl_list(clmove_device_info *infos, size_t capacity, size_t *count, clmove_error *error);

/* The caller's log. write may be NULL. */
typedef struct clm_log {
    void (*write)(void *user, const char *text);
    void *user;
} clm_log;

/* Opens the device at an index of clm_opencl_list. profile: events have the times of commands. log gets a line, once, if programs
 * cannot be kept on disk or read from there. Raises INVALID_ARGUMENT for unknown values of CLMOVE_PROGRAM_CACHE, CLMOVE_KERNELS
 * and CLMOVE_IN_PLACE. */
clmove_status clm_opencl_open(int32_t index, bool profile, clm_log log, clm_executor **executor, clmove_error *error);

#endif
