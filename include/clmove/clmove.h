/* clmove: moves tensor data with OpenCL, or on the host.
 *
 * Three verbs. Describe: a clmove_map states which source element each destination element is. Plan: a clmove_plan is a map made
 * ready for one device. Run: a plan moves bytes, any number of times, from any thread. This header includes three
 * others. clmove/buffer.h has device memory, and runs from buffer to buffer. clmove/submit.h has views, wait lists and events.
 * clmove/tuning.h has the parameters of work distribution.
 *
 * Shapes and units: shapes have the outermost dimension first. Ranks, counts of numbers, orders and sizes are int64_t. Sizes
 * count elements unless a name says bytes or bits. Bytes of memory and entries of an array in this process are size_t.
 *
 * Errors: no call prints, exits or aborts. A call that fails returns a status, fills *error if error is not NULL, and writes no
 * other output.
 *
 * Thread-safety: any thread may call any function, also on the same handles; any number of threads may run one plan at once.
 * Memory of the caller that a call writes, such as a clmove_map, must not be used by another thread during the call. Closing or
 * destroying a handle is its last use. This holds for all headers of clmove; a function that requires more states it.
 *
 * Structs that begin with struct_size may be older or newer than the library. The caller sets struct_size to the sizeof of the
 * struct that it was compiled with.
 * - Params: a field that an older struct lacks has its default, which is 0 for every field. A field that is newer than the
 *   library must be 0. A struct_size of 0 is an error.
 * - Outputs: the library fills the fields that it knows and that the struct has room for. It leaves struct_size and all other
 *   fields as they are. A struct_size of 0, as in = {0}, means the struct of the first release of this minor version.
 * - Arrays of outputs: entries lie struct_size apart, so that a struct_size of 0 is an error. clmove_error never grows.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_CLMOVE_H
#define CLMOVE_CLMOVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(CLMOVE_STATIC)
#define CLMOVE_API
#else
#define CLMOVE_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define CLMOVE_VERSION_MAJOR 0
#define CLMOVE_VERSION_MINOR 2
#define CLMOVE_VERSION_PATCH 0

/* The version of the library that is loaded, such as "0.2.0". A static string. */
CLMOVE_API const char *clmove_version(void);

/* ---- errors ---------------------------------------------------------------------------------------------------- */

/* Every status.
 * INVALID_ARGUMENT: NULL, a negative count, an unknown enumerator, an environment variable or a file without a meaning.
 * BAD_SHAPE: a rank, dimension, block size or repeat that the operator does not allow.
 * OVERFLOW: a size does not fit in int64_t bytes.
 * UNSUPPORTED: no single map can express it, or a forced variant or index width does not fit.
 * BAD_BUFFER: too small, of another device, mapped, or overlapping.
 * NO_DEVICE: nothing matches the selector.
 * OUT_OF_MEMORY: of the host, of the device, or beyond the device's limits or budget.
 * BUILD_FAILED: the driver refused a kernel; the text has the build log.
 * DEVICE_FAILED: another OpenCL call failed, or the device moved wrong bytes.
 * CANCELLED: a progress callback returned false. */
#define CLMOVE_STATUS_LIST(X)                                                                                                    \
    X(OK, "ok")                                                                                                                  \
    X(INVALID_ARGUMENT, "invalid argument")                                                                                      \
    X(BAD_SHAPE, "bad shape")                                                                                                    \
    X(OVERFLOW, "overflow")                                                                                                      \
    X(UNSUPPORTED, "unsupported")                                                                                                \
    X(BAD_BUFFER, "bad buffer")                                                                                                  \
    X(NO_DEVICE, "no device")                                                                                                    \
    X(OUT_OF_MEMORY, "out of memory")                                                                                            \
    X(BUILD_FAILED, "build failed")                                                                                              \
    X(DEVICE_FAILED, "device failed")                                                                                            \
    X(CANCELLED, "cancelled")

typedef enum clmove_status {
#define CLMOVE_STATUS_ENUMERATOR(name, text) CLMOVE_##name,
    CLMOVE_STATUS_LIST(CLMOVE_STATUS_ENUMERATOR)
#undef CLMOVE_STATUS_ENUMERATOR
} clmove_status;

