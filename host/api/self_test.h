/* A device earns trust: the first time a program is built, or loaded, it moves a few small tensors, and every byte is compared
 * with what the host executor makes of them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_API_SELF_TEST_H
#define CLMOVE_HOST_API_SELF_TEST_H

#include "host/api/objects.h"
#include "host/opencl/trial.h"

/* Whether CLMOVE_SELF_TEST lets a device that is being opened test itself. Raises INVALID_ARGUMENT for a value that means
 * nothing. */
clmove_status clm_self_test_setting(bool *wanted, clmove_error *error);

/* What is known of a kernel's program, after a test unless there was one; right, where the device does not test itself. Says what
 * is wrong in the device's log. traits: those that the kernel's movement was chosen for. Raises what OpenCL raises in a test:
 * that is no verdict. Thread-safe: a program is tested once, and tests of other programs go on meanwhile. No lock may be held. */
clmove_status clm_self_test(clmove_device *device, clm_opencl_kernel *kernel, const clm_traits *traits, clm_verdict *verdict,
                            clmove_error *error);

#endif
