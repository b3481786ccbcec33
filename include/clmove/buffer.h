/* clmove: memory of a device: the budget, buffers of every kind, pools; and running a plan from buffer to buffer.
 *
 * Tensors that stay on a device from one run to the next are in buffers. clmove_run needs none of this.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_BUFFER_H
#define CLMOVE_BUFFER_H

#include <clmove/clmove.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the budget ------------------------------------------------------------------------------------------------ */

/* The memory budget of an open device, and how the device reaches the host's memory. */
typedef struct clmove_memory_info {
    size_t struct_size;         /* sizeof(clmove_memory_info) */
    uint64_t budget_bytes;      /* bytes that buffers, pools and staging may take together:
                                   clmove_device_params.memory_budget; UINT64_MAX without a limit */
    uint64_t used_bytes;        /* bytes that they take now */
    uint64_t most_used_bytes;   /* the most that they took since the device was opened */
    bool shares_host_memory;    /* the device works on the host's own memory: a CPU, or a device whose driver says so, that passed
                                   the test on opening; or as the environment variable CLMOVE_IN_PLACE says, 0 or 1 */
    size_t zero_copy_alignment; /* clmove_buffer_wrap uses memory in place if its address and its size are multiples of these
                                   two; 0 and 0: it always copies */
    size_t zero_copy_multiple;
} clmove_memory_info;

/* The memory of an open device, as it is now.
 * Errors: INVALID_ARGUMENT. */
CLMOVE_API clmove_status clmove_device_get_memory(const clmove_device *device, clmove_memory_info *info, clmove_error *error);

/* ---- buffers --------------------------------------------------------------------------------------------------- */

typedef struct clmove_buffer clmove_buffer;

/* Which memory a buffer is. */
typedef enum clmove_memory {
    CLMOVE_MEMORY_DEVICE,  /* clmove_buffer_create, and of a pool */
    CLMOVE_MEMORY_PINNED,  /* clmove_buffer_create_pinned */
    CLMOVE_MEMORY_WRAPPED, /* clmove_buffer_wrap */
} clmove_memory;

/* Memory of a device.
 * Shapes and units: bytes is at least 0. The content is undefined until written.
 * Ownership: *buffer is the caller's, to be destroyed with clmove_buffer_destroy.
 * Errors: INVALID_ARGUMENT, OUT_OF_MEMORY (above the device's budget or its largest buffer, too), DEVICE_FAILED. */
CLMOVE_API clmove_status clmove_buffer_create(clmove_device *device, size_t bytes, clmove_buffer **buffer, clmove_error *error);

/* Pinned host memory, which the device's link transfers fastest (OpenCL's CL_MEM_ALLOC_HOST_PTR): staging for other buffers. It
 * is mapped for the host from the start, so that clmove_buffer_map costs nothing. When a plan reads or writes it, it is unmapped;
 * the next clmove_buffer_map maps it again. On the host device it is plain memory.
 * Shapes and units, ownership, errors: as clmove_buffer_create. */
CLMOVE_API clmove_status clmove_buffer_create_pinned(clmove_device *device, size_t bytes, clmove_buffer **buffer,
                                                     clmove_error *error);

/* A buffer made of the caller's own memory, with its content. If the device shares memory with the host, and address and size
 * are multiples of clmove_memory_info.zero_copy_alignment and zero_copy_multiple, the device works on the memory in place (zero-
 * copy; it takes nothing from the budget). Otherwise the device works on a copy that is made now (staged). The two differ in
 * speed only: what a plan, a fill or a copy writes is visible to the caller after clmove_buffer_map for reading, and no sooner.
 * What the caller writes is visible to the device after clmove_buffer_unmap. Until the buffer is destroyed the memory must not
 * be touched otherwise.
 * The same memory may be wrapped again meanwhile. Zero-copy buffers of the same range are one memory; of ranges that overlap
 * otherwise, the later buffer is a copy. So a device never has two buffers over the same bytes. Moving between buffers of memory
 * that overlaps is an error in both cases.
 * Shapes and units: as clmove_buffer_create; any alignment.
 * Ownership: the memory stays the caller's and must outlive the buffer; it may be NULL when bytes is 0. Destroying the buffer
 * waits for work that uses memory in place, and copies nothing back. Errors: as clmove_buffer_create. */
CLMOVE_API clmove_status clmove_buffer_wrap(clmove_device *device, void *memory, size_t bytes, clmove_buffer **buffer,
                                            clmove_error *error);

/* Destroys a buffer, or gives it back to its pool, and sets *buffer to NULL; NULL and a pointer to NULL are accepted. What is
 * mapped is unmapped, and its content is lost. Work that uses the buffer still completes. */
CLMOVE_API void clmove_buffer_destroy(clmove_buffer **buffer);

/* What a buffer is. */
typedef struct clmove_buffer_info {
    size_t struct_size; /* sizeof(clmove_buffer_info) */
    size_t bytes;       /* that were asked for */
    clmove_memory memory;
    bool zero_copy; /* a wrapped buffer whose memory the device uses in place */
} clmove_buffer_info;

