/* See queue.h. One lock guards all queues and events: it is held for some nanoseconds at a time, never while bytes move.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/native/queue.h"

#include "host/clock.h"
#include "host/native/threads.h"
#include "host/thread.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

/* What a thread moves about as fast as another one wakes up. 2 cores of a virtual Xeon, 2026-11-22: 40 us. */
#define SHORT_BYTES ((size_t)1 << 19)

const char clm_event_mark[1];

struct clm_event {
    /* The first field, as it tells this event from others'. */
    const void *mark;
    const clm_executor *executor;
    clm_held held;
    /* The queue that will complete it. NULL: clm_event_complete does. It is read until the event is done. */
    clm_queue *queue;
    bool is_done;
    double start, end;
};

typedef struct entry {
    clm_command command;
    /* NULL: nobody wants one. */
    clm_event *event;
    struct entry *next;
    uint32_t waits;
    clm_event *wait_list[];
} entry;

struct clm_queue {
    const clm_executor *executor;
    /* The first one may be running. */
    entry *first, **end;
    /* Numbers of commands. */
    uint64_t submitted, finished;
    /* A thread runs the first one. */
    bool is_busy;
    bool has_thread, ends;
    pthread_t thread;
    pthread_cond_t work;
    /* Of the process that the thread belongs to. */
    uint64_t generation;
};

static struct {
    pthread_mutex_t lock;
    /* A command is done, or an event. */
    pthread_cond_t done;
    /* To be destroyed without the lock, because freeing memory takes time. */
    entry *garbage;
    /* How many forks there were since the start. */
    uint64_t generation;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER, .done = PTHREAD_COND_INITIALIZER};

/* Nobody is cancelled while others rely on the lock, or on a command that it runs for them. */
static int enter(void) {
    int before;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    pthread_mutex_lock(&all.lock);
    return before;
}

static void destroy_entries(entry *first) {
    while (first) {
        entry *it = first;
        first = it->next;
        for (int i = 0; i < CLM_COMMAND_HOLDS; i++)
            clm_let_go(it->command.holds[i]);
        for (uint32_t i = 0; i < it->waits; i++)
            clm_let_go(&it->wait_list[i]->held);
        if (it->event)
            clm_let_go(&it->event->held);
        free(it);
    }
}

static void leave(int before) {
    entry *garbage = all.garbage;
    all.garbage = NULL;
    pthread_mutex_unlock(&all.lock);
    destroy_entries(garbage);
    pthread_setcancelstate(before, NULL);
}

/* ---- forks ---- */

/* No thread is in the middle of a change when the process forks. */
static void hold_still(void) {
    pthread_mutex_lock(&all.lock);
}

static void go_on(void) {
    pthread_mutex_unlock(&all.lock);
}

/* A child has none of the threads. */
static void forget(void) {
    pthread_mutex_init(&all.lock, NULL);
    pthread_cond_init(&all.done, NULL);
    all.generation++;
}

static void watch_forks(void) {
    pthread_atfork(hold_still, go_on, forget);
}

/* What a thread of the parent had begun is begun again. */
static void renew(clm_queue *queue) {
    if (queue->generation == all.generation)
        return;
    queue->generation = all.generation;
    queue->has_thread = queue->is_busy = false;
    queue->finished = queue->submitted;
    for (const entry *it = queue->first; it; it = it->next)
        queue->finished--;
    pthread_cond_init(&queue->work, NULL);
}

/* ---- events ---- */

static void destroy_event(clm_held *held) {
    free((char *)held - offsetof(clm_event, held));
}

clmove_status clm_event_create(clm_event **event, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_event *created = calloc(1, sizeof *created);
    REQUIRE(created, OUT_OF_MEMORY, "no memory for an event");
    created->mark = clm_event_mark;
    created->held.destroy = destroy_event;
    atomic_init(&created->held.holders, 1);
    *event = created;
out:
    return status;
}

const clm_executor *clm_event_executor(const void *event) {
    return ((const clm_event *)event)->executor;
}

static void complete(clm_event *event, double start) {
    event->start = start;
    event->end = clm_now();
    event->is_done = true;
}

void clm_event_complete(clm_event *event) {
    int before = enter();
    complete(event, clm_now());
    pthread_cond_broadcast(&all.done);
    leave(before);
}

void clm_event_release(clm_executor *executor, void *event) {
    (void)executor;
    clm_let_go(&((clm_event *)event)->held);
}

clmove_status clm_event_seconds(clm_executor *executor, const clm_span *span, double *seconds, clmove_error *error) {
    (void)executor, (void)error;
    const clm_event *first = span->first, *last = span->last;
    *seconds = first ? last->end - first->start : -1;
    return CLMOVE_OK;
}

/* ---- what is run, with the lock, which is let go while bytes move ---- */

static void drain(clm_queue *queue, uint64_t until);

static void await(clm_event *event) {
    while (!event->is_done)
        if (event->queue)
            drain(event->queue, event->queue->finished + 1);
        else
            pthread_cond_wait(&all.done, &all.lock);
}

static void run(clm_queue *queue, const clm_command *command, clm_event *event) {
    queue->is_busy = true;
    pthread_mutex_unlock(&all.lock);
    const double start = event ? clm_now() : 0;
    if (command->run)
        command->run(command);
    pthread_mutex_lock(&all.lock);
    queue->is_busy = false;
    queue->finished++;
    if (event)
        complete(event, start);
    pthread_cond_broadcast(&all.done);
}

