/* The self-test of a program. The first time that a program is built or loaded, it moves a few small tensors. Every byte is
 * compared with the host executor's result.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_RUN_SELF_TEST_H
#define CLMOVE_HOST_RUN_SELF_TEST_H

#include "host/device/device.h"

/* The verdict on a kernel's program: of an earlier test, or of a test that this makes. It is CLM_RIGHT if self-tests are turned
 * off. A wrong program is logged. traits: those that the kernel's launch plan was chosen for. Raises failures of OpenCL in a
 * test, which are no verdict. Thread-safe: a program is tested once; tests of other programs run at the same time. No lock may be
 * held. */
clmove_status clm_self_test(clmove_device *device, clm_kernel *kernel, const clm_traits *traits, clm_verdict *verdict,
                            clmove_error *error);

#endif
