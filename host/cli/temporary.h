/* The one file that must not be left behind when the process is stopped.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_CLI_TEMPORARY_H
#define CLMOVE_CLI_TEMPORARY_H

#include <sys/types.h>

/* Creates an empty file with a new name in directory, open for reading and writing, with the permissions that the umask leaves of
 * mode. Until temporary_keep or temporary_remove it is removed when a signal ends the process, and the line of progress.h is
 * erased. Returns the descriptor, or -1 with errno set. At most one at a time. */
int temporary_create(const char *directory, mode_t mode);

/* Gives the file its final name in one step, replacing what has it. Returns 0, or -1 with errno set, and the file is still there.
 */
int temporary_keep(const char *path);

/* Removes the file, if there is one. */
void temporary_remove(void);

#endif