/* The text of a status, such as "bad shape"; "unknown status" for any other number. A static string. */
CLMOVE_API const char *clmove_status_text(clmove_status status);

/* Why a call failed. A call that succeeds does not write it. Owned by the caller. */
typedef struct clmove_error {
    /* What the call returned. */
    clmove_status status;
    /* OpenCL's error code. 0: OpenCL was not involved. */
    int32_t device_code;
    /* One sentence with the numbers: "dimension 3 is 7, not a multiple of block size 2". */
    char text[512];
} clmove_error;

/* ---- describe: maps -------------------------------------------------------------------------------------------- */

#define CLMOVE_MAX_RANK 32

/* The specification that decides which arguments are legal and how missing ones are completed. */
typedef enum clmove_rules { CLMOVE_RULES_OPENVINO, CLMOVE_RULES_ONNX } clmove_rules;

/* The order of the new depth. Blocks first: [block, ..., block, C] (ONNX DCR). Depth first: [C, block, ..., block] (ONNX CRD,
 * PyTorch pixel_unshuffle). */
typedef enum clmove_mode { CLMOVE_BLOCKS_FIRST, CLMOVE_DEPTH_FIRST } clmove_mode;

/* An index map: for each element of the destination, the element of the source that it is. Each operator transforms the
 * destination so far, so that calls compose: Tile and then SpaceToDepth are one map. On failure the map is unchanged.
 * Ownership: a value of the caller's, copied by assignment. It needs no other memory, and is not destroyed. */
typedef struct clmove_map {
    /* Private. The functions below write and read it. */
    uint64_t storage[384];
} clmove_map;

/* Starts a map: the destination equals a dense source.
 * Shapes and units: element_bits is 1, 2, 4 or any multiple of 8 (an RGB pixel is 24, complex128 is 128). Elements of 1 bit are
 * packed most significant bit first, of 2 and 4 bits least significant first, as in OpenVINO and ONNX. rank is 0 to
 * CLMOVE_MAX_RANK. dims has rank entries, each at least 0.
 * Ownership: nothing is kept. dims may be NULL if rank is 0.
 * Errors: INVALID_ARGUMENT, BAD_SHAPE, OVERFLOW (the tensor has more than INT64_MAX bytes). */
CLMOVE_API clmove_status clmove_map_init(clmove_map *map, uint32_t element_bits, int64_t rank, const int64_t *dims,
                                         clmove_error *error);

/* Makes the source a strided view: index i is element offset + sum(i[k] * strides[k]) of the source memory. The call must be the
 * first after clmove_map_init.
 * Shapes and units: strides has one entry for each dimension given to clmove_map_init. strides and offset are in elements.
 * Strides of zero (broadcast) and below (reversed) are legal.
 * Ownership: nothing is kept.
 * Errors: INVALID_ARGUMENT (an operator came first, or the view begins before element 0), OVERFLOW.
 * Specification: NumPy as_strided. */
CLMOVE_API clmove_status clmove_map_view_src(clmove_map *map, const int64_t *strides, int64_t offset, clmove_error *error);

/* Makes the destination a strided view. A run does not write the bytes between its elements. The call must be the last: operators
 * after it are refused.
 * Shapes and units: as clmove_map_view_src, with one stride for each dimension of the destination so far. No two elements may
 * share a place. The strides must nest: each is at least the span of all smaller ones together.
 * Ownership: nothing is kept.
 * Errors: INVALID_ARGUMENT (the view begins before element 0), BAD_SHAPE (elements share a place), OVERFLOW.
 * Specification: NumPy as_strided. */
CLMOVE_API clmove_status clmove_map_view_dst(clmove_map *map, const int64_t *strides, int64_t offset, clmove_error *error);

/* Tile: repeats the destination so far along each dimension.
 * Shapes and units: dims[i] becomes dims[i] * repeats[i]. A repeat of 0 makes the result empty. With CLMOVE_RULES_OPENVINO the
 * shorter of repeats and dims gets 1s in front, and a negative repeat counts as 0. With CLMOVE_RULES_ONNX count must equal the
 * rank, and a negative repeat is an error.
 * Ownership: nothing is kept. repeats may be NULL if count is 0.
 * Errors: INVALID_ARGUMENT, BAD_SHAPE, OVERFLOW.
 * Specification: OpenVINO Tile-1; ONNX Tile-6 and Tile-13. */
