/* How fast a device is, as figures: guessed, checked, and kept as text. What they mean for a movement is cost.h's.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_ADVICE_CALIBRATION_H
#define CLMOVE_HOST_ADVICE_CALIBRATION_H

#include "host/error.h"

#include <clmove/advice.h>

/* What a calibration measures: seconds until done by the host's clock, for each size. A copy of b bytes reads b and writes b. */
#define CLM_CURVE_LIST(X)                                                                                                        \
    X(HOST_COPY, "host_copy")     /* the host executor copies                                  */                                \
    X(HOST_FILL, "host_fill")     /* the host executor repeats 64 bytes                        */                                \
    X(UPLOAD, "upload")           /* clmove_buffer_write; this and what follows: OpenCL only   */                                \
    X(DOWNLOAD, "download")       /* clmove_buffer_read                                        */                                \
    X(DEVICE_COPY, "device_copy") /* a kernel copies: clmove_enqueue and clmove_device_finish  */                                \
    X(DEVICE_FILL, "device_fill") /* a kernel repeats 64 bytes                                 */                                \
    X(DEVICE_RUN, "device_run")   /* clmove_run of a copy, with all that it takes              */

typedef enum clm_curve {
#define CLM_CURVE_ENUMERATOR(name, key) CLM_CURVE_##name,
    CLM_CURVE_LIST(CLM_CURVE_ENUMERATOR)
#undef CLM_CURVE_ENUMERATOR
        CLM_CURVES
} clm_curve;

/* The memory patterns of plans: what clmove_plan_info.variant names, and what differs enough within one. */
#define CLM_PATTERN_LIST(X)                                                                                                      \
    X(COPY, "copy")                                                                                                              \
    X(REPEAT, "repeat")                                                                                                          \
    X(ROWS, "rows")                                                                                                              \
    X(DEINTERLEAVE, "deinterleave")                                                                                              \
    X(DEINTERLEAVE_WIDE, "deinterleave_wide") /* blocks of 9 to 16 units */                                                      \
    X(INTERLEAVE, "interleave")                                                                                                  \
    X(GATHER, "gather")                                                                                                          \
    X(BITS, "bits")

typedef enum clm_pattern {
#define CLM_PATTERN_ENUMERATOR(name, key) CLM_PATTERN_##name,
    CLM_PATTERN_LIST(CLM_PATTERN_ENUMERATOR)
#undef CLM_PATTERN_ENUMERATOR
        CLM_PATTERNS
} clm_pattern;

enum {
    CLM_CALIBRATION_SIZES = 17, /* size i is CLM_CALIBRATION_LEAST << i bytes: 4 KiB to 256 MiB */
    CLM_CALIBRATION_LEAST = 4096,
    CLM_CALIBRATION_REACHES = 3, /* from all in the cache to all from memory. See clm_calibration.slowdown */
};

/* How fast a device and the host beside it are. Plain data, copied by assignment. Whatever is of OpenCL is 0 for the host. */
typedef struct clm_calibration {
    clmove_calibration_origin origin;
    double launch; /* seconds that a kernel takes which does next to nothing, by the host's clock */
    double curves[CLM_CURVES][CLM_CALIBRATION_SIZES]; /* seconds */
    /* How many times as long as copy and fill a pattern takes for the same bytes, launch aside: at clmove_place, by
     * clm_pattern, when 8, 32 and 128 MiB are read and written in all. */
    double slowdown[2][CLM_PATTERNS][CLM_CALIBRATION_REACHES];
    double noise;                      /* clmove_calibration_info.noise */
    double measured_sizes[CLM_CURVES]; /* of each curve, from the least on; larger ones are drawn on from these, and may be
                                              far off where these are in a cache and those are not. 0: not known */
} clm_calibration;

/* The class of a device for a guess. */
typedef enum clm_guess_class { CLM_GUESS_HOST, CLM_GUESS_CPU, CLM_GUESS_UNIFIED, CLM_GUESS_DISCRETE } clm_guess_class;

/* What devices of a class may be like, at orders of magnitude. */
void clm_calibration_guess(clm_calibration *calibration, clm_guess_class class);

/* Raises INVALID_ARGUMENT, naming it, for a figure that is not above 0 or above 10^6. is_host: what is of OpenCL is not looked
 * at. */
clmove_status clm_calibration_check(const clm_calibration *calibration, bool is_host, clmove_error *error);

/* Writes the lines of a device's section of the user's file, cut to capacity. Returns the length that the whole text has. */
size_t clm_calibration_write(const clm_calibration *calibration, bool is_host, char *text, size_t capacity);

/* What text there is: the lines of a device without a header, the file of the device alone, or one for all. */
typedef enum clm_calibration_form { CLM_CALIBRATION_LINES, CLM_CALIBRATION_OWN, CLM_CALIBRATION_OF_ALL } clm_calibration_form;

/* Reads the figures of a device from a text. What sections of others say is not looked at. *is_there: whether there are any, as
 * only a file for all may have none. what: the text, for the sentence. Raises INVALID_ARGUMENT. */
clmove_status clm_calibration_read(const char *text, size_t length, const char *what, const clmove_device_info *device,
                                   clm_calibration_form form, clm_calibration *calibration, bool *is_there, clmove_error *error);

/* Bytes of size i of a curve. */
int64_t clm_calibration_bytes(int size);

/* Bytes that are read and written in all at each reach of clm_calibration.slowdown. */
int64_t clm_reach_bytes(int reach);

/* The key of a curve or a pattern in the file. */
const char *clm_curve_name(clm_curve curve);
const char *clm_pattern_name(clm_pattern pattern);

#endif
