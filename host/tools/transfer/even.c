/* See even.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/transfer/even.h"

#include <math.h>

#define MOST 1e15 /* what is later than that is never */

/* Seconds of a way in terms of x, the number that is looked for. */
typedef struct line {
    double fixed, slope;
} line;

/* From which x on, at least 1, what the device does is the faster way. */
static int64_t faster_from(line host, line device) {
    const double fixed = host.fixed - TRANSFER_TIE * device.fixed, slope = host.slope - TRANSFER_TIE * device.slope;
    if (slope <= 0)
        return TRANSFER_NEVER; /* at the latest from some x on */
    double root = -fixed / slope;
    if (root < 1)
        return TRANSFER_ALWAYS;
    return root >= MOST ? TRANSFER_NEVER : (int64_t)floor(root) + 1;
}

/* With x repeats moving takes (1 + x) / (1 + repeats) of what was measured, and uploading the result x / repeats of it. */
int64_t transfer_even_repeats(const transfer_seconds *of, double repeats) {
    const double host = of->host / (1 + repeats), device = of->device / (1 + repeats);
    return faster_from((line){.fixed = host, .slope = host + of->upload_dst / repeats},
                       (line){.fixed = of->upload_src + device, .slope = device});
}

/* Both ways send the same number of bytes over the link, so that each upload is taken to last the mean of both. */
int64_t transfer_even_bytes(const transfer_seconds *of, int64_t bytes) {
    const double upload = (of->upload_src + of->upload_dst) / 2, device = of->device - of->launch;
    return faster_from((line){.slope = (of->host + upload) / (double)bytes},
                       (line){.fixed = of->launch, .slope = (upload + device) / (double)bytes});
}

int64_t transfer_even_moves(const transfer_seconds *of) {
    return faster_from((line){.slope = of->host}, (line){.fixed = of->upload_src, .slope = of->device});
}
