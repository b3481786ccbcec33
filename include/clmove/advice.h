/* clmove: what a movement costs on the host and on a device, and so where to do it.
 *
 * A calibration holds the measured speed of a device and of the host. From it the steps of a plan are predicted, and the ways
 * from one place to another compared. clmove_run on a device opened as auto uses the same predictions.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_ADVICE_H
#define CLMOVE_ADVICE_H

#include <clmove/clmove.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where a tensor is, or work is done: in host memory, by the host executor; or in the device's memory, by the device. */
typedef enum clmove_place { CLMOVE_AT_HOST, CLMOVE_AT_DEVICE } clmove_place;

/* What a calibration measures: seconds until done by the host's clock, for each size. A copy of b bytes reads b and writes b. */
#define CLMOVE_CURVE_LIST(X)                                                                                                     \
    X(HOST_COPY, "host_copy")     /* the host executor copies                                  */                                \
    X(HOST_FILL, "host_fill")     /* the host executor repeats 64 bytes                        */                                \
    X(UPLOAD, "upload")           /* clmove_buffer_write; this and what follows: OpenCL only   */                                \
    X(DOWNLOAD, "download")       /* clmove_buffer_read                                        */                                \
    X(DEVICE_COPY, "device_copy") /* a kernel copies: clmove_enqueue and clmove_device_finish  */                                \
    X(DEVICE_FILL, "device_fill") /* a kernel repeats 64 bytes                                 */                                \
    X(DEVICE_RUN, "device_run")   /* clmove_run of a copy, with all that it takes              */

typedef enum clmove_curve {
#define CLMOVE_CURVE_ENUMERATOR(name, key) CLMOVE_CURVE_##name,
    CLMOVE_CURVE_LIST(CLMOVE_CURVE_ENUMERATOR)
#undef CLMOVE_CURVE_ENUMERATOR
        CLMOVE_CURVES
} clmove_curve;

/* The variants of plans, as clmove_plan_info.variant names them; one that has two speeds is listed twice. */
#define CLMOVE_PATTERN_LIST(X)                                                                                                   \
    X(COPY, "copy")                                                                                                              \
    X(REPEAT, "repeat")                                                                                                          \
    X(ROWS, "rows")                                                                                                              \
    X(DEINTERLEAVE, "deinterleave")                                                                                              \
    X(DEINTERLEAVE_WIDE, "deinterleave_wide") /* blocks of 9 to 16 units */                                                      \
    X(INTERLEAVE, "interleave")                                                                                                  \
    X(GATHER, "gather")                                                                                                          \
    X(BITS, "bits")

typedef enum clmove_pattern {
#define CLMOVE_PATTERN_ENUMERATOR(name, key) CLMOVE_PATTERN_##name,
    CLMOVE_PATTERN_LIST(CLMOVE_PATTERN_ENUMERATOR)
#undef CLMOVE_PATTERN_ENUMERATOR
        CLMOVE_PATTERNS
} clmove_pattern;

enum {
    CLMOVE_CALIBRATION_SIZES = 17, /* size i is CLMOVE_CALIBRATION_LEAST << i bytes: 4 KiB to 256 MiB */
    CLMOVE_CALIBRATION_LEAST = 4096,
    CLMOVE_CALIBRATION_REACHES = 3, /* three working sets, from in the cache to in memory. See clmove_calibration.slowdown */
};

#define CLMOVE_CALIBRATION_NOISY 0.2

/* Where a calibration comes from. */
typedef enum clmove_calibration_origin {
    CLMOVE_CALIBRATION_GUESS,    /* nothing is measured: typical figures of the device's class */
    CLMOVE_CALIBRATION_FILE,     /* the file of clmove_calibration_path */
    CLMOVE_CALIBRATION_MEASURED, /* clmove_device_calibrate */
    CLMOVE_CALIBRATION_GIVEN,    /* clmove_device_set_calibration */
} clmove_calibration_origin;

/* The speed of a device and of the host. Plain data, copied by assignment. What only OpenCL devices have is 0 for the host. */
typedef struct clmove_calibration {
    clmove_calibration_origin origin;
    double launch; /* seconds of a kernel that moves almost nothing, by the host's clock */
    double curves[CLMOVE_CURVES][CLMOVE_CALIBRATION_SIZES]; /* seconds */
    /* The time of a variant over that of copy and fill for the same bytes, launches excluded: at clmove_place, by
     * clmove_pattern, for 8, 32 and 128 MiB read and written together. */
    double slowdown[2][CLMOVE_PATTERNS][CLMOVE_CALIBRATION_REACHES];
    double noise; /* how much equal runs differed: (upper quartile - lower quartile) / median, the median of all measurements.
                     From CLMOVE_CALIBRATION_NOISY on the machine was busy; measure again. 0: not known */
    int32_t measured_sizes[CLMOVE_CURVES]; /* sizes of each curve that were measured, from the least on. Larger ones are
                                              extrapolated, and are far off if only the measured ones fit a cache. 0: not known */
} clmove_calibration;

/* Measures an open device and the host executor, and uses the result from now on. Plans made earlier keep the executor that was
 * chosen for their clmove_run.
 * Shapes and units: seconds of measuring; 0: 2. Everything is measured at least three times, which may take longer. Building
 * programs and allocating memory are not counted. If the memory or the time does not suffice, the largest sizes are extrapolated
 * from the others. *calibration is the result; it may be NULL.
 * Ownership: the caller's *calibration.
 * Errors: INVALID_ARGUMENT (seconds negative or not a number), OUT_OF_MEMORY, BUILD_FAILED, DEVICE_FAILED.
 * Thread-safety: any thread; work of other threads on the device or the host disturbs the measurement. */
