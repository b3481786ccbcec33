/* The tuning, which decides how work is cut: one table of keys, with the built-in values of each class of device and the bounds.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_PLAN_TUNING_H
#define CLMOVE_HOST_PLAN_TUNING_H

#include "host/error.h"

/* host: the process's own threads. cpu: OpenCL on the host's own processor. gpu: any other OpenCL device. host and cpu have few
 * workers with long runs, gpu has many work-items with short runs; each kind has keys of its own. */
typedef enum clm_tuning_class { CLM_CLASS_HOST, CLM_CLASS_CPU, CLM_CLASS_GPU, CLM_CLASSES } clm_tuning_class;

/* The value of a key that a class does not have. */
#define CLM_NO_KEY (-1)

/* X(key, least, most, host, cpu, gpu, what). The reasons for the values:
 *
 * segment_bytes, item_min_bytes: the start of a job takes a small part of its time. POCL 3.1 takes about 0.3 us to give a
 * work-group to a thread. A core moves 6 KB in that time. On a GPU, tiles in local memory do not depend on segment_bytes.
 * Neighbouring work-items of the other variants store neighbouring units.
 *
 * items_per_worker: so many that the other workers do not wait long for the last one.
 *
 * max_dst_rows: f32 [8,3,1024,1024] is deinterleaved by blocks of 2 on POCL (2 cores, Zen 5). The order of the destination runs
 * at 42 GB/s, since it skips every other 4 KiB of the source. The order of the source runs at 66. Blocks of 16 write 256 rows: 21
 * GB/s in the order of the destination, and 9 in that of the source. Blocks of 5 write 25 rows: 56 and 33.
 *
 * near_bytes: the size of the first-level caches and a share of the second. Neither key counts for short rows (order.c).
 *
 * short_run_bytes: u8 [8,48,512,512] is interleaved by blocks of 4 on the same machine. The order of the destination reads runs
 * of 512 bytes from 16 places of the source, one after the other, at 41 GB/s. The order of the source reads on in 4 places, at
 * 59. Runs of 2 KiB from 4 places lose 4 %.
 *
 * strips: see best_way in ways.c.
 *
 * stream_min_bytes: POCL with 32 MiB of cache (2 cores, Zen 5). A copy of 16 MiB runs at 88 to 95 GB/s with plain stores, and at
 * 71 to 74 with non-temporal stores. One of 24 MiB runs at 45 to 67, and at 59 to 66. 4 MiB repeated to 32 MiB run at 56, and at
 * 44. See clm_cache_for_workers.
 *
 * chunk_bytes: POCL takes 17 us for each launch (2 cores of an Intel Xeon, model 207), in which a core moves 60 KiB. Chunks of 1,
 * 2 and 4 MiB in all move 0.29, 0.33 and 0.36 of the limit, more no faster. clm_chunk_bytes allows that machine 2.5 MiB.
 *
 * max_items: beyond it each item takes more jobs. Its bound keeps the NDRange below 2^31, where some drivers begin to give wrong
 * ids.
 *
 * local_size: a CPU lacks this key, since an item is alone in its group there. POCL compiles every kernel again for each local
 * size. */
#define CLM_TUNING_KEYS(X)                                                                                                       \
    X(segment_bytes, 1, INT64_C(1) << 30, 65536, 65536, 1,                                                                       \
      "bytes that a job writes, more of rows in turn; on a GPU, in each row that it writes")                                     \
    X(item_min_bytes, 1, INT64_C(1) << 30, 32768, 32768, CLM_NO_KEY, "bytes that a work-item writes at least")                   \
    X(items_per_worker, 1, 65536, 16, 16, CLM_NO_KEY, "work-items for each thread or compute unit, where there is enough to do") \
    X(max_dst_rows, 0, 65536, 32, 16, CLM_NO_KEY,                                                                                \
      "most destination rows that are written at once, so that the source is read in order")                                     \
    X(near_bytes, 0, INT64_C(1) << 40, 131072, 131072, CLM_NO_KEY,                                                               \
      "source bytes that may be skipped and are still in the cache when they are read")                                          \
    X(short_run_bytes, 0, INT64_C(1) << 30, 2048, 2048, CLM_NO_KEY,                                                              \
      "runs of the source below which interleaving reads in order")                                                              \
    X(max_items, 1, INT64_C(1) << 30, CLM_NO_KEY, CLM_NO_KEY, INT64_C(1) << 22, "work-items in one launch, at most")             \
    X(strips, 0, 4, 0, 0, CLM_NO_KEY,                                                                                            \
      "how tiles and rows are moved past the cache: 1 row by row (kernels move tiles as by 2), 2 in strips, of few rows where "  \
      "these share channels of memory, 3 in strips, and in rooms there, 4 in strips of two lines, 0 as is best on the "          \
      "processor")                                                                                                               \
    X(stream_min_bytes, 0, INT64_MAX, 0, 0, CLM_NO_KEY,                                                                          \
      "bytes read and written from which stores bypass the cache; 0: 5/4 of the workers' share of it, or of their own caches "   \
      "where bytes are transposed")                                                                                              \
    X(chunk_bytes, 1, INT64_C(1) << 30, CLM_NO_KEY, INT64_C(2) << 20, CLM_NO_KEY,                                                \
      "bytes that two passes move at a time for each compute unit, or fewer where the cache is small")                           \
    X(local_size, 1, 65536, CLM_NO_KEY, CLM_NO_KEY, 256, "work-items of a work-group")                                           \
    X(piece_bytes, 1, INT64_MAX, INT64_C(64) << 20, INT64_C(64) << 20, INT64_C(32) << 20,                                        \
      "bytes read and written by a piece, where host memory is moved in pieces")

