/* Cold and warm starts: how long a fresh process takes from opening the device to its first result.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_START_START_H
#define CLMOVE_HOST_TOOLS_START_START_H

#include "host/tools/bench/run.h"

/* Starts this program again and again, with the command line of bench and `child` after it, and prints what these processes say
 * of themselves. Each cold start finds the caches of programs empty, clmove's and the driver's; warm ones find them filled. Goes
 * on for asked->seconds when the least number of starts took less. Returns an exit status. No device may be open: not every
 * driver survives a fork. */
int bench_start(const bench_request *asked, int argc, char **argv, const char *child);

/* What such a process does: opens the device, plans and runs asked->single, checks every byte of the result, and prints one JSON
 * object. Returns an exit status. */
int bench_start_child(bench_request *asked);

/* The case that is measured when none is named: so small that only starting takes time. */
void bench_start_default(bench_case *one);

#endif
