/* A CPU device that shares nothing, and whose driver brings back whole buffers. Runs move the right bytes, on copies, or in place
 * with CLMOVE_IN_PLACE=1, as no two buffers are over the same memory: test_remote LAYER.so, with OPENCL_LAYERS=LAYER.so
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "remote.h"
#include "tests/support.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SRC_BYTES 4000000
#define REPEATS 5
#define DST_BYTES (REPEATS * SRC_BYTES)

static const remote_interface *remote;
static clmove_error error;

/* A tile of 4 MB by 5, whose pieces each write to five places of the destination, far apart. */
typedef struct tiling {
    clmove_device *device;
    clmove_plan *plan;
    /* Whole pages. */
    uint8_t *src, *dst, *expected;
    /* Overlapping buffers that the layer counted before. */
    unsigned overlapping;
    bool trusts;
} tiling;

static uint8_t *allocate(size_t bytes) {
    void *memory = NULL;
    assert_int_equal(posix_memalign(&memory, 4096, bytes), 0);
    return memory;
}

static clmove_plan *plan_tile(clmove_device *device, int64_t bytes, int64_t repeats) {
    clmove_plan *plan = NULL;
    clmove_map map;
    ASSERT_OK(clmove_map_init(&map, 8, 1, (const int64_t[]){bytes}, &error), &error);
    ASSERT_OK(clmove_map_tile(&map, 1, (const int64_t[]){repeats}, CLMOVE_RULES_ONNX, &error), &error);
    ASSERT_OK(clmove_plan_create(device, &map, NULL, &plan, &error), &error);
    return plan;
}

static tiling begin(bool trusts, uint64_t max_alloc) {
    tiling it = {.trusts = trusts, .overlapping = remote->overlapping()};
    setenv("CLMOVE_IN_PLACE", trusts ? "1" : "", 1);
    remote->limit(max_alloc);
    it.device = open_device("cpu");
    assert_non_null(it.device);
    it.plan = plan_tile(it.device, SRC_BYTES, REPEATS);
    it.src = allocate(SRC_BYTES);
    it.dst = allocate(DST_BYTES);
    it.expected = allocate(DST_BYTES);
    fill_noise(it.src, SRC_BYTES, 1);
    fill_noise(it.dst, DST_BYTES, 2);
    for (size_t i = 0; i < REPEATS; i++)
        memcpy(it.expected + i * SRC_BYTES, it.src, SRC_BYTES);
    return it;
}

static void end(tiling *it) {
    clmove_plan_destroy(&it->plan);
    clmove_device_close(&it->device);
    free(it->src);
    free(it->dst);
    free(it->expected);
    remote->limit(0);
    unsetenv("CLMOVE_IN_PLACE");
    assert_int_equal(remote->overlapping(), it->overlapping);
}

/* ---- what the device says ---- */

static void it_does_not_share(void **state) {
    (void)state;
    clmove_device_info listed[8] = {{.struct_size = sizeof *listed}}, info = {.struct_size = sizeof info};
    clmove_memory_info memory = {.struct_size = sizeof memory};
    int64_t count;
    ASSERT_OK(clmove_device_list(listed, 8, &count, &error), &error);
    assert_true(listed[0].host_unified); /* the driver's word */
    tiling it = begin(false, 0);
    ASSERT_OK(clmove_device_get_info(it.device, &info, &error), &error);
    ASSERT_OK(clmove_device_get_memory(it.device, &memory, &error), &error);
    assert_int_equal(info.type, CLMOVE_DEVICE_CPU);
    assert_false(info.host_unified);
    assert_false(memory.shares_host_memory);
    assert_int_equal(memory.zero_copy_alignment, 0);
    assert_int_equal(memory.zero_copy_multiple, 0);
    end(&it);
    it = begin(true, 0);
    ASSERT_OK(clmove_device_get_memory(it.device, &memory, &error), &error);
    assert_true(memory.shares_host_memory);
    assert_int_equal(memory.zero_copy_alignment, 1);
    end(&it);
    setenv("CLMOVE_IN_PLACE", "often", 1);
    const clmove_device_params params = {.struct_size = sizeof params, .selector = "cpu"};
    clmove_device *none = NULL;
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_device_open(&params, &none, &error), &error);
    assert_mentions(error.text, "CLMOVE_IN_PLACE is \"often\"");
    unsetenv("CLMOVE_IN_PLACE");
}

