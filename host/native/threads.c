/* See threads.h. A run offers its work to workers, one after the other. The caller works until no item is left, and takes back
 * the offers that no worker has accepted. So a worker without a processor delays the items that it has begun, and no others.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/native/threads.h"

#include "host/clock.h"
#include "host/thread.h"

#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How long a thread without work spins before it sleeps. With 50 us the benchmark's own work between two runs put workers to
 * sleep (s2d_focus_u8 75 or 32 GB/s, by chance), with 200 it did not (2 cores of a virtual Xeon with AVX-512, 2026-11-22). */
#define SPIN_NANOSECONDS 200000

/* Runs that one thread does in less time wake no worker, unless they directly follow another run. Waking takes 20 us of the
 * caller, and the worker begins after 40 (2 cores of a virtual Xeon, 2026-11-22). 1 MiB takes one thread 29 us, two that are
 * awake 15, and 55 if the second must be woken. */
#define WORTH_WAKING_NANOSECONDS 100000

/* Items are handed out from so many ranges, each with its own counter. */
#define MOST_RANGES 64

/* After a worker could not be made, so many runs use the existing workers before another is tried. */
#define PATIENCE 1024

typedef struct range {
    _Alignas(64) atomic_int_fast64_t next;
    int64_t end;
} range;

typedef struct worker worker;

/* One call of clm_threads_run, on its caller's stack. */
typedef struct job {
    range ranges[MOST_RANGES];
    uint32_t range_count;
    int64_t items;
    void (*run)(const void *context, int64_t item);
    const void *context;
    /* Workers that got an offer and have not left the job. */
    atomic_uint inside;
    /* How many of the first workers got an offer; the caller's place is 0, the first worker's is 1. */
    uint32_t offered;
    worker *workers[CLM_MOST_THREADS];
} job;

struct worker {
    /* NULL: it has no work. */
    _Alignas(64) _Atomic(job *) offer;
    atomic_bool sleeps, ends;
    /* Its place in the job that is offered. */
    uint32_t place;
    /* It may be posted more often than it is waited for. */
    sem_t wake;
    pthread_t thread;
};

/* In the place of an offer: it is being made; it is worked on. */
static job reserved, taken;

static struct {
    /* Of making and ending workers. */
    pthread_mutex_t lock;
    worker *workers[CLM_MOST_THREADS];
    atomic_uint count;
    uint32_t devices;
    /* Where the threads that opened devices may run, and so workers: the thread that first needs one may be bound to a processor.
     */
    cpu_set_t processors;
    /* Below 0 when several threads count down at once. */
    atomic_int patience;
    pthread_mutex_t left_lock;
    /* The last worker left a job whose caller sleeps. */
    pthread_cond_t left;
    /* Callers that sleep. */
    atomic_uint waiting;
    /* When the last run ended. */
    atomic_int_fast64_t last_end;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .left_lock = PTHREAD_MUTEX_INITIALIZER, .left = PTHREAD_COND_INITIALIZER};

/* ---- how many ---- */

static uint32_t count_processors(void) {
    cpu_set_t set;
    long count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count > CLM_MOST_THREADS ? CLM_MOST_THREADS : (uint32_t)count;
}

clmove_status clm_threads_count(int64_t asked, uint32_t *threads, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const char *text = getenv("CLMOVE_THREADS");
    char *end = NULL;
    REQUIRE(asked >= 0, INVALID_ARGUMENT, "clmove_device_params.threads is %" PRId64 ", it must be at least 0", asked);
    if (asked == 0 && text && *text) {
        long number = strtol(text, &end, 10);
        REQUIRE(*end == '\0' && number >= 1 && *text >= '0' && *text <= '9', INVALID_ARGUMENT,
                "CLMOVE_THREADS is \"%.64s\": it must be a number of threads, at least 1", text);
        asked = number;
    }
    asked = asked ? asked : count_processors();
    *threads = asked > CLM_MOST_THREADS ? CLM_MOST_THREADS : (uint32_t)asked;
out:
    return status;
}

/* ---- waiting ---- */

static int64_t now(void) {
    return (int64_t)(clm_now() * 1e9);
}

static void relax(void) {
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("yield");
#endif
}

/* Whether a condition becomes true within the time of a spin. */
static bool spin(bool (*is_so)(const void *of), const void *of) {
    for (int64_t end = now() + SPIN_NANOSECONDS; now() < end;)
        for (int i = 0; i < 16; i++) {
            if (is_so(of))
                return true;
            relax();
        }
    return is_so(of);
}

