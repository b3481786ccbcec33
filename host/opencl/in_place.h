/* Moving the caller's host memory where it lies, on devices that reach it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_OPENCL_IN_PLACE_H
#define CLMOVE_HOST_OPENCL_IN_PLACE_H

#include "host/opencl/opencl.h"

/* Whether kernels of the device reach memory of the host without a copy: all of it on a CPU, what Intel asks for on a GPU that
 * shares the host's memory (pages, and a whole number of lines), none elsewhere. */
bool clm_opencl_reaches(const clm_opencl *opencl, const void *memory, size_t bytes);

/* A launch under way. Zero: none. */
typedef struct clm_opencl_flight {
    void *src, *dst, *done; /* two memory objects and an event */
    clm_opencl_span span;
} clm_opencl_flight;

/* A part of the caller's memory: bytes from memory + first on. */
typedef struct clm_window {
    const void *memory; /* that the device reaches */
    size_t first, bytes;
} clm_window;

/* Launches a kernel on windows of host memory and may return before it is done. When it fails nothing is under way. */
clmove_status clm_opencl_take_off(clm_opencl_kernel *kernel, const clm_window *src, const clm_window *dst,
                                  clm_opencl_flight *flight, clmove_error *error);

/* Waits until a flight is done and its destination is the host's again, and releases what it held. Nothing touches the memory
 * any more, on failure too. *seconds: by the device's clock, negative where it is not known. A flight of none is done. */
clmove_status clm_opencl_land(clm_opencl *opencl, clm_opencl_flight *flight, double *seconds, clmove_error *error);

#endif