CLMOVE_API clmove_status clmove_map_tile(clmove_map *map, int64_t count, const int64_t *repeats, clmove_rules rules,
                                         clmove_error *error);

/* Tile along one axis.
 * Shapes and units: dims[axis] becomes dims[axis] * tiles. axis is -rank to rank - 1; a negative one counts from the end.
 * Ownership: nothing is kept.
 * Errors: INVALID_ARGUMENT, BAD_SHAPE (axis out of range, tiles negative), OVERFLOW.
 * Specification: ONNX Tile-1. */
CLMOVE_API clmove_status clmove_map_tile_axis(clmove_map *map, int64_t tiles, int64_t axis, clmove_error *error);

/* SpaceToDepth: moves blocks of the spatial dimensions into depth.
 * Shapes and units: [N, C, D1 .. DK] becomes [N, C * block_size^K, D1 / block_size .. DK / block_size], K at least 1. block_size
 * is at least 1, and each spatial dimension is a multiple of it. CLMOVE_RULES_ONNX requires rank 4 and CLMOVE_BLOCKS_FIRST.
 * Ownership: nothing is kept.
 * Errors: INVALID_ARGUMENT, BAD_SHAPE, OVERFLOW.
 * Specification: OpenVINO SpaceToDepth-1; ONNX SpaceToDepth-1 and -13. */
CLMOVE_API clmove_status clmove_map_space_to_depth(clmove_map *map, int64_t block_size, clmove_mode mode, clmove_rules rules,
                                                   clmove_error *error);

/* DepthToSpace: the inverse of SpaceToDepth.
 * Shapes and units: [N, C, D1 .. DK] becomes [N, C / block_size^K, D1 * block_size .. DK * block_size], K at least 1. block_size
 * is at least 1, and C is a multiple of block_size^K. CLMOVE_RULES_ONNX requires rank 4.
 * Ownership: nothing is kept.
 * Errors: INVALID_ARGUMENT, BAD_SHAPE, OVERFLOW.
 * Specification: OpenVINO DepthToSpace-1; ONNX DepthToSpace-1, -11 and -13. */
CLMOVE_API clmove_status clmove_map_depth_to_space(clmove_map *map, int64_t block_size, clmove_mode mode, clmove_rules rules,
                                                   clmove_error *error);

/* Permutes the dimensions: dimension i of the result is dimension order[i] of the destination so far.
 * Shapes and units: count must equal the rank. order has each of 0 to rank - 1 once.
 * Ownership: nothing is kept. order may be NULL if count is 0.
 * Errors: INVALID_ARGUMENT, BAD_SHAPE.
 * Specification: NumPy transpose, ONNX Transpose, OpenVINO Transpose-1. */
CLMOVE_API clmove_status clmove_map_permute(clmove_map *map, int64_t count, const int64_t *order, clmove_error *error);

/* Gives the destination another shape with the same elements in the same row-major order.
 * Shapes and units: one entry of dims may be -1, and is computed. The number of elements must not change.
 * Ownership: nothing is kept. dims may be NULL if rank is 0.
 * Errors: INVALID_ARGUMENT, BAD_SHAPE, OVERFLOW, UNSUPPORTED (the new shape cuts across dimensions that an earlier step
 * separated, so that no single map expresses it; run the map up to this step, and start another).
 * Specification: NumPy reshape, ONNX Reshape (without its 0 = keep). */
CLMOVE_API clmove_status clmove_map_reshape(clmove_map *map, int64_t rank, const int64_t *dims, clmove_error *error);

/* Broadcasts dimensions of 1 to larger ones, aligned at the last dimension.
 * Shapes and units: with CLMOVE_RULES_OPENVINO rank is at least the map's, and each dimension of the map is 1 or equal to its
 * target. With CLMOVE_RULES_ONNX the target may also be shorter, or have a 1 where the destination so far has more.
 * Ownership: nothing is kept. dims may be NULL if rank is 0.
 * Errors: INVALID_ARGUMENT, BAD_SHAPE, OVERFLOW.
 * Specification: OpenVINO Broadcast-3 in mode numpy, NumPy broadcast_to; ONNX Expand-13. */
