/* What the buffers, the pools and the staging of a device may take together.
 *
 * Drivers are not to be trusted here: POCL 3.1 grants 32 GiB on a machine with 7 and aborts the process when they are used. So
 * every allocation is taken from the budget first, and what is refused is refused with a sentence. What only keeps memory for
 * later registers here, and is asked to give it up before anything is refused.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_DEVICE_BUDGET_H
#define CLMOVE_HOST_DEVICE_BUDGET_H

#include "host/error.h"

#include <pthread.h>
#include <stdatomic.h>

/* Something that keeps memory. Its owner holds this struct until it is removed. */
typedef struct clm_keeper {
    bool (*give_up)(void *user); /* whether there was any. Thread-safe; no lock may be held that buffers need when they go */
    void *user;
    struct clm_keeper *next;
} clm_keeper;

typedef struct clm_budget {
    const char *name; /* whose it is, for sentences */
    uint64_t bytes;   /* written before the device is handed out; UINT64_MAX: nothing is known of a limit */
    atomic_uint_fast64_t used, most_used;
    pthread_mutex_t lock; /* of the list, held while keepers are asked */
    clm_keeper *keepers;  /* in the order in which they are asked */
} clm_budget;

/* An empty one, without a limit. name is kept. */
void clm_budget_init(clm_budget *budget, const char *name);
void clm_budget_destroy(clm_budget *budget);

/* Sets the limit. asked: clmove_device_params.memory_budget; info: the device's. Raises INVALID_ARGUMENT for a
 * CLMOVE_MEMORY_BUDGET that means nothing. takes_host_memory: what the device allocates may be the host's memory. */
clmove_status clm_budget_set(clm_budget *budget, uint64_t asked, const clmove_device_info *info, bool takes_host_memory,
                             clmove_error *error);

/* Adds a keeper behind the others, and takes one out. Thread-safe. */
void clm_budget_add(clm_budget *budget, clm_keeper *keeper);
void clm_budget_remove(clm_budget *budget, clm_keeper *keeper);

/* Asks all keepers to give up what they keep; whether there was any. Thread-safe. user: a clm_budget. */
bool clm_budget_reclaim(void *user);

/* Takes bytes, or raises OUT_OF_MEMORY with the numbers. what: what they are for, with its article, as "a buffer". Thread-safe.
 */
clmove_status clm_budget_take(clm_budget *budget, size_t bytes, const char *what, clmove_error *error);

/* Gives bytes back that were taken. Thread-safe. */
void clm_budget_give(clm_budget *budget, size_t bytes);

/* Bytes that can still be taken, as long as no other thread takes them. Thread-safe. */
uint64_t clm_budget_left(const clm_budget *budget);

/* Reads a number of bytes: digits, and perhaps K, M or G for 2^10, 2^20 or 2^30. False for anything else, and for 0. */
bool clm_parse_bytes(const char *text, uint64_t *bytes);

#endif
