/* Pools: memory of destroyed buffers, for later ones.
 *
 * Sizes are rounded up to classes, four to each power of two, so that buffers of similar sizes share memory. Each class keeps its
 * buffers in the order in which they were returned. The newest is taken first, as it is most likely in a cache; the oldest of all
 * classes is freed first. A device's commands run in order, so that memory may be taken again while commands that use it wait.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/device/buffer.h"

#include "host/params.h"

#include <stdlib.h>

/* One class for up to 2^8 bytes; then four for each power of two, up to a quarter of the address space. */
enum { LEAST_BITS = 8, MOST_BITS = 8 * sizeof(size_t) - 2, CLASSES = 1 + 4 * (MOST_BITS - LEAST_BITS), NO_CLASS = -1 };

typedef struct size_class {
    clmove_buffer *oldest, *newest;
} size_class;

struct clmove_pool {
    clmove_device *device;
    /* Of all that follows. */
    pthread_mutex_t lock;
    size_class classes[CLASSES];
    /* As many bytes are kept at most. */
    size_t most_bytes;
    size_t used_bytes, kept_bytes;
    int64_t hits, misses;
    uint64_t puts;
    /* How many use it: the handle, and the buffers in use. */
    size_t users;
    /* The device's budget keeps it. */
    clm_keeper keeper;
};

/* The class of a size, and the bytes of its buffers. */
static int32_t classify(const clmove_device *device, size_t bytes, size_t *rounded) {
    const size_t least = (size_t)1 << LEAST_BITS;
    const uint64_t limit = clm_device_info(device)->max_alloc_bytes;
    *rounded = bytes;
    if (bytes > (size_t)1 << MOST_BITS)
        return NO_CLASS;
    int32_t class = 0;
    if (bytes <= least)
        *rounded = least;
    else {
        int32_t power = 63 - __builtin_clzll(bytes - 1); /* 2^power < bytes <= 2^(power + 1) */
        size_t step = (size_t)1 << (power - 2);
        *rounded = (bytes + step - 1) / step * step;
        class = 4 * (power - LEAST_BITS) + (int32_t)((*rounded - ((size_t)1 << power)) / step);
    }
    if (limit > 0 && *rounded > limit && bytes <= limit)
        *rounded = (size_t)limit; /* the class that the limit cuts */
    return class;
}

static void keep(clmove_pool *pool, clmove_buffer *buffer) {
    size_class *class = &pool->classes[buffer->place.size_class];
    buffer->place.put_at = ++pool->puts;
    buffer->place.newer = NULL;
    buffer->place.older = class->newest;
    *(class->newest ? &class->newest->place.newer : &class->oldest) = buffer;
    class->newest = buffer;
    pool->kept_bytes += buffer->taken;
}

static void unkeep(clmove_pool *pool, clmove_buffer *buffer) {
    size_class *class = &pool->classes[buffer->place.size_class];
    clm_pool_place *place = &buffer->place;
    *(place->older ? &place->older->place.newer : &class->oldest) = place->newer;
    *(place->newer ? &place->newer->place.older : &class->newest) = place->older;
    place->older = place->newer = NULL;
    pool->kept_bytes -= buffer->taken;
}

/* Removes the least recently used buffers until at most so many bytes are kept. The caller frees them without the lock. They are
 * linked by newer. */
static clmove_buffer *cut(clmove_pool *pool, size_t most_bytes) {
    clmove_buffer *gone = NULL;
    while (pool->kept_bytes > most_bytes) {
        clmove_buffer *oldest = NULL;
        for (int32_t i = 0; i < CLASSES; i++) {
            clmove_buffer *it = pool->classes[i].oldest;
            if (it && (!oldest || it->place.put_at < oldest->place.put_at))
                oldest = it;
        }
        unkeep(pool, oldest);
        oldest->place.newer = gone;
        gone = oldest;
    }
    return gone;
}

static void free_all(clmove_buffer *gone) {
    while (gone) {
        clmove_buffer *next = gone->place.newer;
        clm_buffer_free(gone);
        gone = next;
    }
}

/* Whether there was anything to free. */
static bool trim(clmove_pool *pool, size_t most_bytes) {
    pthread_mutex_lock(&pool->lock);
    clmove_buffer *gone = cut(pool, most_bytes);
    pthread_mutex_unlock(&pool->lock);
    bool any = gone != NULL;
    free_all(gone);
    return any;
}

/* Of the pool's keeper. */
static bool give_up(void *user) {
    return trim(user, 0);
}

/* Gives up one use; the last one frees the pool. The caller holds the lock, and this unlocks it. */
static void release(clmove_pool *pool) {
    bool is_last = --pool->users == 0;
    pthread_mutex_unlock(&pool->lock);
    if (!is_last)
        return;
    clm_budget_remove(&pool->device->budget, &pool->keeper);
    pthread_mutex_destroy(&pool->lock);
    clm_device_release(pool->device);
    free(pool);
}

