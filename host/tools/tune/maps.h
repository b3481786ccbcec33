/* What tuning is measured on: the memory patterns that cut work differently, each from a few KiB to what no cache holds. Not the
 * list of the benchmark, which would then judge itself.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_TUNE_MAPS_H
#define CLMOVE_HOST_TOOLS_TUNE_MAPS_H

#include "host/tools/workloads/case.h"

enum { TUNE_MAPS = 25 }; /* at most */

/* The maps for a device. What it or the memory cannot hold is left out; *left_out says how many. On false a sentence has been
 * printed and there is nothing to free. */
bool tune_maps_make(bench_list *list, const clmove_device_info *device, int *left_out);

#endif
