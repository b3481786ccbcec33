/* clmove: predicts how long a plan takes on the host and on a device, and compares the ways to run it.
 *
 * A calibration is the measured speed of a device and of the host. The predictions are computed from it. clmove_run on a device
 * that was opened as auto uses the same predictions.
 *
 * clmove/clmove.h states what holds for all headers, thread-safety above all.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_ADVICE_H
#define CLMOVE_ADVICE_H

#include <clmove/clmove.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The place of a tensor or of work: host memory and the host executor, or the device's memory and the device. */
typedef enum clmove_place { CLMOVE_AT_HOST, CLMOVE_AT_DEVICE } clmove_place;

/* If the noise of a calibration is this or more, the machine was busy. */
#define CLMOVE_CALIBRATION_NOISY 0.2

/* The origin of a calibration. */
typedef enum clmove_calibration_origin {
    /* Typical figures of the device's class; nothing is measured. */
    CLMOVE_CALIBRATION_GUESS,
    /* A file: of clmove_calibration_path, of clmove_device_get_calibration_path, or one that was loaded. */
    CLMOVE_CALIBRATION_FROM_FILE,
    /* clmove_device_calibrate */
    CLMOVE_CALIBRATION_MEASURED,
    /* clmove_device_set_calibration_text */
    CLMOVE_CALIBRATION_GIVEN,
} clmove_calibration_origin;

/* The properties of a calibration. */
typedef struct clmove_calibration_info {
    /* sizeof(clmove_calibration_info) */
    size_t struct_size;
    clmove_calibration_origin origin;
    /* The difference of equal runs: (upper quartile - lower quartile) / median, and of these the median over all measurements.
     * From CLMOVE_CALIBRATION_NOISY on, measure again. 0: not known. */
    double noise;
} clmove_calibration_info;

/* Measures an open device and the host executor. The device uses the result from now on; existing plans keep the executor that
 * was chosen for their clmove_run.
 * Shapes and units: seconds of measuring in all, at most 3600; 0: 2. Everything is measured at least three times, which may take
 * longer. Building programs and allocating memory are not counted. Where memory or time is short, large sizes are extrapolated.
 * Errors: INVALID_ARGUMENT (seconds negative, above 3600, or not a number), OUT_OF_MEMORY, BUILD_FAILED, DEVICE_FAILED.
 * Thread-safety: work of other threads on the device or the host disturbs the measurement. */
CLMOVE_API clmove_status clmove_device_calibrate(clmove_device *device, double seconds, clmove_error *error);

/* The calibration of an open device: the one that was measured, given or loaded last, else the file's, else a guess.
 * Errors: INVALID_ARGUMENT. */
CLMOVE_API clmove_status clmove_device_get_calibration_info(const clmove_device *device, clmove_calibration_info *info,
                                                            clmove_error *error);

/* The figures of the calibration as text, in the form of a section of the file without its header. A line is a key, =, and whole
 * numbers with spaces between them. Lines that begin with # are comments.
 * Shapes and units: writes at most capacity bytes, the final 0 included; 8192 suffice. Keys that end with _ns are nanoseconds,
 * with _percent hundredths.
 * Ownership: the text is the caller's.
 * Errors: INVALID_ARGUMENT (the text does not fit). */
CLMOVE_API clmove_status clmove_device_get_calibration_text(const clmove_device *device, char *text, size_t capacity,
                                                            clmove_error *error);

/* Sets the figures of the calibration; the origin becomes CLMOVE_CALIBRATION_GIVEN. Existing plans keep the executor that was
 * chosen for their clmove_run.
 * Shapes and units: text has the keys that clmove_device_get_calibration_text writes for this device, and no others.
 * Ownership: nothing is kept.
 * Errors: INVALID_ARGUMENT (a figure that is not above 0, or above 10^6 seconds or times; a key that is missing, unknown or given
 * twice). */
CLMOVE_API clmove_status clmove_device_set_calibration_text(clmove_device *device, const char *text, clmove_error *error);

/* The file from which clmove_device_open reads calibrations of all devices that have no file of their own. It is the one that the
 * environment variable CLMOVE_CALIBRATION_FILE names; an empty variable means no file. Without the variable it is
 * clmove/calibration.conf in XDG_CONFIG_HOME, if that is an absolute path, or in HOME/.config. The file need not exist.
 *
 * The file has a section for each device, below a header [device NAME | DRIVER]. Name and driver are those of clmove_device_info;
 * for the host the header is [device host]. If the file is malformed, clmove_device_open logs the fault, and the device uses a
 * guess.
 * Shapes and units: writes at most capacity bytes, the final 0 included. "": there is no such file.
 * Ownership: path is the caller's.
 * Errors: INVALID_ARGUMENT (the path does not fit). */
CLMOVE_API clmove_status clmove_calibration_path(char *path, size_t capacity, clmove_error *error);

/* The file of one device, which is read in place of clmove_calibration_path's if it exists. clmove calibrate and
 * clmove_device_save_calibration write it whole. It is in the folder clmove/calibration beside clmove/calibration.conf, and must
 * have the section of the device. If the variable CLMOVE_CALIBRATION_FILE is set, this is the file that it names.
 * Shapes and units, ownership: as clmove_calibration_path.
 * Errors: INVALID_ARGUMENT (NULL, the path does not fit). */
CLMOVE_API clmove_status clmove_device_get_calibration_path(const clmove_device *device, char *path, size_t capacity,
                                                            clmove_error *error);

