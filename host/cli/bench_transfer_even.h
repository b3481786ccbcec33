/* Where two ways take the same time: worked out from measured seconds, each taken as proportional to its bytes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_CLI_BENCH_TRANSFER_EVEN_H
#define CLMOVE_CLI_BENCH_TRANSFER_EVEN_H

#include <stdint.h>

/* What was measured of one workload, in seconds. */
typedef struct transfer_seconds {
    double host, device;           /* moved by the host, and by the device */
    double launch;                 /* what of device does not depend on the size */
    double upload_src, upload_dst; /* into the device's memory */
} transfer_seconds;

typedef enum transfer_verdict { TRANSFER_NEVER, TRANSFER_ALWAYS, TRANSFER_FROM } transfer_verdict;

/* When uploading the source and moving it on the device is the faster way. */
typedef struct transfer_even {
    transfer_verdict verdict;
    int64_t from; /* TRANSFER_FROM: from this number on */
} transfer_even;

/* Tile, which writes `repeats` bytes for each that it reads: from how many repeats on than moving on the host and uploading the
 * result. Sources of the same size. */
transfer_even transfer_even_repeats(const transfer_seconds *of, double repeats);

/* Operations that write as much as they read: from how many bytes, read and written, on. `bytes` were measured. */
transfer_even transfer_even_bytes(const transfer_seconds *of, int64_t bytes);

/* How often a source that was uploaded once is moved on the device before that took less than moving it as often on the host,
 * each result left where it is made. */
transfer_even transfer_even_moves(const transfer_seconds *of);

#endif
