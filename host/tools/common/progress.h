/* What long work shows on a terminal: one line that is written over again and again, and erased in the end.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_COMMON_PROGRESS_H
#define CLMOVE_HOST_TOOLS_COMMON_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* Before each work. quiet: never shows anything. */
void progress_start(bool quiet);

/* Shows how far the work is, such as "42 % of 12.88 GB, 3.211 GB/s, 2 s left", unless it has not taken half a second yet or the
 * line is new. */
void progress_show(int64_t bytes_done, int64_t bytes_total, double seconds);

/* Erases the line. Before anything else is printed. */
void progress_end(void);

/* The same, from a signal handler that ends the process. */
void progress_interrupt(void);

#endif
