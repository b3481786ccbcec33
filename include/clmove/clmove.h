/* clmove: moves tensor data with OpenCL, or on the host.
 *
 * Three verbs. Describe: a clmove_map says which source element each destination element is. Plan: a clmove_plan is a map
 * made ready for one device. Run: a plan moves bytes, any number of times, from any thread.
 * This header includes two others: clmove/buffer.h has device memory and runs from buffer to buffer, clmove/tuning.h the
 * parameters that decide how work is cut.
 *
 * Shapes are outermost dimension first. Ranks, counts of numbers, orders and sizes are int64_t, and sizes count elements unless a
 * name says bytes or bits; what is in this process's memory, be it bytes or entries of an array, is size_t. No call prints, exits
 * or aborts; a call that fails returns a status, fills *error when it is not NULL, and writes no other output.
 *
 * Threads: any thread may call any function, on the same handles too; a plan may be run from any number of threads at once. What
 * a call writes in the caller's memory, a clmove_map among it, no other thread may use meanwhile. Closing or destroying a handle
 * is its last use. This holds for all of clmove's headers; where a function asks for more, its comment says so.
 *
 * A struct that begins with struct_size may be older or newer than the library: the caller sets struct_size to the sizeof of the
 * struct that it was compiled with. Of params, fields that an older struct lacks have their default, 0, and fields that are newer
 * than the library must be 0. An output is filled as far as it has room; its struct_size and the fields that the library does
 * not know stay as they are. A struct_size of 0, as = {0} makes it, is taken as that of the first release of this minor version
 * in a single output; in params, and in an array, whose entries lie struct_size apart, it is an error. clmove_error never grows.
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

/* The version of the library that runs, as "0.2.0". A static string. */
CLMOVE_API const char *clmove_version(void);

/* ---- errors ---------------------------------------------------------------------------------------------------- */

/* Every status, with what the caller can do about it. */
#define CLMOVE_STATUS_LIST(X)                                                                                                    \
    X(OK, "ok")                                                                                                                  \
    X(INVALID_ARGUMENT, "invalid argument") /* NULL, a negative count, an unknown enumerator   */                                \
    X(BAD_SHAPE, "bad shape")               /* rank, dimension, block size or repeats not legal */                               \
    X(OVERFLOW, "overflow")                 /* a size does not fit in int64_t bytes             */                               \
    X(UNSUPPORTED, "unsupported")           /* no single map can express it, or what is forced does not fit */                   \
    X(BAD_BUFFER, "bad buffer")             /* too small, of another device, or overlapping     */                               \
    X(NO_DEVICE, "no device")               /* nothing matches the selector                     */                               \
    X(OUT_OF_MEMORY, "out of memory")       /* host or device memory, or the device's limits    */                               \
    X(BUILD_FAILED, "build failed")         /* the driver refused a kernel                      */                               \
    X(DEVICE_FAILED, "device failed")       /* any other OpenCL call failed, or wrong bytes      */                              \
    X(CANCELLED, "cancelled")               /* a progress callback asked for it                 */

typedef enum clmove_status {
#define CLMOVE_STATUS_ENUMERATOR(name, text) CLMOVE_##name,
    CLMOVE_STATUS_LIST(CLMOVE_STATUS_ENUMERATOR)
#undef CLMOVE_STATUS_ENUMERATOR
} clmove_status;

/* The words for a status, such as "bad shape"; "unknown status" for any other number. A static string. */
CLMOVE_API const char *clmove_status_text(clmove_status status);

/* What went wrong, filled by a call that failed; a call that succeeds leaves it alone. Owned by the caller. */
typedef struct clmove_error {
    clmove_status status;
    int32_t device_code; /* the OpenCL error code, 0 when OpenCL was not involved */
    char text[512];      /* one sentence with the numbers: "dimension 3 is 7, not a multiple of block size 2" */
} clmove_error;

/* ---- describe: maps -------------------------------------------------------------------------------------------- */

#define CLMOVE_MAX_RANK 32

