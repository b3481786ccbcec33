/* The interface of an executor: the host's own cores, or an OpenCL device. What executors have is in structs that all may read;
 * what they do is in a table of functions.
 *
 * Memory and kernels belong to the executor that made them. Functions of the table are thread-safe for different kernels and
 * memory; any number of threads may submit one kernel. A function without `error` cannot fail.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_EXECUTOR_H
#define CLMOVE_HOST_EXECUTOR_H

#include "host/plan/launch_plan.h"

typedef struct clm_executor clm_executor;
typedef struct clm_executor_calls clm_executor_calls;

/* Whether an executor works on the host's own memory. The executor answers this once, when it is opened. */
typedef struct clm_sharing {
    /* Kernels work on the host's own memory that meets the next two */
    bool shares;
    /* Of its first byte; its size is a multiple of `multiple`. 1 and 1: any memory; 0 and 0: none */
    size_t alignment;
    /* At most alignment, and divides it */
    size_t multiple;
    /* The executor's own allocations may take the host's memory, shared or not */
    bool takes_host_memory;
} clm_sharing;

/* Threads of the caller's, as clmove_run_params has them. */
typedef struct clm_spread {
    void (*call)(void *user, int64_t parts, void (*work)(const void *of, int64_t part), const void *of);
    void *user;
    /* 0: as many as the executor has threads */
    int64_t most_parts;
} clm_spread;

/* Whether memory of the host may be used in place. */
static inline bool clm_is_shareable(const clm_sharing *sharing, const void *memory, size_t bytes) {
    return sharing->shares && bytes > 0 && (uintptr_t)memory % sharing->alignment == 0 && bytes % sharing->multiple == 0;
}

/* Frees memory that is only kept for later; whether there was any. Thread-safe. NULL: nothing is kept. */
typedef struct clm_reclaim {
    bool (*all)(void *user);
    void *user;
} clm_reclaim;

/* An open executor. Its own struct begins with this one. */
struct clm_executor {
    const clm_executor_calls *calls;
    clmove_device_info info;
    /* Without the tuning */
    clm_traits traits;
    clm_sharing sharing;
    /* Events have the times of commands */
    bool profiles;
    /* The default queue is the caller's, and is waited for only if the caller asks */
    bool queue_is_given;
    /* Asked once if there is no memory. Set before other threads use the executor */
    clm_reclaim reclaim;
};

typedef enum clm_verdict { CLM_UNTRIED, CLM_RIGHT, CLM_WRONG } clm_verdict;

/* A launch plan made ready. The executor's own struct begins with this one. */
typedef struct clm_kernel {
    clm_executor *executor;
    clm_launch_plan launch_plan;
    /* The kernels that it consists of, of which alone there is a verdict; part_count 0: it is one kernel */
    struct clm_kernel *const *parts;
    int32_t part_count;
} clm_kernel;

/* Memory of an executor. Plain data. Memory that memory_create, memory_wrap or memory_part made is destroyed once; copies with
 * another offset are not. */
typedef struct clm_memory {
    clm_executor *executor;
    /* cl_mem, of OpenCL */
    void *object;
    /* Shared virtual memory, instead of an object */
    void *svm;
    /* A hold on the host's memory below, until this is destroyed */
    void *window;
    /* Of its first byte in the object, or from svm or host on */
    size_t offset;
    size_t bytes;
    /* The object's first byte, where that is known to be memory of the host's; else NULL */
    unsigned char *host;
    /* The first byte where the host reaches it without a command: pinned memory that no command uses; else NULL */
    unsigned char *mapped;
} clm_memory;

/* A number with the alignment of the memory's first byte: its address, or its offset if the address is not known. */
static inline size_t clm_memory_begin(const clm_memory *memory) {
    return memory->svm ? (size_t)(uintptr_t)memory->svm : (size_t)(uintptr_t)memory->host | memory->offset;
}

/* The queue, the wait list and the event of a command. NULL: the default queue, which is flushed; after all its earlier commands.
 */
typedef struct clm_submission {
    /* Of the executor; not flushed */
    void *queue;
    /* The queue is: what one call submits keeps its order by events */
    bool out_of_order;
    /* The caller waits for it next: it may be done before the call returns */
    bool blocking;
    /* Events to wait for */
    uint32_t waits;
    /* NULL where there are none */
    void *const *wait_list;
    /* NULL, or where the event of the end goes, which is to be released */
    void **event;
} clm_submission;

/* The events of the first and the last command of a run or a transfer; NULL twice where there are none, one event twice for a
 * single command. */
typedef struct clm_span {
    void *first, *last;
} clm_span;

