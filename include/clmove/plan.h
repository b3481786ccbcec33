/* clmove: plans, which are maps made ready for a device, and runs from host memory to host memory.
 *
 * clmove/clmove.h states what holds for all headers, thread-safety above all.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_PLAN_H
#define CLMOVE_PLAN_H

#include <clmove/device.h>
#include <clmove/map.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- plan ------------------------------------------------------------------------------------------------------- */

/* A map made ready for one device. */
typedef struct clmove_plan clmove_plan;

/* How to make a plan. 0 is the default of every field but struct_size. */
typedef struct clmove_plan_params {
    /* sizeof(clmove_plan_params) */
    size_t struct_size;
    /* Force a variant: UNSUPPORTED if it does not fit. NULL: the first that fits. */
    const char *variant;
    /* Force indices of 32 or 64 bits: UNSUPPORTED if 32 do not suffice. The host always uses 64. 0: 32 if possible, else 64. */
    uint32_t index_bits;
    /* As clmove_device_params.tuning, for this plan alone: it overrides the device's tuning. NULL or "": none. */
    const char *tuning;
} clmove_plan_params;

/* Makes a map ready for a device: normalises it, chooses the variant, and builds the program unless it is built. If fallback is
 * allowed and the device fails, the plan runs on the host; clmove_plan_info.fallback has the reason. A program that the device
 * did not use before moves small tensors first. If it moves a byte wrong, the plan takes 64-bit indices or another variant,
 * unless params forces them. DEVICE_FAILED means that no program is right. If auto chose the host for clmove_run
 * (clmove_plan_info.run_executor), the first call that enqueues the plan builds its program.
 * Shapes and units: params may be NULL: all defaults.
 * Ownership: *plan is the caller's, to be destroyed with clmove_plan_destroy. map and params are not kept.
 * Errors: INVALID_ARGUMENT, UNSUPPORTED, OUT_OF_MEMORY, BUILD_FAILED, DEVICE_FAILED; BAD_SHAPE or OVERFLOW for a map that the
 * functions of clmove/map.h did not make; OVERFLOW also for a tensor of more than PTRDIFF_MAX bytes.
 * Thread-safety: while a program is built, only threads that need the same program wait. */
CLMOVE_API clmove_status clmove_plan_create(clmove_device *device, const clmove_map *map, const clmove_plan_params *params,
                                            clmove_plan **plan, clmove_error *error);

/* Destroys a plan and sets *plan to NULL. NULL and a pointer to NULL are accepted. Enqueued work still completes. */
CLMOVE_API void clmove_plan_destroy(clmove_plan **plan);

/* What moves the bytes: the host's own cores, an OpenCL device, or several devices. */
typedef enum clmove_executor { CLMOVE_EXECUTOR_HOST, CLMOVE_EXECUTOR_OPENCL, CLMOVE_EXECUTOR_SEVERAL } clmove_executor;

/* "host", "opencl" or "several"; "unknown executor" for any other number. A static string. */
CLMOVE_API const char *clmove_executor_text(clmove_executor executor);

/* The properties of a plan. On several devices, variant, unit_bits, index_bits and launches are those of the whole tensor on the
 * first of them that has not failed. */
typedef struct clmove_plan_info {
    /* sizeof(clmove_plan_info) */
    size_t struct_size;
    /* The name of the variant, such as "copy" or "rows". "none": nothing moves. A static string. */
    const char *variant;
    /* What runs the plan, or will when its program is built. */
    clmove_executor executor;
    /* What runs clmove_run: executor, or the host where auto found a GPU and predicts that the host is faster. */
    clmove_executor run_executor;
    /* Bits that are moved at once. */
    uint32_t unit_bits;
    /* 32 or 64. 0: nothing moves. */
    uint32_t index_bits;
    /* clmove_map_src_bytes */
    int64_t src_bytes;
    /* clmove_map_dst_bytes */
    int64_t dst_bytes;
    /* Bytes of the destination that a run writes. Elements below a byte are rounded up. */
    int64_t written_bytes;
    /* Kernels that a run launches. 0: an empty tensor, or the host. */
    int64_t launches;
    /* Short contiguous runs, or many places, keep it below a copy's speed, as clmove_plan_explain says. Predicted times are then
     * lower bounds. */
    bool is_below_copy;
    /* Why the host took over, or the others of several devices. "": they did not. */
    char fallback[512];
} clmove_plan_info;

/* The properties of a plan, as it runs now.
 * Errors: INVALID_ARGUMENT. */
CLMOVE_API clmove_status clmove_plan_get_info(const clmove_plan *plan, clmove_plan_info *info, clmove_error *error);

/* Describes the plan. Four lines say why it is fast or slow: what is contiguous in the source and in the destination, which
 * variant moves it and why no faster one does, how many bytes, and what limits the speed. They begin with "contiguous: ",
 * "variant: ", "bytes: " and "expect: ". After an empty line come the map before and after it was normalised, and the launch.
 * Shapes and units: writes at most capacity bytes, the final 0 included, and cuts a longer text. 4096 suffice for 24 axes.
 * Ownership: the text is the caller's.
 * Errors: INVALID_ARGUMENT. */
CLMOVE_API clmove_status clmove_plan_explain(const clmove_plan *plan, char *text, size_t capacity, clmove_error *error);

/* ---- run ------------------------------------------------------------------------------------------------------- */