CLMOVE_API clmove_status clmove_map_expand(clmove_map *map, int64_t rank, const int64_t *dims, clmove_rules rules,
                                           clmove_error *error);

/* The bits of an element, and the number of dimensions of the destination so far. 0 for NULL. */
CLMOVE_API uint32_t clmove_map_element_bits(const clmove_map *map);
CLMOVE_API int64_t clmove_map_rank(const clmove_map *map);

/* The dimensions of the destination so far, clmove_map_rank of them. NULL for NULL.
 * Ownership: the array is a part of the map, and changes with it. */
CLMOVE_API const int64_t *clmove_map_dims(const clmove_map *map);

/* The bytes of source memory that a run needs, and the bytes from the start of the destination memory to the end of its last
 * element. 0 for NULL. Elements below a byte are rounded up to whole bytes; a run leaves the padding bits of the destination as
 * they are. */
CLMOVE_API int64_t clmove_map_src_bytes(const clmove_map *map);
CLMOVE_API int64_t clmove_map_dst_bytes(const clmove_map *map);

/* ---- plan: devices --------------------------------------------------------------------------------------------- */

/* An open device: the host, or an OpenCL device with the host behind it. */
typedef struct clmove_device clmove_device;
/* A map made ready for one device. */
typedef struct clmove_plan clmove_plan;

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
} clmove_device_type;

/* "host", "cpu", "gpu" or "accelerator"; "unknown" for any other number. A static string. */
CLMOVE_API const char *clmove_device_type_text(clmove_device_type type);

/* The properties of a device. */
typedef struct clmove_device_info {
    /* sizeof(clmove_device_info) */
    size_t struct_size;
    clmove_device_type type;
    /* The index for a selector. -1: the host. */
    int32_t index;
    char name[128];
    /* The platform's name, the device's OpenCL version, and the driver's version. "": the host. */
    char platform[128];
    char version[128];
    char driver[128];
    /* Of the host: its threads. */
    uint32_t compute_units;
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
     * others.
     * "": the host. The environment variable CLMOVE_KERNELS forces a set. A static string. */
    const char *kernels;
    /* Why clmove refuses the device: its driver is known to crash or to move wrong bytes. "": it is used. A static string. */
    const char *refused;
} clmove_device_info;

/* Lists every device: the OpenCL devices of all platforms, by index, then the host. Without OpenCL the list has the host alone.
 * Shapes and units: writes at most capacity entries, and the number of devices to *count. infos may be NULL if capacity is 0. The
 * struct_size of the first entry holds for all entries, and is written to all.
 * Ownership: the array is the caller's.
 * Errors: INVALID_ARGUMENT. */
CLMOVE_API clmove_status clmove_device_list(clmove_device_info *infos, int64_t capacity, int64_t *count, clmove_error *error);

/* How to open a device. 0 is the default of every field but struct_size. */
typedef struct clmove_device_params {
    /* sizeof(clmove_device_params) */
    size_t struct_size;
    /* auto, host, gpu, cpu, accelerator, an index, or part of a name. auto is a GPU or accelerator if there is one, else the
     * host. With auto, clmove_run goes to that device or to the host, whichever clmove_plan_advise chooses from host to host.
     * NULL or "": the environment variable CLMOVE_DEVICE, or auto. */
    const char *selector;
    /* Let the host take over when the device fails. auto always does. 0: the call fails. */
    bool allow_fallback;
    /* Threads of the host executor, at most 256. 0: the environment variable CLMOVE_THREADS, or one for each processor that the
     * process may use. */
    uint32_t threads;
    /* Called with one line when the host takes over. Other lines begin with "program cache: " (programs cannot be kept on disk;
     * at most once), "calibration: " (the file of clmove_calibration_path is malformed; once) or "self-test: " (a program moved
     * wrong bytes, and is not used; once for each program). Any thread that uses the device may call it. NULL: no log. */
    void (*log)(void *user, const char *text);
    /* Passed to log. */
    void *log_user;
    /* Measure times by the device's clock, for clmove_measure and clmove_run_info. 0: they are not known. */
    bool profile;
    /* key=value,key=value with the keys of clmove_device_get_tuning. It overrides the environment variable CLMOVE_TUNING and the
     * user's file. NULL or "": none. */
    const char *tuning;
    /* Bytes that buffers, pools and staging may take together. 0: the environment variable CLMOVE_MEMORY_BUDGET (bytes, or with
     * K, M or G for 2^10, 2^20 or 2^30), or the available memory. That is what the device reports; if it is the host's own
     * memory, it is the least of this, of what the system has available, and of what the process's control groups leave. */
    uint64_t memory_budget;
} clmove_device_params;