/* ---- runs ---- */

typedef struct patience {
    int64_t left;
} patience;

static bool hear(void *user, const clmove_progress *progress) {
    patience *it = user;
    return progress->bytes_done <= progress->bytes_total && --it->left != 0;
}

static clmove_status run(const tiling *it, int64_t pieces, int64_t cancel_after, clmove_run_info *info) {
    patience user = {cancel_after ? cancel_after : -1};
    const clmove_run_params params = {.struct_size = sizeof params,
                                      .progress = hear,
                                      .progress_user = &user,
                                      .piece_bytes = (SRC_BYTES + DST_BYTES) / pieces + 96, /* a unit each more */
                                      .info = info};
    return clmove_run_with(it->plan, it->src, SRC_BYTES, it->dst, DST_BYTES, &params, &error);
}

static void check(const tiling *it, const char *what) {
    check_bytes(it->dst, it->expected, DST_BYTES, what);
}

static void runs_are_right(void **state) {
    (void)state;
    for (int trusts = 0; trusts < 2; trusts++) {
        tiling it = begin(trusts, 0);
        clmove_run_info info = {.struct_size = sizeof info};
        unsigned wrapped = remote->wrapped();
        ASSERT_OK(run(&it, 7, 0, &info), &error);
        check(&it, "in 7 pieces");
        assert_int_equal(info.pieces, 7);
        assert_int_equal(info.method, trusts ? CLMOVE_RUN_IN_PLACE : CLMOVE_RUN_STAGED);
        assert_int_equal(remote->wrapped() - wrapped, trusts ? 2 : 0); /* one on each side, for all pieces */
        fill_noise(it.dst, DST_BYTES, 3);
        ASSERT_OK(clmove_run(it.plan, it.src, SRC_BYTES, it.dst, DST_BYTES, &error), &error);
        check(&it, "at once");
        end(&it);
    }
}

/* Buffers that one side does not fit in: those of one piece go before those of the next come. */
static void parts_are_right(void **state) {
    (void)state;
    for (int trusts = 0; trusts < 2; trusts++) {
        tiling it = begin(trusts, 4000100);
        clmove_run_info info = {.struct_size = sizeof info};
        unsigned wrapped = remote->wrapped();
        ASSERT_OK(run(&it, 7, 0, &info), &error);
        check(&it, "in parts");
        assert_true(info.pieces >= 7);
        assert_int_equal(info.method, trusts ? CLMOVE_RUN_IN_PLACE : CLMOVE_RUN_STAGED);
        assert_int_equal(remote->wrapped() - wrapped, trusts ? 2 * info.pieces : 0);
        end(&it);
    }
}

/* What was moved stays, and nothing else is touched. */
static void cancelled_runs_are_right(void **state) {
    (void)state;
    for (int trusts = 0; trusts < 2; trusts++) {
        tiling it = begin(trusts, 0);
        uint8_t *before = allocate(DST_BYTES);
        clmove_run_info info = {.struct_size = sizeof info};
        size_t moved = 0, wrong = 0;
        memcpy(before, it.dst, DST_BYTES);
        ASSERT_FAILS(CLMOVE_CANCELLED, run(&it, 7, 3, &info), &error);
        for (size_t i = 0; i < DST_BYTES; i++) {
            moved += it.dst[i] == it.expected[i];
            wrong += it.dst[i] != it.expected[i] && it.dst[i] != before[i];
        }
        assert_int_equal(wrong, 0);
        assert_true(moved > DST_BYTES * 3 / 7);
        ASSERT_OK(run(&it, 7, 0, &info), &error);
        check(&it, "after a run that was cancelled");
        free(before);
        end(&it);
    }
}

