/* The threads of the host executor: every item is done once, with any number of callers, and with any thread refused.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/native/threads.h"
#include "support.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ITEMS = 1000, ROUNDS = 300, CALLERS = 4 };

static clmove_error error;

typedef struct tally {
    atomic_int done[ITEMS];
    pthread_t caller;
    atomic_int by_others;
} tally;

static void count(const void *context, int64_t item) {
    tally *it = (tally *)context;
    atomic_fetch_add(&it->done[item], 1);
    atomic_fetch_add(&it->by_others, !pthread_equal(pthread_self(), it->caller));
}

static void start(tally *it) {
    memset(it, 0, sizeof *it);
    it->caller = pthread_self();
}

static void run_and_check(tally *it, uint32_t threads, int64_t items) {
    start(it);
    clm_threads_run(threads, items, count, it);
    for (int64_t i = 0; i < ITEMS; i++)
        if (atomic_load(&it->done[i]) != (i < items))
            fail_msg("%d threads, %d items: item %d was done %d times", (int)threads, (int)items, (int)i, it->done[i]);
}

static void pause_for(long nanoseconds) {
    const struct timespec pause = {.tv_nsec = nanoseconds};
    nanosleep(&pause, NULL);
}

static void every_item_is_done_once(void **state) {
    (void)state;
    static const uint32_t threads[] = {1, 2, 3, 7, 64, 65, CLM_MOST_THREADS};
    static const int64_t items[] = {0, 1, 2, 3, 63, 64, 65, 129, 256, ITEMS};
    tally it;
    clm_threads_hold();
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++)
        for (size_t j = 0; j < sizeof items / sizeof *items; j++)
            run_and_check(&it, threads[i], items[j]);
    clm_threads_release();
}

/* An item that leaves the processor to others. */
static void count_slowly(const void *context, int64_t item) {
    pause_for(200000);
    count(context, item);
}

/* An item of 55 us: two of them are worth waking a worker, who then comes about when there is nothing left. */
static void count_briskly(const void *context, int64_t item) {
    struct timespec begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - begin.tv_sec) * 1000000000 + now.tv_nsec - begin.tv_nsec < 55000);
    count(context, item);
}

/* Workers that wake for an offer that is taken back are there for the next run. */
static void workers_stay(void **state) {
    (void)state;
    tally it;
    clm_threads_hold();
    for (int round = 0; round < ROUNDS; round++) {
        start(&it);
        clm_threads_run(2, 2 + round % 2, count_briskly, &it);
        pause_for(400000); /* it sleeps again */
    }
    start(&it);
    clm_threads_run(2, 40, count_slowly, &it);
    assert_true(atomic_load(&it.by_others) > 0);
    clm_threads_release();
}

static void *call(void *unused) {
    tally it;
    (void)unused;
    clm_threads_hold();
    for (int round = 0; round < ROUNDS; round++) {
        start(&it);
        clm_threads_run(3, 100, count, &it);
        for (int i = 0; i < ITEMS; i++)
            if (atomic_load(&it.done[i]) != (i < 100))
                return &error;
        if (round % 50 == 0)
            pause_for(300000);
    }
    clm_threads_release();
    return NULL;
}

/* The last of them ends the workers, and the next makes others. */
static void any_thread_may_call(void **state) {
    (void)state;
    pthread_t callers[CALLERS];
    for (int again = 0; again < 3; again++) {
        for (int i = 0; i < CALLERS; i++)
            assert_int_equal(pthread_create(&callers[i], NULL, call, NULL), 0);
        for (int i = 0; i < CALLERS; i++) {
            void *wrong;
            assert_int_equal(pthread_join(callers[i], &wrong), 0);
            assert_null(wrong);
        }
    }
}

/* How many processors a worker may use; 0 where the caller does all. */
static void note_processors(const void *context, int64_t item) {
    tally *it = (tally *)context;
    cpu_set_t set;
    if (!pthread_equal(pthread_self(), it->caller) && sched_getaffinity(0, sizeof set, &set) == 0)
        atomic_store(&it->done[0], CPU_COUNT(&set));
    else
        pause_for(200000);
    (void)item;
}

static void *run_on_one_processor(void *of) {
    tally *it = of;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((size_t)sched_getcpu(), &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0)
        return &error;
    start(it);
    for (int i = 0; i < 100 && atomic_load(&it->done[0]) == 0; i++)
        clm_threads_run(2, 40, note_processors, it);
    return NULL;
}

/* A worker that is made by a thread on one processor may use all that the thread may use which opened the device. */
static void workers_are_not_bound_with_their_maker(void **state) {
    (void)state;
    cpu_set_t all;
    tally it;
    pthread_t bound;
    void *wrong;
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    if (CPU_COUNT(&all) < 2)
        skip();
    clm_threads_hold();
    assert_int_equal(pthread_create(&bound, NULL, run_on_one_processor, &it), 0);
    assert_int_equal(pthread_join(bound, &wrong), 0);
    clm_threads_release();
    assert_null(wrong);
    assert_int_equal(atomic_load(&it.done[0]), CPU_COUNT(&all));
}

