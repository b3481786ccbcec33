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

#define CLMOVE_CALIBRATION_NOISY 0.2

/* Where a calibration comes from. */
typedef enum clmove_calibration_origin {
    CLMOVE_CALIBRATION_GUESS,    /* nothing is measured: typical figures of the device's class */
    CLMOVE_CALIBRATION_FILE,     /* a file: clmove_calibration_path's, or the device's own */
    CLMOVE_CALIBRATION_MEASURED, /* clmove_device_calibrate */
    CLMOVE_CALIBRATION_GIVEN,    /* clmove_device_set_calibration */
} clmove_calibration_origin;

/* How fast a device and the host are known to be. */
typedef struct clmove_calibration_info {
    size_t struct_size; /* sizeof(clmove_calibration_info) */
    clmove_calibration_origin origin;
    double noise; /* how much equal runs differed: (upper quartile - lower quartile) / median, the median of all measurements.
                     From CLMOVE_CALIBRATION_NOISY on the machine was busy; measure again. 0: not known */
} clmove_calibration_info;

/* Measures an open device and the host executor, and uses the result from now on. Plans made earlier keep the executor that was
 * chosen for their clmove_run.
 * Shapes and units: seconds of measuring; 0: 2. Everything is measured at least three times, which may take longer. Building
 * programs and allocating memory are not counted. If the memory or the time does not suffice, the largest sizes are extrapolated
 * from the others.
 * Errors: INVALID_ARGUMENT (seconds negative or not a number), OUT_OF_MEMORY, BUILD_FAILED, DEVICE_FAILED.
 * Thread-safety: work of other threads on the device or the host disturbs the measurement. */
CLMOVE_API clmove_status clmove_device_calibrate(clmove_device *device, double seconds, clmove_error *error);

/* Which calibration an open device uses: what was measured or given since it was opened, else the file, else a guess.
 * Errors: INVALID_ARGUMENT. */
CLMOVE_API clmove_status clmove_device_get_calibration_info(const clmove_device *device, clmove_calibration_info *info,
                                                            clmove_error *error);

/* Its figures, as the lines below the device's header in the file: to keep them, to show them, or to give them again. A line is a
 * key, =, and whole numbers with a space between them; lines that begin with # are comments.
 * Shapes and units: writes at most capacity bytes, the final 0 included; 8192 are enough. Keys that end with _ns are nanoseconds,
 * with _percent hundredths.
 * Ownership: the caller's text.
 * Errors: INVALID_ARGUMENT (there is no room). */
CLMOVE_API clmove_status clmove_device_get_calibration_text(const clmove_device *device, char *text, size_t capacity,
                                                            clmove_error *error);

/* Uses other figures from now on; their origin becomes CLMOVE_CALIBRATION_GIVEN. Plans made earlier keep the executor that was
 * chosen for their clmove_run.
 * Shapes and units: text has all keys that clmove_device_get_calibration_text gives for this device, and no others;
 * measured_sizes may be missing.
 * Ownership: nothing is kept.
 * Errors: INVALID_ARGUMENT (a figure that is not above 0, or above 10^6 seconds or times; a key that is missing, unknown or given
 * twice). */
CLMOVE_API clmove_status clmove_device_set_calibration_text(clmove_device *device, const char *text, clmove_error *error);

/* Which file clmove_device_open reads calibrations from, for all devices: the one that the environment variable
 * CLMOVE_CALIBRATION_FILE names (none when it is empty), else clmove/calibration.conf in XDG_CONFIG_HOME (when that is absolute)
 * or HOME/.config, which need not be there. It is INI, with a section for each device below a header [device NAME | DRIVER], with
 * name and driver as clmove_device_info has them ([device host] for the host). If the file is malformed, clmove_device_open logs
 * what is wrong, and the device uses a guess.
 * Shapes and units: writes at most capacity bytes, the final 0 included; "" when there is no such file.
 * Ownership: the caller's path.
 * Errors: INVALID_ARGUMENT (there is no room).
 * Thread-safety: while no thread changes the environment. */
CLMOVE_API clmove_status clmove_calibration_path(char *path, size_t capacity, clmove_error *error);

/* The file of one device, which is read instead of that one where it is there; clmove calibrate writes it whole. It is in the
 * folder clmove/calibration beside clmove/calibration.conf, and must have the section of the device. Where
 * CLMOVE_CALIBRATION_FILE is set this is the same file as clmove_calibration_path's. All else is as there. */
