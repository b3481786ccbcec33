/* What the buffers, the pools and the staging of a device may take together.
 *
 * Drivers are not to be trusted here: POCL 3.1 grants 32 GiB on a machine with 7 and aborts the process when they are used. So
 * every allocation is taken from the budget first, and what is refused is refused with a sentence.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_API_BUDGET_H
#define CLMOVE_HOST_API_BUDGET_H

#include "host/error.h"

#include <stdatomic.h>

typedef struct clm_budget {
    uint64_t bytes; /* written before the device is handed out; UINT64_MAX: nothing is known of a limit */
    atomic_uint_fast64_t used, most_used;
} clm_budget;

/* Sets the budget of a device whose info is known. asked: clmove_device_params.memory_budget. Raises INVALID_ARGUMENT for a
 * CLMOVE_MEMORY_BUDGET that means nothing. */
clmove_status clm_budget_open(clmove_device *device, uint64_t asked, clmove_error *error);

/* Takes bytes, or raises OUT_OF_MEMORY with the numbers. what: what they are for, with its article, as "a buffer". Thread-safe.
 */
clmove_status clm_budget_take(clmove_device *device, size_t bytes, const char *what, clmove_error *error);

/* Gives bytes back that were taken. Thread-safe. */
void clm_budget_give(clmove_device *device, size_t bytes);

/* Bytes that can still be taken, as long as no other thread takes them. Thread-safe. */
uint64_t clm_budget_left(const clmove_device *device);

/* Reads a number of bytes: digits, and perhaps K, M or G for 2^10, 2^20 or 2^30. False for anything else, and for 0. */
bool clm_parse_bytes(const char *text, uint64_t *bytes);

#endif
