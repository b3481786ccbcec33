/* Threads of the host executor: workers that all devices of the process share, beside the thread that asks.
 *
 * A worker is made when work first needs it, and ends with the last device. After work it looks for more for some microseconds,
 * then it sleeps. Where a thread cannot be made there is one less. A child of fork makes its own.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_NATIVE_THREADS_H
#define CLMOVE_HOST_NATIVE_THREADS_H

#include "host/error.h"

#include <pthread.h>
#include <stdint.h>

/* More do not make memory faster. */
enum { CLM_MOST_THREADS = 256 };

/* How many threads work goes to when so many are asked for. 0: as many as the environment variable CLMOVE_THREADS says, or one
 * for each processor that the process may use. Raises INVALID_ARGUMENT where that variable is no number of threads. */
clmove_status clm_threads_count(uint32_t asked, uint32_t *threads, clmove_error *error);

/* A device is open: workers may be made. The last device that closes ends them. */
void clm_threads_hold(void);
void clm_threads_release(void);

/* Runs every item once, on this thread and on workers that have nothing else to do, `threads` in all at most. Items that follow
 * each other run on one thread as far as all keep pace; a thread that has nothing left takes from the others. Returns when all
 * items are done. Any number of threads may call it. */
void clm_threads_run(uint32_t threads, int64_t items, void (*run)(const void *context, int64_t item), const void *context);

/* Starts a thread that is to be joined; not 0 where it cannot be made. The process's signals are for its own threads; those of
 * faults come to the thread that faults. */
int clm_thread_start(pthread_t *thread, void *(*body)(void *of), void *of);

#endif