clmove_status clmove_pool_create(clmove_device *device, size_t most_bytes, clmove_pool **pool, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    REQUIRE(device, INVALID_ARGUMENT, "device is NULL");
    REQUIRE(pool, INVALID_ARGUMENT, "pool is NULL");
    TRY(clm_device_check_one(device, "pools", error));
    clmove_pool *created = calloc(1, sizeof *created);
    REQUIRE(created, OUT_OF_MEMORY, "no memory for a pool");
    pthread_mutex_init(&created->lock, NULL);
    clm_device_retain(device);
    created->device = device;
    created->most_bytes = most_bytes;
    created->users = 1;
    created->keeper = (clm_keeper){.give_up = give_up, .user = created};
    clm_budget_add(&device->budget, &created->keeper);
    *pool = created;
out:
    return status;
}

void clmove_pool_destroy(clmove_pool **pool) {
    if (!pool || !*pool)
        return;
    clmove_pool *it = *pool;
    pthread_mutex_lock(&it->lock);
    it->most_bytes = 0; /* buffers in use are freed when they are returned */
    clmove_buffer *gone = cut(it, 0);
    release(it);
    free_all(gone);
    *pool = NULL;
}

/* Returns a buffer to its pool. */
static void put(clmove_pool *pool, clmove_buffer *buffer) {
    clmove_buffer *gone = NULL;
    clm_buffer_unmap_all(buffer);
    pthread_mutex_lock(&pool->lock);
    pool->used_bytes -= buffer->taken;
    if (buffer->place.size_class == NO_CLASS || buffer->taken > pool->most_bytes)
        gone = buffer; /* place.newer is NULL */
    else {
        keep(pool, buffer);
        gone = cut(pool, pool->most_bytes);
    }
    release(pool);
    free_all(gone);
}

clmove_status clmove_pool_take(clmove_pool *pool, size_t bytes, clmove_buffer **buffer, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    static const char what[] = "a buffer of the pool";
    clmove_error failure;
    REQUIRE(pool, INVALID_ARGUMENT, "pool is NULL");
    REQUIRE(buffer, INVALID_ARGUMENT, "buffer is NULL");
    size_t rounded;
    int32_t class = classify(pool->device, bytes, &rounded);
    pthread_mutex_lock(&pool->lock);
    clmove_buffer *taken = class == NO_CLASS ? NULL : pool->classes[class].newest;
    if (taken) {
        unkeep(pool, taken);
        taken->bytes = bytes;
        pool->hits++;
        pool->used_bytes += taken->taken;
        pool->users++;
    }
    pthread_mutex_unlock(&pool->lock);
    if (!taken) {
        status = clm_buffer_create(pool->device, CLMOVE_MEMORY_DEVICE, bytes, rounded, what, &taken, &failure);
        if (status == CLMOVE_OUT_OF_MEMORY && rounded > bytes) { /* then without rounding */
            class = NO_CLASS;
            status = clm_buffer_create(pool->device, CLMOVE_MEMORY_DEVICE, bytes, bytes, what, &taken, &failure);
        }
        if (status != CLMOVE_OK) {
            if (error)
                *error = failure;
            goto out;
        }
        taken->pool = pool;
        taken->give_back = put;
        taken->place.size_class = class;
        pthread_mutex_lock(&pool->lock);
        pool->misses++;
        pool->used_bytes += taken->taken;
        pool->users++;
        pthread_mutex_unlock(&pool->lock);
    }
    *buffer = taken;
out:
    return status;
}

clmove_status clmove_pool_trim(clmove_pool *pool, size_t bytes, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    REQUIRE(pool, INVALID_ARGUMENT, "pool is NULL");
    trim(pool, bytes);
out:
    return status;
}

clmove_status clmove_pool_get_info(const clmove_pool *pool, clmove_pool_info *info, clmove_error *error) {
    static const clm_output output = CLM_OUTPUT(clmove_pool_info, misses);
    clmove_status status = CLMOVE_OK;
    REQUIRE(pool, INVALID_ARGUMENT, "pool is NULL");
    TRY(clm_output_check(output, info, "info", error));
    pthread_mutex_t *lock = &((clmove_pool *)pool)->lock;
    pthread_mutex_lock(lock);
    const clmove_pool_info now = {
        .used_bytes = pool->used_bytes,
        .kept_bytes = pool->kept_bytes,
        .most_bytes = pool->most_bytes,
        .hits = pool->hits,
        .misses = pool->misses,
    };
    pthread_mutex_unlock(lock);
    clm_output_fill(output, info, &now);
out:
    return status;
}