/* Whose rules decide what is legal and how missing arguments are completed. */
typedef enum clmove_rules { CLMOVE_RULES_OPENVINO, CLMOVE_RULES_ONNX } clmove_rules;

/* Order of the new depth: blocks_first is [block, ..., block, C] (ONNX DCR), depth_first is [C, block, ..., block]
 * (ONNX CRD, PyTorch pixel_unshuffle). */
typedef enum clmove_mode { CLMOVE_BLOCKS_FIRST, CLMOVE_DEPTH_FIRST } clmove_mode;

/* An index map: for each element of the destination, the element of the source that it is. A value, owned by the caller and
 * copied by assignment: it needs no memory and is not destroyed. What it holds is private, with room to grow; the functions below
 * write and read it. Each operator transforms the destination so far, so calls compose into one map: Tile then SpaceToDepth is
 * one movement. On failure the map is as it was. */
typedef struct clmove_map {
    uint64_t storage[384]; /* private */
} clmove_map;

/* Starts a map: the destination equals a dense source.
 * Shapes and units: element_bits is 1, 2, 4 or any multiple of 8 (an RGB pixel is 24, complex128 is 128); elements of 1 bit are
 * packed most significant bit first, of 2 and 4 bits least significant first, as OpenVINO and ONNX do. rank is 0 to
 * CLMOVE_MAX_RANK; dims has rank entries, each at least 0.
 * Ownership: nothing is kept; dims may be NULL when rank is 0.
 * Errors: INVALID_ARGUMENT, BAD_SHAPE, OVERFLOW (the tensor has more than INT64_MAX bytes). */
CLMOVE_API clmove_status clmove_map_init(clmove_map *map, uint32_t element_bits, int64_t rank, const int64_t *dims,
                                         clmove_error *error);

/* Makes the source a strided view: index i lies at element offset + sum(i[k] * strides[k]) of the source memory.
 * Shapes and units: strides has one entry for each dimension given to clmove_map_init, in elements; zero (broadcast) and
 * negative (reversed) strides are legal; offset is in elements. Must come right after clmove_map_init.
 * Ownership: nothing is kept.
 * Errors: INVALID_ARGUMENT (an operator came first, or the view begins before element 0), OVERFLOW. */
CLMOVE_API clmove_status clmove_map_view_src(clmove_map *map, const int64_t *strides, int64_t offset, clmove_error *error);

/* Makes the destination a strided view, with bytes between its elements left untouched.
 * Shapes and units: as clmove_map_view_src, one stride for each dimension of the destination now. No two elements may share a
 * place, and the strides must nest (each at least as large as the span of the smaller ones together). Must come last: operators
 * after it are refused.
 * Ownership: nothing is kept.
 * Errors: INVALID_ARGUMENT (begins before element 0), BAD_SHAPE (elements share a place), OVERFLOW. */
CLMOVE_API clmove_status clmove_map_view_dst(clmove_map *map, const int64_t *strides, int64_t offset, clmove_error *error);

/* Tile: repeats the destination so far along each dimension.
 * Shapes and units: dims[i] becomes dims[i] * repeats[i]; a repeat of 0 makes the result empty. With CLMOVE_RULES_OPENVINO the
 * shorter of repeats and dims is promoted with 1s in front, and a negative repeat counts as 0; with CLMOVE_RULES_ONNX count must
 * equal the rank and a negative repeat is an error.
 * Ownership: nothing is kept; repeats may be NULL when count is 0.
 * Errors: INVALID_ARGUMENT, BAD_SHAPE, OVERFLOW.
 * Specification: OpenVINO Tile-1; ONNX Tile-6 and Tile-13. */
CLMOVE_API clmove_status clmove_map_tile(clmove_map *map, int64_t count, const int64_t *repeats, clmove_rules rules,
                                         clmove_error *error);

/* Tile along one axis, the form of ONNX Tile-1.
 * Shapes and units: dims[axis] becomes dims[axis] * tiles; axis is -rank to rank - 1, counted from the end when negative.
 * Ownership: nothing is kept.
 * Errors: INVALID_ARGUMENT, BAD_SHAPE (axis out of range, tiles negative), OVERFLOW.
 * Specification: ONNX Tile-1. */
