/* OpenCL devices as executors: which there are, and opening one. What an open one does stands in its table, host/executor.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_OPENCL_OPENCL_H
#define CLMOVE_HOST_OPENCL_OPENCL_H

#include "host/error.h"
#include "host/executor.h"

/* Lists the devices of all platforms in the loader's order, as clmove_device_list does. Raises NO_DEVICE, with the reason, when
 * there are none. */
clmove_status clm_opencl_list(clmove_device_info *infos, size_t capacity, size_t *count, clmove_error *error);

/* Where to say what no caller asks about. write may be NULL. */
typedef struct clm_log {
    void (*write)(void *user, const char *text);
    void *user;
} clm_log;

/* Opens the device that clm_opencl_list shows at an index. profile: events tell when commands ran. log: once, when programs
 * cannot be kept on disk, or not be read from there. Raises INVALID_ARGUMENT for a CLMOVE_PROGRAM_CACHE, a CLMOVE_KERNELS or a
 * CLMOVE_IN_PLACE that means nothing. */
clmove_status clm_opencl_open(int32_t index, bool profile, clm_log log, clm_executor **executor, clmove_error *error);

#endif
