/* Pools, and many threads at one.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "test_api.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static clmove_error error;

/* ---- pools ---- */

static clmove_buffer *take(clmove_pool *pool, size_t bytes) {
    clmove_buffer *buffer = NULL;
    clmove_buffer_info info = {.struct_size = sizeof info};
    ASSERT_OK(clmove_pool_take(pool, bytes, &buffer, &error), &error);
    ASSERT_OK(clmove_buffer_get_info(buffer, &info, &error), &error);
    assert_int_equal(info.bytes, bytes);
    return buffer;
}

static void pools_use_memory_again(void **state) {
    (void)state;
    clmove_device *opened = api_open_with_budget(1 << 20);
    clmove_pool *pool = NULL;
    unsigned char bytes[1] = {0};
    ASSERT_OK(clmove_pool_create(opened, 100000, &pool, &error), &error);
    clmove_buffer *first = take(pool, 5000), *second = take(pool, 5100);
    clmove_pool_info info = api_pool_of(pool);
    assert_int_equal(info.used_bytes, 2 * 5120);
    assert_int_equal(info.kept_bytes, 0);
    assert_int_equal(info.most_bytes, 100000);
    assert_int_equal(info.hits, 0);
    assert_int_equal(info.misses, 2);
    clmove_buffer_destroy(&first);
    clmove_buffer_destroy(&second);
    assert_int_equal(api_pool_of(pool).kept_bytes, 2 * 5120);
    assert_int_equal(api_pool_of(pool).used_bytes, 0);
    first = take(pool, 4097); /* of the same class, and 4096 is of another */
    second = take(pool, 4096);
    info = api_pool_of(pool);
    assert_int_equal(info.hits, 1);
    assert_int_equal(info.misses, 3);
    assert_int_equal(info.kept_bytes, 5120);
    assert_int_equal(info.used_bytes, 5120 + 4096);
    assert_int_equal(api_memory_of(opened).used_bytes, 2 * 5120 + 4096);
    /* What is rounded up is not to be used. */
    ASSERT_FAILS(CLMOVE_BAD_BUFFER, clmove_buffer_write(first, 4097, bytes, 1, &error), &error);
    clmove_buffer_destroy(&first);
    clmove_buffer_destroy(&second);
    ASSERT_OK(clmove_pool_trim(pool, 9300, &error), &error);
    assert_int_equal(api_pool_of(pool).kept_bytes, 5120 + 4096); /* the first 5120 bytes lay there for longest */
    ASSERT_OK(clmove_pool_trim(pool, 0, &error), &error);
    assert_int_equal(api_memory_of(opened).used_bytes, 0);
    clmove_pool_destroy(&pool);
    clmove_device_close(&opened);
}

static void pools_have_a_bound(void **state) {
    (void)state;
    clmove_device *opened = api_open_with_budget(1 << 20);
    clmove_pool *pool = NULL;
    clmove_buffer *buffers[4];
    ASSERT_OK(clmove_pool_create(opened, 3 * 1024, &pool, &error), &error);
    buffers[0] = take(pool, 512);
    buffers[1] = take(pool, 1024);
    buffers[2] = take(pool, 1536);
    buffers[3] = take(pool, 4096);
    for (int i = 0; i < 3; i++)
        clmove_buffer_destroy(&buffers[i]);
    assert_int_equal(api_pool_of(pool).kept_bytes, 3 * 1024);
    clmove_buffer_destroy(&buffers[3]); /* alone it is too much */
    assert_int_equal(api_pool_of(pool).kept_bytes, 3 * 1024);
    buffers[0] = take(pool, 512);
    buffers[3] = take(pool, 256);
    clmove_buffer_destroy(&buffers[0]); /* now the newest */
    clmove_buffer_destroy(&buffers[3]); /* for which the 1024 go, the oldest */
    clmove_pool_info info = api_pool_of(pool);
    assert_int_equal(info.kept_bytes, 1536 + 512 + 256);
    assert_int_equal(info.hits, 1);
    buffers[1] = take(pool, 1024);
    assert_int_equal(api_pool_of(pool).misses, info.misses + 1);
    buffers[0] = take(pool, 512);
    buffers[2] = take(pool, 1536);
    assert_int_equal(api_pool_of(pool).hits, info.hits + 2);
    /* What is out when the pool goes stays as it is, and is let go when it is destroyed. */
    clmove_pool_destroy(&pool);
    assert_int_equal(api_memory_of(opened).used_bytes, 512 + 1024 + 1536);
    unsigned char noise[512], got[512];
    fill_noise(noise, sizeof noise, 14);
    ASSERT_OK(clmove_buffer_write(buffers[0], 0, noise, 512, &error), &error);
    ASSERT_OK(clmove_buffer_read(buffers[0], 0, got, 512, &error), &error);
    assert_memory_equal(noise, got, 512);
    clmove_device *still = opened;
    for (int i = 0; i < 2; i++)
        clmove_buffer_destroy(&buffers[i]);
    assert_int_equal(api_memory_of(still).used_bytes, 1536);
    clmove_device_close(&opened);
    clmove_buffer_destroy(&buffers[2]); /* the last use of the device */
}