CLMOVE_API clmove_status clmove_map_tile_axis(clmove_map *map, int64_t tiles, int64_t axis, clmove_error *error);

/* SpaceToDepth: moves blocks of the spatial dimensions into depth.
 * Shapes and units: [N, C, D1 .. DK] becomes [N, C * block_size^K, D1 / block_size .. DK / block_size], K at least 1; each
 * spatial dimension must be a multiple of block_size. CLMOVE_RULES_ONNX wants rank 4 and blocks_first, the only order ONNX has.
 * Ownership: nothing is kept.
 * Errors: INVALID_ARGUMENT, BAD_SHAPE, OVERFLOW.
 * Specification: OpenVINO SpaceToDepth-1; ONNX SpaceToDepth-1 and -13. */
CLMOVE_API clmove_status clmove_map_space_to_depth(clmove_map *map, int64_t block_size, clmove_mode mode, clmove_rules rules,
                                                   clmove_error *error);

/* DepthToSpace: the inverse of SpaceToDepth.
 * Shapes and units: [N, C, D1 .. DK] becomes [N, C / block_size^K, D1 * block_size .. DK * block_size]; C must be a multiple of
 * block_size^K. CLMOVE_RULES_ONNX wants rank 4; blocks_first is its DCR, depth_first its CRD.
 * Ownership: nothing is kept.
 * Errors: INVALID_ARGUMENT, BAD_SHAPE, OVERFLOW.
 * Specification: OpenVINO DepthToSpace-1; ONNX DepthToSpace-1, -11 and -13. */
CLMOVE_API clmove_status clmove_map_depth_to_space(clmove_map *map, int64_t block_size, clmove_mode mode, clmove_rules rules,
                                                   clmove_error *error);

/* Permutes the dimensions: dimension i of the result is dimension order[i] of the destination so far.
 * Shapes and units: count must equal the rank; order holds each of 0 to rank - 1 once.
 * Ownership: nothing is kept; order may be NULL when count is 0.
 * Errors: INVALID_ARGUMENT, BAD_SHAPE.
 * Specification: NumPy transpose, ONNX Transpose, OpenVINO Transpose-1. */
CLMOVE_API clmove_status clmove_map_permute(clmove_map *map, int64_t count, const int64_t *order, clmove_error *error);

/* Gives the destination another shape with the same elements in the same row-major order.
 * Shapes and units: one entry of dims may be -1 and is then computed. The product of dims must be unchanged.
 * Ownership: nothing is kept; dims may be NULL when rank is 0.
 * Errors: INVALID_ARGUMENT, BAD_SHAPE, OVERFLOW, UNSUPPORTED (an earlier step left the elements in an order that the new shape
 * cuts across, so that no single map expresses it; run the map up to this step, and start another).
 * Specification: NumPy reshape, ONNX Reshape (without its 0 = keep). */
CLMOVE_API clmove_status clmove_map_reshape(clmove_map *map, int64_t rank, const int64_t *dims, clmove_error *error);

/* Broadcasts dimensions of 1 to larger ones, aligned at the last dimension.
 * Shapes and units: with CLMOVE_RULES_OPENVINO (Broadcast-3, mode numpy; NumPy broadcast_to) rank is at least the map's and each
 * dimension is 1 or equal to its target; with CLMOVE_RULES_ONNX (Expand) the target may also be shorter, or hold 1 where the
 * destination so far has more.
 * Ownership: nothing is kept; dims may be NULL when rank is 0.
 * Errors: INVALID_ARGUMENT, BAD_SHAPE, OVERFLOW.
 * Specification: OpenVINO Broadcast-3, ONNX Expand-13. */
CLMOVE_API clmove_status clmove_map_expand(clmove_map *map, int64_t rank, const int64_t *dims, clmove_rules rules,
                                           clmove_error *error);

/* Bits of an element, and how many dimensions the destination so far has; 0 for NULL. */
CLMOVE_API uint32_t clmove_map_element_bits(const clmove_map *map);
CLMOVE_API int64_t clmove_map_rank(const clmove_map *map);

