/* A staged run: the host packs pieces into pinned memory, the device moves them, the host unpacks them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_RUN_STAGED_H
#define CLMOVE_HOST_RUN_STAGED_H

#include "host/run/way.h"

clmove_status clm_run_staged(clm_run *run, clmove_error *error);

#endif
