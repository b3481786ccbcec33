/* clmove: the memory of a device: budget, buffers, views of them, pools.
 *
 * A tensor that stays on a device from one run to the next is in a buffer. clmove_run needs no buffers.
 *
 * clmove/clmove.h states what holds for all headers, thread-safety above all.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_BUFFER_H
#define CLMOVE_BUFFER_H

#include <clmove/device.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the budget ------------------------------------------------------------------------------------------------ */

/* The memory budget of an open device, and its access to the host's memory. */
typedef struct clmove_memory_info {
    /* sizeof(clmove_memory_info) */
    size_t struct_size;
    /* Bytes that buffers, pools and staging may take together: clmove_device_params.memory_budget. UINT64_MAX: no limit. */
    uint64_t budget_bytes;
    /* Bytes that they take now. */
    uint64_t used_bytes;
    /* The most that they took since the device was opened. */
    uint64_t most_used_bytes;
    /* The device works on the host's own memory: it is the host, or a CPU or a device with unified memory that passed the test on
     * opening. The environment variable CLMOVE_IN_PLACE, 0 or 1, overrides the test. */
    bool shares_host_memory;
    /* clmove_buffer_wrap uses memory in place if its address is a multiple of the first and its size of the second. 0 and 0: it
     * always copies. */
    size_t zero_copy_alignment;
    size_t zero_copy_multiple;
} clmove_memory_info;

/* The memory of an open device now.
 * Errors: INVALID_ARGUMENT. */
CLMOVE_API clmove_status clmove_device_get_memory(const clmove_device *device, clmove_memory_info *info, clmove_error *error);

/* ---- buffers --------------------------------------------------------------------------------------------------- */

/* Bytes that a device works on. */
typedef struct clmove_buffer clmove_buffer;

/* The kind of memory of a buffer. */
typedef enum clmove_memory {
    /* Of clmove_buffer_create, clmove_pool_take, or clmove_buffer_wrap_mem. */
    CLMOVE_MEMORY_DEVICE,
    /* Of clmove_buffer_create_pinned. */
    CLMOVE_MEMORY_PINNED,
    /* Of clmove_buffer_wrap. */
    CLMOVE_MEMORY_WRAPPED,
} clmove_memory;

/* Makes a buffer of device memory.
 * Shapes and units: bytes may be 0. The content is undefined until it is written.
 * Ownership: *buffer is the caller's, to be destroyed with clmove_buffer_destroy.
 * Errors: INVALID_ARGUMENT, OUT_OF_MEMORY (also beyond the device's budget or its largest buffer), DEVICE_FAILED. */
CLMOVE_API clmove_status clmove_buffer_create(clmove_device *device, size_t bytes, clmove_buffer **buffer, clmove_error *error);

/* Makes a buffer of pinned host memory (OpenCL's CL_MEM_ALLOC_HOST_PTR), for fast transfers from and to other buffers. It is
 * reachable for the host from the start, so that clmove_buffer_map takes no time. A plan that reads or writes it unmaps it; the
 * next clmove_buffer_map maps it again. On the host device it is plain memory. Shapes and units, ownership, errors: as
 * clmove_buffer_create. */
CLMOVE_API clmove_status clmove_buffer_create_pinned(clmove_device *device, size_t bytes, clmove_buffer **buffer,
                                                     clmove_error *error);

/* Makes a buffer of the caller's own memory, with its content. If the device shares memory with the host, and address and size
 * are multiples of clmove_memory_info.zero_copy_alignment and zero_copy_multiple, the device works on the memory in place
 * (zero-copy). Otherwise it works on a copy that this call makes (staged). The two differ in speed only:
 * - The caller sees what a plan, a fill or a copy writes after clmove_buffer_map for reading, and not before.
 * - The device sees what the caller writes after clmove_buffer_unmap.
 * - Outside of mapping, nothing may use the memory until the buffer is destroyed. The same memory may be wrapped again. Zero-copy
 *   buffers of the same range are one memory; if ranges overlap otherwise, or a buffer has them mapped, the later buffer is a
 *   copy. A device never has two OpenCL buffers over the same bytes. Moving between buffers of overlapping memory is an error in
 *   all cases.
 * Shapes and units: as clmove_buffer_create. Any alignment. A zero-copy buffer takes nothing from the budget.
 * Ownership: the memory stays the caller's and must outlive the buffer. It may be NULL if bytes is 0. Destroying the buffer waits
 * for work that uses the memory in place, and copies nothing back.
 * Errors: as clmove_buffer_create. */
