/* What tile, space-to-depth, depth-to-space, permute and move print with --help.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_MOVE_HELP_H
#define CLMOVE_HOST_TOOLS_MOVE_HELP_H

#include "host/tools/move/operation.h"

void move_help_print(operation_kind kind);

#endif
