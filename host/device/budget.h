/* The memory budget of a device: the bytes that its buffers, pools and staging may take together.
 *
 * Drivers do not know this limit: POCL 3.1 grants 32 GiB on a machine with 7, and aborts the process when they are used. So every
 * allocation is taken from the budget first. An owner of memory that is only kept for later registers as a keeper. Keepers are
 * asked to give up their memory before a request is refused.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_DEVICE_BUDGET_H
#define CLMOVE_HOST_DEVICE_BUDGET_H

#include "host/error.h"

#include <pthread.h>
#include <stdatomic.h>

/* An owner of memory that is kept for later. The struct is the owner's, and must live until it is removed. */
typedef struct clm_keeper {
    /* Whether there was any. Thread-safe. The caller holds no lock that freeing a buffer takes */
    bool (*give_up)(void *user);
    void *user;
    struct clm_keeper *next;
} clm_keeper;

typedef struct clm_budget {
    /* The device's, for sentences */
    const char *name;
    /* UINT64_MAX: no limit is known */
    uint64_t bytes;
    atomic_uint_fast64_t used, most_used;
    /* Of the list, held while keepers are asked */
    pthread_mutex_t lock;
    /* In the order in which they are asked */
    clm_keeper *keepers;
} clm_budget;

/* Makes an unused budget. asked: clmove_device_params.memory_budget; info: the device's, which is kept. takes_host_memory: the
 * device may allocate the host's memory. Raises INVALID_ARGUMENT if CLMOVE_MEMORY_BUDGET is no number of bytes; the budget must
 * be destroyed then, too. */
clmove_status clm_budget_init(clm_budget *budget, uint64_t asked, const clmove_device_info *info, bool takes_host_memory,
                              clmove_error *error);
void clm_budget_destroy(clm_budget *budget);

/* Adds a keeper after the others, and removes one. Thread-safe. */
void clm_budget_add(clm_budget *budget, clm_keeper *keeper);
void clm_budget_remove(clm_budget *budget, clm_keeper *keeper);

/* Asks all keepers to give up what they keep; whether there was any. Thread-safe. user: a clm_budget. */
bool clm_budget_reclaim(void *user);

/* Takes bytes, or raises OUT_OF_MEMORY with the numbers. what: their use, with an article, such as "a buffer". Thread-safe. */
clmove_status clm_budget_take(clm_budget *budget, size_t bytes, const char *what, clmove_error *error);

/* Returns bytes that were taken. Thread-safe. */
void clm_budget_give(clm_budget *budget, size_t bytes);

/* The bytes that are left. Thread-safe; other threads may take them at any time. */
uint64_t clm_budget_left(const clm_budget *budget);

/* Reads a number of bytes: digits, and perhaps K, M, G or T for 2^10, 2^20, 2^30 or
 * 2^40. False for anything else, and for 0. */
bool clm_parse_bytes(const char *text, uint64_t *bytes);

/* The bytes that the system can still give to this process: the least of MemAvailable and of the rest below the limit of each
 * control group (versions 1 and 2), from the process's own up to the outermost that it can see. UINT64_MAX: not known. Memory
 * that the system can reclaim at once, such as inactive pages of files, counts as available. root is a prefix of every path: ""
 * outside of tests. Thread-safe. */
uint64_t clm_host_memory_left(const char *root);

#endif
