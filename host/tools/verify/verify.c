/* clmove verify: a device against the operators' definitions, byte for byte.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/commands.h"
#include "host/tools/common/chosen_device.h"
#include "host/tools/common/message.h"
#include "host/tools/common/printable.h"
#include "host/tools/verify/case.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const option_row OPTIONS[] = {
    {"cases", "N", OPTION_CASES, NULL, "how many cases (default: 256)"},
    {"seed", "S", OPTION_SEED, NULL, "the seed of the random cases (default: 1); the same seed gives the same cases"},
    {"case", "K", OPTION_CASE, NULL, "only case K, to reproduce a failure"},
    {0}};

typedef struct request {
    chosen_device who;
    uint64_t seed, first;
    int64_t cases;
} request;

typedef enum verdict { PASSED, SKIPPED, DIFFERS } verdict;

/* ---- memory with a fence on both sides ---- */

enum { FENCE = 64 };

typedef struct fenced {
    /* data begins FENCE bytes after all, or somewhat later. */
    unsigned char *all, *data;
    size_t all_bytes, bytes;
} fenced;

static bool fenced_make(fenced *memory, size_t bytes, size_t shift, uint64_t seed) {
    memory->bytes = bytes;
    memory->all_bytes = FENCE + shift + bytes + FENCE;
    memory->all = aligned_alloc(FENCE, (memory->all_bytes + FENCE - 1) / FENCE * FENCE);
    if (!memory->all)
        return false;
    memory->data = memory->all + FENCE + shift;
    verify_noise(memory->all, memory->all_bytes, seed);
    return true;
}

/* ---- one case ---- */

/* What is wrong with a case. */
enum { WHY = 600 };

/* The destination buffer is larger than needed; the fence after the result comes back with it. */
static bool run_buffers(clmove_device *device, clmove_plan *plan, const fenced *src, fenced *dst, clmove_error *error) {
    clmove_buffer *from = NULL, *to = NULL;
    const size_t bytes = dst->bytes + FENCE;
    bool done = clmove_buffer_create(device, src->bytes, &from, error) == CLMOVE_OK &&
                clmove_buffer_create(device, bytes, &to, error) == CLMOVE_OK &&
                clmove_buffer_write(from, 0, src->data, src->bytes, error) == CLMOVE_OK &&
                clmove_buffer_write(to, 0, dst->data, bytes, error) == CLMOVE_OK &&
                clmove_enqueue(plan, clmove_buffer_view(from, 0), clmove_buffer_view(to, 0), NULL, error) == CLMOVE_OK &&
                clmove_buffer_read(to, 0, dst->data, bytes, error) == CLMOVE_OK;
    clmove_buffer_destroy(&from);
    clmove_buffer_destroy(&to);
    return done;
}

static bool same(const fenced *got, const fenced *expected, const char *which, char why[WHY]) {
    size_t i = 0;
    while (i < got->all_bytes && got->all[i] == expected->all[i])
        i++;
    if (i < got->all_bytes)
        snprintf(why, WHY, "byte %td of %zu of the %s is 0x%02x and must be 0x%02x", (got->all + i) - got->data, got->bytes,
                 which, got->all[i], expected->all[i]);
    return i == got->all_bytes;
}

static verdict move(const chosen_device *who, const verify_case *one, const clmove_map *map, fenced *src, fenced *dst,
                    char why[WHY]) {
    clmove_error error;
    clmove_plan *plan = NULL;
    clmove_status status = chosen_device_plan(who, map, &plan, &error);
    if (status == CLMOVE_UNSUPPORTED && (who->variant || who->index_bits))
        return SKIPPED;
    bool done = status == CLMOVE_OK &&
                (one->through_buffers ? run_buffers(who->device, plan, src, dst, &error)
                                      : clmove_run(plan, src->data, src->bytes, dst->data, dst->bytes, &error) == CLMOVE_OK);
    clmove_plan_destroy(&plan);
    if (!done)
        snprintf(why, WHY, "%s", error.text);
    return done ? PASSED : DIFFERS;
}

/* The noise is the same each time it is made, so untouched copies of both memories are made again, not copied. */
static verdict check_case(const chosen_device *who, const verify_case *one, char why[WHY]) {
    verdict result = DIFFERS;
    clmove_error error;
    clmove_map map;
    fenced src = {0}, src_before = {0}, dst = {0}, expected = {0};
    if (task_describe(&one->what, &map, &error) != CLMOVE_OK) {
        snprintf(why, WHY, "%s", error.text);
        return DIFFERS;
    }
    size_t src_bytes = (size_t)clmove_map_src_bytes(&map), dst_bytes = (size_t)clmove_map_dst_bytes(&map);
    if (!fenced_make(&src, src_bytes, one->src_shift, 1) || !fenced_make(&src_before, src_bytes, one->src_shift, 1) ||
        !fenced_make(&dst, dst_bytes, one->dst_shift, 2) || !fenced_make(&expected, dst_bytes, one->dst_shift, 2) ||
        !task_compute(&one->what, src.data, expected.data))
        snprintf(why, WHY, "there is no memory for its %zu + %zu bytes", src_bytes, dst_bytes);
    else
        result = move(who, one, &map, &src, &dst, why);
    if (result == PASSED && !(same(&dst, &expected, "result", why) && same(&src, &src_before, "source", why)))
        result = DIFFERS;
    free(src.all);
    free(src_before.all);
    free(dst.all);
    free(expected.all);
    return result;
}