/* ---- the work ---- */

static bool has_sleepers(const job *it) {
    for (uint32_t i = 0; i < it->offered; i++)
        if (atomic_load(&it->workers[i]->sleeps))
            return true;
    return false;
}

/* Wakes the workers of the two places below. Each thread that begins does so: the number of awake workers doubles. */
static void wake_others(job *it, uint32_t place) {
    for (uint32_t other = 2 * place + 1; other <= 2 * place + 2 && other <= it->offered; other++) {
        worker *sleeper = it->workers[other - 1];
        if (atomic_load(&sleeper->sleeps))
            sem_post(&sleeper->wake);
    }
}

/* start: when the run began, if some workers still sleep; else 0. */
static void work(job *it, uint32_t place, int64_t start) {
    int64_t done = 0;
    for (uint32_t i = 0; i < it->range_count; i++) {
        range *from = &it->ranges[(place + i) % it->range_count];
        for (int64_t item; (item = atomic_fetch_add(&from->next, 1)) < from->end; done++) {
            it->run(it->context, item);
            if (start && (now() - start) * it->items >= WORTH_WAKING_NANOSECONDS * (done + 1)) {
                wake_others(it, place);
                start = 0;
            }
        }
    }
}

/* A worker leaves a job. The job may no longer exist after the last one has left. */
static void leave(job *it) {
    if (atomic_fetch_sub(&it->inside, 1) != 1 || atomic_load(&pool.waiting) == 0)
        return;
    pthread_mutex_lock(&pool.left_lock);
    pthread_cond_broadcast(&pool.left);
    pthread_mutex_unlock(&pool.left_lock);
}

/* ---- a worker ---- */

static bool has_offer(const void *of) {
    const job *offer = atomic_load(&((const worker *)of)->offer);
    return offer != NULL && offer != &reserved;
}

/* Waits for an offer. False: the worker must end. On true the offer may be gone, since its caller takes back offers. */
static bool await_offer(worker *it) {
    if (spin(has_offer, it))
        return true;
    atomic_store(&it->sleeps, true); /* before it looks once more: an offer is made before its caller looks who sleeps */
    while (!has_offer(it) && !atomic_load(&it->ends))
        sem_wait(&it->wake);
    atomic_store(&it->sleeps, false);
    return !atomic_load(&it->ends);
}

static void *live(void *of) {
    worker *it = of;
    while (await_offer(it)) {
        job *offered = atomic_load(&it->offer);
        if (offered == NULL || offered == &reserved || !atomic_compare_exchange_strong(&it->offer, &offered, &taken))
            continue;
        wake_others(offered, it->place);
        work(offered, it->place, 0);
        leave(offered);
        atomic_store(&it->offer, NULL);
    }
    return NULL;
}

static worker *make_worker(void) {
    worker *made = aligned_alloc(_Alignof(worker), sizeof *made);
    if (!made)
        return NULL;
    memset(made, 0, sizeof *made);
    sem_init(&made->wake, 0, 0);
    if (clm_thread_start(&made->thread, CLM_STACK_BYTES, live, made) != 0) {
        sem_destroy(&made->wake);
        free(made);
        return NULL;
    }
    if (CPU_COUNT(&pool.processors) > 0)
        pthread_setaffinity_np(made->thread, sizeof pool.processors, &pool.processors);
    return made;
}

/* ---- the pool ---- */

/* The workers that can get an offer, at most as many as are wanted. */
static uint32_t find_workers(uint32_t wanted) {
    uint32_t count = atomic_load(&pool.count);
    if (count >= wanted)
        return wanted;
    if (atomic_load(&pool.patience) > 0) {
        atomic_fetch_sub(&pool.patience, 1);
        return count;
    }
    pthread_mutex_lock(&pool.lock);
    for (count = atomic_load(&pool.count); count < wanted; count++) {
        pool.workers[count] = make_worker();
        if (!pool.workers[count]) {
            atomic_store(&pool.patience, PATIENCE);
            break;
        }
        atomic_store(&pool.count, count + 1);
    }
    pthread_mutex_unlock(&pool.lock);
    return count < wanted ? count : wanted;
}

/* While a process forks, no thread makes or ends workers, so that the child finds each once. */
static void hold_still(void) {
    pthread_mutex_lock(&pool.lock);
}

static void go_on(void) {
    pthread_mutex_unlock(&pool.lock);
}

