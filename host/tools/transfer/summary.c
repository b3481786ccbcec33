/* See summary.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/transfer/summary.h"

#include "host/tools/common/message.h"
#include "host/tools/common/table.h"

#include <inttypes.h>
#include <stdio.h>

static const char *const WAY_NAMES[TRANSFER_WAYS] = {"a", "b", "c", "d", "e", "steps"};

static json_t *counts_by_memory(const transfer_tally *tally, const size_t counts[TRANSFER_MEMORIES][TRANSFER_WANTED],
                                transfer_wanted wanted) {
    json_t *object = json_object();
    for (int i = 0; i < TRANSFER_MEMORIES; i++)
        if (tally->measured[i] > 0)
            json_object_set_new(object, transfer_memory_name((transfer_memory)i), json_integer((json_int_t)counts[i][wanted]));
    return object;
}

/* null unless sizes were swept, and for a memory of which the largest size is none of these. */
static json_t *sizes_by_memory(const transfer_tally *tally, bool is_sweep, transfer_wanted wanted) {
    if (!is_sweep)
        return json_null();
    json_t *object = json_object();
    for (int i = 0; i < TRANSFER_MEMORIES; i++) {
        int64_t from = tally->from[i][wanted];
        if (tally->measured[i] > 0)
            json_object_set_new(object, transfer_memory_name((transfer_memory)i), from ? json_integer(from) : json_null());
    }
    return object;
}

static json_t *by_way(const transfer_tally *tally) {
    json_t *object = json_object();
    for (int i = 0; i < TRANSFER_WAYS; i++)
        json_object_set_new(object, WAY_NAMES[i], json_integer((json_int_t)tally->close[i]));
    return object;
}

static json_t *calibration_json(const transfer_tally *tally, clmove_calibration_origin calibration) {
    if (tally->predicted == 0)
        return json_null();
    return json_string(calibration == CLMOVE_CALIBRATION_FILE ? "file" : "measured");
}

/* The share of all predictions, whatever way they are of. Negative: there are none. */
static double predicted_share(const transfer_tally *tally) {
    size_t close = 0;
    for (int i = 0; i < TRANSFER_WAYS; i++)
        close += tally->close[i];
    return tally->predicted == 0 ? -1 : (double)close / (double)(tally->predicted * TRANSFER_WAYS);
}

bool transfer_summary_json(const transfer_tally *tally, clmove_calibration_origin calibration, bool is_sweep) {
    const table_cell cells[] = {
        {"summary", AS_FLAG(true)},
        {"workloads", AS_COUNT(tally->results)},
        {"b_wins", AS_JSON(counts_by_memory(tally, tally->device_wins, TRANSFER_ON_DEVICE))},
        {"b_ties", AS_JSON(counts_by_memory(tally, tally->ties, TRANSFER_ON_DEVICE))},
        {"d_wins", AS_JSON(counts_by_memory(tally, tally->device_wins, TRANSFER_ON_HOST))},
        {"d_ties", AS_JSON(counts_by_memory(tally, tally->ties, TRANSFER_ON_HOST))},
        {"b_from_bytes", AS_JSON(sizes_by_memory(tally, is_sweep, TRANSFER_ON_DEVICE))},
        {"d_from_bytes", AS_JSON(sizes_by_memory(tally, is_sweep, TRANSFER_ON_HOST))},
        {"calibration", AS_JSON(calibration_json(tally, calibration))},
        {"calibration_noise", AS_PERCENT(tally->predicted ? transfer_tally_noise(tally) : -1)},
        {"predicted", AS_COUNT(tally->predicted)},
        {"predicted_within_30_percent", AS_JSON(by_way(tally))},
        {"predicted_all_within_30_percent", AS_COUNT(tally->all_close)},
        {"predictions_within_30_percent", AS_PERCENT(predicted_share(tally))},
        {"on_device_clear", AS_COUNT(tally->clear[TRANSFER_ON_DEVICE])},
        {"on_device_chosen_right", AS_COUNT(tally->right[TRANSFER_ON_DEVICE])},
        {"on_host_clear", AS_COUNT(tally->clear[TRANSFER_ON_HOST])},
        {"on_host_chosen_right", AS_COUNT(tally->right[TRANSFER_ON_HOST])},
    };
    if (table_put(TABLE_CELLS(cells), TABLE_OBJECT, NULL))
        return true;
    failed("what all results say together cannot be written as JSON");
    return false;
}

static void print_sizes(const transfer_tally *tally, transfer_memory with, transfer_wanted wanted, const char *way) {
    char text[16];
    int64_t from = tally->from[with][wanted];
    if (from)
        printf(" %s from %s on", way, bench_bytes_text(from, text));
    else
        printf(" %s not at the largest size", way);
}

static const char *plural(size_t count) {
    return count == 1 ? "" : "s";
}

void transfer_summary_print(const transfer_tally *tally, clmove_calibration_origin calibration, bool is_sweep) {
    printf("\n");
    for (int i = 0; i < TRANSFER_MEMORIES; i++) {
        const char *name = transfer_memory_name((transfer_memory)i);
        if (tally->measured[i] == 0)
            continue;
        const size_t *wins = tally->device_wins[i], *ties = tally->ties[i];
        printf(
            "%s, %zu workload%s: result on the device: b wins %zu, a %zu, %zu even; on the host: d wins %zu, e %zu, %zu even\n",
            name, tally->measured[i], plural(tally->measured[i]), wins[TRANSFER_ON_DEVICE],
            tally->measured[i] - wins[TRANSFER_ON_DEVICE] - ties[TRANSFER_ON_DEVICE], ties[TRANSFER_ON_DEVICE],
            wins[TRANSFER_ON_HOST], tally->measured[i] - wins[TRANSFER_ON_HOST] - ties[TRANSFER_ON_HOST], ties[TRANSFER_ON_HOST]);
        if (is_sweep) {
            printf("%s, by more than 5 %%:", name);
            print_sizes(tally, (transfer_memory)i, TRANSFER_ON_DEVICE, "b faster than a");
            printf(";");
            print_sizes(tally, (transfer_memory)i, TRANSFER_ON_HOST, "d faster than e");
            printf("\n");
        }
    }
    if (tally->predicted > 0) {
        size_t close = 0, of = tally->predicted;
        printf("predicted (%s) within 30 %% of what was measured, of %zu workload%s:\n ",
               calibration == CLMOVE_CALIBRATION_FILE ? "calibration stored" : "calibrated beside each", of, plural(of));
        for (int i = 0; i < TRANSFER_WAYS; i++) {
            printf(" %s %zu,", WAY_NAMES[i], tally->close[i]);
            close += tally->close[i];
        }
        printf(" all at once %zu; of all %zu predictions %zu, %.0f %%\n", tally->all_close, of * TRANSFER_WAYS, close,
               100 * (double)close / (double)(of * TRANSFER_WAYS));
        printf("chosen rightly where ways differ by more than 1.5: on the device %zu of %zu, on the host %zu of %zu\n",
               tally->right[TRANSFER_ON_DEVICE], tally->clear[TRANSFER_ON_DEVICE], tally->right[TRANSFER_ON_HOST],
               tally->clear[TRANSFER_ON_HOST]);
        if (transfer_tally_noise(tally) >= CLMOVE_CALIBRATION_NOISY)
            printf("the machine was busy: while it was calibrated runs of the same differed by %.0f %%\n",
                   100 * transfer_tally_noise(tally));
    }
}
