/* A device earns trust: the first time a program is built, or loaded, it moves a few small tensors, and every byte is compared
 * with what the host executor makes of them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_RUN_SELF_TEST_H
#define CLMOVE_HOST_RUN_SELF_TEST_H

#include "host/device/device.h"

/* What is known of a kernel's program, after a test unless there was one; right, where the device does not test itself. Says what
 * is wrong in the device's log. traits: those that the kernel's movement was chosen for. Raises what OpenCL raises in a test:
 * that is no verdict. Thread-safe: a program is tested once, and tests of other programs go on meanwhile. No lock may be held. */
clmove_status clm_self_test(clmove_device *device, clm_kernel *kernel, const clm_traits *traits, clm_verdict *verdict,
                            clmove_error *error);

#endif
