/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include <clmove/advice.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define GUARD 192
#define LINE 64

test_part part_of_cases(size_t every) {
    const char *wanted = getenv("CLMOVE_TEST_PART");
    if (!wanted)
        return (test_part){0, every};
    const char *of = strchr(wanted, '/');
    const size_t days = (size_t)(time(NULL) / (24 * 60 * 60)), parts = of ? strtoul(of + 1, NULL, 10) : 0;
    if (parts == 0) {
        fprintf(stderr, "CLMOVE_TEST_PART is \"%s\", and must be WHICH/OF, such as 3/7 or today/7\n", wanted);
        exit(EXIT_FAILURE);
    }
    const size_t which = strncmp(wanted, "today/", 6) == 0 ? days : strtoul(wanted, NULL, 10);
    const test_part part = {which % parts, parts};
    printf("cases: CLMOVE_TEST_PART=%zu/%zu\n", part.first, part.every);
    return part;
}

size_t part_count(test_part part, size_t count) {
    return count > part.first ? (count - part.first - 1) / part.every + 1 : 0;
}

void assert_mentions(const char *text, const char *piece) {
    if (!strstr(text, piece))
        fail_msg("\"%s\" does not mention \"%s\"", text, piece);
}

void fill_noise(void *memory, size_t bytes, uint32_t seed) {
    uint8_t *at = memory;
    uint64_t salt = seed * UINT64_C(0x9e3779b97f4a7c15) + 0x7f4a7c15U;
    for (size_t i = 0; i < bytes; i += sizeof salt) { /* a word at a time: suites spent two thirds of their time here */
        uint64_t x = i ^ salt;
        x = (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
        x = (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
        x ^= x >> 32;
        memcpy(at + i, &x, bytes - i < sizeof x ? bytes - i : sizeof x);
    }
}

fenced fenced_create(size_t bytes, size_t misalign, uint32_t seed) {
    fenced it = {.bytes = bytes, .front = GUARD + misalign};
    it.total = (it.front + bytes + GUARD + LINE - 1) / LINE * LINE;
    it.memory = aligned_alloc(LINE, it.total);
    it.expected = malloc(it.total);
    if (!it.memory || !it.expected)
        fail_msg("out of memory for %zu bytes", it.total);
    it.data = it.memory + it.front;
    fill_noise(it.memory, it.total, seed + 1000); /* the guards */
    fill_noise(it.data, bytes, seed);
    memcpy(it.expected, it.memory, it.total);
    return it;
}

void fenced_destroy(fenced *it) {
    free(it->memory);
    free(it->expected);
    *it = (fenced){.memory = NULL};
}

uint8_t *fenced_expected(fenced *it) {
    return it->expected + it->front;
}

void fenced_check(const fenced *it, const char *what) {
    for (size_t i = 0; i < it->front; i++)
        if (it->memory[i] != it->expected[i])
            fail_msg("%s: wrote %zu bytes before its memory", what, it->front - i);
    for (size_t i = it->front + it->bytes; i < it->total; i++)
        if (it->memory[i] != it->expected[i])
            fail_msg("%s: wrote %zu bytes past its memory", what, i - it->front - it->bytes);
    check_bytes(it->data, it->expected + it->front, it->bytes, what);
}

cornered cornered_create(size_t bytes, bool at_end, uint32_t seed) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), inside = (bytes + page - 1) / page * page;
    cornered it = {.bytes = bytes, .total = inside + 2 * page};
    void *pages = mmap(NULL, it.total, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || (inside && mprotect((uint8_t *)pages + page, inside, PROT_READ | PROT_WRITE) != 0))
        fail_msg("no pages for %zu bytes", bytes);
    it.pages = pages;
    it.data = it.pages + page + (at_end ? inside - bytes : 0);
    fill_noise(it.data, bytes, seed);
    return it;
}

void cornered_protect(cornered *it) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (it->total > 2 * page && mprotect(it->pages + page, it->total - 2 * page, PROT_READ) != 0)
        fail_msg("cannot protect %zu bytes", it->bytes);
}

void cornered_destroy(cornered *it) {
    munmap(it->pages, it->total);
    *it = (cornered){.pages = NULL};
}

void check_bytes(const uint8_t *got, const uint8_t *expected, size_t bytes, const char *what) {
    if (bytes == 0 || memcmp(got, expected, bytes) == 0)
        return;
    size_t first = 0, wrong = 0;
    for (size_t i = bytes; i-- > 0;)
        if (got[i] != expected[i]) {
            first = i;
            wrong++;
        }
    fail_msg("%s: %zu of %zu bytes are wrong, the first is byte %zu: 0x%02x, not 0x%02x", what, wrong, bytes, first,
             (unsigned)got[first], (unsigned)expected[first]);
}

size_t bytes_of(uint32_t element_bits, int64_t count) {
    return ((size_t)count * element_bits + 7) / 8;
}