#ifndef __SANITIZE_THREAD__ /* it follows no threads into a child */
/* Ends a child: 0 where all was right. */
static int wait_for(pid_t child) {
    int status = -1;
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static bool is_right(uint32_t threads) {
    tally it;
    start(&it);
    clm_threads_run(threads, ITEMS, count, &it);
    for (int i = 0; i < ITEMS; i++)
        if (atomic_load(&it.done[i]) != 1)
            return false;
    return true;
}

static void a_child_makes_its_own(void **state) {
    (void)state;
    tally it;
    clm_threads_hold();
    run_and_check(&it, 3, ITEMS); /* there are workers */
    pid_t child = fork();
    if (child == 0) {
        start(&it);
        clm_threads_run(2, 40, count_slowly, &it);
        bool works = is_right(3) && atomic_load(&it.by_others) > 0;
        clm_threads_release();
        _exit(works ? 0 : 1);
    }
    assert_int_equal(wait_for(child), 0);
    run_and_check(&it, 3, ITEMS);
    clm_threads_release();
}

static void *make_and_end(void *stop) {
    tally it;
    while (!atomic_load((atomic_bool *)stop)) {
        clm_threads_hold();
        start(&it);
        clm_threads_run(3, ITEMS, count, &it);
        clm_threads_release();
    }
    return NULL;
}

/* The child found workers that were freed, and freed them again, while another thread closed the last device. */
static void children_while_workers_come_and_go(void **state) {
    (void)state;
    atomic_bool stop = false;
    pthread_t other;
    int ended_badly = 0;
    assert_int_equal(pthread_create(&other, NULL, make_and_end, &stop), 0);
    for (int i = 0; i < 200; i++) {
        pid_t child = fork();
        if (child == 0)
            _exit(0);
        ended_badly += wait_for(child) != 0;
    }
    atomic_store(&stop, true);
    pthread_join(other, NULL);
    assert_int_equal(ended_badly, 0);
}

/* Root may have as many as it likes, so that what is limited here is memory for stacks. */
static void no_thread_can_be_made(void **state) {
    (void)state;
#ifndef __SANITIZE_ADDRESS__ /* it wants addresses itself */
    pid_t child = fork();
    if (child == 0) {
        const struct rlimit none = {0, 0}, one = {1, 1};
        setrlimit(RLIMIT_AS, &none);
        setrlimit(RLIMIT_NPROC, &one);
        clm_threads_hold();
        bool works = is_right(8) && is_right(8);
        clm_threads_release();
        _exit(works ? 0 : 1);
    }
    assert_int_equal(wait_for(child), 0);
#endif
}
#endif

static void the_variable_says_how_many(void **state) {
    (void)state;
    static const char *const bad[] = {"0", "-1", "two", "2x", " 2", "+2"};
    uint32_t threads = 0;
    unsetenv("CLMOVE_THREADS");
    ASSERT_OK(clm_threads_count(0, &threads, &error), &error);
    assert_true(threads >= 1);
    setenv("CLMOVE_THREADS", "3", 1);
    ASSERT_OK(clm_threads_count(0, &threads, &error), &error);
    assert_int_equal(threads, 3);
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clm_threads_count(-1, &threads, &error), &error);
    assert_mentions(error.text, "threads is -1");
    ASSERT_OK(clm_threads_count(INT64_MAX, &threads, &error), &error);
    assert_int_equal(threads, CLM_MOST_THREADS);
    ASSERT_OK(clm_threads_count(5, &threads, &error), &error); /* who asks for some gets them */
    assert_int_equal(threads, 5);
    setenv("CLMOVE_THREADS", "99999999999999999999", 1);
    ASSERT_OK(clm_threads_count(0, &threads, &error), &error);
    assert_int_equal(threads, CLM_MOST_THREADS);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        setenv("CLMOVE_THREADS", bad[i], 1);
        ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clm_threads_count(0, &threads, &error), &error);
        assert_mentions(error.text, "CLMOVE_THREADS");
    }
    unsetenv("CLMOVE_THREADS");
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_item_is_done_once),    cmocka_unit_test(workers_stay),
        cmocka_unit_test(any_thread_may_call),        cmocka_unit_test(workers_are_not_bound_with_their_maker),
#ifndef __SANITIZE_THREAD__
        cmocka_unit_test(a_child_makes_its_own),      cmocka_unit_test(children_while_workers_come_and_go),
        cmocka_unit_test(no_thread_can_be_made),
#endif
        cmocka_unit_test(the_variable_says_how_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
