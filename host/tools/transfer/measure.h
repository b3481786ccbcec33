/* Measures a workload in every way that there is from host memory to a result on the device or on the host.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_TRANSFER_MEASURE_H
#define CLMOVE_HOST_TOOLS_TRANSFER_MEASURE_H

#include "host/tools/bench/rounds.h"
#include "host/tools/transfer/calibrate.h"
#include "host/tools/transfer/memory.h"

/* Ways and steps that host memory takes part in, so that its kind matters. */
typedef enum transfer_step {
    TRANSFER_A,                /* way a: moved on the host, then the result is uploaded */
    TRANSFER_B,                /* way b: the source is uploaded, then moved on the device */
    TRANSFER_D,                /* way d: clmove_run on the device */
    TRANSFER_UPLOAD_SRC,       /* of way b */
    TRANSFER_UPLOAD_DST,       /* of way a */
    TRANSFER_DOWNLOAD,         /* of the destination */
    TRANSFER_UPLOAD_SRC_EVENT, /* this and what follows: by the device's clock; negative where that is not known. The same three,
                                */
    TRANSFER_UPLOAD_DST_EVENT,
    TRANSFER_DOWNLOAD_EVENT,
    TRANSFER_D_UPLOAD, /* and how long each stage of way d was busy */
    TRANSFER_D_MOVE,
    TRANSFER_D_DOWNLOAD,
    TRANSFER_STEPS
} transfer_step;

/* What is compared, with one kind of memory: the five ways, and the steps of d one after the other. */
typedef enum transfer_way {
    TRANSFER_WAY_A,
    TRANSFER_WAY_B,
    TRANSFER_WAY_C, /* source and destination stay on the device */
    TRANSFER_WAY_D,
    TRANSFER_WAY_E, /* on the host alone */
    TRANSFER_WAY_STEPS,
    TRANSFER_WAYS
} transfer_way;

typedef struct transfer_result {
    const char *variant;
    int64_t src_bytes, dst_bytes;
    int64_t moved; /* bytes read and written by the operation */
    size_t runs;
    bench_summary device;       /* way c: source and destination stay on the device */
    bench_summary device_event; /* the same by the device's clock; negative when not known */
    bench_summary host;         /* way e: on the host alone */
    struct {
        bool measured;
        bool d_in_place; /* way d worked on the caller's memory, and copied nothing */
        bench_summary of[TRANSFER_STEPS];
    } with[TRANSFER_MEMORIES];
    bool is_predicted;               /* for pageable memory, by transfer_predict: */
    double predicted[TRANSFER_WAYS]; /* seconds */
    double predicted_upload_src, predicted_upload_dst, predicted_launch;
    double calibration_noise; /* of what the predictions go by */
} transfer_result;

/* The median of a way with a kind of memory that was measured. */
double transfer_seconds_of(const transfer_result *result, transfer_memory with, transfer_way way);

/* Who moves: a device, and the host beside it. Both open. */
typedef struct transfer_executors {
    const executor *device, *host;
} transfer_executors;

/* Verifies every way, byte for byte, and measures them in turn, with calibrations before and in between; predictions are
 * transfer_predict's. BENCH_DONE, and fewer than BENCH_LEAST runs: it was ended before there was something to report. Otherwise
 * as bench_subject_open. */
bench_outcome transfer_measure(const transfer_executors *who, const bench_case *one, const bench_settings *settings,
                               transfer_calibration *calibration, transfer_result *result, char *why);

#endif