CLMOVE_API clmove_status clmove_buffer_wrap(clmove_device *device, void *memory, size_t bytes, clmove_buffer **buffer,
                                            clmove_error *error);

/* Destroys a buffer, or returns it to its pool, and sets *buffer to NULL. NULL and a pointer to NULL are accepted. Mapped ranges
 * are unmapped, and what the host wrote there is lost. Work that uses the buffer still completes. */
CLMOVE_API void clmove_buffer_destroy(clmove_buffer **buffer);

/* The properties of a buffer. */
typedef struct clmove_buffer_info {
    /* sizeof(clmove_buffer_info) */
    size_t struct_size;
    /* As given when it was made. */
    size_t bytes;
    clmove_memory memory;
    /* A wrapped buffer whose memory the device uses in place. */
    bool zero_copy;
} clmove_buffer_info;

/* The properties of a buffer.
 * Errors: INVALID_ARGUMENT. */
CLMOVE_API clmove_status clmove_buffer_get_info(const clmove_buffer *buffer, clmove_buffer_info *info, clmove_error *error);

/* Copies host memory into a buffer, or a buffer into host memory, after all work enqueued before. Returns when it is done.
 * Shapes and units: offset and bytes are in bytes. offset + bytes is at most the buffer's size.
 * Ownership: the host memory stays the caller's. It may be NULL if bytes is 0.
 * Errors: INVALID_ARGUMENT, BAD_BUFFER (past the end, or mapped), OUT_OF_MEMORY, DEVICE_FAILED.
 * Thread-safety: the caller orders concurrent uses of the same bytes. */
CLMOVE_API clmove_status clmove_buffer_write(clmove_buffer *buffer, size_t offset, const void *src, size_t bytes,
                                             clmove_error *error);
CLMOVE_API clmove_status clmove_buffer_read(clmove_buffer *buffer, size_t offset, void *dst, size_t bytes, clmove_error *error);

/* How the host uses mapped memory. */
typedef enum clmove_access {
    CLMOVE_ACCESS_READ = 1,
    /* The host writes every byte: bytes that it does not write are undefined afterwards. */
    CLMOVE_ACCESS_WRITE = 2,
    /* The host may write any byte: bytes that it does not write keep their value. */
    CLMOVE_ACCESS_READ_WRITE = 3,
} clmove_access;

/* Maps a range of a buffer for the host, after all work enqueued before. Returns when it is mapped. If the device shares memory
 * with the host, nothing is copied. Otherwise this copies as clmove_buffer_read does: into the memory that a wrapped buffer
 * wraps, else into memory of the driver.
 * Shapes and units: as clmove_buffer_write. Ranges that are mapped at the same time share no bytes, unless all are for reading.
 * Ownership: *memory is valid until clmove_buffer_unmap, or until the buffer is destroyed. Until then calls that write the buffer
 * fail with BAD_BUFFER. Calls that read it fail too, unless the range is mapped for reading. While a pinned buffer is mapped,
 * calls that read or write it fail, whatever the range; more ranges of it can be mapped. clmove_buffer_write and
 * clmove_buffer_read of other buffers may use the mapped memory. So may clmove_run and clmove_buffer_wrap, which work on copies
 * of it.
 * Errors: INVALID_ARGUMENT, BAD_BUFFER (past the end, or mapped already), OUT_OF_MEMORY, DEVICE_FAILED. */
CLMOVE_API clmove_status clmove_buffer_map(clmove_buffer *buffer, clmove_access access, size_t offset, size_t bytes,
                                           void **memory, clmove_error *error);

/* Unmaps a range. If it was mapped for writing, the device sees what the host wrote.
 * Ownership: memory is what clmove_buffer_map returned, and must not be used any more.
 * Errors: INVALID_ARGUMENT, BAD_BUFFER (no such range is mapped), OUT_OF_MEMORY, DEVICE_FAILED. After a failure the range stays
 * mapped. */
CLMOVE_API clmove_status clmove_buffer_unmap(clmove_buffer *buffer, void *memory, clmove_error *error);

/* Fills a range of a buffer with a repeated pattern. May return before it is done, as clmove_enqueue.
 * Shapes and units: as clmove_buffer_write. pattern_bytes is at least 1, and bytes is a multiple of it. Any offset.
 * Ownership: the pattern stays the caller's, and is not used after the return.
 * Errors: INVALID_ARGUMENT, BAD_BUFFER (past the end, or mapped), OUT_OF_MEMORY, DEVICE_FAILED. */