/* ---- several at once ---- */

typedef struct worker {
    pthread_t thread;
    clmove_plan *plan;
    const uint8_t *src;
    uint8_t *dst;
    size_t src_bytes, dst_bytes;
    int64_t piece_bytes;
    clmove_status status;
} worker;

static void *work(void *given) {
    worker *it = given;
    const clmove_run_params params = {.struct_size = sizeof params, .piece_bytes = it->piece_bytes};
    for (int i = 0; i < 3 && it->status == CLMOVE_OK; i++)
        it->status = clmove_run_with(it->plan, it->src, it->src_bytes, it->dst, it->dst_bytes, &params, NULL);
    return NULL;
}

static void run_both(worker workers[2]) {
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    for (int i = 0; i < 2; i++) {
        pthread_join(workers[i].thread, NULL);
        assert_int_equal(workers[i].status, CLMOVE_OK);
    }
}

/* Both read all of one source; then the second one reads all but its first bytes. */
static void one_source_serves_two(void **state) {
    (void)state;
    enum { SKIPPED = 4096 };
    for (int trusts = 0; trusts < 2; trusts++)
        for (int whole = 0; whole < 2; whole++) {
            tiling it = begin(trusts, 0);
            size_t skipped = whole ? 0 : SKIPPED, bytes = SRC_BYTES - skipped;
            clmove_plan *other = plan_tile(it.device, (int64_t)bytes, 2);
            uint8_t *dst = allocate(2 * bytes);
            worker workers[] = {
                {.plan = it.plan, .src = it.src, .dst = it.dst, .src_bytes = SRC_BYTES, .dst_bytes = DST_BYTES},
                {.plan = other, .src = it.src + skipped, .dst = dst, .src_bytes = bytes, .dst_bytes = 2 * bytes},
            };
            workers[0].piece_bytes = workers[1].piece_bytes = 3000000;
            run_both(workers);
            check(&it, "the first of two from one source");
            for (size_t i = 0; i < 2; i++)
                check_bytes(dst + i * bytes, it.src + skipped, bytes, "the second of two from one source");
            clmove_plan_destroy(&other);
            free(dst);
            end(&it);
        }
}

/* Even rows of one destination are the first's, odd ones the second's. */
static void two_fill_one_destination(void **state) {
    (void)state;
    enum { ROWS = 2000, ROW_BYTES = 1000, HALF = ROWS / 2 * ROW_BYTES };
    for (int trusts = 0; trusts < 2; trusts++) {
        tiling it = begin(trusts, 0);
        worker workers[2];
        for (int i = 0; i < 2; i++) {
            clmove_map map;
            clmove_plan *plan = NULL;
            ASSERT_OK(clmove_map_init(&map, 8, 2, (const int64_t[]){ROWS / 2, ROW_BYTES}, &error), &error);
            ASSERT_OK(clmove_map_view_dst(&map, (const int64_t[]){2 * ROW_BYTES, 1}, (int64_t)i * ROW_BYTES, &error), &error);
            ASSERT_OK(clmove_plan_create(it.device, &map, NULL, &plan, &error), &error);
            workers[i] = (worker){.plan = plan,
                                  .src = it.src + (size_t)i * HALF,
                                  .dst = it.dst,
                                  .src_bytes = HALF,
                                  .dst_bytes = (size_t)2 * HALF,
                                  .piece_bytes = 300000};
        }
        run_both(workers);
        for (size_t row = 0; row < ROWS; row++)
            check_bytes(it.dst + row * ROW_BYTES, it.src + (row % 2 * (ROWS / 2) + row / 2) * ROW_BYTES, ROW_BYTES, "a row");
        for (int i = 0; i < 2; i++)
            clmove_plan_destroy(&workers[i].plan);
        end(&it);
    }
}