/* Moves host memory to host memory, and returns when it is done. A tensor that the device cannot hold is moved in pieces
 * (clmove_run_with). If fallback is allowed and the device fails, the host does the work.
 * Shapes and units: src_bytes and dst_bytes are the sizes of the two memories, at least clmove_map_src_bytes and
 * clmove_map_dst_bytes. Any alignment. Bytes of dst that the map does not write keep their value.
 * Ownership: both memories stay the caller's. They may be NULL if their size is 0. After the return nothing uses them, also on
 * failure.
 * Errors: INVALID_ARGUMENT, BAD_BUFFER (too small, or src and dst overlap), OUT_OF_MEMORY, BUILD_FAILED (a piece needs another
 * program than the whole), DEVICE_FAILED. After a failure a part of dst may be written. */
CLMOVE_API clmove_status clmove_run(clmove_plan *plan, const void *src, size_t src_bytes, void *dst, size_t dst_bytes,
                                    clmove_error *error);

/* The progress of a run. */
typedef struct clmove_progress {
    /* The library's sizeof(clmove_progress). Fields that end beyond it are not there. */
    size_t struct_size;
    /* Bytes read and written, each byte of source and destination counted once. */
    int64_t bytes_done, bytes_total;
    /* Since the run began. */
    double seconds;
} clmove_progress;

/* How a run from host memory to host memory is done. */
typedef enum clmove_run_method {
    /* There was nothing to move. */
    CLMOVE_RUN_NOTHING,
    /* By the host executor. */
    CLMOVE_RUN_HOST,
    /* By kernels on the caller's memory. */
    CLMOVE_RUN_IN_PLACE,
    /* By kernels on device memory, pipelined through pinned host memory. */
    CLMOVE_RUN_STAGED,
    /* By several devices, each of which took pieces and ran them by one of these methods. */
    CLMOVE_RUN_SEVERAL,
} clmove_run_method;

/* "none", "host", "in place", "staged" or "several"; "unknown method" for any other number. A static string. */
CLMOVE_API const char *clmove_run_method_text(clmove_run_method method);

/* What a run did. Times are in seconds, and sums over all pieces. Stages overlap, so that the sum of their times may exceed the
 * time of the run. Negative: not known. */
typedef struct clmove_run_info {
    /* sizeof(clmove_run_info) */
    size_t struct_size;
    clmove_run_method method;
    /* 1: all at once. */
    int64_t pieces;
    /* Bytes that the largest piece reads and writes. */
    int64_t piece_bytes;
    /* Bytes of host and device memory that a staged run used. 0 for other methods. */
    int64_t staging_bytes;
    /* The whole run. */
    double seconds;
    /* Gathering on the host what pieces read, and scattering what they wrote. 0 for methods other than staged and several. */
    double pack_seconds;
    double unpack_seconds;
    /* By the device's clock: known if the device was opened with profile. 0 for methods other than staged and several. */
    double upload_seconds, download_seconds;
    /* By the device's clock, unless the host moved. */
    double move_seconds;
} clmove_run_info;

/* How to run. 0 is the default of every field but struct_size. */
typedef struct clmove_run_params {
    /* sizeof(clmove_run_params) */
    size_t struct_size;
    /* Called after each piece, by the thread that runs; the run waits for its return. false cancels the run. If the host takes
     * over from a device, the progress starts again from 0. Several devices go on meanwhile, and one call may stand for several
     * pieces. NULL: no call. */
    bool (*progress)(void *user, const clmove_progress *progress);
    /* Passed to progress. */
    void *progress_user;
    /* Bytes that a piece may read and write; one unit is always allowed. 0: all at once if that is possible in place and progress
     * is NULL; else the tuning's piece_bytes, or less if more pieces overlap better. */
    int64_t piece_bytes;
    /* Where to write what was done, with its struct_size set; written on success alone. NULL: nowhere. */
    clmove_run_info *info;
    /* Runs the host executor's work on threads of the caller's, such as those of a runtime that calls clmove: calls
     * work(of, part) once or more for each part from 0 to parts - 1, in any order and on any threads, and returns when all calls
     * have returned. Parts are about equally large, and part 0 is the front of the destination in most plans: a thread that
     * always gets the same part keeps it in its cache. Not called by OpenCL devices, several devices, and runs in pieces (with
     * progress or piece_bytes); small work may have one part. NULL: the library's own threads. */
    void (*spread)(void *user, int64_t parts, void (*work)(const void *of, int64_t part), const void *of);
    /* Passed to spread. */
    void *spread_user;
    /* Parts that spread gets at most. 0: as many as the device has threads. */
    int64_t spread_parts;
} clmove_run_params;

/* clmove_run with a progress callback, smaller pieces, or a report of what was done.
 *
 * A device that shares the host's memory works in place, if the addresses and sizes of src and dst are multiples of
 * clmove_memory_info.zero_copy_alignment and zero_copy_multiple. It does not if another run uses a part of src or dst in place,
 * or if a buffer wraps another range of it, or has it mapped. Other devices work on pieces: one piece is moved while the next is
 * uploaded and the one before is downloaded. Pieces are cut along the axis of the map that keeps contiguous runs long on both
 * sides, and their staging fits the device's memory budget. The staging is kept for the next run, and freed when buffers need the
 * memory.
 * Shapes and units: as clmove_run. params may be NULL: all defaults.
 * Ownership: as clmove_run. Nothing of params is kept.
 * Errors: as clmove_run; INVALID_ARGUMENT (params->struct_size, a negative piece_bytes or spread_parts); CANCELLED (progress
 * returned false; the pieces that were done are written, and no work is under way). */
CLMOVE_API clmove_status clmove_run_with(clmove_plan *plan, const void *src, size_t src_bytes, void *dst, size_t dst_bytes,
                                         const clmove_run_params *params, clmove_error *error);

#ifdef __cplusplus
}
#endif
#endif
