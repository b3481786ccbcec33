/* clmove: devices, which run plans: the host, and all of OpenCL.
 *
 * clmove/clmove.h states what holds for all headers, thread-safety above all.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_DEVICE_H
#define CLMOVE_DEVICE_H

#include <clmove/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An open device: the host, an OpenCL device with the host behind it, or several of these, which share the work of a run. */
typedef struct clmove_device clmove_device;

/* What a device is. */
typedef enum clmove_device_type {
    /* This process's threads, without OpenCL. */
    CLMOVE_DEVICE_HOST,
    /* An OpenCL CPU device, such as POCL's. */
    CLMOVE_DEVICE_CPU,
    /* An OpenCL GPU. */
    CLMOVE_DEVICE_GPU,
    /* Any other OpenCL device. */
    CLMOVE_DEVICE_ACCELERATOR,
    /* Several of these, opened as a list. */
    CLMOVE_DEVICE_SEVERAL,
} clmove_device_type;

/* "host", "cpu", "gpu", "accelerator" or "several"; "unknown" for any other number. A static string. */
CLMOVE_API const char *clmove_device_type_text(clmove_device_type type);

/* The properties of a device. */
typedef struct clmove_device_info {
    /* sizeof(clmove_device_info) */
    size_t struct_size;
    clmove_device_type type;
    /* The index for a selector. -1: the host, or several devices. */
    int64_t index;
    /* Of several devices: their names with " + " between them. */
    char name[128];
    /* The platform's name, the device's OpenCL version, and the driver's version. "": the host. */
    char platform[128];
    char version[128];
    char driver[128];
    /* Of the host: its threads. */
    int64_t compute_units;
    /* 32 or 64. */
    uint32_t address_bits;
    /* As the device reports it, which may be more than the machine has. */
    uint64_t memory_bytes;
    /* The largest single buffer. */
    uint64_t max_alloc_bytes;
    /* The last-level cache. 0: unknown. */
    uint64_t cache_bytes;
    /* The device shares physical memory with the host. In a list: as the driver reports it. Of an open device:
     * clmove_memory_info.shares_host_memory. */
    bool host_unified;
    /* The set of kernels. "clang": for drivers known to compile with clang for a processor. "plain": OpenCL C 1.2, for all
     * others. "": the host. The environment variable CLMOVE_KERNELS forces a set. A static string. */
    const char *kernels;
    /* Why clmove refuses the device: its driver is known to crash or to move wrong bytes. "": it is used. A static string. */
    const char *refused;
} clmove_device_info;

/* Lists every device: the OpenCL devices of all platforms, by index, then the host. Without OpenCL the list has the host alone.
 * Shapes and units: writes at most capacity entries, and the number of devices to *count. infos may be NULL if capacity is 0. The
 * struct_size of the first entry holds for all entries, and is written to all.
 * Ownership: the array is the caller's.
 * Errors: INVALID_ARGUMENT (also for a value that CLMOVE_IN_PLACE, CLMOVE_KERNELS, CLMOVE_PROGRAM_CACHE, CLMOVE_SELF_TEST or
 * CLMOVE_THREADS cannot have). */
CLMOVE_API clmove_status clmove_device_list(clmove_device_info *infos, int64_t capacity, int64_t *count, clmove_error *error);

