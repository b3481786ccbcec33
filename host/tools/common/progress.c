/* See progress.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/common/progress.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#define FIRST_SECONDS 0.5 /* what is done sooner needs no line */
#define EACH_SECONDS 0.1

#define CLEAR "\r\033[K" /* returns to the left edge, and clears the line */

static bool shows;                            /* stderr is a terminal, and --quiet is not given */
static double next;                           /* when to write the line again, in seconds since the work began */
static volatile sig_atomic_t stands, is_over; /* the line stands on the terminal; no other one is to follow it */

void progress_start(bool quiet) {
    shows = !quiet && isatty(STDERR_FILENO);
    next = FIRST_SECONDS;
}

void progress_show(int64_t bytes_done, int64_t bytes_total, double seconds) {
    if (!shows || seconds < next || is_over)
        return;
    const double done = (double)bytes_done, total = (double)bytes_total, rate = seconds > 0 ? done / seconds : 0;
    const double left = rate > 0 ? (total - done) / rate : 0;
    stands = true;
    fprintf(stderr, CLEAR "clmove: %d %% of %.2f GB, %.3f GB/s, %.0f %s left", total > 0 ? (int)(100 * done / total) : 100,
            total * 1e-9, rate * 1e-9, left < 120 ? left : left / 60, left < 120 ? "s" : "min");
    fflush(stderr);
    next = seconds + EACH_SECONDS;
}

void progress_end(void) {
    if (stands)
        fputs(CLEAR, stderr);
    stands = false;
}

void progress_interrupt(void) {
    static const char clear[] = CLEAR;
    is_over = true; /* the signal may have come to another thread than the one that shows */
    if (stands) {
        ssize_t ignored = write(STDERR_FILENO, clear, sizeof clear - 1);
        (void)ignored;
    }
}
