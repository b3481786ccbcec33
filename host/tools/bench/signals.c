/* See signals.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/bench/signals.h"

#include <stddef.h>
#include <unistd.h>

/* What is measured is asked for between two rounds. A driver that builds a program does not ask: Intel's compiler took minutes.
 */
#define PATIENCE_SECONDS 5

static volatile sig_atomic_t stopped_by;

static void stop(int signal_number) {
    stopped_by = signal_number;
    alarm(PATIENCE_SECONDS);
}

void bench_signals_follow(void) {
    if (stopped_by) {
        signal(stopped_by, SIG_DFL);
        raise(stopped_by);
    }
}

static void stop_now(int signal_number) {
    (void)signal_number;
    bench_signals_follow();
}

const volatile sig_atomic_t *bench_signals_catch(void) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        struct sigaction now, wanted = {.sa_handler = stop, .sa_flags = (int)SA_RESETHAND | SA_RESTART};
        sigemptyset(&wanted.sa_mask);
        if (sigaction(signals[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaction(signals[i], &wanted, NULL);
    }
    signal(SIGALRM, stop_now);
    return &stopped_by;
}