CLMOVE_API clmove_status clmove_device_calibrate(clmove_device *device, double seconds, clmove_calibration *calibration,
                                                 clmove_error *error);

/* The calibration that an open device uses: what was measured or given since it was opened, else the file, else a guess.
 * Ownership: the caller's *calibration.
 * Errors: INVALID_ARGUMENT.
 * Thread-safety: any thread. */
CLMOVE_API clmove_status clmove_device_get_calibration(const clmove_device *device, clmove_calibration *calibration,
                                                       clmove_error *error);

/* Uses another calibration from now on; its origin becomes CLMOVE_CALIBRATION_GIVEN. Plans made earlier keep the executor that
 * was chosen for their clmove_run.
 * Ownership: nothing is kept.
 * Errors: INVALID_ARGUMENT (a figure that is not above 0, or above 10^6).
 * Thread-safety: any thread. */
CLMOVE_API clmove_status clmove_device_set_calibration(clmove_device *device, const clmove_calibration *calibration,
                                                       clmove_error *error);

/* Which file clmove_device_open reads calibrations from: the one that the environment variable CLMOVE_CALIBRATION_FILE names
 * (none when it is empty), else clmove/calibration.conf in XDG_CONFIG_HOME (when that is absolute) or HOME/.config, which need
 * not be there. It holds one section for each device, below a header [device NAME | DRIVER], with name and driver as
 * clmove_device_info has them ([device host] for the host); clmove calibrate writes it. If the file is malformed,
 * clmove_device_open logs what is wrong, and the device uses a guess.
 * Shapes and units: writes at most capacity bytes, the final 0 included; "" when there is no such file.
 * Ownership: the caller's path.
 * Errors: INVALID_ARGUMENT (there is no room).
 * Thread-safety: any thread, while none changes the environment. */
CLMOVE_API clmove_status clmove_calibration_path(char *path, size_t capacity, clmove_error *error);

/* The calibration that an open device uses, as the lines below its header in the file.
 * Shapes and units: writes at most capacity bytes, the final 0 included; 8192 are enough.
 * Ownership: the caller's text.
 * Errors: INVALID_ARGUMENT (there is no room).
 * Thread-safety: any thread. */
CLMOVE_API clmove_status clmove_device_get_calibration_text(const clmove_device *device, char *text, size_t capacity,
                                                            clmove_error *error);

/* How long a plan takes, step by step, by the host's clock from a call to its end. */
typedef struct clmove_prediction {
    bool is_calibrated;          /* false: a guess */
    double noise;                /* of the calibration; from CLMOVE_CALIBRATION_NOISY on the machine was busy when it was made */
    bool in_place;               /* clmove_run on the device works on the caller's memory, and copies nothing */
    int64_t read_bytes;          /* of the source, each byte counted once */
    int64_t written_bytes;       /* of the destination */
    double host_seconds;         /* the host executor, from host memory to host memory */
    double device_seconds;       /* from buffer to buffer: clmove_measure */
    double run_seconds;          /* clmove_run on the device, from host memory to host memory */
    double upload_src_seconds;   /* clmove_buffer_write of clmove_map_src_bytes */
    double upload_dst_seconds;   /* and of clmove_map_dst_bytes */
    double download_src_seconds; /* clmove_buffer_read, likewise */
    double download_dst_seconds;
} clmove_prediction;

/* Predicts what a plan takes on its device and on the host, from the device's calibration. Measures nothing. On the host device
 * all moves take host_seconds, and nothing is uploaded or downloaded.
 * Errors: INVALID_ARGUMENT.
 * Thread-safety: any thread. */
CLMOVE_API clmove_status clmove_plan_predict(const clmove_plan *plan, clmove_prediction *prediction, clmove_error *error);

/* One way to move a tensor and bring the result where it is wanted. */
typedef struct clmove_way {
    const char *name;      /* "host", "device", "host, upload", ...: its steps in order. A static string */
    clmove_place moved_at; /* who does the plan's own part */
    double seconds;        /* until it is done: of all steps, less what of them runs at the same time */
    double upload_seconds, move_seconds, download_seconds; /* of each step alone; 0 where there is none */
    int64_t link_bytes;                                    /* copied from host to device and back; 0 in place */
} clmove_way;

/* What to do with a tensor that is in one place, and whose result is wanted in one. */
typedef struct clmove_advice {
    clmove_place from, to;
    bool is_calibrated; /* false: it is a guess, which clmove_device_calibrate would make a measurement */
    size_t count, choice;
    clmove_way ways[2]; /* count of them; ways[choice] is the fastest */
    char reason[512];   /* one sentence with the numbers */
} clmove_advice;

/* Says which way is the fastest for a source in one place and a destination in one: to move on the host and upload the result,
 * or to upload the source and move on the device, for example. Measures nothing. The host device has one way.
 * Ownership: the caller's *advice.
 * Errors: INVALID_ARGUMENT.
 * Thread-safety: any thread. */
CLMOVE_API clmove_status clmove_plan_advise(const clmove_plan *plan, clmove_place from, clmove_place to, clmove_advice *advice,
                                            clmove_error *error);

#ifdef __cplusplus
}
#endif
#endif
