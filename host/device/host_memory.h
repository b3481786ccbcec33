/* How much memory the system would still give to this process: what is available, and what control groups allow.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_DEVICE_HOST_MEMORY_H
#define CLMOVE_HOST_DEVICE_HOST_MEMORY_H

#include <stdint.h>

/* Bytes: the least of MemAvailable and of what is left below the limit of each control group (version 1 and 2) from the process's
 * own up to the outermost that it can see; UINT64_MAX where nothing says. Memory that the system can take back at once, such as
 * pages of files not used of late, counts as left. root stands before every path: "" outside of tests. Thread-safe. */
uint64_t clm_host_memory_left(const char *root);

#endif
