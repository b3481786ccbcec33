/* How work is cut, by class of device: one table of keys, with what each class starts from and what may be given instead.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_PLAN_TUNING_H
#define CLMOVE_HOST_PLAN_TUNING_H

#include <stdbool.h>
#include <stdint.h>

/* host: the process's own threads. cpu: OpenCL on the host's own processor. gpu: any other OpenCL device. Few workers that are
 * best left alone with a long run, or many items that do a little each: the keys of one kind mean nothing to the other. */
typedef enum clm_tuning_class { CLM_CLASS_HOST, CLM_CLASS_CPU, CLM_CLASS_GPU, CLM_CLASSES } clm_tuning_class;

/* The class has no such key. */
#define CLM_NO_KEY (-1)

/* X(key, least, most, host, cpu, gpu, what). Why the values are what they are:
 * segment_bytes, item_min_bytes: a job is long enough to forget its start, and POCL 3.1 takes about 0.3 us to hand a work-group
 * to a thread, the time in which a core moves 6 KB. On a GPU, neighbouring items store neighbouring pieces of one vector.
 * items_per_worker: enough that the last one does not wait long.
 * max_streams: deinterleaving f32 [8,3,1024,1024] by blocks of 2 on POCL (2 cores, Zen 5): 42 GB/s in the order of the
 *   destination, which skips every other 4 KiB of the source, 66 in that of the source; with block 16, and so 256 rows, 21 and 9.
 * max_items: beyond it each item takes more jobs. Its bound keeps the NDRange under 2^31, past which drivers hand out wrong ids.
 * local_size: no choice on a CPU, where an item is alone in its group. */
#define CLM_TUNING_KEYS(X)                                                                                                       \
    X(segment_bytes, 1, INT64_C(1) << 30, 65536, 65536, 16, "bytes that a job writes; on a GPU, in each of the rows it writes")  \
    X(item_min_bytes, 1, INT64_C(1) << 30, 32768, 32768, CLM_NO_KEY, "bytes that a work-item writes at least")                   \
    X(items_per_worker, 1, 65536, 16, 16, CLM_NO_KEY, "work-items for each thread or compute unit, where there is enough to do") \
    X(max_streams, 0, 65536, 32, 32, CLM_NO_KEY, "most rows of the destination that are written at once to read in order")       \
    X(max_items, 1, INT64_C(1) << 30, CLM_NO_KEY, CLM_NO_KEY, INT64_C(1) << 22, "most work-items in one launch")                 \
    X(stream_min_bytes, 0, INT64_MAX, 0, 0, 0, "destination from which stores bypass the cache; 0 is the cache's size")          \
    X(local_size, 1, 65536, CLM_NO_KEY, CLM_NO_KEY, 256, "work-items of a work-group, at most what the device can do")

typedef struct clm_tuning {
#define TUNING_FIELD(key, ...) int64_t key;
    CLM_TUNING_KEYS(TUNING_FIELD)
#undef TUNING_FIELD
} clm_tuning;

/* "host", "cpu" or "gpu". */
const char *clm_class_text(clm_tuning_class class);

/* What a class starts from; CLM_NO_KEY in the fields that it does not have. */
void clm_tuning_default(clm_tuning_class class, clm_tuning *tuning);

#endif
