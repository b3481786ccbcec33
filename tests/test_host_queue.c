/* Queues of the host executor: what is submitted waits for what it has to, and for nothing else.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/native/queue.h"
#include "support.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COMMANDS = 200, CALLERS = 4 };

static clmove_error error;

/* Writes down in which order commands ran. */
static atomic_int position;

static void note(const clm_command *command) {
    *(int *)command->dst = atomic_fetch_add(&position, 1);
}

static clm_queue *make_queue(void) {
    void *queue = NULL;
    ASSERT_OK(clm_queue_create(NULL, &queue, &error), &error);
    return queue;
}

static clm_event *make_event(void) {
    clm_event *event = NULL;
    ASSERT_OK(clm_event_create(&event, &error), &error);
    return event;
}

static bool is_complete(clm_event *event) {
    bool complete = false;
    clm_event_is_complete(NULL, event, &complete, NULL);
    return complete;
}

/* after: NULL, or the event to wait for. What is long is for another thread, unless the caller waits for it. */
static clmove_status submit(clm_queue *queue, int *noted, bool is_long, clm_event *after, clm_event **done) {
    const clm_command command = {.run = note, .dst = noted, .bytes = is_long ? (size_t)1 << 30 : 1};
    void *waits[] = {after};
    const clm_submission submission = {.waits = after != NULL, .wait_list = after ? waits : NULL, .event = (void **)done};
    return clm_queue_submit(queue, &command, &submission, NULL, &error);
}

/* The call returns though the event is not complete, and what comes later keeps its place. */
static void a_gate_holds_all_behind_it(void **state) {
    (void)state;
    double seconds = -1;
    int noted[COMMANDS];
    clm_queue *queue = make_queue();
    clm_event *gate = make_event(), *done[2];
    memset(noted, -1, sizeof noted);
    atomic_store(&position, 0);
    for (int i = 0; i < COMMANDS; i++)
        ASSERT_OK(submit(queue, &noted[i], i % 2 != 0, i == 0 ? gate : NULL,
                         i == 0              ? &done[0]
                         : i == COMMANDS - 1 ? &done[1]
                                             : NULL),
                  &error);
    assert_false(is_complete(done[0]));
    assert_false(is_complete(done[1]));
    assert_int_equal(atomic_load(&position), 0);
    clm_event_complete(gate);
    clm_event_wait(NULL, done[1], NULL);
    for (int i = 0; i < COMMANDS; i++)
        assert_int_equal(noted[i], i);
    assert_true(is_complete(done[0]));
    ASSERT_OK(clm_event_seconds(NULL, &(clm_span){done[0], done[1]}, &seconds, &error), &error);
    assert_true(seconds >= 0);
    clm_event_release(NULL, done[0]);
    clm_event_release(NULL, done[1]);
    clm_event_release(NULL, gate);
    clm_queue_destroy(NULL, queue);
}

/* What is long and nobody waits for is done by another thread: a queue's own. */
static pthread_t ran_on;
static void note_thread(const clm_command *command) {
    ran_on = pthread_self();
    note(command);
}

static void long_work_has_a_thread_of_its_own(void **state) {
    (void)state;
    int noted = -1;
    clm_queue *queue = make_queue();
    clm_event *done = NULL;
    const clm_command command = {.run = note_thread, .dst = &noted, .bytes = (size_t)1 << 30};
    clm_submission submission = {.event = (void **)&done};
    ASSERT_OK(clm_queue_submit(queue, &command, &submission, NULL, &error), &error);
    while (!is_complete(done)) /* and not by one that helps */
        usleep(100);
    assert_false(pthread_equal(ran_on, pthread_self()));
    clm_event_release(NULL, done);
    submission.blocking = true;
    ASSERT_OK(clm_queue_submit(queue, &command, &submission, NULL, &error), &error);
    assert_true(is_complete(done));
    assert_true(pthread_equal(ran_on, pthread_self()));
    clm_event_release(NULL, done);
    clm_queue_destroy(NULL, queue);
}

/* What a command holds stays until it has run. */
typedef struct counted {
    clm_held held;
    atomic_int *destroyed;
} counted;

static void destroy_counted(clm_held *held) {
    atomic_fetch_add(((counted *)held)->destroyed, 1);
    free(held);
}

static void what_commands_hold_stays(void **state) {
    (void)state;
    int noted = -1;
    atomic_int destroyed = 0;
    counted *it = calloc(1, sizeof *it);
    assert_non_null(it);
    it->held.destroy = destroy_counted;
    it->destroyed = &destroyed;
    atomic_init(&it->held.holders, 1);
    clm_queue *queue = make_queue();
    clm_event *gate = make_event();
    void *waits[] = {gate};
    const clm_command command = {.run = note, .dst = &noted, .bytes = 1, .holds = {&it->held}};
    const clm_submission submission = {.waits = 1, .wait_list = waits};
    ASSERT_OK(clm_queue_submit(queue, &command, &submission, NULL, &error), &error);
    clm_let_go(&it->held);
    clm_event_release(NULL, gate); /* the command holds it too */
    assert_int_equal(atomic_load(&destroyed), 0);
    clm_event_complete(gate);
    clm_queue_destroy(NULL, queue); /* it finishes what it has */
    assert_int_equal(atomic_load(&destroyed), 1);
    assert_true(noted >= 0);
}

/* Two queues that wait for each other in turn, and several threads that submit and wait. */
typedef struct caller {
    pthread_t thread;
    clm_queue **queues;
    int wrong;
} caller;