/* Memory is taken again while a plan's work on it may wait still. */
static void taking_again_is_in_order(void **state) {
    (void)state;
    enum { ROWS = 512, COLUMNS = 256, SIZE = ROWS * COLUMNS * 4 };
    clmove_map map;
    clmove_pool *pool = NULL;
    ASSERT_OK(clmove_map_init(&map, 32, 2, (const int64_t[]){ROWS, COLUMNS}, &error), &error);
    ASSERT_OK(clmove_map_permute(&map, 2, (const int64_t[]){1, 0}, &error), &error);
    clmove_plan *plan = api_plan(api_device, &map);
    ASSERT_OK(clmove_pool_create(api_device, 4 * SIZE, &pool, &error), &error);
    unsigned char *noise = malloc(SIZE), *expected = malloc(SIZE), *got = malloc(SIZE);
    assert_true(noise && expected && got);
    clmove_buffer *last = api_buffer(api_device, SIZE);
    for (uint32_t round = 0; round < 20; round++) {
        fill_noise(noise, SIZE, round);
        for (int64_t i = 0; i < ROWS; i++)
            for (int64_t k = 0; k < COLUMNS; k++)
                copy_element(32, noise, i * COLUMNS + k, expected, k * ROWS + i);
        clmove_buffer *src = take(pool, SIZE);
        ASSERT_OK(clmove_buffer_write(src, 0, noise, SIZE, &error), &error);
        ASSERT_OK(clmove_enqueue(plan, clmove_buffer_view(src, 0), clmove_buffer_view(last, 0), NULL, &error), &error);
        clmove_buffer_destroy(&src);
        src = take(pool, SIZE);
        ASSERT_OK(clmove_buffer_fill(src, 0, SIZE, "\x77", 1, &error), &error); /* on the same memory */
        ASSERT_OK(clmove_buffer_read(last, 0, got, SIZE, &error), &error);
        check_bytes(got, expected, SIZE, "moved");
        clmove_buffer_destroy(&src);
    }
    assert_int_equal(api_pool_of(pool).misses, 1);
    clmove_buffer_destroy(&last);
    clmove_plan_destroy(&plan);
    clmove_pool_destroy(&pool);
    free(noise);
    free(expected);
    free(got);
}

/* ---- many threads ---- */

typedef struct worker {
    pthread_t thread;
    uint32_t seed;
    clmove_pool *pool;
    clmove_buffer *shared;
    clmove_error error;
    bool failed;
    /* Memory may lack, as others keep it. */
    bool may_lack;
    uint32_t lacked;
} worker;

static clmove_status work(worker *it, uint32_t round) {
    clmove_status status;
    clmove_buffer *buffer = NULL;
    unsigned char noise[3000], got[3000];
    void *mapped;
    size_t bytes = 1000 + (it->seed + round) * 211 % 2000, at = it->seed * 256; /* of seven classes */
    fill_noise(noise, sizeof noise, it->seed * 1000 + round);
    if ((status = clmove_pool_take(it->pool, bytes, &buffer, &it->error)) != CLMOVE_OK)
        return status;
    status = clmove_buffer_write(buffer, 0, noise, bytes, &it->error);
    if (status == CLMOVE_OK)
        status = clmove_buffer_copy(buffer, 0, it->shared, at, 256, &it->error);
    if (status == CLMOVE_OK)
        status = clmove_buffer_copy(it->shared, at, buffer, 500, 256, &it->error);
    if (status == CLMOVE_OK)
        status = clmove_buffer_map(buffer, CLMOVE_ACCESS_READ, 0, bytes, &mapped, &it->error);
    if (status == CLMOVE_OK) {
        memcpy(noise + 500, noise, 256);
        it->failed |= memcmp(mapped, noise, bytes) != 0;
        status = clmove_buffer_unmap(buffer, mapped, &it->error);
    }
    if (status == CLMOVE_OK)
        status = clmove_buffer_read(it->shared, at, got, 256, &it->error);
    if (status == CLMOVE_OK)
        it->failed |= memcmp(got, noise, 256) != 0;
    clmove_buffer_destroy(&buffer);
    return status;
}

