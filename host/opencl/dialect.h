/* Which kernels a driver is given: those that go beyond OpenCL C 1.2 only where they were tried, none where the driver is known
 * to give wrong bytes or to crash, and plain OpenCL C 1.2 everywhere else.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_OPENCL_DIALECT_H
#define CLMOVE_HOST_OPENCL_DIALECT_H

#include "host/error.h"

typedef enum clm_dialect {
    CLM_DIALECT_PLAIN, /* cl_kernels/gpu/: OpenCL C 1.2 */
    CLM_DIALECT_CLANG, /* cl_kernels/cpu/: clang's vectors, non-temporal stores, prefetches, and shuffles of x86 */
} clm_dialect;

/* Fills kernels and refused of an entry of the list of devices, whose other fields are there. platform_version: its platform's
 * CL_PLATFORM_VERSION. */
void clm_dialect_describe(const char *platform_version, clmove_device_info *info);

/* What kernels the device of an entry gets: those that the environment variable CLMOVE_KERNELS names, "plain" or "clang", or what
 * the table says. Raises NO_DEVICE, with the sentence, for a driver that is refused (CLMOVE_KERNELS overrules that), and
 * INVALID_ARGUMENT for another value of CLMOVE_KERNELS. */
clmove_status clm_dialect_choose(const char *platform_version, const clmove_device_info *info, clm_dialect *dialect,
                                 clmove_error *error);

/* Whether clFinish may return while a thread of the driver still has to do with the queue: one of POCL's locks it once more,
 * since 6.0 and in 7.1, to tell others that it is empty, and ends the process where it has been released. Nobody is told when
 * nobody waits in clFinish. */
bool clm_finish_is_early(const char *platform_version, const clmove_device_info *info);

#endif
