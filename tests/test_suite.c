/* One suite for every executor:
 *     test_suite SELECTOR [--variant NAME] [--index-bits 32|64] [--table large|blocks|views] [--least BYTES] [--most BYTES]
 *                [--every N] [--odd-tuning] [--pieces N] [--method METHOD]
 *
 * Each case of the table runs through clmove_run, at two alignments and between forbidden pages, and through device buffers.
 * With --odd-tuning the keys that the device's class has are set to odd values: no byte may change by that.
 * With --least and --most, cases whose destination is smaller or larger are left out: a simulated device takes its time. With
 * --every, it is each N-th case that runs: where a kernel for each of many cases has to be compiled, that takes most of the time.
 * part_of_cases (support.h) says the same from outside.
 * With --pieces it runs in about so many or more, and with --method by that method. A list of devices has no buffers; each of its
 * devices has to do some of the work, of one case or another. What does not fit one buffer of
 * the device goes through none. Where a variant or an index width is forced and does not fit a case, the case is skipped; a run
 * that skipped everything fails, and so does one on an OpenCL device in which a case that moves something launched no kernel.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "block_cases.h"
#include "expect.h"
#include "support.h"
#include "view_cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    clmove_device *device;
    bool opencl, several, has_host, odd_tuning;
    const char *variant;
    uint32_t index_bits;
    int64_t wanted_pieces;
    const char *method;
    uint64_t max_alloc;
    size_t least_bytes, most_bytes;
    const test_case *cases;
    size_t count, every;
    uint64_t moved, skipped, empty, left_out, pieces, shared;
} suite;

/* Work done since `before`: by kernels on an OpenCL device, by the host executor on the host, none for an empty tensor. */
static void check_worked(clmove_device_stats before, bool moves, const char *what) {
    clmove_device_stats now = stats_of(suite.device);
    int64_t kernels = now.kernels_run - before.kernels_run, host_runs = now.host_runs - before.host_runs;
    if (suite.several) {
        if ((kernels + host_runs > 0) != moves)
            fail_msg("%s: ran %u kernels and %u times on the host", what, (unsigned)kernels, (unsigned)host_runs);
        return;
    }
    if (suite.opencl && (host_runs != 0 || (kernels > 0) != moves))
        fail_msg("%s: ran %u kernels and %u times on the host", what, (unsigned)kernels, (unsigned)host_runs);
    if (!suite.opencl && (kernels != 0 || (moves && host_runs != 1)))
        fail_msg("%s: ran %u kernels and %u times on the host", what, (unsigned)kernels, (unsigned)host_runs);
}

static void check_info(const clmove_plan *plan, const expectation *expected) {
    clmove_plan_info info = {.struct_size = sizeof info};
    clmove_error error;
    ASSERT_OK(clmove_plan_get_info(plan, &info, &error), &error);
    assert_int_equal(info.executor, suite.several  ? CLMOVE_EXECUTOR_SEVERAL
                                    : suite.opencl ? CLMOVE_EXECUTOR_OPENCL
                                                   : CLMOVE_EXECUTOR_HOST);
    assert_string_equal(info.fallback, "");
    assert_int_equal(info.src_bytes, (int64_t)expected->src_bytes);
    assert_int_equal(info.dst_bytes, (int64_t)expected->dst_bytes);
    assert_int_equal(info.written_bytes, (int64_t)bytes_of(expected->element_bits, expected->elements));
    if (!suite.several) /* of which the first may be the host */
        assert_int_equal(info.launches > 0, suite.opencl && expected->elements > 0);
    assert_non_null(info.variant);
    if (expected->elements > 0 && suite.variant)
        assert_string_equal(info.variant, suite.variant);
    if (expected->elements > 0 && suite.index_bits)
        assert_int_equal(info.index_bits, suite.index_bits);
}

/* A source that the map may read and nobody may write, and a destination that holds what was there and what was moved. */
typedef struct memories {
    fenced src, dst;
} memories;

static memories prepare(const test_case *it, expectation *expected, size_t misalign) {
    memories made = {fenced_create(expected->src_bytes, misalign * 3, 1), fenced_create(expected->dst_bytes, misalign, 2)};
    if (!expected->dense)
        expect_compute(it, made.src.data, expected);
    expect_store(it, expected, fenced_expected(&made.dst));
    return made;
}

/* What progress says from one piece to the next. */
typedef struct heard {
    int64_t times;
    clmove_progress last;
} heard;