/* ---- buffers ---- */

typedef enum kind { WRAPPED, PINNED, POOLED, KINDS } kind;

static clmove_buffer *make_buffer(clmove_device *device, kind which, clmove_pool *pool, uint8_t *memory, size_t bytes) {
    clmove_buffer *made = NULL;
    if (which == WRAPPED)
        ASSERT_OK(clmove_buffer_wrap(device, memory, bytes, &made, &error), &error);
    else if (which == PINNED)
        ASSERT_OK(clmove_buffer_create_pinned(device, bytes, &made, &error), &error);
    else
        ASSERT_OK(clmove_pool_take(pool, bytes, &made, &error), &error);
    if (which != WRAPPED)
        ASSERT_OK(clmove_buffer_write(made, 0, memory, bytes, &error), &error);
    return made;
}

static void buffers_are_right(void **state) {
    (void)state;
    for (int trusts = 0; trusts < 2; trusts++)
        for (kind which = 0; which < KINDS; which++) {
            tiling it = begin(trusts, 0);
            clmove_pool *pool = NULL;
            clmove_buffer_info info = {.struct_size = sizeof info};
            void *mapped = NULL;
            ASSERT_OK(clmove_pool_create(it.device, 1 << 28, &pool, &error), &error);
            clmove_buffer *src = make_buffer(it.device, which, pool, it.src, SRC_BYTES),
                          *dst = make_buffer(it.device, which, pool, it.dst, DST_BYTES);
            ASSERT_OK(clmove_buffer_get_info(src, &info, &error), &error);
            assert_int_equal(info.zero_copy, which == WRAPPED && trusts);
            ASSERT_OK(clmove_enqueue(it.plan, clmove_buffer_view(src, 0), clmove_buffer_view(dst, 0), NULL, &error), &error);
            ASSERT_OK(clmove_buffer_map(dst, CLMOVE_ACCESS_READ, 0, DST_BYTES, &mapped, &error), &error);
            check_bytes(mapped, it.expected, DST_BYTES, "mapped");
            ASSERT_OK(clmove_buffer_unmap(dst, mapped, &error), &error);
            /* What the host writes is the device's after unmapping, and no sooner. */
            ASSERT_OK(clmove_buffer_map(src, CLMOVE_ACCESS_READ_WRITE, 100, 1000, &mapped, &error), &error);
            fill_noise(mapped, 1000, 7);
            fill_noise(it.src + 100, 1000, 7);
            ASSERT_OK(clmove_buffer_unmap(src, mapped, &error), &error);
            ASSERT_OK(clmove_enqueue(it.plan, clmove_buffer_view(src, 0), clmove_buffer_view(dst, 0), NULL, &error), &error);
            for (size_t i = 0; i < REPEATS; i++)
                memcpy(it.expected + i * SRC_BYTES, it.src, SRC_BYTES);
            ASSERT_OK(clmove_buffer_read(dst, 0, it.dst, DST_BYTES, &error), &error);
            check(&it, "read");
            clmove_buffer_destroy(&src);
            clmove_buffer_destroy(&dst);
            clmove_pool_destroy(&pool);
            end(&it);
        }
}

static bool is_zero_copy(const clmove_buffer *buffer) {
    clmove_buffer_info info = {.struct_size = sizeof info};
    ASSERT_OK(clmove_buffer_get_info(buffer, &info, &error), &error);
    return info.zero_copy;
}

