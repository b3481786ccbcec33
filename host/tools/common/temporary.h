/* The one file that must not be left behind when the process is stopped.
 *
 * Where the file system can do that (O_TMPFILE), it has no name until it gets its final one, and nothing is left even after a
 * crash. Elsewhere it is .clmove-PID-N.tmp, locked (flock) as long as its process lives. One without a lock is stale, and is
 * removed when the next is made beside it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_COMMON_TEMPORARY_H
#define CLMOVE_HOST_TOOLS_COMMON_TEMPORARY_H

#include <sys/types.h>

/* From now on a signal that ends the process removes the file, if there is one, and the line of progress. SIGBUS on any thread
 * prints a sentence and ends with STATUS_FAILED: a mapped file shrank, or its disk failed. Drivers install handlers too, so that
 * temporary_create calls this again. */
void temporary_catch_signals(void);

/* Creates an empty file in the folder of path, open for reading and writing, with the permissions that the umask leaves of
 * mode. Returns the descriptor, which is the caller's to close, or -1 with errno set. At most one at a time: temporary_remove
 * comes before the next, and last. */
int temporary_create(const char *path, mode_t mode);

/* Gives the file its final name in one step, replacing what has it; path is in the folder of that which it was created for.
 * Returns 0, or -1 with errno set. */
int temporary_keep(const char *path);

/* Removes the file, if there is one without its final name. */
void temporary_remove(void);

#endif
