/* The summary of all workloads between host and device: how often each way wins, from which size on, and the errors of
 * the predictions.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_TRANSFER_SUMMARY_H
#define CLMOVE_HOST_TOOLS_TRANSFER_SUMMARY_H

#include "host/tools/transfer/measure.h"

#include <clmove/advice.h>

/* A result that is wanted on the device, or on the host: of two ways, the second works on the device. */
typedef enum transfer_wanted { TRANSFER_ON_DEVICE, TRANSFER_ON_HOST, TRANSFER_WANTED } transfer_wanted;

/* The faster of the two ways. */
typedef struct transfer_winner {
    /* They are even: see TRANSFER_TIE. */
    bool is_tie;
    bool is_device;
    /* "a" or "b", "d" or "e"; "tie". */
    const char *way;
    /* How many times as long the other one takes, at least 1; even ones too. */
    double ratio;
} transfer_winner;

transfer_winner transfer_winner_of(const double seconds[TRANSFER_STEPS], transfer_wanted wanted);

/* Of a kind of memory and a place where the result is wanted. */
typedef int64_t transfer_counts[TRANSFER_MEMORIES][TRANSFER_WANTED];

/* Starts as {0}. */
typedef struct transfer_tally {
    size_t results;
    int64_t measured[TRANSFER_MEMORIES];
    transfer_counts device_wins, ties;
    /* The bytes moved by the first result since which the device's way won. 0: the last result was no win. */
    transfer_counts from;
    /* Results with predictions. */
    int64_t predicted;
    /* How many predictions were within 30 % of what was measured. */
    int64_t close[TRANSFER_WAYS];
    /* The same for all ways. */
    int64_t all_close;
    /* The noise of all their calibrations. */
    double noise;
    /* Ways that differ by a factor of more than 1.5, and those of them that were chosen rightly. */
    int64_t clear[TRANSFER_WANTED], right[TRANSFER_WANTED];
} transfer_tally;

/* moved: bytes read and written by the operation. */
void transfer_tally_add(transfer_tally *it, const transfer_result *result, int64_t moved);

/* Prints it all. calibration: the origin of the device's calibration. On false a sentence has been printed. */
bool transfer_summary_json(const transfer_tally *tally, clmove_calibration_origin calibration, bool is_sweep);
void transfer_summary_print(const transfer_tally *tally, clmove_calibration_origin calibration, bool is_sweep);

#endif