/* A child of fork has none of the threads, and a lock may be held by one of them. */
static void forget(void) {
    for (uint32_t i = 0; i < atomic_load(&pool.count); i++)
        free(pool.workers[i]);
    atomic_store(&pool.count, 0);
    atomic_store(&pool.patience, 0);
    atomic_store(&pool.waiting, 0);
    pthread_mutex_init(&pool.lock, NULL);
    pthread_mutex_init(&pool.left_lock, NULL);
    pthread_cond_init(&pool.left, NULL);
}

static void watch_forks(void) {
    pthread_atfork(hold_still, go_on, forget);
}

void clm_threads_hold(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    cpu_set_t mine;
    pthread_once(&once, watch_forks);
    pthread_mutex_lock(&pool.lock);
    if (pool.devices++ == 0)
        CPU_ZERO(&pool.processors);
    if (sched_getaffinity(0, sizeof mine, &mine) == 0)
        CPU_OR(&pool.processors, &pool.processors, &mine);
    pthread_mutex_unlock(&pool.lock);
}

void clm_threads_release(void) {
    pthread_mutex_lock(&pool.lock);
    const uint32_t count = --pool.devices == 0 ? atomic_load(&pool.count) : 0;
    for (uint32_t i = 0; i < count; i++) {
        atomic_store(&pool.workers[i]->ends, true);
        sem_post(&pool.workers[i]->wake);
    }
    for (uint32_t i = 0; i < count; i++) {
        worker *it = pool.workers[i];
        pthread_join(it->thread, NULL);
        sem_destroy(&it->wake);
        free(it);
    }
    if (count > 0)
        atomic_store(&pool.count, 0);
    pthread_mutex_unlock(&pool.lock);
}

/* ---- a run ---- */

static void offer(job *it, uint32_t wanted) {
    const uint32_t count = find_workers(wanted);
    for (uint32_t i = 0; i < count; i++) {
        worker *asked = pool.workers[i];
        job *nothing = NULL;
        if (!atomic_compare_exchange_strong(&asked->offer, &nothing, &reserved))
            continue;
        it->workers[it->offered++] = asked;
        asked->place = it->offered;
    }
    atomic_store(&it->inside, it->offered);
    for (uint32_t i = 0; i < it->offered; i++)
        atomic_store(&it->workers[i]->offer, it);
}

static void take_back(job *it) {
    for (uint32_t i = 0; i < it->offered; i++) {
        job *mine = it;
        if (atomic_compare_exchange_strong(&it->workers[i]->offer, &mine, NULL))
            atomic_fetch_sub(&it->inside, 1);
    }
}

static bool is_left(const void *of) {
    const job *it = of;
    return atomic_load(&it->inside) == 0;
}

static void await_workers(job *it) {
    int before;
    if (spin(is_left, it))
        return;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before); /* the job is on this thread's stack */
    pthread_mutex_lock(&pool.left_lock);
    atomic_fetch_add(&pool.waiting, 1);
    while (!is_left(it))
        pthread_cond_wait(&pool.left, &pool.left_lock);
    atomic_fetch_sub(&pool.waiting, 1);
    pthread_mutex_unlock(&pool.left_lock);
    pthread_setcancelstate(before, NULL);
}

/* A function of its own, so that work for one thread does not touch the stack that a job takes. */
__attribute__((noinline)) static void run_together(uint32_t used, int64_t items, void (*run)(const void *context, int64_t item),
                                                   const void *context) {
    job it; /* fields that are not set here are not read */
    it.run = run;
    it.context = context;
    it.items = items;
    it.offered = 0;
    it.range_count = used < MOST_RANGES ? used : MOST_RANGES;
    for (uint32_t i = 0; i < it.range_count; i++) {
        atomic_init(&it.ranges[i].next, items / it.range_count * i + items % it.range_count * i / it.range_count);
        it.ranges[i].end = items / it.range_count * (i + 1) + items % it.range_count * (i + 1) / it.range_count;
    }
    offer(&it, used - 1);
    const int64_t start = has_sleepers(&it) ? now() : 0;
    const bool is_soon = start < atomic_load(&pool.last_end) + SPIN_NANOSECONDS;
    if (start && is_soon)
        wake_others(&it, 0);
    work(&it, 0, is_soon ? 0 : start);
    take_back(&it);
    await_workers(&it);
    atomic_store(&pool.last_end, now());
}

void clm_threads_run(uint32_t threads, int64_t items, void (*run)(const void *context, int64_t item), const void *context) {
    const uint32_t used = items < threads ? (uint32_t)items : threads;
    if (used > 1)
        run_together(used, items, run, context);
    else
        for (int64_t item = 0; item < items; item++)
            run(context, item);
}
