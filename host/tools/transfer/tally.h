/* What all workloads together say: who wins how often, from which size on, and how good the predictions are.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_TRANSFER_TALLY_H
#define CLMOVE_HOST_TOOLS_TRANSFER_TALLY_H

#include "host/tools/transfer/measure.h"

/* A result that is wanted on the device, or on the host: of two ways, the second works on the device. */
typedef enum transfer_wanted { TRANSFER_ON_DEVICE, TRANSFER_ON_HOST, TRANSFER_WANTED } transfer_wanted;

/* The faster of the two ways. */
typedef struct transfer_winner {
    char way;     /* 'a' or 'b', 'd' or 'e'; '=' when they are even: see TRANSFER_TIE */
    double ratio; /* how many times as long the other one takes, at least 1; even ones too */
} transfer_winner;

transfer_winner transfer_winner_of(const transfer_result *result, transfer_memory with, transfer_wanted wanted);

/* Starts as {0}. */
typedef struct transfer_tally {
    size_t results;
    size_t measured[TRANSFER_MEMORIES];
    size_t device_wins[TRANSFER_MEMORIES][TRANSFER_WANTED], ties[TRANSFER_MEMORIES][TRANSFER_WANTED];
    int64_t from[TRANSFER_MEMORIES][TRANSFER_WANTED]; /* bytes moved by the first result since which the device's way won; 0: by
                                                         the last it did not */
    size_t predicted;                                 /* results with predictions */
    size_t close[TRANSFER_WAYS];                      /* of them, within 30 % of what was measured */
    size_t all_close;                                 /* for all ways */
    double noise;                                     /* of their calibrations, in all */
    size_t clear[TRANSFER_WANTED], right[TRANSFER_WANTED]; /* ways that differ by more than 1.5, and chosen rightly */
} transfer_tally;

void transfer_tally_add(transfer_tally *it, const transfer_result *result);

/* The mean noise of the calibrations that predictions went by; 0 without one. */
double transfer_tally_noise(const transfer_tally *it);

#endif
