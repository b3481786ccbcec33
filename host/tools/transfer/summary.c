/* See summary.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/transfer/summary.h"

#include "host/tools/common/message.h"
#include "host/tools/common/table.h"
#include "host/tools/transfer/even.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define WORTH_IT 1.5 /* where a wrong choice would cost something */
#define CLOSE 0.3    /* of what was measured */

static const char *const WAY_NAMES[TRANSFER_WAYS] = {"a", "b", "c", "d", "e", "steps"};

/* For each place that a result may be wanted in: the way of the host, and that of the device. */
static const struct { transfer_step host, device; } PAIRS[TRANSFER_WANTED] = {{TRANSFER_A, TRANSFER_B}, {TRANSFER_E, TRANSFER_D}};

/* ---- counting ---- */

transfer_winner transfer_winner_of(const double seconds[TRANSFER_STEPS], transfer_wanted wanted) {
    const double host = seconds[PAIRS[wanted].host], device = seconds[PAIRS[wanted].device];
    const bool device_leads = device <= host;
    const double ratio = device_leads ? host / device : device / host;
    const char *leader = WAY_NAMES[device_leads ? PAIRS[wanted].device : PAIRS[wanted].host];
    if (ratio <= TRANSFER_TIE)
        return (transfer_winner){.is_tie = true, .way = "tie", .ratio = ratio};
    return (transfer_winner){.is_device = device_leads, .way = leader, .ratio = ratio};
}

static void judge_predictions(transfer_tally *it, const transfer_result *result) {
    const double *measured = result->seconds[TRANSFER_PAGEABLE], *predicted = result->predicted[TRANSFER_PAGEABLE];
    bool all = true;
    it->predicted++;
    it->noise += result->calibration_noise;
    for (int i = 0; i < TRANSFER_WAYS; i++) {
        bool is_close = fabs(predicted[i] - measured[i]) <= CLOSE * measured[i];
        it->close[i] += is_close;
        all = all && is_close;
    }
    it->all_close += all;
    for (int i = 0; i < TRANSFER_WANTED; i++) {
        transfer_winner winner = transfer_winner_of(measured, (transfer_wanted)i);
        bool chooses_device = predicted[PAIRS[i].device] <= predicted[PAIRS[i].host];
        if (winner.ratio <= WORTH_IT)
            continue;
        it->clear[i]++;
        it->right[i] += chooses_device == winner.is_device;
    }
}

void transfer_tally_add(transfer_tally *it, const transfer_result *result, int64_t moved) {
    it->results++;
    for (int m = 0; m < TRANSFER_MEMORIES; m++) {
        if (!result->measured[m])
            continue;
        it->measured[m]++;
        for (int i = 0; i < TRANSFER_WANTED; i++) {
            transfer_winner winner = transfer_winner_of(result->seconds[m], (transfer_wanted)i);
            it->device_wins[m][i] += winner.is_device;
            it->ties[m][i] += winner.is_tie;
            if (!winner.is_device)
                it->from[m][i] = 0;
            else if (it->from[m][i] == 0)
                it->from[m][i] = moved;
        }
    }
    if (result->is_predicted)
        judge_predictions(it, result);
}

/* The mean noise of the calibrations that predictions went by. Negative, here and below: there were none. */
static double noise_of(const transfer_tally *it) {
    return it->predicted > 0 ? it->noise / (double)it->predicted : -1;
}

static int64_t count_close(const transfer_tally *it) {
    int64_t close = 0;
    for (int i = 0; i < TRANSFER_WAYS; i++)
        close += it->close[i];
    return close;
}

/* Of all predictions, whatever way they are of. */
static double close_share(const transfer_tally *it) {
    return it->predicted > 0 ? (double)count_close(it) / (double)(it->predicted * TRANSFER_WAYS) : -1;
}

/* ---- for programs ---- */

static json_t *by_memory(const transfer_tally *tally, const transfer_counts counts, transfer_wanted wanted, bool has_zero) {
    json_t *object = json_object();
    for (int i = 0; i < TRANSFER_MEMORIES; i++) {
        int64_t count = counts[i][wanted];
        if (tally->measured[i] > 0)
            json_object_set_new(object, transfer_memory_name((transfer_memory)i),
                                count || has_zero ? json_integer(count) : json_null());
    }
    return object;
}

/* null unless sizes were swept, and for a memory of which the largest size is none of these. */
static json_t *sizes_by_memory(const transfer_tally *tally, bool is_sweep, transfer_wanted wanted) {
    return is_sweep ? by_memory(tally, tally->from, wanted, false) : json_null();
}

static json_t *by_way(const transfer_tally *tally) {
    json_t *object = json_object();
    for (int i = 0; i < TRANSFER_WAYS; i++)
        json_object_set_new(object, WAY_NAMES[i], json_integer(tally->close[i]));
    return object;
}

static json_t *calibration_json(const transfer_tally *tally, clmove_calibration_origin calibration) {
    if (tally->predicted == 0)
        return json_null();
    return json_string(calibration == CLMOVE_CALIBRATION_FROM_FILE ? "file" : "measured");
}

