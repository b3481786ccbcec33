/* See bench_transfer_tally.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/transfer/tally.h"

#include "host/tools/transfer/even.h"

#include <math.h>

#define WORTH_IT 1.5 /* where a wrong choice would cost something */
#define CLOSE 0.3    /* of what was measured */

/* For each place that a result may be wanted in: the way of the host, and that of the device. */
static const struct {
    transfer_way host, device;
    char host_name, device_name;
} PAIRS[TRANSFER_WANTED] = {{TRANSFER_WAY_A, TRANSFER_WAY_B, 'a', 'b'}, {TRANSFER_WAY_E, TRANSFER_WAY_D, 'e', 'd'}};

transfer_winner transfer_winner_of(const transfer_result *result, transfer_memory with, transfer_wanted wanted) {
    double host = transfer_seconds_of(result, with, PAIRS[wanted].host);
    double device = transfer_seconds_of(result, with, PAIRS[wanted].device);
    double ratio = device <= host ? host / device : device / host;
    if (ratio <= TRANSFER_TIE)
        return (transfer_winner){.way = '=', .ratio = ratio};
    return (transfer_winner){.way = device <= host ? PAIRS[wanted].device_name : PAIRS[wanted].host_name, .ratio = ratio};
}

static void judge_predictions(transfer_tally *it, const transfer_result *result) {
    bool all = true;
    it->predicted++;
    it->noise += result->calibration_noise;
    for (int i = 0; i < TRANSFER_WAYS; i++) {
        double measured = transfer_seconds_of(result, TRANSFER_PAGEABLE, (transfer_way)i);
        bool is_close = fabs(result->predicted[i] - measured) <= CLOSE * measured;
        it->close[i] += is_close;
        all = all && is_close;
    }
    it->all_close += all;
    for (int i = 0; i < TRANSFER_WANTED; i++) {
        transfer_winner winner = transfer_winner_of(result, TRANSFER_PAGEABLE, (transfer_wanted)i);
        bool chooses_device = result->predicted[PAIRS[i].device] <= result->predicted[PAIRS[i].host];
        if (winner.ratio <= WORTH_IT)
            continue;
        it->clear[i]++;
        it->right[i] += chooses_device == (winner.way == PAIRS[i].device_name);
    }
}

void transfer_tally_add(transfer_tally *it, const transfer_result *result) {
    it->results++;
    for (int m = 0; m < TRANSFER_MEMORIES; m++) {
        if (!result->with[m].measured)
            continue;
        it->measured[m]++;
        for (int i = 0; i < TRANSFER_WANTED; i++) {
            transfer_winner winner = transfer_winner_of(result, (transfer_memory)m, (transfer_wanted)i);
            bool is_device = winner.way == PAIRS[i].device_name;
            it->device_wins[m][i] += is_device;
            it->ties[m][i] += winner.way == '=';
            if (!is_device)
                it->from[m][i] = 0;
            else if (it->from[m][i] == 0)
                it->from[m][i] = result->moved;
        }
    }
    if (result->is_predicted)
        judge_predictions(it, result);
}

double transfer_tally_noise(const transfer_tally *it) {
    return it->predicted > 0 ? it->noise / (double)it->predicted : 0;
}