/* Opens a device. If fallback is allowed and the device fails, the host is opened instead; clmove_device_fallback has the reason.
 * Shapes and units: params may be NULL: all defaults.
 * Ownership: *device is the caller's, to be closed with clmove_device_close. Of params, log and log_user are kept.
 * Errors: INVALID_ARGUMENT (also for a tuning with an unknown key or a value out of bounds), NO_DEVICE, OUT_OF_MEMORY,
 * DEVICE_FAILED.
 * Thread-safety: do not fork a process that has opened an OpenCL device. Drivers, POCL among them, hang in the child. */
CLMOVE_API clmove_status clmove_device_open(const clmove_device_params *params, clmove_device **device, clmove_error *error);

/* Closes a device and sets *device to NULL. NULL and a pointer to NULL are accepted. The call waits for enqueued work, except on
 * a queue of the caller's. Plans, buffers and pools keep the device alive until they are destroyed. */
CLMOVE_API void clmove_device_close(clmove_device **device);

/* The properties of an open device.
 * Errors: INVALID_ARGUMENT. */
CLMOVE_API clmove_status clmove_device_get_info(const clmove_device *device, clmove_device_info *info, clmove_error *error);

/* Why the host was opened instead of the device that the selector means, or because auto found no GPU. "": it was not.
 * Ownership: the text lives as long as the device. */
CLMOVE_API const char *clmove_device_fallback(const clmove_device *device);

/* Counters of an open device, since it was opened. */
typedef struct clmove_device_stats {
    /* sizeof(clmove_device_stats) */
    size_t struct_size;
    /* OpenCL kernels launched. */
    uint64_t kernels_run;
    /* Runs of the host executor, fallbacks among them. */
    uint64_t host_runs;
    /* OpenCL programs built from source. */
    uint64_t programs_built;
    /* OpenCL programs loaded from disk, where an earlier process kept them. */
    uint64_t programs_loaded;
    /* Tests of these programs on small tensors, before their first use. */
    uint64_t self_tests;
    /* The time of the tests, including the driver's work for a program's first launch. */
    double self_test_seconds;
} clmove_device_stats;

/* The counters of an open device.
 * Errors: INVALID_ARGUMENT. */
CLMOVE_API clmove_status clmove_device_get_stats(const clmove_device *device, clmove_device_stats *stats, clmove_error *error);

/* ---- plan: plans ----------------------------------------------------------------------------------------------- */

