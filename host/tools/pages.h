/* The man pages of the command and the completion of its command line, made of its tables when it is built.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_PAGES_H
#define CLMOVE_HOST_TOOLS_PAGES_H

#include "host/tools/common/options.h"

/* Writes clmove.1, clmove-COMMAND.1 for each command but help, and clmove.bash, the table of scripts/package/completion.bash,
 * into a folder that exists. Standard output leads to the last of them then. On false a sentence was printed. */
bool pages_write(const command *clmove, const char *folder);

#endif