/* A range of the host's memory. */
typedef struct clm_range {
    unsigned char *first;
    size_t bytes;
    /* Kernels write it, or may */
    bool writes;
} clm_range;

/* What is done with memory of the caller's. */
typedef enum clm_use { CLM_USE_ANY, CLM_USE_READ, CLM_USE_WRITE } clm_use;

/* Where memory is to lie. */
typedef enum clm_memory_kind {
    /* Fast for kernels. */
    CLM_MEMORY_DEVICE,
    /* Host memory that may be mapped; fast for transfers. */
    CLM_MEMORY_PINNED,
} clm_memory_kind;

/* One launch of a trial: a launch plan that the kernel's program can run, and the bytes at which its source and its destination
 * begin. */
typedef struct clm_trial_launch {
    const clm_launch_plan *launch_plan;
    size_t src_base, dst_base;
} clm_trial_launch;

typedef struct clm_trial {
    /* Each is one launch, and none depends on another; the most important first */
    const clm_trial_launch *launches;
    /* At least `least` of them run, and more as the time of one allows */
    size_t count, least;
    /* The most that they may take, after the first */
    double seconds;
    const void *src;
    size_t src_bytes;
    /* It holds the initial content, and then the result */
    void *dst;
    size_t dst_bytes;
} clm_trial;

struct clm_executor_calls {
    clmove_executor kind;
    /* The first word of its events. NULL: its events begin with no executor's mark. */
    const void *event_mark;
    /* Whose an event is that begins with the mark. NULL where event_mark is. */
    const clm_executor *(*event_executor)(const void *event);

    /* Waits for the default queue, unless it is the caller's, and closes. All kernels and memory are destroyed before. */
    void (*close)(clm_executor *executor);

    /* ---- queues and events ---- */

    /* Checks a queue of the caller's, NULL for the one that the executor was opened with, and says whether it keeps order. Raises
     * INVALID_ARGUMENT. */
    clmove_status (*queue_borrow)(clm_executor *executor, void **queue, bool *out_of_order, clmove_error *error);
    /* An in-order queue of its own. */
    clmove_status (*queue_create)(clm_executor *executor, void **queue, clmove_error *error);
    void (*queue_destroy)(clm_executor *executor, void *queue);
    /* NULL: the default queue. */
    clmove_status (*flush)(clm_executor *executor, void *queue, clmove_error *error);
    clmove_status (*finish)(clm_executor *executor, void *queue, clmove_error *error);
    /* Waits for an event, and does not release it. */
    clmove_status (*event_wait)(clm_executor *executor, void *event, clmove_error *error);
    clmove_status (*event_is_complete)(clm_executor *executor, void *event, bool *complete, clmove_error *error);
    void (*event_release)(clm_executor *executor, void *event);
    /* Seconds by the device's clock from the start of the first to the end of the last command, which are done. Negative: not
     * known. Nothing is released. */
    clmove_status (*span_seconds)(clm_executor *executor, const clm_span *span, double *seconds, clmove_error *error);
    /* Submits a command that does nothing. If no event is wanted, it submits nothing. */
    clmove_status (*marker)(clm_executor *executor, const clm_submission *submission, clmove_error *error);

    /* ---- kernels ---- */

    /* Makes a launch plan ready: builds its program unless it is built. Raises BUILD_FAILED with the build log. */
    clmove_status (*kernel_create)(clm_executor *executor, const clm_launch_plan *launch_plan, clm_kernel **kernel,
                                   clmove_error *error);
    /* Submitted work still completes. */
    void (*kernel_destroy)(clm_kernel *kernel);
    /* Submits all launches of a launch plan, and may return before they are done. If it fails after some launches, they are done
     * or under way, and the submission's event is not written. span: NULL, or where to put the events of the launches instead. */
    clmove_status (*submit)(clm_kernel *kernel, const clm_memory *src, const clm_memory *dst, const clm_submission *submission,
                            clm_span *span, clmove_error *error);
    /* Moves any memory of the host, and returns when done. spread: threads of the caller's; NULL: the executor's. NULL: the
     * executor cannot. */
    void (*run)(const clm_kernel *kernel, const clm_spread *spread, const void *src, void *dst);
    /* Runs launches on memory and a queue of their own, and returns when they are done and the memory is released. *done: how
     * many of them ran, from the first on. On failure the trial's dst is undefined. The caller holds no lock that reclaim takes.
     */
    clmove_status (*try)(clm_kernel *kernel, const clm_trial *trial, size_t *done, clmove_error *error);
    /* The verdict on a kernel's program, which all kernels of one key share. CLM_UNTRIED: the caller must try it and then call
     * judge, with CLM_UNTRIED if the trial failed; other callers wait for that. NULL: the executor needs no trials. */
    clm_verdict (*verdict)(clm_kernel *kernel);
    void (*judge)(clm_kernel *kernel, clm_verdict verdict);
    /* Programs built from source, and loaded from disk, since the executor was opened. NULL: it has none. */
    void (*count_programs)(clm_executor *executor, int64_t *built, int64_t *loaded);

