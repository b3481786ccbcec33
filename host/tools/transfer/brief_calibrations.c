/* See calibrate.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/transfer/brief_calibrations.h"

bool transfer_calibration_take(transfer_calibration *it, const chosen_device *device, clmove_error *error) {
    if (it->seconds <= 0)
        return true;
    if (clmove_device_calibrate(device->device, it->seconds, error) != CLMOVE_OK ||
        figures_get(device->device, &it->found[it->count], error) != CLMOVE_OK)
        return false;
    it->count++;
    return true;
}

bool transfer_calibration_start(transfer_calibration *it, const chosen_device *device, clmove_error *error) {
    if (it->count == 0)
        return transfer_calibration_take(it, device, error);
    it->found[0] = it->found[it->count - 1];
    it->count = 1;
    return true;
}

static double find_middle(double a, double b, double c) {
    double low = a < b ? a : b, high = a < b ? b : a;
    return c < low ? low : c > high ? high : c;
}

/* All have the same keys: they are of one device. */
static void find_median(const figures *a, const figures *b, const figures *c, figures *middle) {
    *middle = *a;
    for (int i = 0; i < a->count; i++)
        for (int k = 0; k < a->all[i].count; k++)
            middle->all[i].values[k] = find_middle(a->all[i].values[k], b->all[i].values[k], c->all[i].values[k]);
}

bool transfer_calibration_settle(const transfer_calibration *it, const chosen_device *device, clmove_error *error) {
    _Static_assert(TRANSFER_PARTS + 1 == 3, "the median of all");
    int last = it->count - 1;
    if (it->seconds <= 0)
        return true;
    figures middle;
    find_median(&it->found[0], &it->found[last < 1 ? last : 1], &it->found[last], &middle);
    return figures_set(device->device, &middle, error) == CLMOVE_OK;
}