/* The values of all keys, in the order of the table. */
typedef struct clm_tuning {
#define TUNING_FIELD(key, ...) int64_t key;
    CLM_TUNING_KEYS(TUNING_FIELD)
#undef TUNING_FIELD
} clm_tuning;

enum { CLM_TUNING_COUNT = sizeof(clm_tuning) / sizeof(int64_t) };

/* The values of a device and their origins. */
typedef struct clm_tuned {
    clm_tuning_class class;
    /* The device's largest work-group. */
    int64_t most_local_size;
    /* CLM_NO_KEY in the fields that the class does not have. */
    clm_tuning values;
    clmove_tuning_origin origins[CLM_TUNING_COUNT];
} clm_tuned;

/* Fills the built-in values of a class. max_local_size: the device's largest work-group; 0: unknown. */
void clm_tuned_start(clm_tuned *tuned, clm_tuning_class class, uint64_t max_local_size);

/* Takes the values of a list key=value,key=value. NULL and "": none. where: the name of the list, for sentences. Raises
 * INVALID_ARGUMENT; the values must not be used then. */
clmove_status clm_tuned_add_list(clm_tuned *tuned, const char *list, clmove_tuning_origin origin, const char *where,
                                 clmove_error *error);

/* Takes what the text of a file says for the device: first for its class, then for its name and driver. All of the text is
 * checked, also what is for other devices. path: for the sentence. is_own: the file is the device's alone and has to have its
 * section. Raises INVALID_ARGUMENT, and then the values are not to be used. */
clmove_status clm_tuned_add_file(clm_tuned *tuned, const char *text, size_t length, const char *path,
                                 const clmove_device_info *device, bool is_own, clmove_error *error);

/* The bytes that two passes in launches move at a time, on an executor of so many workers: they stay in the cache, of which each
 * worker has 1 MiB at least. 0: the class has none. */
int64_t clm_chunk_bytes(const clm_tuning *tuning, uint64_t cache_bytes, uint32_t workers);

/* Writes the keys of the class as clmove_device_get_tuning does. A stream_min_bytes of 0 is written as the number of bytes that
 * it means. */
void clm_tuned_list(const clm_tuned *tuned, uint64_t cache_bytes, clmove_tuning_value *values, size_t capacity, size_t *count);

/* The bytes of the last-level cache that the workers can count on. reported: what the machine says; 0: unknown. The result is at
 * most 16 MiB for each worker. If more than 16 MiB are reported for each processor, it is 5/4 MiB for each worker: a virtual
 * machine reports the cache of a whole server, and its neighbours use their shares of it.
 *
 * 2 cores of an Intel Xeon of which 480 MiB are reported: copies of 4 to 4 MiB run at 29 to 32 GB/s with plain stores, and at 29
 * to 34 with non-temporal ones. Copies of 64 to 64 MiB run at 8 to 17 and 23 to 39 when the neighbours are busy.
 *
 * 2 cores of an Intel Xeon at 2.8 GHz (model 106, 48 MiB reported, 1.25 of their own each), host, f32, GB/s with plain and
 * non-temporal stores:
 *   MiB on each side         1         2         4
 *   transposing              20, 14    12, 36    7, 35
 *   deinterleaving by 2      46, 26    24, 37    16, 50
 *   rows of 256 bytes        59, 26    17, 32    17, 59 */
uint64_t clm_cache_for_workers(uint64_t reported, uint32_t workers, uint32_t processors);

/* What the workers' own caches have of that. Tiles store lines in many places: each is read first, and in a cache that is
 * shared a worker waits for that. Speed with non-temporal stores against plain ones, 2 cores of an AMD EPYC (model 17, 32 MiB of
 * third-level cache), geometric means of medians of 5 runs in turn, host and POCL. Transposing: 19 maps (blocks of 8 to 24, NHWC,
 * heads, 2-D; u8, f16, f32); runs: [n,12,64] by 1,0,2. The machine changed its state between sizes; interleaving had 0.74
 * to 1.29, and deinterleaving about 0.8.
 *   MiB on each side     2            4            8            14
 *   transposing          1.35, 0.72   1.38, 1.25   0.82, 1.30   1.20, 1.46
 *   runs                 1.62, 0.60   1.58, 1.78   0.64, 1.71   0.80, 1.45 */
uint64_t clm_own_caches(uint64_t cache_bytes, uint32_t workers);

/* Bytes read and written from which stores are non-temporal. 0: never. */
uint64_t clm_stream_min_bytes(const clm_tuning *tuning, uint64_t cache_bytes);

/* A row of the table. */
typedef struct clm_tuning_key {
    const char *name;
    int64_t least, most;
    int64_t built_in[CLM_CLASSES];
    const char *what;
} clm_tuning_key;

extern const clm_tuning_key clm_tuning_keys[CLM_TUNING_COUNT];

/* The field of a key. key: 0 to CLM_TUNING_COUNT - 1, here and below. */
int64_t *clm_tuning_field(clm_tuning *tuning, int key);

/* The largest value of a key on this device. */
int64_t clm_tuning_most(const clm_tuned *tuned, int key);

#endif
