/* The subcommands. Each gets its arguments from its own name on, and returns the exit status.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_COMMANDS_H
#define CLMOVE_HOST_TOOLS_COMMANDS_H

#include "host/tools/move/operation.h"

/* tile, space-to-depth, depth-to-space, permute and move: one .npy file to another. */
int command_move(operation_kind kind, int argc, char **argv);

int command_explain(int argc, char **argv);
int command_devices(int argc, char **argv);
int command_verify(int argc, char **argv);
int command_bench(int argc, char **argv);
int command_tune(int argc, char **argv);
int command_calibrate(int argc, char **argv);
int command_advise(int argc, char **argv);

#endif
