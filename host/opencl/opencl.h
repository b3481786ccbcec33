/* The OpenCL executor as the rest of the library sees it: devices, memory, kernels and launches, without OpenCL's types.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_OPENCL_OPENCL_H
#define CLMOVE_HOST_OPENCL_OPENCL_H

#include "host/error.h"
#include "host/opencl/sharing.h"
#include "host/plan/movement.h"

typedef struct clm_opencl_kernel clm_opencl_kernel; /* a movement made ready for an open device */
typedef struct clm_opencl_memory clm_opencl_memory; /* device memory */
typedef struct clm_order clm_order;                 /* where and when a command runs: order.h, which sees OpenCL's types */

/* Lists the devices of all platforms in the loader's order, as clmove_device_list does. Raises NO_DEVICE, with the reason, when
 * there are none. */
clmove_status clm_opencl_list(clmove_device_info *infos, size_t capacity, size_t *count, clmove_error *error);

/* Where to say what no caller asks about. write may be NULL. */
typedef struct clm_log {
    void (*write)(void *user, const char *text);
    void *user;
} clm_log;

/* Opens the device that clm_opencl_list shows at an index. profile: for clm_opencl_span. log: once, when programs cannot be kept
 * on disk, or not be read from there. Raises INVALID_ARGUMENT for a CLMOVE_PROGRAM_CACHE or a CLMOVE_IN_PLACE that means nothing.
 */
clmove_status clm_opencl_open(int32_t index, bool profile, clm_log log, clm_opencl **opencl, clmove_error *error);

/* Waits for what is enqueued, but not on a queue of the caller's, and closes. NULL is accepted. Kernels and memory must be gone.
 */
void clm_opencl_close(clm_opencl *opencl);

/* Gives up memory of the device that is only kept for later, from any thread; whether there was any. NULL: nothing is kept. */
typedef struct clm_let_go {
    bool (*all)(void *user);
    void *user;
} clm_let_go;

/* What to do when the driver has no memory for a buffer, before it is asked once more. Before other threads know the device. */
void clm_opencl_set_let_go(clm_opencl *opencl, clm_let_go let_go);

/* The device's entry in the list. */
void clm_opencl_get_info(const clm_opencl *opencl, clmove_device_info *info);

/* Whether the device shares the host's memory. It lives as long as the device. */
const clm_sharing *clm_opencl_get_sharing(const clm_opencl *opencl);

/* What choices depend on, less the tuning. */
void clm_opencl_get_traits(const clm_opencl *opencl, clm_traits *traits);

/* Programs built from source, and loaded from disk, since the device was opened. */
void clm_opencl_count_programs(clm_opencl *opencl, uint64_t *built, uint64_t *loaded);

/* Whether what is enqueued goes to a queue of the caller's, which must not be waited for unless the caller asks. */
bool clm_opencl_is_callers(const clm_opencl *opencl);

/* Waits for everything enqueued. */
clmove_status clm_opencl_finish(clm_opencl *opencl, clmove_error *error);

/* Makes a movement ready: builds its program unless an earlier movement did. Raises BUILD_FAILED with the build log. */
clmove_status clm_opencl_kernel_create(clm_opencl *opencl, const clm_movement *movement, clm_opencl_kernel **kernel,
                                       clmove_error *error);

/* NULL is accepted. Work that is enqueued still completes. */
void clm_opencl_kernel_destroy(clm_opencl_kernel *kernel);

/* The movement that a kernel was made for; it lives as long. */
const clm_movement *clm_opencl_kernel_movement(const clm_opencl_kernel *kernel);

/* The events of the first and the last command of a run or a transfer; NULL twice where there are none, one event twice for a
 * single command. */
typedef struct clm_opencl_span {
    void *first, *last;
} clm_opencl_span;

/* Enqueues all launches of a movement. May return before they are done. Any number of threads may call it on one kernel.
 * order: NULL for the device's own queue, which is flushed; a queue that is named is not. When it fails after some launches went
 * out, they are done or on their way, and order's event is not there.
 * span: NULL, or where to put the events, to be given to clm_opencl_span_end. */
clmove_status clm_opencl_enqueue(clm_opencl_kernel *kernel, const clm_opencl_memory *src, const clm_opencl_memory *dst,
                                 const clm_order *order, clm_opencl_span *span, clmove_error *error);

/* Seconds between the start of the first and the end of the last launch, which are done; negative when the device was opened
 * without profile. Releases the events, on failure too. */
clmove_status clm_opencl_span_end(const clm_opencl *opencl, clm_opencl_span *span, double *seconds, clmove_error *error);

/* Device memory of at least one byte. */
clmove_status clm_opencl_memory_create(clm_opencl *opencl, size_t bytes, clm_opencl_memory **memory, clmove_error *error);