CLMOVE_API clmove_status clmove_buffer_fill(clmove_buffer *buffer, size_t offset, size_t bytes, const void *pattern,
                                            size_t pattern_bytes, clmove_error *error);

/* Copies bytes of a buffer to another buffer of the same device, or to another range of the same buffer. May return before it is
 * done, as clmove_enqueue.
 * Shapes and units: as clmove_buffer_write, for both sides.
 * Ownership: the buffers may be destroyed before the work is done.
 * Errors: INVALID_ARGUMENT, BAD_BUFFER (past the end, mapped, of different devices, or overlapping), OUT_OF_MEMORY,
 * DEVICE_FAILED. */
CLMOVE_API clmove_status clmove_buffer_copy(const clmove_buffer *src, size_t src_offset, clmove_buffer *dst, size_t dst_offset,
                                            size_t bytes, clmove_error *error);

/* ---- views ----------------------------------------------------------------------------------------------------- */

/* Memory of a device, from one byte on: what a plan reads or writes. Zero is no memory.
 * Ownership: a value of the caller's, copied by assignment. It keeps nothing alive, and is valid as long as its memory. */
typedef struct clmove_view {
    /* Private. clmove_buffer_view writes it; so do clmove_mem_view and clmove_svm_view (clmove/opencl.h). */
    uint64_t storage[6];
} clmove_view;

/* A view of a buffer from a byte on. Whether the buffer has enough bytes is checked where the view is used.
 * Shapes and units: offset is in bytes. Any number: no alignment is needed.
 * Ownership: as clmove_view. NULL gives no memory. */
CLMOVE_API clmove_view clmove_buffer_view(const clmove_buffer *buffer, size_t offset);

/* ---- pools ----------------------------------------------------------------------------------------------------- */

/* Device memory of destroyed buffers, kept for later buffers. */
typedef struct clmove_pool clmove_pool;

/* Makes a pool. Kept memory counts in the device's budget. If the budget or the driver has no memory for any buffer of the
 * device, all kept memory is freed.
 * Shapes and units: most_bytes is the most that is kept for later buffers. Beyond it the least recently used memory is freed. 0:
 * nothing is kept.
 * Ownership: *pool is the caller's, to be destroyed with clmove_pool_destroy. It keeps the device alive.
 * Errors: INVALID_ARGUMENT, OUT_OF_MEMORY. */
CLMOVE_API clmove_status clmove_pool_create(clmove_device *device, size_t most_bytes, clmove_pool **pool, clmove_error *error);

/* Takes a buffer of kept memory, or makes a new one, as clmove_buffer_create does.
 * Shapes and units: bytes may be 0. Sizes are rounded up, so that similar sizes share memory: up to 256 bytes to 256, larger ones
 * by less than a quarter, and no further than the device's largest buffer. If there is no memory for the rounded size, bytes is
 * taken as it is. The content is undefined until it is written.
 * Ownership: *buffer is the caller's. clmove_buffer_destroy returns it to the pool at once. Work on the device's own queue that
 * still uses it completes before the next owner's work begins; commands on other queues must be complete before it is destroyed.
 * Errors: INVALID_ARGUMENT, OUT_OF_MEMORY (after all kept memory of the device's pools was freed), DEVICE_FAILED. */
CLMOVE_API clmove_status clmove_pool_take(clmove_pool *pool, size_t bytes, clmove_buffer **buffer, clmove_error *error);

/* Frees the least recently used memory until the pool keeps at most this many bytes.
 * Errors: INVALID_ARGUMENT. */
CLMOVE_API clmove_status clmove_pool_trim(clmove_pool *pool, size_t bytes, clmove_error *error);

/* The memory of a pool. */
typedef struct clmove_pool_info {
    /* sizeof(clmove_pool_info) */
    size_t struct_size;
    /* Bytes of buffers in use, rounding included. */
    size_t used_bytes;
    /* Bytes kept for later buffers. */
    size_t kept_bytes;
    /* The most that is kept. */
    size_t most_bytes;
    /* Buffers made of kept memory, and of new memory. */
    int64_t hits, misses;
} clmove_pool_info;

/* The memory of a pool now.
 * Errors: INVALID_ARGUMENT. */
CLMOVE_API clmove_status clmove_pool_get_info(const clmove_pool *pool, clmove_pool_info *info, clmove_error *error);

/* Destroys a pool with all memory that it keeps, and sets *pool to NULL. NULL and a pointer to NULL are accepted. Buffers in use
 * stay valid. */
CLMOVE_API void clmove_pool_destroy(clmove_pool **pool);

#ifdef __cplusplus
}
#endif

#endif