bool transfer_summary_json(const transfer_tally *tally, clmove_calibration_origin calibration, bool is_sweep) {
    const table_cell cells[] = {
        {"summary", AS_FLAG(true)},
        {"workloads", AS_COUNT(tally->results)},
        {"b_wins", AS_JSON(by_memory(tally, tally->device_wins, TRANSFER_ON_DEVICE, true))},
        {"b_ties", AS_JSON(by_memory(tally, tally->ties, TRANSFER_ON_DEVICE, true))},
        {"d_wins", AS_JSON(by_memory(tally, tally->device_wins, TRANSFER_ON_HOST, true))},
        {"d_ties", AS_JSON(by_memory(tally, tally->ties, TRANSFER_ON_HOST, true))},
        {"b_from_bytes", AS_JSON(sizes_by_memory(tally, is_sweep, TRANSFER_ON_DEVICE))},
        {"d_from_bytes", AS_JSON(sizes_by_memory(tally, is_sweep, TRANSFER_ON_HOST))},
        {"calibration", AS_JSON(calibration_json(tally, calibration))},
        {"calibration_noise", AS_PERCENT(noise_of(tally))},
        {"predicted", AS_COUNT(tally->predicted)},
        {"predicted_within_30_percent", AS_JSON(by_way(tally))},
        {"predicted_all_within_30_percent", AS_COUNT(tally->all_close)},
        {"predictions_within_30_percent", AS_PERCENT(close_share(tally))},
        {"on_device_clear", AS_COUNT(tally->clear[TRANSFER_ON_DEVICE])},
        {"on_device_chosen_right", AS_COUNT(tally->right[TRANSFER_ON_DEVICE])},
        {"on_host_clear", AS_COUNT(tally->clear[TRANSFER_ON_HOST])},
        {"on_host_chosen_right", AS_COUNT(tally->right[TRANSFER_ON_HOST])},
    };
    return table_put(TABLE_CELLS(cells), TABLE_OBJECT, NULL) ||
           refused("what all results say together cannot be written as JSON");
}

/* ---- for people ---- */

static void print_size(int64_t from, const char *way) {
    char text[16];
    if (from)
        printf(" %s from %s on", way, table_bytes_text(from, text));
    else
        printf(" %s not at the largest size", way);
}

static const char *plural(int64_t count) {
    return count == 1 ? "" : "s";
}

static void print_memory(const transfer_tally *tally, transfer_memory memory, bool is_sweep) {
    const char *name = transfer_memory_name(memory);
    const int64_t measured = tally->measured[memory], *wins = tally->device_wins[memory], *ties = tally->ties[memory];
    printf("%s, %" PRId64 " workload%s", name, measured, plural(measured));
    for (int i = 0; i < TRANSFER_WANTED; i++)
        printf("%s %s wins %" PRId64 ", %s %" PRId64 ", %" PRId64 " even",
               i == TRANSFER_ON_DEVICE ? ": result on the device:" : "; on the host:", WAY_NAMES[PAIRS[i].device], wins[i],
               WAY_NAMES[PAIRS[i].host], measured - wins[i] - ties[i], ties[i]);
    printf("\n");
    if (!is_sweep)
        return;
    printf("%s, by more than 5 %%:", name);
    print_size(tally->from[memory][TRANSFER_ON_DEVICE], "b faster than a");
    printf(";");
    print_size(tally->from[memory][TRANSFER_ON_HOST], "d faster than e");
    printf("\n");
}

static void print_predictions(const transfer_tally *tally, clmove_calibration_origin calibration) {
    const int64_t of = tally->predicted, *right = tally->right, *clear = tally->clear;
    printf("predicted (%s) within 30 %% of what was measured, of %" PRId64 " workload%s:\n ",
           calibration == CLMOVE_CALIBRATION_FROM_FILE ? "calibration stored" : "calibrated beside each", of, plural(of));
    for (int i = 0; i < TRANSFER_WAYS; i++)
        printf(" %s %" PRId64 ",", WAY_NAMES[i], tally->close[i]);
    printf(" all at once %" PRId64 "; of all %" PRId64 " predictions %" PRId64 ", %.0f %%\n", tally->all_close,
           of * TRANSFER_WAYS, count_close(tally), 100 * close_share(tally));
    printf("chosen rightly where ways differ by more than 1.5: on the device %" PRId64 " of %" PRId64 ", on the host %" PRId64
           " of %" PRId64 "\n",
           right[TRANSFER_ON_DEVICE], clear[TRANSFER_ON_DEVICE], right[TRANSFER_ON_HOST], clear[TRANSFER_ON_HOST]);
    if (noise_of(tally) >= CLMOVE_CALIBRATION_NOISY)
        printf("the machine was busy: while it was calibrated runs of the same work differed by %.0f %%\n",
               100 * noise_of(tally));
}

void transfer_summary_print(const transfer_tally *tally, clmove_calibration_origin calibration, bool is_sweep) {
    printf("\n");
    for (int i = 0; i < TRANSFER_MEMORIES; i++)
        if (tally->measured[i] > 0)
            print_memory(tally, (transfer_memory)i, is_sweep);
    if (tally->predicted > 0)
        print_predictions(tally, calibration);
}
