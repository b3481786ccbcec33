/* The memory that the system can still give to this process: the available memory, and the limits of control groups.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_DEVICE_HOST_MEMORY_H
#define CLMOVE_HOST_DEVICE_HOST_MEMORY_H

#include <stdint.h>

/* Bytes: the least of MemAvailable and of the rest below the limit of each control group (versions 1 and 2), from the process's
 * own up to the outermost that it can see. UINT64_MAX: not known. Memory that the system can reclaim at once, such as inactive
 * pages of files, counts as available. root is a prefix of every path: "" outside of tests. Thread-safe. */
uint64_t clm_host_memory_left(const char *root);

#endif
