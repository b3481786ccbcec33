/* See bench_transfer_calibrate.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/transfer/calibrate.h"

clmove_status transfer_calibration_take(transfer_calibration *it, const executor *device, clmove_error *error) {
    if (it->seconds <= 0)
        return CLMOVE_OK;
    clmove_status status = clmove_device_calibrate(device->device, it->seconds, &it->found[it->count], error);
    it->count += status == CLMOVE_OK;
    return status;
}

clmove_status transfer_calibration_start(transfer_calibration *it, const executor *device, clmove_error *error) {
    if (it->count == 0)
        return transfer_calibration_take(it, device, error);
    it->found[0] = it->found[it->count - 1];
    it->count = 1;
    return CLMOVE_OK;
}

static double find_middle(double a, double b, double c) {
    double low = a < b ? a : b, high = a < b ? b : a;
    return c < low ? low : c > high ? high : c;
}

static clmove_calibration find_median(const clmove_calibration *a, const clmove_calibration *b, const clmove_calibration *c) {
    clmove_calibration found = {.origin = CLMOVE_CALIBRATION_MEASURED,
                                .launch = find_middle(a->launch, b->launch, c->launch),
                                .noise = find_middle(a->noise, b->noise, c->noise)};
    for (int curve = 0; curve < CLMOVE_CURVES; curve++)
        for (int size = 0; size < CLMOVE_CALIBRATION_SIZES; size++)
            found.curves[curve][size] = find_middle(a->curves[curve][size], b->curves[curve][size], c->curves[curve][size]);
    for (int place = 0; place < 2; place++)
        for (int pattern = 0; pattern < CLMOVE_PATTERNS; pattern++)
            for (int reach = 0; reach < CLMOVE_CALIBRATION_REACHES; reach++)
                found.slowdown[place][pattern][reach] = find_middle(
                    a->slowdown[place][pattern][reach], b->slowdown[place][pattern][reach], c->slowdown[place][pattern][reach]);
    return found;
}

clmove_status transfer_calibration_settle(const transfer_calibration *it, const executor *device, clmove_error *error) {
    _Static_assert(TRANSFER_PARTS + 1 == 3, "the median of all");
    int last = it->count - 1;
    if (it->seconds <= 0)
        return CLMOVE_OK;
    const clmove_calibration middle = find_median(&it->found[0], &it->found[last < 1 ? last : 1], &it->found[last]);
    return clmove_device_set_calibration(device->device, &middle, error);
}