/* The dimensions of the destination so far, clmove_map_rank of them; NULL for NULL. They lie in the map: they go with it, and
 * change with it. */
CLMOVE_API const int64_t *clmove_map_dims(const clmove_map *map);

/* Bytes that the source memory must hold, and bytes from the start of the destination memory to the end of its last element.
 * 0 for NULL; sub-byte elements round up. The destination's padding bits, if any, keep their value. */
CLMOVE_API int64_t clmove_map_src_bytes(const clmove_map *map);
CLMOVE_API int64_t clmove_map_dst_bytes(const clmove_map *map);

/* ---- plan: devices --------------------------------------------------------------------------------------------- */

typedef struct clmove_device clmove_device;
typedef struct clmove_plan clmove_plan;

typedef enum clmove_device_type {
    CLMOVE_DEVICE_HOST,        /* this process's threads, no OpenCL */
    CLMOVE_DEVICE_CPU,         /* an OpenCL CPU device, such as POCL's */
    CLMOVE_DEVICE_GPU,         /* an OpenCL GPU */
    CLMOVE_DEVICE_ACCELERATOR, /* any other OpenCL device */
} clmove_device_type;

/* "host", "cpu", "gpu" or "accelerator". A static string. */
CLMOVE_API const char *clmove_device_type_text(clmove_device_type type);

/* The properties of a device that matter for moving data. */
typedef struct clmove_device_info {
    size_t struct_size; /* sizeof(clmove_device_info) */
    clmove_device_type type;
    int32_t index; /* for the selector; -1 for the host */
    char name[128];
    char platform[128];       /* "" for the host, like the next two */
    char version[128];        /* OpenCL version string of the device */
    char driver[128];         /* driver version */
    uint32_t compute_units;   /* for the host: threads used */
    uint32_t address_bits;    /* 32 or 64 */
    uint64_t memory_bytes;    /* as the device reports it, which can be more than there is */
    uint64_t max_alloc_bytes; /* largest single buffer */
    uint64_t cache_bytes;     /* last-level cache, 0 if unknown */
    bool host_unified;        /* shares physical memory with the host: in a list as its driver says, of an open device as it does;
                                 see clmove_memory_info.shares_host_memory */
    const char *kernels;      /* "clang": made for drivers known to compile with clang for a processor; "plain": OpenCL C 1.2,
                                 for all others; "" for the host. CLMOVE_KERNELS forces either. A static string */
    const char *refused;      /* why clmove does not use the device: its driver is known to crash or to move wrong bytes; "" where
                                 it does. A static string */
} clmove_device_info;

/* Lists every device: the OpenCL devices of all platforms, by index, then the host.
 * Shapes and units: writes at most capacity entries, and to *count how many there are; infos may be NULL when capacity is 0. The
 * struct_size of the first entry counts for all, and is written to all.
 * Ownership: the caller's array.
 * Errors: INVALID_ARGUMENT. No OpenCL at all is not an error: the list then holds the host alone. */
CLMOVE_API clmove_status clmove_device_list(clmove_device_info *infos, size_t capacity, size_t *count, clmove_error *error);

/* How to open a device. Zero is the default of every field but struct_size. */
typedef struct clmove_device_params {
    size_t struct_size; /* sizeof(clmove_device_params), of the headers that the caller was compiled with: older and newer structs
                           are taken, in these params as in others; a field that is newer than the library must be 0 */
    const char *selector; /* auto | host | gpu | cpu | accelerator | an index | part of a name. NULL or "": the environment
                             variable CLMOVE_DEVICE, or auto. auto is a GPU or accelerator if there is one, else the host; and
                             each plan's clmove_run goes to that device or to the host, whichever clmove_plan_advise has */
    bool allow_fallback;  /* let the host take over when the device cannot; auto always does */
    uint32_t threads; /* of the host executor, at most 256. 0: the environment variable CLMOVE_THREADS, or one for each processor
                         that the process may use */
    void (*log)(void *user, const char *text); /* one line when the host takes over; and at most one that begins with "program
                             cache: ", when programs are to be kept on disk and cannot be, which costs time and nothing else, and
                             one with "calibration: ", when the file of clmove_calibration_path cannot be followed; and one that
                             begins with "self-test: " for each program whose self-test found wrong bytes, and which is not
                             used. May be called from any thread that uses the device. NULL: silent */
    void *log_user;                            /* passed to log */
    bool profile;                              /* measure the device's own time: clmove_measure */
    const char *tuning;     /* key=value,key=value with the keys of clmove_device_get_tuning, over what the environment variable
                               CLMOVE_TUNING and the user's file say. NULL or "": none */
    uint64_t memory_budget; /* bytes that buffers, pools and staging may take together; 0: the environment variable
                           CLMOVE_MEMORY_BUDGET (bytes, or with K, M or G for 2^10, 2^20 or 2^30), or what there really is: the
                           least of what the device reports and, where that is the host's own memory, of what the system has
                           available and what the process's control groups leave */
} clmove_device_params;

