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

#define CLEAR "\r\033[K" /* to the left edge, and away with what stands there */

static volatile sig_atomic_t stands, is_over; /* the line stands on the terminal; no other one is to follow it */

void progress_start(progress *it, bool quiet) {
    *it = (progress){.shows = !quiet && isatty(STDERR_FILENO), .next = FIRST_SECONDS};
}

void progress_text(char *text, size_t capacity, int64_t bytes_done, int64_t bytes_total, double seconds) {
    double rate = seconds > 0 ? (double)bytes_done / seconds : 0, total = (double)bytes_total;
    double left = rate > 0 ? (total - (double)bytes_done) / rate : 0;
    int percent = total > 0 ? (int)(100 * (double)bytes_done / total) : 100;
    int length = snprintf(text, capacity, "%d %% of %.2f GB, %.3f GB/s, ", percent, total * 1e-9, rate * 1e-9);
    size_t used = length > 0 && (size_t)length < capacity ? (size_t)length : capacity;
    if (left < 120)
        snprintf(text + used, capacity - used, "%.0f s left", left);
    else
        snprintf(text + used, capacity - used, "%.0f min left", left / 60);
}

void progress_show(progress *it, int64_t bytes_done, int64_t bytes_total, double seconds) {
    char text[80];
    if (!it->shows || seconds < it->next || is_over)
        return;
    progress_text(text, sizeof text, bytes_done, bytes_total, seconds);
    stands = true;
    fprintf(stderr, CLEAR "clmove: %s", text);
    fflush(stderr);
    it->next = seconds + EACH_SECONDS;
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