/* How to make a plan. 0 is the default of every field but struct_size. */
typedef struct clmove_plan_params {
    /* sizeof(clmove_plan_params) */
    size_t struct_size;
    /* Force a variant: UNSUPPORTED if it does not fit. NULL: the first that fits. */
    const char *variant;
    /* Force indices of 32 or 64 bits: UNSUPPORTED if 32 do not suffice. The host always uses 64. 0: 32 if they suffice, else 64.
     */
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
 * functions above did not make; OVERFLOW also for a tensor of more than PTRDIFF_MAX bytes.
 * Thread-safety: while a program is built, only threads that need the same program wait. */
CLMOVE_API clmove_status clmove_plan_create(clmove_device *device, const clmove_map *map, const clmove_plan_params *params,
                                            clmove_plan **plan, clmove_error *error);

/* Destroys a plan and sets *plan to NULL. NULL and a pointer to NULL are accepted. Enqueued work still completes. */
CLMOVE_API void clmove_plan_destroy(clmove_plan **plan);

/* What moves the bytes: the host's own cores, or an OpenCL device. */
typedef enum clmove_executor { CLMOVE_EXECUTOR_HOST, CLMOVE_EXECUTOR_OPENCL } clmove_executor;

/* "host" or "opencl"; "unknown executor" for any other number. A static string. */
CLMOVE_API const char *clmove_executor_text(clmove_executor executor);

/* The properties of a plan. */
typedef struct clmove_plan_info {
    /* sizeof(clmove_plan_info) */
    size_t struct_size;
    /* The name of the variant, such as "copy" or "rows". A static string. */
    const char *variant;
    /* What runs the plan, or will when its program is built. */
    clmove_executor executor;
    /* What runs clmove_run: executor, or the host where auto found a GPU and predicts that the host is faster. */
    clmove_executor run_executor;
    /* Bits that are moved at once. */
    uint32_t unit_bits;
    /* 32 or 64. */
    uint32_t index_bits;
    /* clmove_map_src_bytes */
    int64_t src_bytes;
    /* clmove_map_dst_bytes */
    int64_t dst_bytes;
    /* Bytes of the destination that a run writes. Elements below a byte are rounded up. */
    int64_t written_bytes;
    /* Kernels that a run launches. 0: an empty tensor, or the host. */
    int64_t launches;
    /* Why the host took over. "": it did not. */
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
    /* sizeof(clmove_progress) of the library: it has the fields that lie within. */
    size_t struct_size;
    /* Bytes read and written, each byte of source and destination counted once. */
    int64_t bytes_done, bytes_total;
    /* Since the run began. */
    double seconds;
} clmove_progress;

/* The way of a run from host memory to host memory. */
typedef enum clmove_run_way {
    /* There was nothing to move. */
    CLMOVE_RUN_NOTHING,
    /* By the host executor. */
    CLMOVE_RUN_HOST,
    /* By kernels on the caller's memory. */
    CLMOVE_RUN_IN_PLACE,
    /* By kernels on device memory, pipelined through pinned host memory. */
    CLMOVE_RUN_STAGED,
} clmove_run_way;

/* "none", "host", "in place" or "staged"; "unknown way" for any other number. A static string. */
CLMOVE_API const char *clmove_run_way_text(clmove_run_way way);

/* What a run did. Times are in seconds, and sums over all pieces. Stages overlap, so that the sum of their times may exceed the
 * time of the run. Negative: not known. */
typedef struct clmove_run_info {
    /* sizeof(clmove_run_info) */
    size_t struct_size;
    clmove_run_way way;
    /* 1: all at once. */
    int64_t pieces;
    /* Bytes that the largest piece reads and writes. */
    int64_t piece_bytes;
    /* Bytes of host and device memory that a staged run used. 0 for other ways. */
    int64_t staging_bytes;
    /* The whole run. */
    double seconds;
    /* Gathering on the host what pieces read, and scattering what they wrote. 0 for ways other than staged. */
    double pack_seconds;
    double unpack_seconds;
    /* By the device's clock: known if the device was opened with profile. 0 for ways other than staged. */
    double upload_seconds, download_seconds;
    /* By the device's clock, unless the host moved. */
    double move_seconds;
} clmove_run_info;

/* How to run. 0 is the default of every field but struct_size. */
typedef struct clmove_run_params {
    /* sizeof(clmove_run_params) */
    size_t struct_size;
    /* Called after each piece, by the thread that runs; the run waits for its return. false cancels the run. If the host takes
     * over from a device, the progress starts again from 0. NULL: no call. */
    bool (*progress)(void *user, const clmove_progress *progress);
    /* Passed to progress. */
    void *progress_user;
    /* Bytes that a piece may read and write; one unit is always allowed. 0: all at once if that is possible in place and progress
     * is NULL; else the tuning's piece_bytes, or less if more pieces overlap better. */
    int64_t piece_bytes;
    /* Where to write what was done, with its struct_size set; written on success alone. NULL: nowhere. */
    clmove_run_info *info;
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
 * Errors: as clmove_run; INVALID_ARGUMENT (params->struct_size, a negative piece_bytes); CANCELLED (progress returned false; the
 * pieces that were done are written, and no work is under way). */
CLMOVE_API clmove_status clmove_run_with(clmove_plan *plan, const void *src, size_t src_bytes, void *dst, size_t dst_bytes,
                                         const clmove_run_params *params, clmove_error *error);

#ifdef __cplusplus
}
#endif

#include <clmove/buffer.h>
#include <clmove/tuning.h>

#endif
