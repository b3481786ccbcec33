/* Queues of the host executor: what is submitted to one runs in that order, on a thread of the queue or on one that waits for it.
 *
 * A queue's thread is made when the first work comes that no caller waits for, and sleeps without work. If it cannot be made, the
 * caller does the work. A child of fork makes its own thread. All functions are thread-safe.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_NATIVE_QUEUE_H
#define CLMOVE_HOST_NATIVE_QUEUE_H

#include "host/executor.h"

#include <stdatomic.h>

typedef struct clm_queue clm_queue;
typedef struct clm_event clm_event;

/* What several hold, and the last one destroys. It is the first member of what it counts. */
typedef struct clm_held {
    atomic_uint holders;
    void (*destroy)(struct clm_held *held);
} clm_held;

static inline void clm_hold(clm_held *held) {
    atomic_fetch_add(&held->holders, 1);
}
/* NULL is accepted. */
static inline void clm_let_go(clm_held *held) {
    if (held && atomic_fetch_sub(&held->holders, 1) == 1)
        held->destroy(held);
}

enum { CLM_COMMAND_HOLDS = 3 };

/* What a queue runs: its own copy, which holds what it needs. */
typedef struct clm_command {
    /* NULL: nothing */
    void (*run)(const struct clm_command *command);
    const void *src;
    void *dst;
    /* Read and written: what it will take */
    size_t bytes;
    clm_held *holds[CLM_COMMAND_HOLDS];
} clm_command;

/* ---- functions of the executor's table, which do not look at the executor ---- */

CLM_CALL(queue_create) clm_queue_create;
/* Waits for what was submitted. NULL is accepted. */
CLM_CALL(queue_destroy) clm_queue_destroy;
CLM_CALL(event_wait) clm_event_wait;
CLM_CALL(event_is_complete) clm_event_is_complete;
CLM_CALL(event_release) clm_event_release;
CLM_CALL(span_seconds) clm_event_seconds;

/* ---- others ---- */

void clm_queue_finish(clm_queue *queue);

/* Runs a command after what was submitted before and after the wait list: at once, where nothing is in its way and it is short
 * or the caller waits for it; else later. submission and span as for an executor, whose queue is `queue` here. */
clmove_status clm_queue_submit(clm_queue *queue, const clm_command *command, const clm_submission *submission, clm_span *span,
                               clmove_error *error);

/* Makes an event that clm_event_complete completes. The caller releases it. */
clmove_status clm_event_create(clm_event **event, clmove_error *error);
void clm_event_complete(clm_event *event);

/* The first word of each event. */
extern const char clm_event_mark[1];

/* That of the queue which the event was made for. */
const clm_executor *clm_event_executor(const void *event);

#endif
