/* SPDX-License-Identifier: Apache-2.0 */
#include "host/plan/tuning.h"

#include <string.h>

const clm_tuning_key clm_tuning_keys[CLM_TUNING_COUNT] = {
#define TUNING_ROW(key, least_, most_, host, cpu, gpu, what_)                                                                    \
    {.name = #key, .least = least_, .most = most_, .built_in = {host, cpu, gpu}, .what = what_},
    CLM_TUNING_KEYS(TUNING_ROW)
#undef TUNING_ROW
};

int64_t *clm_tuning_field(clm_tuning *tuning, int key) {
    return (int64_t *)tuning + key;
}

int64_t clm_tuning_most(const clm_tuned *tuned, int key) {
    int64_t most = clm_tuning_keys[key].most;
    bool is_local_size = (size_t)key == offsetof(clm_tuning, local_size) / sizeof(int64_t);
    return is_local_size && most > tuned->most_local_size ? tuned->most_local_size : most;
}

void clm_tuned_start(clm_tuned *tuned, clm_tuning_class class, uint64_t max_local_size) {
    memset(tuned, 0, sizeof *tuned);
    tuned->class = class;
    tuned->most_local_size = max_local_size > 0 && max_local_size <= INT64_MAX ? (int64_t)max_local_size : INT64_MAX;
    for (int i = 0; i < CLM_TUNING_COUNT; i++) {
        int64_t value = clm_tuning_keys[i].built_in[class], most = clm_tuning_most(tuned, i);
        *clm_tuning_field(&tuned->values, i) = value > most ? most : value;
        tuned->origins[i] = CLMOVE_TUNING_BUILT_IN;
    }
}

/* The bytes of the caches that a worker shares with nobody. */
#define OWN_CACHES (UINT64_C(5) << 18)

uint64_t clm_cache_for_workers(uint64_t reported, uint32_t workers, uint32_t processors) {
    const uint64_t most_for_one = UINT64_C(16) << 20;
    if (reported == 0)
        return most_for_one;
    if ((reported - 1) / most_for_one >= processors)
        return (workers < processors ? workers : processors) * OWN_CACHES;
    return reported / most_for_one < workers ? reported : workers * most_for_one;
}

uint64_t clm_own_caches(uint64_t cache_bytes, uint32_t workers) {
    return cache_bytes < workers * OWN_CACHES ? cache_bytes : workers * OWN_CACHES;
}

uint64_t clm_stream_min_bytes(const clm_tuning *tuning, uint64_t cache_bytes) {
    if (tuning->stream_min_bytes == CLM_NO_KEY)
        return 0;
    return tuning->stream_min_bytes ? (uint64_t)tuning->stream_min_bytes : cache_bytes + cache_bytes / 4;
}

int64_t clm_chunk_bytes(const clm_tuning *tuning, uint64_t cache_bytes, uint32_t workers) {
    const uint64_t least = workers * (UINT64_C(1) << 20), most = cache_bytes > least ? cache_bytes : least;
    if (tuning->chunk_bytes == CLM_NO_KEY)
        return 0;
    const uint64_t wanted = (uint64_t)tuning->chunk_bytes * workers;
    return (int64_t)(wanted < most ? wanted : most);
}

void clm_tuned_list(const clm_tuned *tuned, uint64_t cache_bytes, clmove_tuning_value *values, size_t capacity, size_t *count) {
    clm_tuning now = tuned->values;
    if (now.stream_min_bytes != CLM_NO_KEY)
        now.stream_min_bytes = (int64_t)clm_stream_min_bytes(&now, cache_bytes);
    *count = 0;
    for (int i = 0; i < CLM_TUNING_COUNT; i++) {
        if (clm_tuning_keys[i].built_in[tuned->class] == CLM_NO_KEY)
            continue;
        if (*count < capacity)
            values[*count] = (clmove_tuning_value){
                .key = clm_tuning_keys[i].name,
                .value = *clm_tuning_field(&now, i),
                .least = clm_tuning_keys[i].least,
                .most = clm_tuning_most(tuned, i),
                .origin = tuned->origins[i],
                .what = clm_tuning_keys[i].what,
            };
        ++*count;
    }
}