static bool hear(void *user, const clmove_progress *now) {
    heard *it = user;
    assert_true(now->bytes_done >= it->last.bytes_done && now->bytes_done <= now->bytes_total);
    assert_true(now->seconds >= it->last.seconds && (it->times == 0 || now->bytes_total == it->last.bytes_total));
    it->last = *now;
    it->times++;
    return true;
}

/* clmove_run, or the same in pieces. */
static clmove_status run(clmove_plan *plan, const void *src, size_t src_bytes, void *dst, size_t dst_bytes, clmove_error *error) {
    clmove_run_info info = {.struct_size = sizeof info};
    heard progress = {0};
    int64_t piece_bytes = suite.wanted_pieces ? (int64_t)(src_bytes + dst_bytes) / suite.wanted_pieces + 1 : 0;
    clmove_run_params params = {
        .struct_size = sizeof params, .progress = hear, .progress_user = &progress, .piece_bytes = piece_bytes, .info = &info};
    if (!suite.wanted_pieces)
        return clmove_run(plan, src, src_bytes, dst, dst_bytes, error);
    clmove_status status = clmove_run_with(plan, src, src_bytes, dst, dst_bytes, &params, error);
    if (status != CLMOVE_OK)
        return status;
    if (suite.several && info.method == CLMOVE_RUN_SEVERAL) {
        suite.shared++;
        assert_true(progress.times >= 1 && progress.times <= info.pieces);
    } else
        assert_int_equal(progress.times, info.pieces);
    assert_int_equal(progress.last.bytes_done, progress.last.bytes_total);
    assert_true(info.pieces <= 1 || info.piece_bytes <= piece_bytes || info.piece_bytes <= 32);
    if (suite.method && info.pieces > 0 && !suite.several) /* what cannot be cut goes to one device */
        assert_string_equal(clmove_run_method_text(info.method), suite.method);
    suite.pieces += (uint64_t)info.pieces;
    return status;
}

static void check_run(const test_case *it, clmove_plan *plan, expectation *expected, size_t misalign) {
    clmove_error error;
    memories used = prepare(it, expected, misalign);
    clmove_device_stats before = stats_of(suite.device);
    ASSERT_OK(run(plan, used.src.data, used.src.bytes, used.dst.data, used.dst.bytes, &error), &error);
    fenced_check(&used.dst, misalign ? "run, misaligned" : "run");
    fenced_check(&used.src, "source of run");
    check_worked(before, expected->elements > 0, "run");
    fenced_destroy(&used.src);
    fenced_destroy(&used.dst);
}

/* Nothing may be read or written outside of the memories, on either side. */
static void check_cornered(const test_case *it, clmove_plan *plan, const expectation *expected, bool at_end) {
    clmove_error error;
    cornered src = cornered_create(expected->src_bytes, at_end, 1), dst = cornered_create(expected->dst_bytes, at_end, 2);
    uint8_t *wanted = malloc(expected->dst_bytes + 1);
    assert_non_null(wanted);
    memcpy(wanted, dst.data, dst.bytes);
    expect_store(it, expected, wanted);
    cornered_protect(&src);
    ASSERT_OK(run(plan, src.data, src.bytes, dst.data, dst.bytes, &error), &error);
    check_bytes(dst.data, wanted, dst.bytes, at_end ? "run at the end of a page" : "run at the start of a page");
    cornered_destroy(&src);
    cornered_destroy(&dst);
    free(wanted);
}

/* The buffers are larger than needed; what follows the data is a fence too. */
static void check_buffers(const test_case *it, clmove_plan *plan, expectation *expected) {
    clmove_error error;
    clmove_buffer *src = NULL, *dst = NULL;
    memories used = prepare(it, expected, 0);
    size_t src_total = used.src.total - used.src.front, dst_total = used.dst.total - used.dst.front;
    if (src_total > suite.max_alloc || dst_total > suite.max_alloc) {
        fenced_destroy(&used.src);
        fenced_destroy(&used.dst);
        return;
    }
    uint8_t *got = malloc(src_total + dst_total);
    assert_non_null(got);
    ASSERT_OK(clmove_buffer_create(suite.device, src_total, &src, &error), &error);
    ASSERT_OK(clmove_buffer_create(suite.device, dst_total, &dst, &error), &error);
    ASSERT_OK(clmove_buffer_write(src, 0, used.src.data, src_total, &error), &error);
    ASSERT_OK(clmove_buffer_write(dst, 0, used.dst.data, dst_total, &error), &error);
    clmove_device_stats before = stats_of(suite.device);
    ASSERT_OK(clmove_enqueue(plan, clmove_buffer_view(src, 0), clmove_buffer_view(dst, 0), NULL, &error), &error);
    ASSERT_OK(clmove_device_finish(suite.device, &error), &error);
    check_worked(before, expected->elements > 0, "enqueue");
    ASSERT_OK(clmove_buffer_read(dst, 0, got, dst_total, &error), &error);
    ASSERT_OK(clmove_buffer_read(src, 0, got + dst_total, src_total, &error), &error);
    check_bytes(got, fenced_expected(&used.dst), dst_total, "enqueue");
    check_bytes(got + dst_total, used.src.data, src_total, "source of enqueue");
    clmove_buffer_destroy(&src);
    clmove_buffer_destroy(&dst);
    fenced_destroy(&used.src);
    fenced_destroy(&used.dst);
    free(got);
}

