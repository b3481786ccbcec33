/* clmove bench of operations on the device's own buffers: each is measured in turn with the limit, until the figures stand still
 * or the time is up.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_BENCH_MEASURE_H
#define CLMOVE_HOST_TOOLS_BENCH_MEASURE_H

#include "host/tools/bench/run.h"

/* Measures what was asked for on the open device, and prints what was found. Returns an exit status. */
int bench_operations(const bench_request *asked);

#endif