    /* ---- memory ---- */

    /* bytes is not 0. */
    clmove_status (*memory_create)(clm_executor *executor, clm_memory_kind kind, size_t bytes, clm_memory *memory,
                                   clmove_error *error);
    /* Wraps the host's memory, which meets `sharing`; the executor works on it in place. in_parts: it is too large for one
     * object, and memory_part makes objects of its parts. *is_free false, without an error: some of it is used in place already.
     * The host's memory must outlive the wrapped memory. */
    clmove_status (*memory_wrap)(clm_executor *executor, const clm_range *range, bool in_parts, clm_memory *memory, bool *is_free,
                                 clmove_error *error);
    /* Checks memory of the caller's, an object or shared virtual memory, of which `bytes` from the offset on are read or written.
     * role names it in sentences: "source". *memory need not be destroyed. Raises INVALID_ARGUMENT, BAD_BUFFER, UNSUPPORTED. */
    clmove_status (*memory_borrow)(clm_executor *executor, const clm_memory *given, clm_use use, const char *role,
                                   clm_memory *memory, clmove_error *error);
    /* Bytes of wrapped memory, from one on, in an object of their own. */
    clmove_status (*memory_part)(const clm_memory *wrapped, size_t first, size_t bytes, clm_memory *part, clmove_error *error);
    /* Submitted work still completes; for wrapped memory this waits for it. Accepts zeroed memory, and zeroes it. */
    void (*memory_destroy)(clm_memory *memory);
    /* Copy from and to the host's memory. Without a submission they run after all commands of the default queue, and return when
     * done. bytes is not 0. span: NULL, or where to put the event. */
    clmove_status (*write)(clm_memory *memory, size_t offset, const void *src, size_t bytes, const clm_submission *submission,
                           clm_span *span, clmove_error *error);
    clmove_status (*read)(const clm_memory *memory, size_t offset, void *dst, size_t bytes, const clm_submission *submission,
                          clm_span *span, clmove_error *error);
    /* Repeat a pattern, or copy ranges that do not overlap. They may return before they are done. bytes is not 0; for fill it is
     * a multiple of pattern_bytes. */
    clmove_status (*fill)(clm_memory *memory, size_t offset, size_t bytes, const void *pattern, size_t pattern_bytes,
                          clmove_error *error);
    clmove_status (*copy)(const clm_memory *src, size_t src_offset, clm_memory *dst, size_t dst_offset, size_t bytes,
                          clmove_error *error);
    /* Map and unmap a piece for the host. bytes is not 0. If the submission has an event, the piece is mapped when the event is
     * complete, else on return. */
    clmove_status (*map)(const clm_memory *memory, clmove_access access, size_t offset, size_t bytes,
                         const clm_submission *submission, void **mapped, clmove_error *error);
    clmove_status (*unmap)(const clm_memory *memory, void *mapped, const clm_submission *submission, clmove_error *error);
    /* Raises BAD_BUFFER if pieces of two memories share a byte, also through different objects. NULL: each memory has its place
     * in `host`, and nothing else is to be compared. */
    clmove_status (*check_apart)(const clm_memory *src, size_t src_offset, size_t src_bytes, const clm_memory *dst,
                                 size_t dst_offset, size_t dst_bytes, clmove_error *error);
    /* Runs on both memories as the host sees them: maps them after the submission's wait list, calls move(user, src, dst), and
     * unmaps them, which is what the submission's event is of. Raises BAD_BUFFER where the host may not read or write them. NULL
     * for the host's own executor, which the others' memory is lent to. */
    clmove_status (*lend)(const clm_memory *src, const clm_memory *dst, const clm_submission *submission,
                          void (*move)(void *user, const void *src, void *dst), void *user, clmove_error *error);
};

/* Declares a function of the table by the table: CLM_CALL(write) clm_memory_write; */
#define CLM_CALL(call) __typeof__(*((clm_executor_calls *)NULL)->call)

/* Releases the events of a span. */
static inline void clm_span_release(clm_executor *executor, clm_span *span) {
    if (span->first)
        executor->calls->event_release(executor, span->first);
    if (span->last && span->last != span->first)
        executor->calls->event_release(executor, span->last);
    *span = (clm_span){0};
}

#endif