/* Opens a device.
 * Ownership: *device is the caller's, to be closed with clmove_device_close; nothing of params is kept but log and log_user.
 * Errors: INVALID_ARGUMENT (a tuning that cannot be followed to the letter is one too), NO_DEVICE, OUT_OF_MEMORY, DEVICE_FAILED.
 * When fallback is allowed the host is opened instead, and clmove_device_fallback says why.
 * Processes: do not fork one that has opened an OpenCL device: drivers (POCL among them) hang in the child. */
CLMOVE_API clmove_status clmove_device_open(const clmove_device_params *params, clmove_device **device, clmove_error *error);

/* Waits for what is enqueued, closes the device and sets *device to NULL; NULL and a pointer to NULL are accepted. Plans,
 * buffers and pools keep the device alive until they are destroyed. */
CLMOVE_API void clmove_device_close(clmove_device **device);

/* Facts about an open device.
 * Errors: INVALID_ARGUMENT. */
CLMOVE_API clmove_status clmove_device_get_info(const clmove_device *device, clmove_device_info *info, clmove_error *error);

/* Why the host took the place of the device that was asked for; "" when it did not. auto finding no GPU counts, with the
 * reason. Lives as long as the device. */
CLMOVE_API const char *clmove_device_fallback(const clmove_device *device);

/* Counters of an open device, since it was opened. */
typedef struct clmove_device_stats {
    size_t struct_size;       /* sizeof(clmove_device_stats) */
    uint64_t kernels_run;     /* OpenCL kernels launched */
    uint64_t host_runs;       /* movements done by the host executor, fallbacks among them */
    uint64_t programs_built;  /* OpenCL programs built from source */
    uint64_t programs_loaded; /* and loaded from disk, where an earlier process kept them; see doc/devices.md */
    uint64_t self_tests;      /* of these programs, compared with the host executor on small tensors; see doc/devices.md */
    double self_test_seconds; /* that they took, including the driver's work for a program's first launch */
} clmove_device_stats;

/* The counters of an open device so far.
 * Errors: INVALID_ARGUMENT. */
CLMOVE_API clmove_status clmove_device_get_stats(const clmove_device *device, clmove_device_stats *stats, clmove_error *error);

/* ---- plan: plans ----------------------------------------------------------------------------------------------- */

/* How to make a plan. Zero is the default of every field but struct_size. */
typedef struct clmove_plan_params {
    size_t struct_size;  /* sizeof(clmove_plan_params) */
    const char *variant; /* force this variant: UNSUPPORTED if it does not fit. NULL: the first that fits */
    uint32_t index_bits; /* force 32- or 64-bit index arithmetic: UNSUPPORTED if 32 do not reach; the host always uses 64. 0: 32
                            where they reach */
    const char *tuning;  /* as clmove_device_params.tuning, over that of the device, which it leaves alone: to measure
                            alternatives on the same buffers. NULL or "": none */
} clmove_plan_params;