/* Facts about a buffer.
 * Errors: INVALID_ARGUMENT. */
CLMOVE_API clmove_status clmove_buffer_get_info(const clmove_buffer *buffer, clmove_buffer_info *info, clmove_error *error);

/* Copies host memory into a buffer, or a buffer into host memory, after all work enqueued before; returns when it is done.
 * Shapes and units: offset and bytes in bytes; offset + bytes is at most the buffer's size.
 * Ownership: the host memory stays the caller's; it may be NULL when bytes is 0.
 * Errors: INVALID_ARGUMENT, BAD_BUFFER (past the end, or mapped), OUT_OF_MEMORY, DEVICE_FAILED.
 * Thread-safety: concurrent use of the same bytes is the caller's to order. */
CLMOVE_API clmove_status clmove_buffer_write(clmove_buffer *buffer, size_t offset, const void *src, size_t bytes,
                                             clmove_error *error);
CLMOVE_API clmove_status clmove_buffer_read(clmove_buffer *buffer, size_t offset, void *dst, size_t bytes, clmove_error *error);

/* What is done with memory that is mapped. */
typedef enum clmove_access {
    CLMOVE_ACCESS_READ = 1,
    CLMOVE_ACCESS_WRITE = 2,      /* every byte: those that are not written are undefined afterwards */
    CLMOVE_ACCESS_READ_WRITE = 3, /* any byte: those that are not written keep their value */
} clmove_access;

/* Maps a range of a buffer for the host, after all work enqueued before; returns when it is mapped. If the device shares memory
 * with the host, nothing is copied. Otherwise this copies like clmove_buffer_read, into memory of the driver; for a wrapped
 * buffer, into the memory that it wraps.
 * Shapes and units: as clmove_buffer_write. Ranges that are mapped at the same time share no bytes, unless all are for reading.
 * Ownership: *memory is valid until clmove_buffer_unmap, or the end of the buffer. Until then calls that write the buffer fail
 * with BAD_BUFFER. So do calls that read it, unless the range is mapped for reading, and all calls on a pinned buffer. Other
 * buffers may be written from the mapped memory and read into it.
 * Errors: INVALID_ARGUMENT, BAD_BUFFER (past the end, or mapped already), OUT_OF_MEMORY, DEVICE_FAILED. */
CLMOVE_API clmove_status clmove_buffer_map(clmove_buffer *buffer, clmove_access access, size_t offset, size_t bytes,
                                           void **memory, clmove_error *error);

/* Unmaps a range; if it was mapped for writing, the device sees what was written.
 * Ownership: memory is what clmove_buffer_map gave, and must not be touched any more.
 * Errors: INVALID_ARGUMENT, BAD_BUFFER (no such range is mapped), OUT_OF_MEMORY, DEVICE_FAILED; the range stays mapped then. */
CLMOVE_API clmove_status clmove_buffer_unmap(clmove_buffer *buffer, void *memory, clmove_error *error);

/* Fills a range of a buffer with a repeated pattern. May return before it is done, like clmove_enqueue.
 * Shapes and units: as clmove_buffer_write; the pattern has at least one byte and bytes is a multiple of pattern_bytes. Any
 * offset.
 * Ownership: the pattern stays the caller's, and may go away.
 * Errors: INVALID_ARGUMENT, BAD_BUFFER (past the end, or mapped), OUT_OF_MEMORY, DEVICE_FAILED. */
CLMOVE_API clmove_status clmove_buffer_fill(clmove_buffer *buffer, size_t offset, size_t bytes, const void *pattern,
                                            size_t pattern_bytes, clmove_error *error);

/* Copies bytes of one buffer to another of the same device, or to elsewhere in itself. May return before it is done, like
 * clmove_enqueue.
 * Shapes and units: as clmove_buffer_write, for both sides.
 * Ownership: the buffers may be destroyed before the work is done.
 * Errors: INVALID_ARGUMENT, BAD_BUFFER (past the end, mapped, of different devices, or overlapping), OUT_OF_MEMORY,
 * DEVICE_FAILED. */
CLMOVE_API clmove_status clmove_buffer_copy(const clmove_buffer *src, size_t src_offset, clmove_buffer *dst, size_t dst_offset,
                                            size_t bytes, clmove_error *error);

/* ---- pools ----------------------------------------------------------------------------------------------------- */

/* Device memory of destroyed buffers, kept for later ones. */
typedef struct clmove_pool clmove_pool;

/* Makes a pool.
 * Shapes and units: most_bytes is how much is kept at most for later buffers; beyond it, the least recently used memory is freed
 * first. Kept memory counts as used in the device's budget. If the budget or the driver has no memory for a request, from this
 * pool or elsewhere, all kept memory is freed. 0 keeps nothing.
 * Ownership: *pool is the caller's, to be destroyed with clmove_pool_destroy. It keeps the device alive.
 * Errors: INVALID_ARGUMENT, OUT_OF_MEMORY. */
