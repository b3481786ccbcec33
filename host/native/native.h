/* The host executor: every variant in C, on the process's own threads. It can run every map, and is the fallback of all others.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_NATIVE_NATIVE_H
#define CLMOVE_HOST_NATIVE_NATIVE_H

#include "host/executor.h"

/* Opens the host executor. threads as for clm_threads_count. Raises INVALID_ARGUMENT if CLMOVE_HOST_ISA names no level of this
 * processor, or CLMOVE_THREADS is no number of threads. */
clmove_status clm_native_open(int64_t threads, clm_executor **executor, clmove_error *error);

/* Fills its entry in the list of devices. */
void clm_native_list(uint32_t threads, clmove_device_info *info);

/* The name of its level (level.h). A static string. */
const char *clm_native_level(const clm_executor *executor);

#endif
