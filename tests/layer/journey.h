/* The way of some bytes through the library, as the fallback tests take it again and again: 7 x 93 floats, transposed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_TESTS_LAYER_JOURNEY_H
#define CLMOVE_TESTS_LAYER_JOURNEY_H

#include "tests/support.h"

#define JOURNEY_ROWS 7
#define JOURNEY_COLUMNS 93
#define JOURNEY_BYTES (JOURNEY_ROWS * JOURNEY_COLUMNS * 4)

typedef struct journey {
    clmove_device *device;
    clmove_plan *plan;
    clmove_error error;
    fenced src, dst;
    /* Lines that the library logged. */
    unsigned logged;
    /* The last one. */
    char log_text[600];
} journey;

/* The steps. Each gives the library's status; open and plan leave NULL behind when they fail. */
clmove_status journey_open(journey *it, const char *selector, bool allow_fallback);
clmove_status journey_open_list(journey *it, const char *selector, bool allow_fallback); /* which has no calibration of its own */
clmove_status journey_plan(journey *it);
clmove_status journey_run(journey *it);
clmove_status journey_enqueue(journey *it); /* through buffers, read back */
clmove_status journey_measure(journey *it); /* the same, measured: the times must be known */

/* Fails unless the last run or enqueue gave the right bytes, and no others. */
void journey_check_bytes(journey *it);

/* Fails unless the host did it, and said why, once, with a sentence that mentions `why`. */
void journey_check_fallback(journey *it, const char *why);

/* The call that waits for all of a queue: clFinish, but on POCL from 6.0 on clWaitForEvents, after a marker. */
const char *journey_finish_call(void);

/* Destroys what is there; it can start anew. */
void journey_end(journey *it);

#endif