/* How to open a device. 0 is the default of every field but struct_size. */
typedef struct clmove_device_params {
    /* sizeof(clmove_device_params) */
    size_t struct_size;
    /* auto, host, gpu, cpu, accelerator, an index, or part of a name. auto is a GPU or accelerator if there is one, else the
     * host. With auto, clmove_run goes to that device or to the host, whichever clmove_plan_advise chooses from host to host.
     * NULL or "": the environment variable CLMOVE_DEVICE, or auto. Several with commas between them, such as "0,1,host": each
     * run is cut over all of them. auto stands alone, and commas in a device's name separate nothing. The other fields hold for
     * each of several devices. */
    const char *selector;
    /* Let the host take over when the device fails. auto always does. 0: the call fails. Of several devices the others take over
     * in a run whatever this says; with it, devices of the list that cannot be opened are left out, and the host runs if all
     * fail. */
    bool allow_fallback;
    /* Threads of the host executor; more than 256 count as 256. 0: the environment variable CLMOVE_THREADS, or one for each
     * processor that the process may use. */
    int64_t threads;
    /* Called with one line when the host takes over. Other lines begin with "program cache: " (programs cannot be kept on disk;
     * at most once), "calibration: " (the file with the calibration is malformed; once) or "self-test: " (a program moved
     * wrong bytes, and is not used; once for each program) or "several: " (a device of a list failed, and the others do its
     * work; once for each plan and device). Threads that use the device may call it, also at the same time.
     * NULL: no log. */
    void (*log)(void *user, const char *text);
    /* Passed to log. */
    void *log_user;
    /* Measure times by the device's clock, for clmove_measure and clmove_run_info. 0: they are not known. */
    bool profile;
    /* key=value,key=value with the keys of clmove_device_get_tuning. It overrides the environment variable CLMOVE_TUNING and the
     * user's file. NULL or "": none. */
    const char *tuning;
    /* Bytes that buffers, pools and staging may take together. 0: the environment variable CLMOVE_MEMORY_BUDGET (bytes, or with
     * K, M, G or T for 2^10, 2^20, 2^30 or 2^40), or the available memory. That is what the device reports; if it is the host's
     * own memory, it is the least of this, of what the system has available, and of what the process's control groups leave. */
    uint64_t memory_budget;
} clmove_device_params;

/* Opens a device. If fallback is allowed and the device fails, the host is opened instead; clmove_device_fallback has the reason.
 *
 * A list of devices runs plans from host memory to host memory. Pieces along the outermost axes of the destination go to all of
 * them. If each has a calibration, that decides how much it gets; else each takes the next piece when it is free. Small tensors,
 * and those that cannot be cut into whole bytes there, go to one of them. If a device fails, the others do its pieces, and the
 * plan does not use it any more. A list has no memory, queues, tuning or calibration of its own: functions for these raise
 * INVALID_ARGUMENT.
 * Shapes and units: params may be NULL: all defaults.
 * Ownership: *device is the caller's, to be closed with clmove_device_close. Of params, log and log_user are kept.
 * Errors: INVALID_ARGUMENT (also for a tuning with an unknown key or a value out of bounds; a list with an empty part, auto, or
 * more than 16 devices, or with a device twice; an environment variable with a value that it cannot have), NO_DEVICE,
 * OUT_OF_MEMORY, DEVICE_FAILED.
 * Thread-safety: do not fork a process that has opened an OpenCL device. Drivers, POCL among them, hang in the child. */
CLMOVE_API clmove_status clmove_device_open(const clmove_device_params *params, clmove_device **device, clmove_error *error);

/* Closes a device and sets *device to NULL. NULL and a pointer to NULL are accepted. The call waits for enqueued work, except on
 * a queue of the caller's. Plans, buffers and pools keep the device alive until they are destroyed. */
CLMOVE_API void clmove_device_close(clmove_device **device);

/* The properties of an open device.
 * Errors: INVALID_ARGUMENT. */
CLMOVE_API clmove_status clmove_device_get_info(const clmove_device *device, clmove_device_info *info, clmove_error *error);

/* Why the host was opened instead of the device that the selector means, or because auto found no GPU; or why a list was opened
 * without one of its devices. "": it was not.
 * Ownership: the text lives as long as the device. */
CLMOVE_API const char *clmove_device_fallback(const clmove_device *device);

/* Counters of an open device, since it was opened; of several devices, sums. */
typedef struct clmove_device_stats {
    /* sizeof(clmove_device_stats) */
    size_t struct_size;
    /* OpenCL kernels launched. */
    int64_t kernels_run;
    /* Runs of the host executor, fallbacks among them. */
    int64_t host_runs;
    /* OpenCL programs built from source. */
    int64_t programs_built;
    /* OpenCL programs loaded from disk, where an earlier process kept them. */
    int64_t programs_loaded;
    /* Tests of these programs on small tensors, before their first use. */
    int64_t self_tests;
    /* The time of the tests, including the driver's work for a program's first launch. */
    double self_test_seconds;
} clmove_device_stats;

/* The counters of an open device.
 * Errors: INVALID_ARGUMENT. */
CLMOVE_API clmove_status clmove_device_get_stats(const clmove_device *device, clmove_device_stats *stats, clmove_error *error);

#ifdef __cplusplus
}
#endif
#endif