CLMOVE_API clmove_status clmove_device_get_calibration_path(const clmove_device *device, char *path, size_t capacity,
                                                            clmove_error *error);

/* How long a plan takes, step by step, by the host's clock from a call to its end. */
typedef struct clmove_prediction {
    size_t struct_size;          /* sizeof(clmove_prediction) */
    bool is_calibrated;          /* false: a guess */
    double noise;                /* of the calibration; from CLMOVE_CALIBRATION_NOISY on the machine was busy when it was made */
    bool in_place;               /* clmove_run on the device works on the caller's memory, and copies nothing */
    int64_t read_bytes;          /* of the source, each byte counted once */
    int64_t written_bytes;       /* of the destination */
    double host_seconds;         /* the host executor, from host memory to host memory */
    double device_seconds;       /* from buffer to buffer: clmove_measure */
    double launch_seconds;       /* of these, what launching its kernels takes */
    double run_seconds;          /* clmove_run on the device, from host memory to host memory */
    double upload_src_seconds;   /* clmove_buffer_write of clmove_map_src_bytes */
    double upload_dst_seconds;   /* and of clmove_map_dst_bytes */
    double download_src_seconds; /* clmove_buffer_read, likewise */
    double download_dst_seconds;
} clmove_prediction;

/* Predicts what a plan takes on its device and on the host, from the device's calibration. Measures nothing. On the host device
 * all moves take host_seconds, and nothing is uploaded or downloaded.
 * Errors: INVALID_ARGUMENT. */
CLMOVE_API clmove_status clmove_plan_predict(const clmove_plan *plan, clmove_prediction *prediction, clmove_error *error);

/* The steps from one place to another, in order. The host and the device move; uploads and downloads cross the link. */
#define CLMOVE_STEPS_LIST(X)                                                                                                     \
    X(HOST, "host")                                                                                                              \
    X(HOST_UPLOAD, "host, upload")                                                                                               \
    X(DOWNLOAD_HOST, "download, host")                                                                                           \
    X(DOWNLOAD_HOST_UPLOAD, "download, host, upload")                                                                            \
    X(DEVICE, "device")                                                                                                          \
    X(DEVICE_IN_PLACE, "device, in place") /* on the host's memory */                                                            \
    X(UPLOAD_DEVICE, "upload, device")                                                                                           \
    X(DEVICE_DOWNLOAD, "device, download")                                                                                       \
    X(UPLOAD_DEVICE_DOWNLOAD, "upload, device, download")

typedef enum clmove_steps {
#define CLMOVE_STEPS_ENUMERATOR(name, text) CLMOVE_STEPS_##name,
    CLMOVE_STEPS_LIST(CLMOVE_STEPS_ENUMERATOR)
#undef CLMOVE_STEPS_ENUMERATOR
} clmove_steps;

/* The words for steps, such as "host, upload"; "unknown steps" for any other number. A static string. */
CLMOVE_API const char *clmove_steps_text(clmove_steps steps);

/* One way to move a tensor and bring the result where it is wanted. */
typedef struct clmove_way {
    clmove_steps steps;
    clmove_place moved_at; /* who does the plan's own part */
    double seconds;        /* until it is done: of all steps, less what of them runs at the same time */
    double upload_seconds, move_seconds, download_seconds; /* of each step alone; 0 where there is none */
    int64_t link_bytes;                                    /* copied from host to device and back; 0 in place */
    int64_t reserved[4];                                   /* 0: room to grow, since these stand in an array */
} clmove_way;

#define CLMOVE_MAX_WAYS 4

/* What to do with a tensor that is in one place, and whose result is wanted in one. */
typedef struct clmove_advice {
    size_t struct_size; /* sizeof(clmove_advice) */
    clmove_place from, to;
    bool is_calibrated; /* false: it is a guess, which clmove_device_calibrate would make a measurement */
    char reason[512];   /* one sentence with the numbers */
    size_t count, choice;
    clmove_way ways[CLMOVE_MAX_WAYS]; /* count of them; ways[choice] is the fastest */
} clmove_advice;

/* Says which way is the fastest for a source in one place and a destination in one: to move on the host and upload the result,
 * or to upload the source and move on the device, for example. Measures nothing. The host device has one way.
 * Ownership: the caller's *advice.
 * Errors: INVALID_ARGUMENT. */
CLMOVE_API clmove_status clmove_plan_advise(const clmove_plan *plan, clmove_place from, clmove_place to, clmove_advice *advice,
                                            clmove_error *error);

#ifdef __cplusplus
}
#endif
#endif