static void *play(void *of) {
    caller *it = of;
    for (int i = 0; i < COMMANDS; i++) {
        int noted[3] = {-1, -1, -1};
        clm_event *done[3] = {NULL, NULL, NULL};
        for (int k = 0; k < 3; k++)
            it->wrong +=
                submit(it->queues[(i + k) % 2], &noted[k], (i + k) % 3 == 0, k ? done[k - 1] : NULL, &done[k]) != CLMOVE_OK;
        if (i % 2)
            clm_queue_finish(it->queues[i % 4 / 2]);
        clm_event_wait(NULL, done[2], NULL);
        it->wrong += !(noted[0] < noted[1] && noted[1] < noted[2] && noted[0] >= 0);
        for (int k = 0; k < 3; k++)
            clm_event_release(NULL, done[k]);
    }
    return NULL;
}

static void queues_wait_for_each_other(void **state) {
    (void)state;
    clm_queue *queues[2] = {make_queue(), make_queue()};
    caller callers[CALLERS];
    atomic_store(&position, 0);
    for (int i = 0; i < CALLERS; i++) {
        callers[i] = (caller){.queues = queues};
        assert_int_equal(pthread_create(&callers[i].thread, NULL, play, &callers[i]), 0);
    }
    for (int i = 0; i < CALLERS; i++) {
        assert_int_equal(pthread_join(callers[i].thread, NULL), 0);
        assert_int_equal(callers[i].wrong, 0);
    }
    assert_int_equal(atomic_load(&position), CALLERS * COMMANDS * 3);
    clm_queue_destroy(NULL, queues[0]);
    clm_queue_destroy(NULL, queues[1]);
}

#ifndef __SANITIZE_THREAD__ /* it follows no threads into a child */
static int wait_for(pid_t child) {
    int status = -1;
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

/* And for a child that only asks. */
static void a_child_may_poll(void **state) {
    (void)state;
    int noted = -1;
    clm_queue *queue = make_queue();
    clm_event *gate = make_event(), *done = NULL;
    ASSERT_OK(submit(queue, &noted, true, gate, &done), &error);
    pid_t child = fork();
    if (child == 0) {
        clm_event_complete(gate);
        while (!is_complete(done))
            usleep(100);
        _exit(noted >= 0 ? 0 : 1);
    }
    assert_int_equal(wait_for(child), 0);
    clm_event_complete(gate);
    clm_event_wait(NULL, done, NULL);
    clm_event_release(NULL, done);
    clm_event_release(NULL, gate);
    clm_queue_destroy(NULL, queue);
}

/* What waited when the process forked is done in both. */
static void a_child_makes_its_own(void **state) {
    (void)state;
    int noted[2] = {-1, -1};
    clm_queue *queue = make_queue();
    clm_event *gate = make_event(), *done = NULL;
    ASSERT_OK(submit(queue, &noted[0], true, gate, NULL), &error); /* which the queue's thread has begun, or not */
    pid_t child = fork();
    if (child == 0) {
        clm_event_complete(gate);
        bool works = submit(queue, &noted[1], true, NULL, &done) == CLMOVE_OK;
        clm_event_wait(NULL, done, NULL);
        works = works && noted[0] >= 0 && noted[1] > noted[0];
        clm_queue_destroy(NULL, queue);
        _exit(works ? 0 : 1);
    }
    assert_int_equal(wait_for(child), 0);
    assert_int_equal(noted[0], -1);
    clm_event_complete(gate);
    clm_queue_finish(queue);
    assert_true(noted[0] >= 0);
    clm_event_release(NULL, gate);
    clm_queue_destroy(NULL, queue);
}

#ifndef __SANITIZE_ADDRESS__
static void *do_nothing(void *unused) {
    return unused;
}
#endif

static void no_thread_can_be_made(void **state) {
    (void)state;
#ifndef __SANITIZE_ADDRESS__ /* it wants addresses itself */
    pid_t child = fork();
    if (child == 0) {
        int noted = -1;
        clm_event *done = NULL;
        clm_queue *queue = make_queue();
        const struct rlimit none = {0, 0}, one = {1, 1};
        pthread_t thread;
        setrlimit(RLIMIT_AS, &none);
        setrlimit(RLIMIT_NPROC, &one);
        bool has_threads = pthread_create(&thread, NULL, do_nothing, NULL) == 0; /* qemu-user keeps no such limit */
        bool works = submit(queue, &noted, true, NULL, &done) == CLMOVE_OK;
        works = works && (has_threads || is_complete(done));
        clm_event_wait(NULL, done, NULL);
        works = works && noted >= 0;
        clm_queue_destroy(NULL, queue);
        _exit(works ? 0 : 1);
    }
    assert_int_equal(wait_for(child), 0);
#endif
}
#endif

int main(void) {
    static const struct CMUnitTest tests[] = {
#ifndef __SANITIZE_THREAD__
        cmocka_unit_test(no_thread_can_be_made), /* first: the C library keeps the stacks of threads that have ended */
#endif
        cmocka_unit_test(a_gate_holds_all_behind_it), cmocka_unit_test(long_work_has_a_thread_of_its_own),
        cmocka_unit_test(what_commands_hold_stays),   cmocka_unit_test(queues_wait_for_each_other),
#ifndef __SANITIZE_THREAD__
        cmocka_unit_test(a_child_makes_its_own),      cmocka_unit_test(a_child_may_poll),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