static void run_case(void **state) {
    const test_case *it = *state;
    clmove_plan_params params = {.struct_size = sizeof params, .variant = suite.variant, .index_bits = suite.index_bits};
    clmove_plan *plan = NULL;
    clmove_map map;
    clmove_error error;
    expectation expected;
    expect_shapes(it, &expected);
    if (expected.dst_bytes < suite.least_bytes || expected.dst_bytes > suite.most_bytes) {
        suite.left_out++;
        expect_destroy(&expected);
        skip();
    }
    case_to_map(it, &map);
    assert_int_equal(clmove_map_rank(&map), expected.rank);
    for (int32_t i = 0; i < expected.rank; i++)
        assert_int_equal(clmove_map_dims(&map)[i], expected.dims[i]);
    assert_int_equal(clmove_map_src_bytes(&map), (int64_t)expected.src_bytes);
    assert_int_equal(clmove_map_dst_bytes(&map), (int64_t)expected.dst_bytes);

    clmove_status status = clmove_plan_create(suite.device, &map, &params, &plan, &error);
    if (status == CLMOVE_UNSUPPORTED && (suite.variant || suite.index_bits == 32)) {
        suite.skipped++;
        skip();
    }
    ASSERT_OK(status, &error);
    check_info(plan, &expected);
    check_run(it, plan, &expected, 0);
    check_run(it, plan, &expected, 1);
    check_cornered(it, plan, &expected, true);
    check_cornered(it, plan, &expected, false);
    if (!suite.several)
        check_buffers(it, plan, &expected);
    clmove_plan_destroy(&plan);
    expect_destroy(&expected);
    if (expected.elements > 0)
        suite.moved++;
    else
        suite.empty++;
}

static int use(void) {
    fprintf(stderr, "usage: test_suite SELECTOR [--variant NAME] [--index-bits 32|64] [--table large|blocks|views] [--least "
                    "BYTES] [--most BYTES] "
                    "[--every N] [--odd-tuning] [--pieces N] [--method METHOD]\n");
    return 2;
}

static int read_arguments(int count, char **arguments) {
    suite.cases = test_cases;
    suite.count = test_case_count;
    suite.most_bytes = SIZE_MAX;
    suite.every = 1;
    if (count < 2)
        return use();
    for (int i = 2; i < count; i += 2)
        if (strcmp(arguments[i], "--odd-tuning") == 0) {
            suite.odd_tuning = true;
            i--; /* it has no value */
        } else if (i + 1 < count && strcmp(arguments[i], "--variant") == 0)
            suite.variant = arguments[i + 1];
        else if (i + 1 < count && strcmp(arguments[i], "--index-bits") == 0)
            suite.index_bits = (uint32_t)strtoul(arguments[i + 1], NULL, 10);
        else if (i + 1 < count && strcmp(arguments[i], "--most") == 0)
            suite.most_bytes = (size_t)strtoull(arguments[i + 1], NULL, 10);
        else if (i + 1 < count && strcmp(arguments[i], "--least") == 0)
            suite.least_bytes = (size_t)strtoull(arguments[i + 1], NULL, 10);
        else if (i + 1 < count && strcmp(arguments[i], "--every") == 0)
            suite.every = (size_t)strtoull(arguments[i + 1], NULL, 10);
        else if (i + 1 < count && strcmp(arguments[i], "--pieces") == 0)
            suite.wanted_pieces = strtoll(arguments[i + 1], NULL, 10);
        else if (i + 1 < count && strcmp(arguments[i], "--method") == 0)
            suite.method = arguments[i + 1];
        else if (i + 1 < count && strcmp(arguments[i], "--table") == 0 && strcmp(arguments[i + 1], "large") == 0) {
            suite.cases = large_cases;
            suite.count = large_case_count;
        } else if (i + 1 < count && strcmp(arguments[i], "--table") == 0 && strcmp(arguments[i + 1], "blocks") == 0)
            suite.cases = block_cases(&suite.count);
        else if (i + 1 < count && strcmp(arguments[i], "--table") == 0 && strcmp(arguments[i + 1], "views") == 0)
            suite.cases = view_cases(&suite.count);
        else
            return use();
    return suite.every > 0 ? 0 : use();
}