/* Of memory that is wrapped twice the same buffer serves both; of what overlaps otherwise, and of what a run has, a copy. */
static void memory_is_wrapped_once(void **state) {
    (void)state;
    tiling it = begin(true, 0);
    clmove_buffer *first = NULL, *same = NULL, *part = NULL, *dst = NULL;
    clmove_run_info info = {.struct_size = sizeof info};
    uint8_t got[1000];
    unsigned wrapped = remote->wrapped();
    ASSERT_OK(clmove_buffer_wrap(it.device, it.src, SRC_BYTES, &first, &error), &error);
    ASSERT_OK(clmove_buffer_wrap(it.device, it.src, SRC_BYTES, &same, &error), &error);
    ASSERT_OK(clmove_buffer_wrap(it.device, it.src + 1000, 1000, &part, &error), &error);
    assert_int_equal(remote->wrapped() - wrapped, 1);
    assert_true(is_zero_copy(first) && is_zero_copy(same) && !is_zero_copy(part));
    ASSERT_OK(clmove_buffer_read(part, 0, got, sizeof got, &error), &error);
    check_bytes(got, it.src + 1000, sizeof got, "a part");
    clmove_buffer_destroy(&part);
    ASSERT_FAILS(CLMOVE_BAD_BUFFER, clmove_buffer_copy(first, 0, same, 100, 200, &error), &error);

    ASSERT_OK(run(&it, 7, 0, &info), &error); /* shares the source's buffer */
    assert_int_equal(info.method, CLMOVE_RUN_IN_PLACE);
    check(&it, "from wrapped memory");
    assert_int_equal(remote->wrapped() - wrapped, 2);
    clmove_buffer_destroy(&first);
    ASSERT_OK(clmove_buffer_wrap(it.device, it.dst + 5, 300, &dst, &error), &error);
    assert_true(is_zero_copy(dst));
    fill_noise(it.dst, 5, 9);
    fill_noise(it.dst + 305, DST_BYTES - 305, 9);
    ASSERT_OK(run(&it, 7, 0, &info), &error);
    assert_int_equal(info.method, CLMOVE_RUN_STAGED);
    check(&it, "to memory of which some is wrapped");
    clmove_buffer_destroy(&dst);
    clmove_buffer_destroy(&same);
    ASSERT_OK(clmove_buffer_wrap(it.device, it.src + 1000, 1000, &part, &error), &error);
    assert_true(is_zero_copy(part));
    clmove_buffer_destroy(&part);
    end(&it);
}

