/* An interrupt ends the case that is being measured, and what was measured is printed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_BENCH_SIGNALS_H
#define CLMOVE_HOST_TOOLS_BENCH_SIGNALS_H

#include <signal.h>

/* From now on the first SIGINT, SIGTERM or SIGHUP sets what is returned; the second ends the process, and so do 5 seconds without
 * a look at it, as when a driver builds a program. */
const volatile sig_atomic_t *bench_signals_catch(void);

/* Ends the process by the signal that came, if one did. */
void bench_signals_follow(void);

#endif
