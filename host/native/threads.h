/* Threads of the host executor: the calling thread, and workers that all devices of the process share.
 *
 * A worker is made when work first needs it, runs where the threads that opened devices may run, and ends with the last device.
 * After work it spins for some microseconds, then it sleeps. If a thread cannot be made, work runs on fewer threads. A child of
 * fork makes its own workers.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_NATIVE_THREADS_H
#define CLMOVE_HOST_NATIVE_THREADS_H

#include "host/error.h"

#include <pthread.h>
#include <stdint.h>

/* The stack of a thread: more than any work of the host executor needs, also with sanitizers. */
#define CLM_STACK_BYTES ((size_t)1 << 20)

/* More do not make memory faster. */
enum { CLM_MOST_THREADS = 256 };

/* The number of threads for a number that was asked for, at most CLM_MOST_THREADS. asked 0: the environment variable
 * CLMOVE_THREADS, or one for each processor that the process may use. Raises INVALID_ARGUMENT if the variable is no number of
 * threads. */
clmove_status clm_threads_count(int64_t asked, uint32_t *threads, clmove_error *error);

/* A device opens, or closes. Workers may be made while a device is open; the last device that closes ends them. */
void clm_threads_hold(void);
void clm_threads_release(void);

/* Runs every item once, on this thread and on workers without other work, on at most `threads` threads together. Consecutive
 * items run on one thread; a thread that has no items left takes items of others. Returns when all items are done. Any number of
 * threads may call it. */
void clm_threads_run(uint32_t threads, int64_t items, void (*run)(const void *context, int64_t item), const void *context);

#endif