/* Makes a map ready for a device: normalises it, chooses the variant, builds what is not built yet. Where auto has the host do
 * clmove_run (clmove_plan_info.run_executor), the first call that enqueues the plan builds its kernel; if that fails, the host
 * takes over.
 * A program that the device did not use before moves small tensors first. If a byte of them is wrong, the plan takes 64-bit
 * indices or another variant, unless params forces them. DEVICE_FAILED means that none is right (doc/devices.md, Self-tests).
 * Ownership: *plan is the caller's, to be destroyed with clmove_plan_destroy; map and params may go away.
 * Errors: INVALID_ARGUMENT, UNSUPPORTED, OUT_OF_MEMORY, BUILD_FAILED, DEVICE_FAILED; BAD_SHAPE or OVERFLOW for a map that the
 * functions above did not make; OVERFLOW too where a tensor has more bytes than memory of this process can have, PTRDIFF_MAX.
 * When fallback is allowed the plan runs on the host instead, and clmove_plan_info.fallback says why.
 * Thread-safety: while a program is built, only threads that
 * need the same one wait. */
CLMOVE_API clmove_status clmove_plan_create(clmove_device *device, const clmove_map *map, const clmove_plan_params *params,
                                            clmove_plan **plan, clmove_error *error);

/* Destroys a plan and sets *plan to NULL; NULL and a pointer to NULL are accepted. Work enqueued with it still completes. */
CLMOVE_API void clmove_plan_destroy(clmove_plan **plan);

/* Who moves. */
typedef enum clmove_executor { CLMOVE_EXECUTOR_HOST, CLMOVE_EXECUTOR_OPENCL } clmove_executor;

/* "host" or "opencl"; "unknown executor" for any other number. A static string. */
CLMOVE_API const char *clmove_executor_text(clmove_executor executor);

/* What a plan is. */
typedef struct clmove_plan_info {
    size_t struct_size;           /* sizeof(clmove_plan_info) */
    const char *variant;          /* static name of the memory pattern: copy, rows, ... */
    clmove_executor executor;     /* what runs it now, or will when its kernel is built */
    clmove_executor run_executor; /* what does clmove_run: executor, but the host where auto found a GPU and predicts the host
                                     to be faster; clmove_plan_explain says why */
    uint32_t unit_bits;           /* moved at once */
    uint32_t index_bits;          /* 32 or 64 */
    int64_t src_bytes;            /* clmove_map_src_bytes */
    int64_t dst_bytes;            /* clmove_map_dst_bytes */
    int64_t written_bytes;        /* bytes of the destination that a run writes, sub-byte elements rounded up */
    int64_t launches;             /* kernels in one run; 0 for an empty tensor or the host */
    char fallback[512];           /* why the host took over, "" if it did not */
} clmove_plan_info;

/* Facts about a plan, as it runs now.
 * Errors: INVALID_ARGUMENT. */
CLMOVE_API clmove_status clmove_plan_get_info(const clmove_plan *plan, clmove_plan_info *info, clmove_error *error);

/* Describes the plan: the map before and after it was normalised, the variant, and why it was chosen.
 * Shapes and units: writes at most capacity bytes, the final 0 included; 4096 hold any map of up to 24 axes, and a longer text is
 * cut.
 * Ownership: the caller's text.
 * Errors: INVALID_ARGUMENT. */
CLMOVE_API clmove_status clmove_plan_explain(const clmove_plan *plan, char *text, size_t capacity, clmove_error *error);

/* ---- run ------------------------------------------------------------------------------------------------------- */

/* Moves host memory to host memory, and returns when it is done. Tensors of any size: what the device cannot hold, or not in
 * one buffer, goes through it in pieces (clmove_run_with says how).
 * Shapes and units: src_bytes and dst_bytes are the sizes of the two memories, at least clmove_map_src_bytes and
 * clmove_map_dst_bytes. Bytes of dst that the map does not write keep their value. Any alignment.
 * Ownership: both stay the caller's; they may be NULL when their size is 0. After the return nothing touches them, on failure
 * too.
 * Errors: INVALID_ARGUMENT, BAD_BUFFER (too small, or src and dst overlap), OUT_OF_MEMORY, BUILD_FAILED (a piece wants another
 * kernel than the whole), DEVICE_FAILED; some of dst may have been written then. When fallback is allowed and the device fails,
 * the host does the work. */
