/* Measures a workload in every way that there is from host memory to a result on the device or on the host.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_TRANSFER_MEASURE_H
#define CLMOVE_HOST_TOOLS_TRANSFER_MEASURE_H

#include "host/tools/bench/run.h"
#include "host/tools/transfer/brief_calibrations.h"
#include "host/tools/transfer/memory.h"

/* What is timed with one kind of memory. The ways come first. */
typedef enum transfer_step {
    /* Moved on the host, then the result is uploaded. */
    TRANSFER_A,
    /* The source is uploaded, then moved on the device. */
    TRANSFER_B,
    /* Source and destination stay on the device. */
    TRANSFER_C,
    /* clmove_run on the device, from host memory to host memory. */
    TRANSFER_D,
    /* On the host alone. */
    TRANSFER_E,
    /* The steps of way d one after the other: the sum of their medians. */
    TRANSFER_ONE_BY_ONE,
    TRANSFER_WAYS,
    /* Of way b. */
    TRANSFER_UPLOAD_SRC = TRANSFER_WAYS,
    /* Of way a. */
    TRANSFER_UPLOAD_DST,
    /* Of the destination. */
    TRANSFER_DOWNLOAD,
    /* By the device's clock; negative where that is not known. The same three, way c, and how long each stage of way d was busy.
     */
    TRANSFER_UPLOAD_SRC_EVENT,
    TRANSFER_UPLOAD_DST_EVENT,
    TRANSFER_DOWNLOAD_EVENT,
    TRANSFER_C_EVENT,
    TRANSFER_D_UPLOAD,
    TRANSFER_D_MOVE,
    TRANSFER_D_DOWNLOAD,
    TRANSFER_STEPS
} transfer_step;

typedef struct transfer_result {
    size_t runs;
    bool measured[TRANSFER_MEMORIES];
    /* Way d worked on the caller's memory, and copied nothing. */
    bool d_in_place[TRANSFER_MEMORIES];
    /* Medians, of memory that was measured; c and e are the same in all. */
    double seconds[TRANSFER_MEMORIES][TRANSFER_STEPS];
    /* The three below are filled by the caller of transfer_measure. */
    bool is_predicted;
    /* Seconds; negative: not known. */
    double predicted[TRANSFER_MEMORIES][TRANSFER_STEPS];
    /* The noise of the calibration that the predictions use. */
    double calibration_noise;
} transfer_result;

/* Verifies every way, byte for byte, and measures them in turn, with calibrations before and in between. host: open. Writes
 * *result on BENCH_DONE. As bench_subject_open. */
bench_outcome transfer_measure(const bench_request *asked, const chosen_device *host, const bench_subject *subject,
                               transfer_calibration *calibration, transfer_result *result, char *why);

#endif
