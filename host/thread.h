/* Starting threads of the library.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_THREAD_H
#define CLMOVE_HOST_THREAD_H

#include <pthread.h>
#include <stddef.h>

/* Starts a thread that is to be joined; not 0 where it cannot be made. stack_bytes 0: as large as the process's threads have, for
 * work that calls a driver, which may compile. The process's signals are for its own threads; those of
 * faults come to the thread that faults. */
int clm_thread_start(pthread_t *thread, size_t stack_bytes, void *(*body)(void *of), void *of);

#endif
