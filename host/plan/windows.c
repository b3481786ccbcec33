/* SPDX-License-Identifier: Apache-2.0 */
#include "host/plan/windows.h"

/* Rows that interleave joins, at most. */
#define MOST_JOINED 16

int64_t clm_window_bytes(const clm_normal_form *form) {
    const clm_axis *inner = form->rank > 0 ? &form->axes[form->rank - 1] : NULL;
    bool overlap = false;
    if (!inner || inner->src != 1 || inner->dst != 1 || form->unit_bits < 8)
        return 0;
    for (int32_t i = 0; i < form->rank - 1; i++)
        overlap |= form->axes[i].src != 0 && -inner->extent < form->axes[i].src && form->axes[i].src < inner->extent;
    return overlap ? inner->extent * (form->unit_bits / 8) : 0;
}

bool clm_windows_are_joined(const clm_normal_form *form) {
    bool has_rows = false;
    for (int32_t i = 0; i < form->rank - 1; i++)
        has_rows |= form->axes[i].src == 1;
    return has_rows && form->axes[form->rank - 1].extent <= MOST_JOINED;
}

/* Runs that overlap, as those of a convolution's patches do, are read again while they are in the cache. Squares of 3, 5 and 7
 * units, images of 1 to 4 channels, 32 MB on 2 cores of an Intel Xeon (model 167), GB/s:
 *     bytes of a run                          3    12    24    40    72   120
 *     host, in tiles or copied                2     4    12    28    28    46
 *     host, unit by unit                      3    11    17    39    40    42
 *     host, joined (one channel)             13    28    25    22     -     -
 *     POCL, in tiles or copied                2     5     7    15    18    32
 *     POCL, unit by unit (u8, f32, then f64)  2     7    16    20    25    31
 *     POCL, joined (one channel)              8    29    26    31     -     - */
#define MOST_NEAR_WINDOW 96
bool clm_windows_are_near(const clm_normal_form *form, const clm_traits *traits) {
    const int64_t bytes = traits->takes_rows ? clm_window_bytes(form) : 0;
    if (bytes == 0 || bytes > MOST_NEAR_WINDOW)
        return false;
    return clm_windows_are_joined(form) || form->unit_bits >= 64 || !traits->items_make_tables;
}
