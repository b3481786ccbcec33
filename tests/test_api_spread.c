/* Runs on threads of the caller's: clmove_run_params.spread.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "test_api.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 96, COLUMNS = 1031, MOST = 7 };

static clmove_error error;

/* What spread was called with, and how it behaves. */
typedef struct spreader {
    int64_t calls, parts;
    /* Each part is moved so often. */
    int times;
    /* -1: all parts are moved */
    int64_t left_out;
} spreader;

typedef struct part {
    void (*work)(const void *of, int64_t part);
    const void *of;
    int64_t number;
    int times;
} part;

static void *move_part(void *of) {
    const part *it = of;
    for (int i = 0; i < it->times; i++)
        it->work(it->of, it->number);
    return NULL;
}

/* The last part first, each in a thread of its own. */
static void spread(void *user, int64_t parts, void (*work)(const void *of, int64_t part), const void *of) {
    spreader *it = user;
    pthread_t threads[MOST];
    part all[MOST];
    it->calls++;
    it->parts = parts;
    assert_in_range(parts, 1, MOST);
    for (int64_t i = parts - 1; i >= 0; i--) {
        all[i] = (part){.work = work, .of = of, .number = i, .times = i == it->left_out ? 0 : it->times};
        assert_int_equal(pthread_create(&threads[i], NULL, move_part, &all[i]), 0);
    }
    for (int64_t i = 0; i < parts; i++)
        pthread_join(threads[i], NULL);
}

static clmove_map map_of(uint32_t kind) {
    clmove_map map;
    ASSERT_OK(clmove_map_init(&map, kind == 2 ? 8 : 32, 2, (int64_t[]){ROWS, COLUMNS}, &error), &error);
    if (kind == 0)
        ASSERT_OK(clmove_map_permute(&map, 2, (int64_t[]){1, 0}, &error), &error);
    if (kind == 1)
        ASSERT_OK(clmove_map_tile(&map, 2, (int64_t[]){3, 2}, CLMOVE_RULES_ONNX, &error), &error);
    return map;
}

typedef struct moved {
    clmove_plan *plan;
    size_t src_bytes, dst_bytes;
    unsigned char *src, *expected, *got;
} moved;

static moved begin_map(clmove_device *on, const clmove_map *map, uint32_t seed) {
    moved it = {.plan = api_plan(on, map),
                .src_bytes = (size_t)clmove_map_src_bytes(map),
                .dst_bytes = (size_t)clmove_map_dst_bytes(map)};
    it.src = malloc(it.src_bytes);
    it.expected = malloc(it.dst_bytes);
    it.got = malloc(it.dst_bytes);
    assert_true(it.src && it.expected && it.got);
    fill_noise(it.src, it.src_bytes, seed);
    ASSERT_OK(clmove_run(it.plan, it.src, it.src_bytes, it.expected, it.dst_bytes, &error), &error);
    return it;
}

static moved begin(clmove_device *on, uint32_t kind) {
    const clmove_map map = map_of(kind);
    return begin_map(on, &map, kind);
}

static void end(moved *it) {
    clmove_plan_destroy(&it->plan);
    free(it->src);
    free(it->expected);
    free(it->got);
}

static clmove_status move(const moved *it, const clmove_run_params *params) {
    memset(it->got, 0x99, it->dst_bytes);
    return clmove_run_with(it->plan, it->src, it->src_bytes, it->got, it->dst_bytes, params, &error);
}

static void parts_are_moved_by_the_callers_threads(void **state) {
    (void)state;
    const clmove_device_params two = {.struct_size = sizeof two, .selector = "host", .threads = 2};
    clmove_device *host = NULL;
    ASSERT_OK(clmove_device_open(&two, &host, &error), &error);
    for (uint32_t kind = 0; kind < 3; kind++) {
        moved it = begin(host, kind);
        for (int64_t most = 0; most <= MOST; most++) {
            spreader how = {.times = 1 + (int)(most % 2), .left_out = -1};
            clmove_run_info info = {.struct_size = sizeof info};
            const clmove_run_params params = {.struct_size = sizeof params,
                                              .info = most % 3 ? &info : NULL,
                                              .spread = spread,
                                              .spread_user = &how,
                                              .spread_parts = most};
            const clmove_device_stats before = stats_of(host);
            ASSERT_OK(move(&it, &params), &error);
            check_bytes(it.got, it.expected, it.dst_bytes, "spread");
            assert_int_equal(how.calls, 1);
            assert_in_range(how.parts, 1, most ? most : 2);
            assert_int_equal(stats_of(host).host_runs - before.host_runs, 1);
            if (params.info) {
                assert_int_equal(info.method, CLMOVE_RUN_HOST);
                assert_int_equal(info.pieces, 1);
                assert_true(info.seconds > 0);
            }
            if (how.parts < 2)
                continue;
            how.left_out = how.parts - 1; /* no other part does its work */
            ASSERT_OK(move(&it, &params), &error);
            assert_memory_not_equal(it.got, it.expected, it.dst_bytes);
        }
        end(&it);
    }
    clmove_device_close(&host);
}