/* Memory that mapping a buffer gave is the buffer's: runs from it and to it, and buffers of it, work on copies. */
static void mapped_memory_is_not_wrapped(void **state) {
    (void)state;
    for (int pinned = 0; pinned < 2; pinned++) {
        tiling it = begin(true, 0);
        clmove_buffer *src = NULL, *dst = NULL, *wrapped = NULL;
        void *from, *to, *again;
        uint8_t got[1000];
        clmove_run_info info = {.struct_size = sizeof info};
        const clmove_run_params params = {.struct_size = sizeof params, .info = &info};
        const unsigned before = remote->wrapped();
        clmove_status (*create)(clmove_device *, size_t, clmove_buffer **, clmove_error *) =
            pinned ? clmove_buffer_create_pinned : clmove_buffer_create;
        ASSERT_OK(create(it.device, SRC_BYTES + 7, &src, &error), &error);
        ASSERT_OK(create(it.device, DST_BYTES, &dst, &error), &error);
        ASSERT_OK(clmove_buffer_map(src, CLMOVE_ACCESS_WRITE, 7, SRC_BYTES, &from, &error), &error);
        ASSERT_OK(clmove_buffer_map(dst, CLMOVE_ACCESS_READ_WRITE, 0, DST_BYTES, &to, &error), &error);
        memcpy(from, it.src, SRC_BYTES);
        ASSERT_OK(clmove_run_with(it.plan, from, SRC_BYTES, to, DST_BYTES, &params, &error), &error);
        assert_int_equal(info.method, CLMOVE_RUN_STAGED);
        check_bytes(to, it.expected, DST_BYTES, "from mapped memory to mapped memory");
        ASSERT_OK(clmove_run_with(it.plan, it.src, SRC_BYTES, to, DST_BYTES, &params, &error), &error);
        assert_int_equal(info.method, CLMOVE_RUN_STAGED);
        ASSERT_OK(clmove_buffer_wrap(it.device, (uint8_t *)from + 1000, 1000, &wrapped, &error), &error);
        assert_false(is_zero_copy(wrapped));
        ASSERT_OK(clmove_buffer_read(wrapped, 0, got, sizeof got, &error), &error);
        check_bytes(got, it.src + 1000, sizeof got, "wrapped");
        clmove_buffer_destroy(&wrapped);
        ASSERT_OK(clmove_buffer_unmap(dst, to, &error), &error);
        /* Of what is mapped twice for reading, neither is wrapped while one of them is mapped. */
        ASSERT_OK(clmove_buffer_map(dst, CLMOVE_ACCESS_READ, 0, SRC_BYTES, &to, &error), &error);
        ASSERT_OK(clmove_buffer_map(dst, CLMOVE_ACCESS_READ, 0, SRC_BYTES, &again, &error), &error);
        check_bytes(again, it.expected, SRC_BYTES, "mapped again");
        ASSERT_OK(clmove_buffer_unmap(dst, again, &error), &error);
        ASSERT_OK(clmove_run_with(it.plan, to, SRC_BYTES, it.dst, DST_BYTES, &params, &error), &error);
        assert_int_equal(info.method, CLMOVE_RUN_STAGED);
        check(&it, "from memory mapped for reading");
        ASSERT_OK(clmove_buffer_unmap(dst, to, &error), &error);
        /* Nor is the end of the longer one of two that begin alike, after one of them was unmapped. */
        ASSERT_OK(clmove_buffer_map(dst, CLMOVE_ACCESS_READ, 0, 100, &again, &error), &error);
        ASSERT_OK(clmove_buffer_map(dst, CLMOVE_ACCESS_READ, 0, SRC_BYTES, &to, &error), &error);
        ASSERT_OK(clmove_buffer_unmap(dst, again, &error), &error);
        ASSERT_OK(clmove_buffer_wrap(it.device, (uint8_t *)to + 1000, 1000, &wrapped, &error), &error);
        assert_false(is_zero_copy(wrapped));
        clmove_buffer_destroy(&wrapped);
        assert_int_equal(remote->wrapped() - before, 1); /* the source that is the caller's own, of a run that then copied */
        clmove_buffer_destroy(&src);
        clmove_buffer_destroy(&dst);
        ASSERT_OK(clmove_run_with(it.plan, it.src, SRC_BYTES, it.dst, DST_BYTES, &params, &error), &error);
        assert_int_equal(info.method, CLMOVE_RUN_IN_PLACE);
        end(&it);
    }
}

int main(int count, char **arguments) {
    void *layer = count == 2 ? dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    remote = layer ? dlsym(layer, "remote_control") : NULL;
    if (!remote) {
        fprintf(stderr, "usage: OPENCL_LAYERS=LAYER.so %s LAYER.so\n", arguments[0]);
        return 2;
    }
    clmove_device *device = open_device("cpu");
    if (!device) {
        printf("remote: skipped: there is no OpenCL device cpu\n");
        return EXIT_SKIPPED;
    }
    clmove_device_close(&device);
    if (!remote->is_there()) {
        printf("remote: skipped: the OpenCL loader does not load layers (ocl-icd does from 2.3.0 on)\n");
        return EXIT_SKIPPED;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_does_not_share),
        cmocka_unit_test(runs_are_right),
        cmocka_unit_test(parts_are_right),
        cmocka_unit_test(cancelled_runs_are_right),
        cmocka_unit_test(one_source_serves_two),
        cmocka_unit_test(two_fill_one_destination),
        cmocka_unit_test(buffers_are_right),
        cmocka_unit_test(memory_is_wrapped_once),
        cmocka_unit_test(mapped_memory_is_not_wrapped),
    };
    return cmocka_run_group_tests_name("remote", tests, NULL, NULL) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