static void run_first(clm_queue *queue) {
    entry *it = queue->first;
    queue->is_busy = true; /* so that nobody else takes it while this waits */
    for (uint32_t i = 0; i < it->waits; i++)
        await(it->wait_list[i]);
    run(queue, &it->command, it->event);
    queue->first = it->next;
    if (!queue->first)
        queue->end = &queue->first;
    it->next = all.garbage;
    all.garbage = it;
}

/* Until so many commands are finished: by this thread, or by the one that has begun. */
static void drain(clm_queue *queue, uint64_t until) {
    renew(queue);
    while (queue->finished < until)
        if (queue->is_busy)
            pthread_cond_wait(&all.done, &all.lock);
        else
            run_first(queue);
}

clmove_status clm_event_wait(clm_executor *executor, void *event, clmove_error *error) {
    (void)executor, (void)error;
    int before = enter();
    await(event);
    leave(before);
    return CLMOVE_OK;
}

void clm_queue_finish(clm_queue *queue) {
    int before = enter();
    drain(queue, queue->submitted);
    leave(before);
}

/* ---- the queue's thread ---- */

static void *live(void *of) {
    clm_queue *queue = of;
    for (bool ends = false; !ends;) {
        int before = enter();
        while (!queue->first && !queue->ends)
            pthread_cond_wait(&queue->work, &all.lock);
        drain(queue, queue->submitted);
        ends = queue->ends;
        leave(before);
    }
    return NULL;
}

/* Makes a thread run what the queue holds, or runs it here if there can be none. The lock is held. */
static void wake(clm_queue *queue) {
    if (!queue->has_thread)
        queue->has_thread = clm_thread_start(&queue->thread, CLM_STACK_BYTES, live, queue) == 0;
    if (queue->has_thread)
        pthread_cond_signal(&queue->work);
    else
        drain(queue, queue->submitted);
}

/* In a child of fork nobody has begun what was submitted before. */
clmove_status clm_event_is_complete(clm_executor *executor, void *of, bool *complete, clmove_error *error) {
    (void)executor, (void)error;
    const clm_event *event = of;
    int before = enter();
    if (!event->is_done && event->queue && event->queue->generation != all.generation) {
        renew(event->queue);
        wake(event->queue);
    }
    *complete = event->is_done;
    leave(before);
    return CLMOVE_OK;
}

clmove_status clm_queue_create(clm_executor *executor, void **queue, clmove_error *error) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    clmove_status status = CLMOVE_OK;
    clm_queue *created = calloc(1, sizeof *created);
    REQUIRE(created, OUT_OF_MEMORY, "no memory for a queue");
    pthread_once(&once, watch_forks);
    pthread_cond_init(&created->work, NULL);
    created->executor = executor;
    created->end = &created->first;
    created->generation = all.generation;
    *queue = created;
out:
    return status;
}

void clm_queue_destroy(clm_executor *executor, void *of) {
    clm_queue *queue = of;
    (void)executor;
    if (!queue)
        return;
    int before = enter();
    drain(queue, queue->submitted);
    const bool has_thread = queue->has_thread;
    queue->ends = true;
    pthread_cond_signal(&queue->work);
    leave(before);
    if (has_thread)
        pthread_join(queue->thread, NULL);
    pthread_cond_destroy(&queue->work);
    free(queue);
}

/* ---- submitting ---- */

static bool is_next(const clm_queue *queue, uint32_t waits, clm_event *const *wait_list) {
    if (queue->first || queue->is_busy)
        return false;
    for (uint32_t i = 0; i < waits; i++)
        if (!wait_list[i]->is_done)
            return false;
    return true;
}

static entry *make_entry(const clm_command *command, clm_event *event, uint32_t waits, clm_event *const *wait_list) {
    entry *made = calloc(1, sizeof *made + waits * sizeof *wait_list);
    if (!made)
        return NULL;
    made->command = *command;
    made->event = event;
    made->waits = waits;
    if (event)
        clm_hold(&event->held);
    for (int i = 0; i < CLM_COMMAND_HOLDS; i++)
        if (command->holds[i])
            clm_hold(command->holds[i]);
    for (uint32_t i = 0; i < waits; i++) {
        made->wait_list[i] = wait_list[i];
        clm_hold(&wait_list[i]->held);
    }
    return made;
}

clmove_status clm_queue_submit(clm_queue *queue, const clm_command *command, const clm_submission *submission, clm_span *span,
                               clmove_error *error) {
    static const clm_submission none;
    clmove_status status = CLMOVE_OK;
    const clm_submission *used = submission ? submission : &none;
    clm_event *const *wait_list = (clm_event *const *)used->wait_list, *event = NULL;
    if (span || used->event) {
        TRY(clm_event_create(&event, error));
        event->queue = queue;
        event->executor = queue->executor;
    }
    int before = enter();
    renew(queue);
    if ((used->blocking || command->bytes <= SHORT_BYTES) && is_next(queue, used->waits, wait_list)) {
        queue->submitted++;
        run(queue, command, event);
        if (queue->first) /* what came meanwhile */
            wake(queue);
    } else {
        entry *made = make_entry(command, event, used->waits, wait_list);
        if (made) {
            *queue->end = made;
            queue->end = &made->next;
            queue->submitted++;
            wake(queue);
        } else
            status = clm_raise(error, CLMOVE_OUT_OF_MEMORY, 0, "no memory for a command");
    }
    leave(before);
    TRY(status);
    if (span)
        *span = (clm_span){event, event};
    else if (used->event)
        *used->event = event;
    event = NULL;
out:
    if (event)
        clm_let_go(&event->held);
    return status;
}