CLMOVE_API clmove_status clmove_pool_create(clmove_device *device, size_t most_bytes, clmove_pool **pool, clmove_error *error);

/* Takes a buffer, as clmove_buffer_create makes one, from what is kept, or a new one.
 * Shapes and units: bytes is at least 0; the memory is up to a quarter larger, so that similar sizes share memory. The content
 * is undefined until written.
 * Ownership: *buffer is the caller's; clmove_buffer_destroy returns it to the pool at once. Work on this device's own queue that
 * still uses it completes before the next owner's work begins. Commands on any other queue must be complete before.
 * Errors: INVALID_ARGUMENT, OUT_OF_MEMORY (only after all kept memory of the device's pools was freed), DEVICE_FAILED. */
CLMOVE_API clmove_status clmove_pool_take(clmove_pool *pool, size_t bytes, clmove_buffer **buffer, clmove_error *error);

/* Frees the least recently used memory until the pool keeps at most this many bytes.
 * Errors: INVALID_ARGUMENT. */
CLMOVE_API clmove_status clmove_pool_trim(clmove_pool *pool, size_t bytes, clmove_error *error);

/* The memory of a pool. */
typedef struct clmove_pool_info {
    size_t struct_size;    /* sizeof(clmove_pool_info) */
    size_t used_bytes;     /* of buffers that are in use, rounding included */
    size_t kept_bytes;     /* for later buffers */
    size_t most_bytes;     /* the most that is kept */
    uint64_t hits, misses; /* buffers made of kept memory, and of new memory */
} clmove_pool_info;

/* Facts about a pool, as it is now.
 * Errors: INVALID_ARGUMENT. */
CLMOVE_API clmove_status clmove_pool_get_info(const clmove_pool *pool, clmove_pool_info *info, clmove_error *error);

/* Destroys a pool with all that it keeps, and sets *pool to NULL; NULL and a pointer to NULL are accepted. Buffers in use stay
 * valid. */
CLMOVE_API void clmove_pool_destroy(clmove_pool **pool);

/* ---- run ------------------------------------------------------------------------------------------------------- */

/* Moves one buffer of the plan's device to another, and may return before it is done.
 * Shapes and units: the sizes of the buffers are at least clmove_map_src_bytes and clmove_map_dst_bytes.
 * Ownership: plan and buffers may be destroyed before the work is done.
 * Errors: INVALID_ARGUMENT, BAD_BUFFER (too small, of another device, mapped, or src and dst share memory), OUT_OF_MEMORY,
 * DEVICE_FAILED.
 * Order: work of one device runs as it was enqueued. */
CLMOVE_API clmove_status clmove_enqueue(clmove_plan *plan, const clmove_buffer *src, clmove_buffer *dst, clmove_error *error);

/* Waits until everything enqueued on the device is done.
 * Errors: INVALID_ARGUMENT, DEVICE_FAILED. */
CLMOVE_API clmove_status clmove_device_finish(clmove_device *device, clmove_error *error);

/* How long one run, or one transfer, took. */
typedef struct clmove_times {
    size_t struct_size;    /* sizeof(clmove_times) */
    double host_seconds;   /* by the host's clock, from the call that enqueues to the end of waiting */
    double device_seconds; /* by the device's clock, from the start of the first command to the end of the last; equal to
                              host_seconds when the host did the work; negative when not known, since the device was opened
                              without clmove_device_params.profile */
} clmove_times;

/* Runs as clmove_enqueue does, waits until it is done, and says how long that took. It first waits for earlier work, which is not
 * counted. The difference of the two times is the launch overhead.
 * Shapes and units: as clmove_enqueue; times in seconds, both 0 or more for a run that moves nothing.
 * Ownership: nothing is kept; *times is the caller's.
 * Errors: as clmove_enqueue, and INVALID_ARGUMENT when times is NULL.
 * Thread-safety: the call also waits for work that other threads enqueue meanwhile, and host_seconds counts it. */
CLMOVE_API clmove_status clmove_measure(clmove_plan *plan, const clmove_buffer *src, clmove_buffer *dst, clmove_times *times,
                                        clmove_error *error);

/* clmove_buffer_write and clmove_buffer_read, which say how long that took. They first wait for earlier work, which is not
 * counted.
 * Shapes and units: as clmove_buffer_write; times in seconds.
 * Ownership: nothing is kept; *times is the caller's.
 * Errors: as clmove_buffer_write and clmove_buffer_read, and INVALID_ARGUMENT when times is NULL. */
CLMOVE_API clmove_status clmove_measure_write(clmove_buffer *buffer, size_t offset, const void *src, size_t bytes,
                                              clmove_times *times, clmove_error *error);
CLMOVE_API clmove_status clmove_measure_read(clmove_buffer *buffer, size_t offset, void *dst, size_t bytes, clmove_times *times,
                                             clmove_error *error);

#ifdef __cplusplus
}
#endif

#include <clmove/submit.h>

#endif
