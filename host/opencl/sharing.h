/* Whether an OpenCL device shares the host's memory: answered here, once, for everything that depends on it.
 *
 * The type of a device says nothing (PoCL-R's are CPUs behind a network), and CL_DEVICE_HOST_UNIFIED_MEMORY is one word of the
 * driver's. So a device that may share memory, being a CPU or saying so, shows it when it is opened: it writes through a buffer
 * over memory of the host, which the host looks at without mapping it; it reads what the host wrote there afterwards; and what is
 * mapped then is what both wrote. A device for which any of this fails has its memory copied, which is right on every device.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_OPENCL_SHARING_H
#define CLMOVE_HOST_OPENCL_SHARING_H

#include "host/error.h"

typedef struct clm_opencl clm_opencl; /* an open device: context, queue, programs */

typedef struct clm_sharing {
    bool shares;            /* kernels work on the host's own memory where it lies as the next two say */
    size_t alignment;       /* of its first byte, and what its size is a multiple of; 1 and 1: any memory; 0 and 0: none */
    size_t multiple;        /* at most alignment, and divides it */
    bool takes_host_memory; /* what the device allocates may be taken from the host's memory, be it shared or not */
} clm_sharing;

/* Answers for a device whose context and info are there. CLMOVE_IN_PLACE goes over the probe: 0 for no sharing, 1 for memory that
 * is used in place whatever the device is. A probe that fails, for whatever reason, is no error. Commands of the probe go to a
 * queue of its own, for which it waits. Raises INVALID_ARGUMENT for a CLMOVE_IN_PLACE that means nothing. */
clmove_status clm_sharing_find(clm_opencl *opencl, clm_sharing *sharing, clmove_error *error);

/* Whether memory of the host lies so that the device may use it in place. */
static inline bool clm_is_shareable(const clm_sharing *sharing, const void *memory, size_t bytes) {
    return sharing->shares && bytes > 0 && (uintptr_t)memory % sharing->alignment == 0 && bytes % sharing->multiple == 0;
}

#endif