/* Where memory begins, as far as alignment goes: its offset, and its address where that is known. */
size_t clm_opencl_memory_begin(const clm_opencl_memory *memory);

/* The same, in host memory that the device reaches best. It is mapped for the host. */
clmove_status clm_opencl_memory_create_pinned(clm_opencl *opencl, size_t bytes, clm_opencl_memory **memory, clmove_error *error);

/* The caller's memory, which lies as clm_opencl_get_sharing says, as memory of the device, which works on it where it lies. It
 * must outlive what is made here. NULL in *memory, without an error: some of it is used in place already (window.h). */
clmove_status clm_opencl_memory_wrap(clm_opencl *opencl, void *host, size_t bytes, clm_opencl_memory **memory,
                                     clmove_error *error);

/* NULL is accepted. Work that is enqueued still completes; where the memory is the caller's, it has completed on return. */
void clm_opencl_memory_destroy(clm_opencl_memory *memory);

/* Copy to and from host memory, after all work enqueued before; return when done. bytes is not 0. span: NULL, or where to put the
 * event, to be given to clm_opencl_span_end. */
clmove_status clm_opencl_memory_write(clm_opencl_memory *memory, size_t offset, const void *src, size_t bytes,
                                      clm_opencl_span *span, clmove_error *error);
clmove_status clm_opencl_memory_read(clm_opencl_memory *memory, size_t offset, void *dst, size_t bytes, clm_opencl_span *span,
                                     clmove_error *error);

/* Enqueue copies to and from host memory. bytes is not 0. */
clmove_status clm_opencl_memory_enqueue_write(clm_opencl_memory *memory, size_t offset, const void *src, size_t bytes,
                                              const clm_order *order, clmove_error *error);
clmove_status clm_opencl_memory_enqueue_read(clm_opencl_memory *memory, size_t offset, void *dst, size_t bytes,
                                             const clm_order *order, clmove_error *error);

/* Enqueues a marker: what a command that does nothing leaves in its event. Nothing, when no event is wanted. */
clmove_status clm_opencl_marker(const clm_opencl *opencl, const clm_order *order, clmove_error *error);

/* Repeats a pattern, or copies what does not overlap. May return before it is done. bytes is not 0; that of fill is a multiple of
 * pattern_bytes. */
clmove_status clm_opencl_memory_fill(clm_opencl_memory *memory, size_t offset, size_t bytes, const void *pattern,
                                     size_t pattern_bytes, clmove_error *error);
clmove_status clm_opencl_memory_copy(const clm_opencl_memory *src, size_t src_offset, clm_opencl_memory *dst, size_t dst_offset,
                                     size_t bytes, clmove_error *error);

/* Gives the host a piece, and takes it back. bytes is not 0. order: NULL for after all work enqueued before, and the piece is
 * there on return; else it has an event, and the piece is there when that is complete. */
clmove_status clm_opencl_memory_map(clm_opencl_memory *memory, clmove_access access, size_t offset, size_t bytes,
                                    const clm_order *order, void **mapped, clmove_error *error);
clmove_status clm_opencl_memory_unmap(clm_opencl_memory *memory, void *mapped, const clm_order *order, clmove_error *error);

/* The first byte of pinned memory that is mapped for the host; NULL for all other memory. */
unsigned char *clm_opencl_memory_standing(const clm_opencl_memory *memory);

/* Maps pinned memory for the host again. order as for clm_opencl_memory_map. */
clmove_status clm_opencl_memory_stand(clm_opencl_memory *memory, const clm_order *order, clmove_error *error);

/* Gives pinned memory that is mapped for the host to the device, and does nothing for all other memory. order: NULL, or that of
 * the command that is to use it; where its queue keeps no order this waits until the device has the memory. */
clmove_status clm_opencl_memory_yield(clm_opencl_memory *memory, const clm_order *order, clmove_error *error);

/* Raises BAD_BUFFER when pieces of two memories share a byte: as ranges of one cl_mem, of sub-buffers of one, or of host memory
 * or shared virtual memory that both lie in. */
clmove_status clm_memory_check_apart(const clm_opencl_memory *src, size_t src_offset, size_t src_bytes,
                                     const clm_opencl_memory *dst, size_t dst_offset, size_t dst_bytes, clmove_error *error);

/* Runs on the memory of the device as the host sees it: maps both after order's wait list, calls move(user, src, dst), and
 * unmaps them, which is what order's event is of. order: NULL for the device's own queue. Raises BAD_BUFFER where src or dst is
 * memory that the host may not read or write. */
clmove_status clm_opencl_with_mapped(const clm_opencl_memory *src, const clm_opencl_memory *dst, const clm_order *order,
                                     void (*move)(void *user, const void *src, void *dst), void *user, clmove_error *error);

#endif
