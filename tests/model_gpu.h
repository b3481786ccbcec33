/* A device that exists in figures alone, for tests of the model.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_TESTS_MODEL_GPU_H
#define CLMOVE_TESTS_MODEL_GPU_H

#include "host/advice/calibration.h"

/* A discrete GPU: the host copies 20 GB/s and fills 40, the link does 8, the device 200 and 400 with launches of 10 us. */
clm_calibration model_gpu(void);

/* Equal but for rounding. */
#define ASSERT_NEAR(got, wanted) assert_near(got, wanted, #got, __FILE__, __LINE__)
void assert_near(double got, double wanted, const char *what, const char *file, int line);

/* What is written of a calibration can be read, and is the same but for rounding. */
void assert_readable(const clm_calibration *it, bool is_host);

#endif
