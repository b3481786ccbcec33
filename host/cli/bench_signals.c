/* See bench_signals.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "bench_signals.h"

#include <stddef.h>

static volatile sig_atomic_t stopped_by;

static void stop(int signal_number) {
    stopped_by = signal_number;
}

const volatile sig_atomic_t *bench_signals_catch(void) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        struct sigaction now, wanted = {.sa_handler = stop, .sa_flags = (int)SA_RESETHAND | SA_RESTART};
        sigemptyset(&wanted.sa_mask);
        if (sigaction(signals[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaction(signals[i], &wanted, NULL);
    }
    return &stopped_by;
}

void bench_signals_follow(void) {
    if (stopped_by) {
        signal(stopped_by, SIG_DFL);
        raise(stopped_by);
    }
}
