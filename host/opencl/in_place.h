/* Moving the caller's host memory where it lies, on devices that share it: a window on each side for all of a run, whose pieces
 * are launches at offsets; or, where a device's buffers are too small for that, a buffer on each side for one piece after
 * another.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_OPENCL_IN_PLACE_H
#define CLMOVE_HOST_OPENCL_IN_PLACE_H

#include "host/opencl/window.h"

/* A run in place. Zero: none. */
typedef struct clm_in_place {
    clm_opencl *opencl;
    clm_window *src, *dst;
    bool in_parts;
} clm_in_place;

/* Takes the memories, which the device shares. False in *begun, without an error: some of them is another run's or buffer's.
 * in_parts: each piece gets a buffer of its own on each side, and must be waited for before the next is launched. */
clmove_status clm_in_place_begin(clm_opencl *opencl, const clm_range *src, const clm_range *dst, bool in_parts, clm_in_place *run,
                                 bool *begun, clmove_error *error);

/* Makes the destination the host's, with what was written so far: for a run that ends before its last piece. */
clmove_status clm_in_place_leave(const clm_in_place *run, clmove_error *error);

/* Gives the memories back. Nothing is under way. */
void clm_in_place_end(clm_in_place *run);

/* A piece: bytes of each memory, from these on. */
typedef struct clm_part {
    size_t src_first, src_bytes, dst_first, dst_bytes;
    bool is_last; /* of the run: after it the destination is made the host's */
} clm_part;

/* A launch under way. Zero: none. */
typedef struct clm_launched {
    clm_opencl_span span; /* where times are wanted */
    void *done;           /* an event */
    void *src, *dst;      /* buffers of its own */
} clm_launched;

/* Launches a kernel on a piece and may return before it is done. When it fails nothing is under way. */
clmove_status clm_in_place_launch(const clm_in_place *run, clm_opencl_kernel *kernel, const clm_part *part,
                                  clm_launched *launched, clmove_error *error);

/* Waits until a launch is done, and releases what it held. Nothing touches the memory any more when it fails. *seconds: by the
 * device's clock, negative where it is not known. One of none is done. */
clmove_status clm_in_place_wait(const clm_in_place *run, clm_launched *launched, double *seconds, clmove_error *error);

#endif
