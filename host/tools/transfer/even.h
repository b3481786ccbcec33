/* From where on one way is faster than another: worked out from measured seconds, each taken as proportional to its bytes. Faster
 * is what is so by more than TRANSFER_TIE: less is noise, and where it lay in one run or the next would decide between never and
 * always.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_TRANSFER_EVEN_H
#define CLMOVE_HOST_TOOLS_TRANSFER_EVEN_H

#include <stdint.h>

/* Two ways of which the slower takes at most this many times as long are even. */
#define TRANSFER_TIE 1.05

/* What was measured of one workload, in seconds. */
typedef struct transfer_seconds {
    /* The seconds that the host takes to move, and the device. */
    double host, device;
    /* The part of `device` that does not depend on the size. */
    double launch;
    /* The seconds of copies into the device's memory. */
    double upload_src, upload_dst;
} transfer_seconds;

/* What follows returns from which number on uploading the source and moving it on the device is the faster way: ALWAYS is from 1
 * on, and NEVER that the other way is faster, or they are even. */
enum { TRANSFER_NEVER = -1, TRANSFER_ALWAYS = 1 };

/* Tile, which writes `repeats` bytes for each that it reads: from how many repeats on than moving on the host and uploading the
 * result. Sources of the same size. */
int64_t transfer_even_repeats(const transfer_seconds *of, double repeats);

/* Operations that write as much as they read: from how many bytes, read and written, on. `bytes` were measured. */
int64_t transfer_even_bytes(const transfer_seconds *of, int64_t bytes);

/* How often a source that was uploaded once is moved on the device before that, the upload included, was faster than moving it as
 * often on the host, each result left where it is made. */
int64_t transfer_even_moves(const transfer_seconds *of);

#endif