/* What the counters must say in the end; the checks of each case have seen to the details. */
static bool check_totals(void) {
    clmove_device_stats stats = {.struct_size = sizeof stats};
    if (clmove_device_get_stats(suite.device, &stats, NULL) != CLMOVE_OK)
        return false;
    printf("suite: %u cases moved, %u empty, %u skipped, %u left out; %u kernels, %u programs, %u runs on the host\n",
           (unsigned)suite.moved, (unsigned)suite.empty, (unsigned)suite.skipped, (unsigned)suite.left_out,
           (unsigned)stats.kernels_run, (unsigned)stats.programs_built, (unsigned)stats.host_runs);
    if (suite.moved == 0) {
        printf("suite: FAILED: no case moved anything\n");
        return false;
    }
    if (suite.wanted_pieces) {
        printf("suite: %u pieces\n", (unsigned)suite.pieces);
        if (suite.pieces < 4 * 3 * suite.moved) { /* four runs a case, some of them too small to be cut */
            printf("suite: FAILED: hardly anything was cut\n");
            return false;
        }
    }
    if (suite.several) {
        printf("suite: %u runs were cut over several devices\n", (unsigned)suite.shared);
        if (suite.wanted_pieces &&
            (suite.shared < 2 * suite.moved || stats.kernels_run == 0 || (suite.has_host && stats.host_runs == 0))) {
            printf("suite: FAILED: hardly anything was cut, or a device did nothing\n");
            return false;
        }
        return true;
    }
    if ((uint64_t)(suite.opencl ? stats.kernels_run : stats.host_runs) < suite.moved) {
        printf("suite: FAILED: fewer runs than cases: some did not run on this device\n");
        return false;
    }
    return true;
}

/* Opens the device, by a tuning that only its class knows where it is to be odd. */
static void open_tuned(const char *selector, clmove_device_info *info) {
    suite.device = open_device(selector);
    if (!suite.device || clmove_device_get_info(suite.device, info, NULL) != CLMOVE_OK || !suite.odd_tuning)
        return;
    bool is_host_like = info->type == CLMOVE_DEVICE_HOST || info->type == CLMOVE_DEVICE_CPU;
    const char *tuning = is_host_like ? "segment_bytes=64,item_min_bytes=1,items_per_worker=3,max_dst_rows=2,stream_min_bytes=1"
                                      : "segment_bytes=3,max_items=7,local_size=5";
    clmove_device_close(&suite.device);
    if (setenv("CLMOVE_TUNING", tuning, 1) == 0)
        suite.device = open_device(selector);
}

int main(int count, char **arguments) {
    int wrong = read_arguments(count, arguments);
    if (wrong)
        return wrong;
    clmove_device_info info = {.struct_size = sizeof info};
    open_tuned(arguments[1], &info);
    if (!suite.device) {
        printf("suite: skipped: there is no device %s\n", arguments[1]);
        return EXIT_SKIPPED;
    }
    suite.several = info.type == CLMOVE_DEVICE_SEVERAL;
    suite.has_host = strstr(arguments[1], "host");
    suite.opencl = info.type != CLMOVE_DEVICE_HOST && !suite.several;
    suite.max_alloc = info.max_alloc_bytes;
    printf("suite: %s device %s, %s\n", clmove_device_type_text(info.type), info.name, info.version);

    const test_part part = part_of_cases(suite.every);
    struct CMUnitTest tests[part_count(part, suite.count)];
    for (size_t i = part.first, at = 0; i < suite.count; i += part.every)
        tests[at++] = (struct CMUnitTest){
            .name = suite.cases[i].name, .test_func = run_case, .initial_state = (void *)(uintptr_t)&suite.cases[i]};
    int failed = cmocka_run_group_tests_name(arguments[1], tests, NULL, NULL);
    bool complete = check_totals();
    clmove_device_close(&suite.device);
    return failed == 0 && complete ? EXIT_SUCCESS : EXIT_FAILURE;
}
