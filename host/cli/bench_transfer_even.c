/* See bench_transfer_even.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "bench_transfer_even.h"

#include <math.h>

#define MOST 1e15 /* what is later than that is never */

/* From where on fixed + slope * x is above 0, x being at least `least`. */
static transfer_even above(double fixed, double slope, double least) {
    if (slope <= 0)
        return (transfer_even){.verdict = TRANSFER_NEVER}; /* at the latest from some size on */
    double root = -fixed / slope;
    if (root < least)
        return (transfer_even){.verdict = TRANSFER_ALWAYS};
    if (root >= MOST)
        return (transfer_even){.verdict = TRANSFER_NEVER};
    return (transfer_even){.verdict = TRANSFER_FROM, .from = (int64_t)floor(root) + 1};
}

/* With x repeats moving takes (1 + x) / (1 + repeats) of what was measured, and uploading the result x / repeats of it:
 *   host * (1 + x) / (1 + repeats) + upload_dst * x / repeats  >  upload_src + device * (1 + x) / (1 + repeats) */
transfer_even transfer_even_repeats(const transfer_seconds *of, double repeats) {
    double gain = (of->host - of->device) / (1 + repeats);
    return above(gain - of->upload_src, gain + of->upload_dst / repeats, 1);
}

/* The same bytes go over the link either way, so only moving decides. */
transfer_even transfer_even_bytes(const transfer_seconds *of, int64_t bytes) {
    return above(-of->launch, (of->host - (of->device - of->launch)) / (double)bytes, 1);
}

transfer_even transfer_even_moves(const transfer_seconds *of) {
    return above(-of->upload_src, of->host - of->device, 1);
}
