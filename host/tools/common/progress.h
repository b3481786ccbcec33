/* What long work shows on a terminal: one line that is written over again and again, and erased in the end.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_COMMON_PROGRESS_H
#define CLMOVE_HOST_TOOLS_COMMON_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct progress {
    bool shows;  /* there is a terminal, and nobody asked for silence */
    double next; /* when to write it again, in seconds since the work began */
} progress;

/* quiet: never shows anything. */
void progress_start(progress *it, bool quiet);

/* Shows how far the work is, unless it has not taken half a second yet or the line is new. */
void progress_show(progress *it, int64_t bytes_done, int64_t bytes_total, double seconds);

/* Erases the line. Before anything else is printed. */
void progress_end(void);

/* The same, from a signal handler that ends the process. */
void progress_interrupt(void);

/* The line, without what puts it in its place: "42 % of 12.88 GB, 3.211 GB/s, 2 s left". */
void progress_text(char *text, size_t capacity, int64_t bytes_done, int64_t bytes_total, double seconds);

#endif