/* Writes the calibration to a file, from which clmove_device_open and clmove_device_load_calibration read it. Folders above the
 * file are made for this user alone. The file is replaced whole, in one step; on failure it is as it was. path NULL: the file of
 * clmove_device_get_calibration_path.
 * Ownership: nothing is kept.
 * Errors: INVALID_ARGUMENT (the calibration is a guess; there is no file to write; the file cannot be written, is no regular
 * file, is malformed, or has sections of other devices, which would be lost), OUT_OF_MEMORY. */
CLMOVE_API clmove_status clmove_device_save_calibration(const clmove_device *device, const char *path, clmove_error *error);

/* Reads the calibration from the section of this device in a file. The origin becomes CLMOVE_CALIBRATION_FROM_FILE. Existing
 * plans keep the executor that was chosen for their clmove_run. path NULL: the file of clmove_device_get_calibration_path.
 * Ownership: nothing is kept.
 * Errors: INVALID_ARGUMENT (the file is not there, cannot be read, is malformed, or has no section of this device),
 * OUT_OF_MEMORY. */
CLMOVE_API clmove_status clmove_device_load_calibration(clmove_device *device, const char *path, clmove_error *error);

/* The time of each step of a plan, in seconds by the host's clock from a call to its end. */
typedef struct clmove_prediction {
    /* sizeof(clmove_prediction) */
    size_t struct_size;
    /* false: the calibration is a guess. */
    bool is_calibrated;
    /* clmove_calibration_info.noise */
    double noise;
    /* clmove_run on the device works on the caller's memory, and copies nothing. */
    bool in_place;
    /* Bytes read, each byte of the source counted once. */
    int64_t read_bytes;
    /* Bytes of the destination that are written. */
    int64_t written_bytes;
    /* The host executor, from host memory to host memory. */
    double host_seconds;
    /* The device, from buffer to buffer, as clmove_measure. */
    double device_seconds;
    /* The part of device_seconds that launches take. */
    double launch_seconds;
    /* clmove_run on the device, from host memory to host memory. */
    double run_seconds;
    /* clmove_buffer_write of clmove_map_src_bytes, and of clmove_map_dst_bytes. */
    double upload_src_seconds;
    double upload_dst_seconds;
    /* clmove_buffer_read of the same. */
    double download_src_seconds;
    double download_dst_seconds;
} clmove_prediction;

/* Predicts the time of a plan on its device and on the host, from the device's calibration. Measures nothing. On the host device
 * all runs take host_seconds, and uploads and downloads take 0.
 * Ownership: *prediction is the caller's.
 * Errors: INVALID_ARGUMENT. */
CLMOVE_API clmove_status clmove_plan_predict(const clmove_plan *plan, clmove_prediction *prediction, clmove_error *error);

/* The steps from one place to another, in order. "host" and "device" run the plan. Uploads and downloads copy over the link.
 * "device, in place" runs on host memory. */
#define CLMOVE_STEPS_LIST(X)                                                                                                     \
    X(HOST, "host")                                                                                                              \
    X(HOST_UPLOAD, "host, upload")                                                                                               \
    X(DOWNLOAD_HOST, "download, host")                                                                                           \
    X(DOWNLOAD_HOST_UPLOAD, "download, host, upload")                                                                            \
    X(DEVICE, "device")                                                                                                          \
    X(DEVICE_IN_PLACE, "device, in place")                                                                                       \
    X(UPLOAD_DEVICE, "upload, device")                                                                                           \
    X(DEVICE_DOWNLOAD, "device, download")                                                                                       \
    X(UPLOAD_DEVICE_DOWNLOAD, "upload, device, download")

/* See CLMOVE_STEPS_LIST. */
typedef enum clmove_steps {
#define CLMOVE_STEPS_ENUMERATOR(name, text) CLMOVE_STEPS_##name,
    CLMOVE_STEPS_LIST(CLMOVE_STEPS_ENUMERATOR)
#undef CLMOVE_STEPS_ENUMERATOR
} clmove_steps;

/* The text of steps, such as "host, upload"; "unknown steps" for any other number. A static string. */
CLMOVE_API const char *clmove_steps_text(clmove_steps steps);

/* One way to run a plan and to bring the result to its place. */
typedef struct clmove_way {
    clmove_steps steps;
    /* The place where the plan runs. */
    clmove_place moved_at;
    /* Until the result is there: the sum of the steps, less the time for which they overlap. */
    double seconds;
    /* Each step alone. 0: the way has no such step. */
    double upload_seconds, move_seconds, download_seconds;
    /* Bytes copied between host and device. 0: in place. */
    int64_t link_bytes;
    /* 0: room to grow, since ways are in an array. */
    int64_t reserved[4];
} clmove_way;

#define CLMOVE_MAX_WAYS 4

/* The ways to run a plan for a source in one place and a result that is wanted in one. */
typedef struct clmove_advice {
    /* sizeof(clmove_advice) */
    size_t struct_size;
    clmove_place from, to;
    /* false: the calibration is a guess. */
    bool is_calibrated;
    /* One sentence with the numbers. */
    char reason[512];
    /* The number of ways, and the index of the fastest. */
    int64_t count, choice;
    clmove_way ways[CLMOVE_MAX_WAYS];
} clmove_advice;

/* Compares the ways to run a plan, and chooses the fastest: for example, run on the host and upload the result, or upload the
 * source and run on the device. Measures nothing. The host device has one way.
 * Ownership: *advice is the caller's.
 * Errors: INVALID_ARGUMENT. */
CLMOVE_API clmove_status clmove_plan_advise(const clmove_plan *plan, clmove_place from, clmove_place to, clmove_advice *advice,
                                            clmove_error *error);

#ifdef __cplusplus
}
#endif
#endif
