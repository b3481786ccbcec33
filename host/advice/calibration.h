/* The figures of a calibration: guessed, written and read as text. cost.h computes times from them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_ADVICE_CALIBRATION_H
#define CLMOVE_HOST_ADVICE_CALIBRATION_H

#include "host/error.h"

#include <clmove/advice.h>

/* The curves of a calibration: seconds by the host's clock for each size. A copy of b bytes reads b and writes b. All curves but
 * the first two are for OpenCL devices alone. HOST_COPY, HOST_FILL: the host executor copies, or repeats 64 bytes. UPLOAD,
 * DOWNLOAD: clmove_buffer_write, clmove_buffer_read. DEVICE_COPY, DEVICE_FILL: a kernel copies, or repeats 64 bytes:
 * clmove_enqueue and clmove_device_finish. DEVICE_RUN: clmove_run of a copy. */
#define CLM_CURVE_LIST(X)                                                                                                        \
    X(HOST_COPY, "host_copy")                                                                                                    \
    X(HOST_FILL, "host_fill")                                                                                                    \
    X(UPLOAD, "upload")                                                                                                          \
    X(DOWNLOAD, "download")                                                                                                      \
    X(DEVICE_COPY, "device_copy")                                                                                                \
    X(DEVICE_FILL, "device_fill")                                                                                                \
    X(DEVICE_RUN, "device_run")

/* See CLM_CURVE_LIST. */
typedef enum clm_curve {
#define CLM_CURVE_ENUMERATOR(name, key) CLM_CURVE_##name,
    CLM_CURVE_LIST(CLM_CURVE_ENUMERATOR)
#undef CLM_CURVE_ENUMERATOR
        CLM_CURVES
} clm_curve;

/* The memory patterns of the cost model: the variants of clmove_plan_info but two_passes, with blocks of 9 to 16 units (wide)
 * apart. */
#define CLM_PATTERN_LIST(X)                                                                                                      \
    X(COPY, "copy")                                                                                                              \
    X(LOCAL, "local")                                                                                                            \
    X(PERIOD, "period")                                                                                                          \
    X(REPEAT, "repeat")                                                                                                          \
    X(SHUFFLE, "shuffle")                                                                                                        \
    X(ROWS, "rows")                                                                                                              \
    X(TRANSPOSE_RUNS, "transpose_runs")                                                                                          \
    X(TRANSPOSE, "transpose")                                                                                                    \
    X(DEINTERLEAVE, "deinterleave")                                                                                              \
    X(DEINTERLEAVE_WIDE, "deinterleave_wide")                                                                                    \
    X(INTERLEAVE, "interleave")                                                                                                  \
    X(GATHER, "gather")                                                                                                          \
    X(BITS, "bits")

/* See CLM_PATTERN_LIST. */
typedef enum clm_pattern {
#define CLM_PATTERN_ENUMERATOR(name, key) CLM_PATTERN_##name,
    CLM_PATTERN_LIST(CLM_PATTERN_ENUMERATOR)
#undef CLM_PATTERN_ENUMERATOR
        CLM_PATTERNS
} clm_pattern;

enum {
    /* Size i is CLM_CALIBRATION_LEAST << i bytes: 4 KiB to 256 MiB. */
    CLM_CALIBRATION_SIZES = 17,
    CLM_CALIBRATION_LEAST = 4096,
    /* The working sets of clm_calibration.slowdown, from one that is in the cache to one that is not. */
    CLM_CALIBRATION_WORKING_SETS = 3,
};

/* The speed of a device and of the host. Plain data, copied by assignment. For the host device all figures of OpenCL are 0. */
typedef struct clm_calibration {
    clmove_calibration_origin origin;
    /* Seconds of a kernel that moves almost nothing, by the host's clock. */
    double launch;
    /* In seconds. */
    double curves[CLM_CURVES][CLM_CALIBRATION_SIZES];
    /* The time of a pattern divided by the time of a copy and a fill of the same bytes, both without the launch. Indices:
     * clmove_place, clm_pattern, and the working set of 8, 32 and 128 MiB read and written in all. */
    double slowdown[2][CLM_PATTERNS][CLM_CALIBRATION_WORKING_SETS];
    /* clmove_calibration_info.noise */
    double noise;
    /* The number of sizes of each curve that were measured, from the least on. Larger sizes are extrapolated, and may be far off
     * if the measured working sets are in a cache and the larger ones are not. 0: not known. */
    double measured_sizes[CLM_CURVES];
} clm_calibration;

/* The class of a device for a guess. */
typedef enum clm_guess_class { CLM_GUESS_HOST, CLM_GUESS_CPU, CLM_GUESS_UNIFIED, CLM_GUESS_DISCRETE } clm_guess_class;

/* Fills typical figures of a class, right in their order of magnitude. */
void clm_calibration_guess(clm_calibration *calibration, clm_guess_class class);

/* Room for what clm_calibration_write writes. */
enum { CLM_CALIBRATION_TEXT = 8192 };

/* Writes the lines of a device's section of the user's file. Figures beyond the bounds of clm_calibration_read become these.
 * Returns the length. is_host: figures of OpenCL are left out. */
size_t clm_calibration_write(const clm_calibration *calibration, bool is_host, char text[CLM_CALIBRATION_TEXT]);

/* What text there is: the lines of a device without a header, the file of the device alone, or one for all. */
typedef enum clm_calibration_form { CLM_CALIBRATION_LINES, CLM_CALIBRATION_OWN, CLM_CALIBRATION_OF_ALL } clm_calibration_form;

/* Reads the figures of a device from a text: seconds and slowdowns above 0 and up to 10^6. What sections of others say is not
 * looked at. *calibration is left alone if a file for all has no section of the device. what: the text, for the sentence. Raises
 * INVALID_ARGUMENT. */
clmove_status clm_calibration_read(const char *text, size_t length, const char *what, const clmove_device_info *device,
                                   clm_calibration_form form, clm_calibration *calibration, clmove_error *error);

/* The bytes of a size of a curve. size: 0 to CLM_CALIBRATION_SIZES - 1. */
static inline int64_t clm_calibration_bytes(int size) {
    return (int64_t)CLM_CALIBRATION_LEAST << size;
}

/* The bytes read and written in all by a working set of clm_calibration.slowdown. set: 0 to CLM_CALIBRATION_WORKING_SETS - 1. */
static inline int64_t clm_working_set_bytes(int set) {
    return (INT64_C(8) << 20) << 2 * set;
}

/* The keys of patterns in the file. */
extern const char *const clm_pattern_names[CLM_PATTERNS];

#endif
