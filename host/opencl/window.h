/* Buffers over memory of the host, of which no two that live overlap: what several buffers over the same memory do is undefined
 * in OpenCL, and a driver that brings back whole buffers brings stale bytes with them.
 *
 * A window is the one buffer over a range. Who wants a range that has one shares it; who wants some of it, or some of it and
 * more, goes without, and copies instead. Nobody waits for the end of a window, so that no thread waits for itself. That holds
 * for all devices of a process; windows of one are of no use to another.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_OPENCL_WINDOW_H
#define CLMOVE_HOST_OPENCL_WINDOW_H

#include "host/opencl/objects.h"

/* A range of host memory. */
typedef struct clm_range {
    unsigned char *first;
    size_t bytes;
    bool writes; /* kernels write to it */
} clm_range;

/* Opens a device's window over a range, which is not empty. NULL in *window, without an error: some of it is another window's.
 * in_parts: without a buffer of its own, for clm_window_part. */
clmove_status clm_window_open(clm_opencl *opencl, const clm_range *range, bool in_parts, clm_window **window,
                              clmove_error *error);

/* Ends one use; the last one releases the buffer. Commands that use it are done. NULL is accepted. */
void clm_window_close(clm_window *window);

/* All of a window as memory of its device, valid until it is closed. */
clm_opencl_memory clm_window_memory(const clm_window *window);

/* A buffer over a part of a window in parts, for the caller to release before it makes another. Where the device asks for
 * aligned memory it begins before the part and ends after it, within the window. */
clmove_status clm_window_part(const clm_window *window, size_t first, size_t bytes, clm_opencl_memory *memory,
                              clmove_error *error);

#endif