/* ---- all cases ---- */

static void print_failure(const request *asked, uint64_t number, const verify_case *one, const char *why) {
    char text[VERIFY_CASE_TEXT], width[32] = "", budget[48] = "";
    verify_case_text(one, text);
    const char *selector = asked->who.selector, *variant = asked->who.variant;
    char *device = selector ? shell_word(selector) : NULL;
    if (asked->who.index_bits)
        snprintf(width, sizeof width, " --index-bits %" PRIu32, asked->who.index_bits);
    if (asked->who.budget)
        snprintf(budget, sizeof budget, " --memory-budget %" PRIu64, asked->who.budget);
    failed("case %" PRIu64 " fails: %s: %s; reproduce it with: clmove verify%s%s%s%s%s%s --seed %" PRIu64 " --case %" PRIu64,
           number, text, why, selector ? " --device " : "", device ? device : "", variant ? " --variant " : "",
           variant ? variant : "", width, budget, asked->seed, number);
    free(device);
}

static const char *plural(int64_t count) {
    return count == 1 ? "" : "s";
}

static int conclude(const request *asked, int64_t checked, int64_t skipped, int64_t wrong) {
    clmove_device_info device = {.struct_size = sizeof device};
    clmove_device_stats stats = {.struct_size = sizeof stats};
    clmove_error error;
    if (clmove_device_get_info(asked->who.device, &device, &error) != CLMOVE_OK ||
        clmove_device_get_stats(asked->who.device, &stats, &error) != CLMOVE_OK)
        return failed("%s", error.text);
    bool is_host = device.type == CLMOVE_DEVICE_HOST;
    const int64_t correct = checked - wrong;
    printf("seed %" PRIu64 " on %s (%s): %" PRId64 " case%s correct, %" PRId64 " wrong, %" PRId64 " skipped; %" PRId64
           " kernel%s run, %" PRId64 " run%s by the host\n",
           asked->seed, printable(device.name), clmove_device_type_text(device.type), correct, plural(correct), wrong, skipped,
           stats.kernels_run, plural(stats.kernels_run), stats.host_runs, plural(stats.host_runs));
    fflush(stdout);
    if (wrong > 0)
        return STATUS_FAILED;
    if (checked == 0)
        return failed("nothing was verified, since no case was run");
    if (!is_host && stats.kernels_run == 0)
        return failed("nothing was verified, since no kernel ran on the device");
    if (!is_host && stats.host_runs > 0)
        return failed("the device was not verified, since the host did some of its work");
    return STATUS_DONE;
}

static int verify(request *asked) {
    enum { MOST_SHOWN = 10 };
    int64_t skipped = 0, wrong = 0;
    if (!chosen_device_open(&asked->who))
        return STATUS_FAILED;
    for (int64_t i = 0; i < asked->cases; i++) {
        verify_case one;
        char why[WHY];
        uint64_t number = asked->first + (uint64_t)i;
        verify_case_make(&one, asked->seed, number);
        verdict result = check_case(&asked->who, &one, why);
        skipped += result == SKIPPED;
        wrong += result == DIFFERS;
        if (result == DIFFERS && wrong <= MOST_SHOWN)
            print_failure(asked, number, &one, why);
    }
    int status = conclude(asked, asked->cases - skipped, skipped, wrong);
    chosen_device_close(&asked->who);
    return status;
}

static bool take_option(void *user, int id, const char *value) {
    request *asked = user;
    switch (id) {
    case OPTION_CASES:
        return option_integer("cases", value, 1, INT64_MAX, &asked->cases);
    case OPTION_CASE:
        asked->cases = 1;
        return option_unsigned("case", value, &asked->first);
    case OPTION_SEED:
        return option_unsigned("seed", value, &asked->seed);
    default:
        return chosen_device_option(&asked->who, id, value) != OPTION_REFUSED;
    }
}

static int run(const command *self, int argc, char **argv) {
    request asked = {.seed = 1, .cases = 256, .who.on_device = true};
    int status = options_read_alone(argc, argv, self, take_option, &asked);
    return status == OPTIONS_READ ? verify(&asked) : status;
}

const command COMMAND_VERIFY = {
    .name = "verify",
    .summary = "check a device against an independent computation",
    .synopsis = {"[OPTION]..."},
    .about =
        "Runs random cases on a device, and compares every byte with a result computed from the operator's definition. The cases "
        "are tile, space-to-depth, depth-to-space, permute, expand, and moves of several steps. They have all widths from 1 bit "
        "to 24 bytes, odd sizes, empty tensors, and unaligned memory. The source and the bytes around the result must keep their "
        "value. verify fails if a byte differs, if nothing was checked, or if an OpenCL device ran no kernel.",
    .options = {DEVICE_OPTIONS, OPTIONS, PLAN_OPTIONS},
    .notes = "Cases that --variant or --index-bits does not fit are skipped.",
    .examples = "  clmove verify --device cpu\n"
                "  clmove verify --device gpu --cases 10000 --seed 7\n"
                "  clmove verify --device host --index-bits 64\n",
    .run = run};