void copy_element(uint32_t element_bits, const uint8_t *src, int64_t src_at, uint8_t *dst, int64_t dst_at) {
    if (element_bits % 8 == 0) {
        size_t width = element_bits / 8;
        memcpy(dst + (size_t)dst_at * width, src + (size_t)src_at * width, width);
        return;
    }
    for (uint32_t bit = 0; bit < element_bits; bit++) {
        size_t from = (size_t)src_at * element_bits + bit, to = (size_t)dst_at * element_bits + bit;
        unsigned from_shift = element_bits == 1 ? 7 - from % 8 : from % 8;
        unsigned to_shift = element_bits == 1 ? 7 - to % 8 : to % 8;
        unsigned value = (unsigned)src[from / 8] >> from_shift & 1U;
        dst[to / 8] = (uint8_t)(((unsigned)dst[to / 8] & ~(1U << to_shift)) | value << to_shift);
    }
}

bool next_index(int32_t rank, const int64_t *dims, int64_t *index) {
    for (int32_t i = rank - 1; i >= 0; i--) {
        if (++index[i] < dims[i])
            return true;
        index[i] = 0;
    }
    return false;
}

static clmove_status apply_step(clmove_map *map, const case_step *step, clmove_error *error) {
    const case_list *args = &step->args;
    switch (step->op) {
    case CASE_TILE:
        return clmove_map_tile(map, args->count, args->values, CLMOVE_RULES_OPENVINO, error);
    case CASE_TILE_AXIS:
        return clmove_map_tile_axis(map, args->values[0], args->values[1], error);
    case CASE_SPACE_TO_DEPTH:
        return clmove_map_space_to_depth(map, args->values[0], step->mode, CLMOVE_RULES_OPENVINO, error);
    case CASE_DEPTH_TO_SPACE:
        return clmove_map_depth_to_space(map, args->values[0], step->mode, CLMOVE_RULES_OPENVINO, error);
    case CASE_PERMUTE:
        return clmove_map_permute(map, args->count, args->values, error);
    case CASE_RESHAPE:
        return clmove_map_reshape(map, args->count, args->values, error);
    case CASE_EXPAND:
        return clmove_map_expand(map, args->count, args->values, CLMOVE_RULES_OPENVINO, error);
    case CASE_END:
        break;
    }
    return CLMOVE_OK;
}

void case_to_map(const test_case *it, clmove_map *map) {
    clmove_error error;
    ASSERT_OK(clmove_map_init(map, it->element_bits, it->dims.count, it->dims.values, &error), &error);
    if (it->src.given)
        ASSERT_OK(clmove_map_view_src(map, it->src.strides, it->src.offset, &error), &error);
    for (int i = 0; i < CASE_MAX_STEPS && it->steps[i].op != CASE_END; i++)
        ASSERT_OK(apply_step(map, &it->steps[i], &error), &error);
    if (it->dst.given)
        ASSERT_OK(clmove_map_view_dst(map, it->dst.strides, it->dst.offset, &error), &error);
}

const test_case *case_find(const char *name) {
    for (size_t i = 0; i < test_case_count; i++)
        if (strcmp(test_cases[i].name, name) == 0)
            return &test_cases[i];
    fail_msg("there is no case \"%s\"", name);
    return NULL;
}

clmove_device *open_device(const char *selector) {
    clmove_device_params params = {.struct_size = sizeof params, .selector = selector};
    clmove_device *device = NULL;
    clmove_error error;
    clmove_status status = clmove_device_open(&params, &device, &error);
    if (status == CLMOVE_NO_DEVICE)
        return NULL;
    if (status != CLMOVE_OK) {
        fprintf(stderr, "cannot open device %s: %s: %s\n", selector, clmove_status_text(status), error.text);
        exit(EXIT_FAILURE);
    }
    return device;
}

clmove_device_stats stats_of(const clmove_device *device) {
    clmove_device_stats stats = {.struct_size = sizeof stats};
    clmove_error error;
    ASSERT_OK(clmove_device_get_stats(device, &stats, &error), &error);
    return stats;
}

void calibrate_as(clmove_device *device, double host_seconds, double device_seconds) {
    char text[8192], changed[16384], *rest = text;
    size_t length = 0;
    clmove_error error;
    ASSERT_OK(clmove_device_get_calibration_text(device, text, sizeof text, &error), &error);
    while (rest) {
        char *line = strsep(&rest, "\n");
        const char *numbers = strstr(line, "_ns = ");
        double seconds = strncmp(line, "host_", 5) == 0 ? host_seconds : device_seconds;
        if (numbers && seconds > 0 && strncmp(line, "launch", 6) != 0) {
            length += (size_t)snprintf(changed + length, sizeof changed - length, "%.*s_ns =", (int)(numbers - line), line);
            for (int size = 0; size < 17; size++)
                length += (size_t)snprintf(changed + length, sizeof changed - length, " %.0f", seconds * 1e9 * (size + 1));
            length += (size_t)snprintf(changed + length, sizeof changed - length, "\n");
        } else
            length += (size_t)snprintf(changed + length, sizeof changed - length, "%s\n", line);
        assert_true(length < sizeof changed);
    }
    ASSERT_OK(clmove_device_set_calibration_text(device, changed, &error), &error);
}
