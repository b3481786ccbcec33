/* All that may be called from any thread, called from several at once: devices opened and closed, plans of many kinds made (and
 * their programs built), asked and run, buffers moved, counters read, figures exchanged.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "test_api.h"

#include <clmove/advice.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 4, ROUNDS = 8, SRC_BYTES = 24 * 40 * 3, DST_MOST = 2 * SRC_BYTES };

typedef struct worker {
    pthread_t thread;
    uint32_t number;
    /* A device of its own: it makes what the others should have moved. */
    clmove_device *host;
    unsigned char src[SRC_BYTES], expected[DST_MOST], got[DST_MOST];
    clmove_error error;
    /* The call or the place that failed: cmocka's asserts belong to the main thread. */
    const char *wrong;
} worker;

#define STEP(call)                                                                                                               \
    do {                                                                                                                         \
        if (!it->wrong && (call) != CLMOVE_OK)                                                                                   \
            it->wrong = #call;                                                                                                   \
    } while (0)

/* Maps that different kernels serve, so that threads build programs at the same time. */
static clmove_status make_map(uint32_t kind, clmove_map *map, clmove_error *failure) {
    static const struct {
        uint32_t bits;
        /* SRC_BYTES of source each. */
        int64_t dims[4];
    } sources[] = {{8, {1, 3, 24, 40}}, {16, {1, 3, 12, 40}}, {24, {1, 1, 24, 40}}, {1, {1, 3, 24, 320}}};
    const uint32_t source = kind % 4, operation = kind / 4 % 4;
    clmove_status status = clmove_map_init(map, sources[source].bits, 4, sources[source].dims, failure);
    if (!status && operation == 0)
        status = clmove_map_tile(map, 4, (const int64_t[]){2, 1, 1, 1}, CLMOVE_RULES_ONNX, failure);
    if (!status && operation == 1)
        status = clmove_map_permute(map, 4, (const int64_t[]){0, 2, 3, 1}, failure);
    if (!status && operation == 2)
        status = clmove_map_space_to_depth(map, 2, CLMOVE_DEPTH_FIRST, CLMOVE_RULES_OPENVINO, failure);
    return status;
}

static void run(worker *it, clmove_plan *plan, size_t bytes) {
    memset(it->got, 0x99, sizeof it->got);
    STEP(clmove_run(plan, it->src, SRC_BYTES, it->got, bytes, &it->error));
    if (!it->wrong && memcmp(it->got, it->expected, bytes) != 0)
        it->wrong = "bytes of a run";
}

static void enqueue(worker *it, clmove_plan *plan, size_t bytes) {
    clmove_buffer *src = NULL, *dst = NULL;
    clmove_times times = {.struct_size = sizeof times};
    memset(it->got, 0x99, sizeof it->got);
    STEP(clmove_buffer_create(api_device, SRC_BYTES, &src, &it->error));
    STEP(clmove_buffer_create_pinned(api_device, bytes, &dst, &it->error));
    STEP(clmove_buffer_write(src, 0, it->src, SRC_BYTES, &it->error));
    STEP(clmove_buffer_fill(dst, 0, bytes, "\x99", 1, &it->error));
    STEP(clmove_enqueue(plan, clmove_buffer_view(src, 0), clmove_buffer_view(dst, 0), NULL, &it->error));
    STEP(clmove_device_finish(api_device, &it->error));
    STEP(clmove_measure(plan, clmove_buffer_view(src, 0), clmove_buffer_view(dst, 0), &times, &it->error));
    STEP(clmove_buffer_read(dst, 0, it->got, bytes, &it->error));
    clmove_buffer_destroy(&src);
    clmove_buffer_destroy(&dst);
    if (!it->wrong && memcmp(it->got, it->expected, bytes) != 0)
        it->wrong = "bytes of a buffer";
}

static void ask(worker *it, clmove_plan *plan) {
    char text[8192];
    clmove_plan_info info = {.struct_size = sizeof info};
    clmove_device_stats stats = {.struct_size = sizeof stats};
    clmove_memory_info memory = {.struct_size = sizeof memory};
    char calibration[8192];
    clmove_advice advice = {.struct_size = sizeof advice};
    STEP(clmove_plan_get_info(plan, &info, &it->error));
    STEP(clmove_plan_explain(plan, text, sizeof text, &it->error));
    STEP(clmove_plan_advise(plan, CLMOVE_AT_HOST, CLMOVE_AT_DEVICE, &advice, &it->error));
    STEP(clmove_device_get_stats(api_device, &stats, &it->error));
    STEP(clmove_device_get_memory(api_device, &memory, &it->error));
    STEP(clmove_device_get_calibration_text(api_device, calibration, sizeof calibration, &it->error));
    STEP(clmove_device_set_calibration_text(api_device, calibration, &it->error));
}

