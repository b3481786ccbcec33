/* The subcommands.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_COMMANDS_H
#define CLMOVE_HOST_TOOLS_COMMANDS_H

#include "host/tools/common/options.h"

/* One .npy file to another. */
extern const command COMMAND_TILE, COMMAND_SPACE_TO_DEPTH, COMMAND_DEPTH_TO_SPACE, COMMAND_PERMUTE, COMMAND_MOVE;
int command_move(const command *self, int argc, char **argv); /* runs each of them */

extern const command COMMAND_EXPLAIN, COMMAND_DEVICES, COMMAND_VERIFY, COMMAND_BENCH, COMMAND_TUNE, COMMAND_CALIBRATE,
    COMMAND_ADVISE;

/* Writes clmove.1, clmove-COMMAND.1 for each command but help, and clmove.bash, the table of scripts/package/completion.bash,
 * into a folder that exists. Standard output leads to the last of them then. On false a sentence was printed. */
bool pages_write(const command *clmove, const char *folder);

#endif
