/* clmove bench --transfer: whether to move a tensor here and upload the result, or to upload it and move it there.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_TRANSFER_TRANSFER_H
#define CLMOVE_HOST_TOOLS_TRANSFER_TRANSFER_H

#include "host/tools/bench/run.h"

/* Measures what was asked for on the open device and the host beside it, and prints what was found. Returns an exit status. */
int bench_transfer(const bench_request *asked);

#endif