static void *work(void *given) {
    worker *it = given;
    const clmove_device_params params = {.struct_size = sizeof params, .selector = "host", .threads = 1};
    clmove_device *device = NULL;
    STEP(clmove_device_open(&params, &it->host, &it->error));
    STEP(
        clmove_device_open(&(clmove_device_params){.struct_size = sizeof params, .selector = api_selector}, &device, &it->error));
    clmove_device_close(&device);
    for (uint32_t round = 0; round < ROUNDS && !it->wrong; round++) {
        clmove_map map;
        clmove_plan *plan = NULL, *oracle = NULL;
        fill_noise(it->src, SRC_BYTES, it->number * ROUNDS + round);
        STEP(make_map(round * 2 + it->number / 2, &map, &it->error)); /* two threads want the same at the same time */
        const size_t bytes = it->wrong ? 0 : (size_t)clmove_map_dst_bytes(&map);
        STEP(clmove_plan_create(it->host, &map, NULL, &oracle, &it->error));
        STEP(clmove_run(oracle, it->src, SRC_BYTES, it->expected, bytes, &it->error));
        STEP(clmove_plan_create(api_device, &map, NULL, &plan, &it->error));
        run(it, plan, bytes);
        enqueue(it, plan, bytes);
        ask(it, plan);
        clmove_plan_destroy(&plan);
        clmove_plan_destroy(&oracle);
    }
    clmove_device_close(&it->host);
    return NULL;
}

static void all_at_once(void **state) {
    (void)state;
    worker *workers = calloc(THREADS, sizeof *workers);
    assert_non_null(workers);
    clmove_device_stats before = stats_of(api_device);
    for (uint32_t i = 0; i < THREADS; i++) {
        workers[i].number = i;
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(workers[i].thread, NULL);
    for (int i = 0; i < THREADS; i++)
        if (workers[i].wrong)
            fail_msg("thread %d: %s: %s", i, workers[i].wrong, workers[i].error.text);
    clmove_device_stats after = stats_of(api_device);
    assert_int_equal(after.kernels_run - before.kernels_run + after.host_runs - before.host_runs, THREADS * ROUNDS * 3);
    free(workers);
}

/* ---- the stack of a caller ---- */

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* frames are larger there */
/* Describes, plans and runs every kind of map, at once and in pieces. */
static void *use_little_stack(void *given) {
    worker *it = given;
    const clmove_run_params pieces = {.struct_size = sizeof pieces, .piece_bytes = 1000};
    clmove_device *device = NULL;
    STEP(clmove_device_open(&(clmove_device_params){.struct_size = sizeof(clmove_device_params), .selector = "host"}, &device,
                            &it->error));
    for (uint32_t kind = 0; kind < 16 && !it->wrong; kind++) {
        clmove_map map;
        clmove_plan *plan = NULL;
        STEP(make_map(kind, &map, &it->error));
        (void)clmove_map_reshape(&map, 1, (const int64_t[]){-1}, &it->error); /* which not every map allows */
        STEP(clmove_plan_create(device, &map, NULL, &plan, &it->error));
        STEP(clmove_run(plan, it->src, sizeof it->src, it->got, sizeof it->got, &it->error));
        STEP(clmove_run_with(plan, it->src, sizeof it->src, it->got, sizeof it->got, &pieces, &it->error));
        clmove_plan_destroy(&plan);
    }
    clmove_device_close(&device);
    return NULL;
}

/* Half of what musl gives a thread, or the least that glibc gives: 128 KiB on AArch64. */
static void little_stack_suffices(void **state) {
    (void)state;
    const long least = sysconf(_SC_THREAD_STACK_MIN);
    worker *it = calloc(1, sizeof *it);
    pthread_attr_t attributes;
    assert_non_null(it);
    pthread_attr_init(&attributes);
    assert_int_equal(pthread_attr_setstacksize(&attributes, least > 64 << 10 ? (size_t)least : 64 << 10), 0);
    assert_int_equal(pthread_create(&it->thread, &attributes, use_little_stack, it), 0);
    pthread_join(it->thread, NULL);
    pthread_attr_destroy(&attributes);
    if (it->wrong)
        fail_msg("%s: %s", it->wrong, it->error.text);
    free(it);
}
#endif

int api_thread_tests(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_at_once),
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
        cmocka_unit_test(little_stack_suffices),
#endif
    };
    return cmocka_run_group_tests_name("threads", tests, NULL, NULL);
}