/* How often the parts of a run write each byte. */
typedef struct writers {
    const unsigned char *expected;
    unsigned char *got, *count;
    size_t bytes;
} writers;

/* One part after the other, each into what has no byte right. */
static void count_writers(void *user, int64_t parts, void (*work)(const void *of, int64_t part), const void *of) {
    const writers *it = user;
    for (int64_t number = 0; number < parts; number++) {
        for (size_t i = 0; i < it->bytes; i++)
            it->got[i] = (unsigned char)~it->expected[i];
        work(of, number);
        for (size_t i = 0; i < it->bytes; i++)
            it->count[i] = (unsigned char)(it->count[i] + (it->got[i] == it->expected[i]));
    }
}

/* The last tile of a row is narrower than a line. The one before it also wrote the lines that begin in the last, whose tile
 * another part may have. */
static void each_byte_is_moved_by_one_part(void **state) {
    (void)state;
    static const int64_t sides[][2] = {{1073, 31}, {1577, 43}, {1671, 12}, {1073, 70}};
    for (int strips = 1; strips <= 4; strips++) {
        char tuning[80];
        snprintf(tuning, sizeof tuning, "stream_min_bytes=1,item_min_bytes=1,segment_bytes=1900,strips=%d", strips);
        const clmove_device_params params = {.struct_size = sizeof params, .selector = "host", .threads = 2, .tuning = tuning};
        clmove_device *host = NULL;
        ASSERT_OK(clmove_device_open(&params, &host, &error), &error);
        for (size_t i = 0; i < 2 * sizeof sides / sizeof *sides; i++) {
            clmove_map map;
            ASSERT_OK(clmove_map_init(&map, i % 2 ? 128 : 8, 2, sides[i / 2], &error), &error);
            ASSERT_OK(clmove_map_permute(&map, 2, (int64_t[]){1, 0}, &error), &error);
            moved it = begin_map(host, &map, 7);
            writers how = {.expected = it.expected, .got = it.got, .count = calloc(it.dst_bytes, 1), .bytes = it.dst_bytes};
            assert_non_null(how.count);
            const clmove_run_params run = {
                .struct_size = sizeof run, .spread = count_writers, .spread_user = &how, .spread_parts = MOST};
            ASSERT_OK(move(&it, &run), &error);
            for (size_t k = 0; k < it.dst_bytes; k++)
                if (how.count[k] != 1)
                    fail_msg("strips=%d, case %d: byte %d is written by %d parts", strips, (int)i, (int)k, how.count[k]);
            free(how.count);
            end(&it);
        }
        clmove_device_close(&host);
    }
}

static bool go_on(void *user, const clmove_progress *progress) {
    (void)user, (void)progress;
    return true;
}

static void other_runs_do_without(void **state) {
    (void)state;
    moved it = begin(api_device, 0);
    spreader how = {.times = 1, .left_out = -1};
    clmove_run_params params = {
        .struct_size = sizeof params, .spread = spread, .spread_user = &how, .spread_parts = 2, .progress = go_on};
    ASSERT_OK(move(&it, &params), &error);
    check_bytes(it.got, it.expected, it.dst_bytes, "with progress");
    params.progress = NULL;
    params.piece_bytes = 4096;
    ASSERT_OK(move(&it, &params), &error);
    check_bytes(it.got, it.expected, it.dst_bytes, "in pieces");
    assert_int_equal(how.calls, 0);
    params.piece_bytes = 0;
    ASSERT_OK(move(&it, &params), &error);
    check_bytes(it.got, it.expected, it.dst_bytes, "on the device");
    assert_int_equal(how.calls, api_type_of(api_device) == CLMOVE_DEVICE_HOST);
    params.spread_parts = -1;
    assert_int_equal(move(&it, &params), CLMOVE_INVALID_ARGUMENT);
    assert_mentions(error.text, "spread_parts is -1");
    end(&it);
}

int api_spread_tests(void) {
    static const struct CMUnitTest tests[] = {cmocka_unit_test(parts_are_moved_by_the_callers_threads),
                                              cmocka_unit_test(each_byte_is_moved_by_one_part),
                                              cmocka_unit_test(other_runs_do_without)};
    return cmocka_run_group_tests_name("spread", tests, NULL, NULL);
}
