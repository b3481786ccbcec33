/* What is known of drivers. A driver gets kernels beyond OpenCL C 1.2 from the version on that they were tried with. One that is
 * known to move wrong bytes or to crash is refused. All others get plain OpenCL C 1.2. The programs of a driver that was seen to
 * keep none itself are kept on disk.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_OPENCL_DIALECT_H
#define CLMOVE_HOST_OPENCL_DIALECT_H

#include "host/error.h"

typedef enum clm_dialect {
    /* cl_kernels/gpu/: OpenCL C 1.2. */
    CLM_DIALECT_PLAIN,
    /* cl_kernels/cpu/: clang's vectors, non-temporal stores, prefetches, and shuffles of x86. */
    CLM_DIALECT_CLANG,
} clm_dialect;

/* The kernels for the device of an entry of the list of devices, whose other fields are filled: those that the environment
 * variable CLMOVE_KERNELS names, "plain" or "clang", else those of the table. Fills the entry's `kernels` and `refused`, also if
 * it fails. platform_version: its platform's CL_PLATFORM_VERSION. Raises NO_DEVICE, with the reason, for a refused driver, unless
 * the variable names kernels. */
clmove_status clm_dialect_choose(const char *platform_version, clmove_device_info *info, clm_dialect *dialect,
                                 clmove_error *error);

/* Whether the driver was seen to build each program anew in each process. Arguments: as clm_dialect_choose. */
bool clm_keeps_no_programs(const char *platform_version, const clmove_device_info *info);

/* Whether clFinish may return while a thread of the driver still uses the queue. In POCL from 6.0 on (seen in 6.0
 * and 7.1) a thread locks the queue once more to wake threads in clFinish, and ends the process if the queue was released. It
 * does not lock it if no thread is in clFinish. */
bool clm_finish_is_early(const char *platform_version, const clmove_device_info *info);

/* Whether clBuildProgram may fail for no fault of the program, since another process builds the same program at the same time.
 * POCL before 6.0 removes the file of the other process in its cache, and fails if it is gone already (pocl issue 1480). Of 64
 * processes that started together with an empty cache, 1 failed (POCL 3.1, 2026-11-23). */
bool clm_builds_collide(const char *platform_version, const clmove_device_info *info);

#endif