CLMOVE_API clmove_status clmove_run(clmove_plan *plan, const void *src, size_t src_bytes, void *dst, size_t dst_bytes,
                                    clmove_error *error);

/* How far a run is. */
typedef struct clmove_progress {
    size_t struct_size;              /* of the library that runs: it has the fields that begin before that */
    int64_t bytes_done, bytes_total; /* read and written, each byte of source and destination once */
    double seconds;                  /* since the run began */
} clmove_progress;

/* How a run went from host memory to host memory. */
typedef enum clmove_run_way {
    CLMOVE_RUN_NOTHING,  /* there was nothing to move */
    CLMOVE_RUN_HOST,     /* the host executor did it */
    CLMOVE_RUN_IN_PLACE, /* kernels worked on the caller's memory */
    CLMOVE_RUN_STAGED,   /* on device memory, by way of pinned host memory */
} clmove_run_way;

/* "none", "host", "in place" or "staged"; "unknown way" for any other number. A static string. */
CLMOVE_API const char *clmove_run_way_text(clmove_run_way way);

/* What a run did. Times are in seconds, of all pieces together. Stages overlap, so that their sum may exceed the whole. Negative:
 * not known. */
typedef struct clmove_run_info {
    size_t struct_size; /* sizeof(clmove_run_info) */
    clmove_run_way way;
    int64_t pieces;        /* 1: all at once */
    int64_t piece_bytes;   /* read and written by the largest */
    int64_t staging_bytes; /* of host and device memory that a staged run went through; 0 for the others */
    double seconds;        /* the whole */
    double pack_seconds;   /* gathering what pieces read, on the host; 0 unless staged, like the next one and the transfers */
    double unpack_seconds;
    double upload_seconds, download_seconds; /* by the device's clock: known when it was opened with profile */
    double move_seconds;                     /* by the device's clock too, unless the host moved */
} clmove_run_info;

/* How to run. Zero is the default of every field but struct_size. */
typedef struct clmove_run_params {
    size_t struct_size;                                            /* sizeof(clmove_run_params) */
    bool (*progress)(void *user, const clmove_progress *progress); /* called after each piece, by the thread that runs, which
                              waits for its return; false cancels. When the host takes over from a device in the middle it starts
                              again from 0. NULL: none */
    void *progress_user;                                           /* passed to progress */
    int64_t piece_bytes;   /* read and written by a piece at most, as far as single units allow; 0: in place all at once where
                              that is possible and progress is NULL; else the tuning's piece_bytes, or less where a few
                              pieces of device memory overlap better */
    clmove_run_info *info; /* NULL, or where to put what was done, with its struct_size; only written on success */
} clmove_run_params;

/* clmove_run, with progress that can cancel, smaller pieces, or an account of what was done.
 *
 * A device that shares the host's memory works in place, if addresses and sizes of src and dst are multiples of
 * clmove_memory_info.zero_copy_alignment and zero_copy_multiple: the host itself, OpenCL CPUs on any memory, and GPUs on memory
 * that begins with a page and has whole lines of 64 bytes. It does not if another run uses part of src or dst in place, or a
 * buffer wraps another range of it. Other devices work on pieces: while one is moved, the next is uploaded and the one before is
 * downloaded. Pieces are cut along the axis of the map that keeps runs long on both sides, small enough that their staging fits
 * the memory budget of the device. The staging is kept for the next run, and freed when buffers need the memory.
 * Shapes and units: as clmove_run; params may be NULL.
 * Ownership: as clmove_run; nothing of params is kept.
 * Errors: as clmove_run; INVALID_ARGUMENT (params->struct_size, a negative piece_bytes), CANCELLED (progress returned false; what
 * was moved before is written, and nothing is under way any more). */
CLMOVE_API clmove_status clmove_run_with(clmove_plan *plan, const void *src, size_t src_bytes, void *dst, size_t dst_bytes,
                                         const clmove_run_params *params, clmove_error *error);

#ifdef __cplusplus
}
#endif

#include <clmove/buffer.h>
#include <clmove/tuning.h>

#endif