static void *run_worker(void *user) {
    worker *it = user;
    for (uint32_t round = 0; round < 200 && !it->failed; round++) {
        clmove_status status = work(it, round);
        it->lacked += status == CLMOVE_OUT_OF_MEMORY;
        it->failed |= status != CLMOVE_OK && !(it->may_lack && status == CLMOVE_OUT_OF_MEMORY);
    }
    return NULL;
}

static void many_threads_use_one_pool(void **state) {
    (void)state;
    for (int pinned = 0; pinned < 2; pinned++) {
        clmove_pool *pool = NULL;
        clmove_buffer *shared = NULL;
        worker workers[4];
        ASSERT_OK(clmove_pool_create(api_device, 8000, &pool, &error), &error);
        if (pinned)
            ASSERT_OK(clmove_buffer_create_pinned(api_device, 1024, &shared, &error), &error);
        else
            shared = api_buffer(api_device, 1024);
        for (uint32_t i = 0; i < 4; i++) {
            workers[i] = (worker){.seed = i, .pool = pool, .shared = shared};
            assert_int_equal(pthread_create(&workers[i].thread, NULL, run_worker, &workers[i]), 0);
        }
        for (int i = 0; i < 4; i++)
            pthread_join(workers[i].thread, NULL);
        for (int i = 0; i < 4; i++)
            if (workers[i].failed)
                fail_msg("thread %d: %s", i, workers[i].error.text[0] ? workers[i].error.text : "wrong bytes");
        clmove_pool_info info = api_pool_of(pool);
        assert_int_equal(info.hits + info.misses, 4 * 200);
        assert_int_equal(info.used_bytes, 0);
        assert_true(info.kept_bytes <= 8000);
        clmove_buffer_destroy(&shared);
        clmove_pool_destroy(&pool);
    }
}

/* Each keeps all that it had in a pool of its own, and the budget has room for little of that. */
static void threads_let_go_of_what_others_keep(void **state) {
    (void)state;
    clmove_device *opened = api_open_with_budget(16384);
    clmove_buffer *shared = api_buffer(opened, 1024);
    worker workers[4];
    for (uint32_t i = 0; i < 4; i++) {
        workers[i] = (worker){.seed = i, .shared = shared, .may_lack = true};
        ASSERT_OK(clmove_pool_create(opened, 8000, &workers[i].pool, &error), &error);
    }
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&workers[i].thread, NULL, run_worker, &workers[i]), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(workers[i].thread, NULL);
    uint32_t lacked = 0;
    int64_t takes = 0;
    for (int i = 0; i < 4; i++) {
        if (workers[i].failed)
            fail_msg("thread %d: %s", i, workers[i].error.text[0] ? workers[i].error.text : "wrong bytes");
        lacked += workers[i].lacked;
        takes += api_pool_of(workers[i].pool).hits + api_pool_of(workers[i].pool).misses;
        clmove_pool_destroy(&workers[i].pool);
    }
    assert_int_equal(takes + lacked, 4 * 200);
    assert_true(takes > 400); /* one of them can always have what it wants */
    clmove_memory_info memory = api_memory_of(opened);
    assert_int_equal(memory.used_bytes, 1024);
    assert_true(memory.most_used_bytes > 12288 && memory.most_used_bytes <= 16384); /* it was nearly all in use */
    clmove_buffer_destroy(&shared);
    clmove_device_close(&opened);
}

int api_pool_tests(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(pools_use_memory_again),
        cmocka_unit_test(pools_have_a_bound),
        cmocka_unit_test(taking_again_is_in_order),
        cmocka_unit_test(many_threads_use_one_pool),
        cmocka_unit_test(threads_let_go_of_what_others_keep),
    };
    return cmocka_run_group_tests_name("pools", tests, NULL, NULL);
}
