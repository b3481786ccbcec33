/* SPDX-License-Identifier: Apache-2.0 */
#include "far_cases.h"

#include "support.h"

#include <string.h>
#include <sys/mman.h>

/* A stride so large that the last step of its axis is past 2^31 bytes, or past 2^32 where that is less than 2^31 units. */
#define FAR INT64_MAX

/* Odd extents inside, so that no unit grows. */
const far_case far_cases[] = {
    {"rows", "rows far apart", 2, {5, 41}, {41, 1}, {FAR, 1}},
    {"rows", "rows far apart in the source", 2, {5, 41}, {FAR, 1}, {41, 1}},
    {"rows", "long rows far apart", 2, {5, 601}, {601, 1}, {FAR, 1}},
    {"rows", "long rows far apart in the source", 2, {5, 601}, {FAR, 1}, {601, 1}},
    {"rows", "groups of rows far apart", 3, {3, 5, 41}, {205, 41, 1}, {FAR, 43, 1}},
    {"repeat", "runs of units far apart", 2, {3, 37}, {1, 0}, {FAR, 1}},
    {"repeat", "units far apart in the source", 2, {3, 37}, {FAR, 0}, {37, 1}},
    {"repeat", "patterns far apart", 3, {3, 37, 3}, {3, 0, 1}, {FAR, 3, 1}},
    {"repeat", "patterns far apart in the source", 3, {3, 37, 3}, {FAR, 0, 1}, {111, 3, 1}},
    {"transpose", "rows far apart", 2, {67, 131}, {1, 67}, {FAR, 1}},
    {"transpose", "columns far apart in the source", 2, {67, 131}, {1, FAR}, {131, 1}},
    {"transpose", "joined rows, columns far apart in the source", 2, {67, 61}, {1, FAR}, {61, 1}},
    {"transpose", "matrices far apart", 3, {3, 67, 131}, {8777, 1, 67}, {FAR, 131, 1}},
    {"transpose", "matrices far apart in the source", 3, {3, 67, 131}, {FAR, 1, 67}, {8777, 131, 1}},
    {"transpose", "rows of two axes, one of them far", 3, {7, 13, 131}, {13, 1, 91}, {FAR, 131, 1}},
    {"transpose_runs", "rows of runs far apart", 3, {67, 131, 3}, {3, 201, 1}, {FAR, 3, 1}},
    {"transpose_runs", "columns of runs far apart in the source", 3, {67, 131, 3}, {3, FAR, 1}, {393, 3, 1}},
    {"transpose_runs", "joined rows of runs, columns far apart in the source", 3, {67, 31, 3}, {3, FAR, 1}, {93, 3, 1}},
    {"transpose_runs", "matrices of runs far apart", 4, {3, 67, 31, 3}, {8777, 3, 201, 1}, {FAR, 93, 3, 1}},
    {"transpose_runs", "matrices of runs far apart in the source", 4, {3, 67, 131, 3}, {FAR, 3, 201, 1}, {26331, 393, 3, 1}},
    {"shuffle", "matrices far apart", 3, {5, 3, 2}, {6, 1, 3}, {FAR, 2, 1}},
    {"shuffle", "matrices far apart in the source", 3, {5, 3, 2}, {FAR, 1, 3}, {6, 2, 1}},
    {"deinterleave", "rows far apart", 2, {3, 331}, {1, 3}, {FAR, 1}},
    {"deinterleave", "groups far apart in the source", 2, {3, 37}, {1, FAR}, {37, 1}},
    {"deinterleave", "groups far apart in the source, of long rows", 2, {3, 331}, {1, FAR}, {331, 1}},
    {"deinterleave", "planes far apart", 3, {3, 3, 331}, {993, 1, 3}, {FAR, 331, 1}},
    {"deinterleave", "planes far apart in the source", 3, {3, 3, 331}, {FAR, 1, 3}, {993, 331, 1}},
    {"deinterleave", "short rows, blocks far apart", 3, {3, 7, 5}, {1, 15, 3}, {FAR, 5, 1}},
    {"interleave", "rows far apart in the source", 2, {331, 3}, {1, FAR}, {3, 1}},
    {"interleave", "groups far apart", 2, {3, 3}, {1, 3}, {FAR, 1}},
    {"interleave", "many groups far apart", 2, {79, 3}, {1, 79}, {FAR, 1}},
    {"interleave", "planes far apart", 3, {3, 331, 3}, {993, 1, 331}, {FAR, 3, 1}},
    {"interleave", "planes far apart in the source", 3, {3, 331, 3}, {FAR, 1, 331}, {993, 3, 1}},
    {"interleave", "short rows far apart", 3, {5, 3, 3}, {3, 1, 15}, {FAR, 3, 1}},
    {"gather", "units far apart", 2, {3, 37}, {1, 3}, {FAR, 2}},
    {"gather", "units far apart in the source", 2, {3, 37}, {FAR, 2}, {37, 1}},
    {"gather", "groups far apart", 2, {5, 3}, {3, 2}, {FAR, 2}},
    {"gather", "groups far apart in the source", 2, {5, 3}, {FAR, 2}, {3, 1}},
    {"gather", "units of a group far apart in the source", 2, {37, 3}, {2, FAR}, {3, 1}},
    {"gather", "units far apart one after the other", 1, {37}, {2}, {FAR}},
    {"gather", "units far apart one after the other in the source", 1, {37}, {FAR}, {1}},
};

const size_t far_case_count = sizeof far_cases / sizeof *far_cases;

static case_view view_of(const far_case *row, const int64_t *strides, uint32_t unit_bytes) {
    case_view view = {.given = true};
    const int64_t last_byte = unit_bytes == 2 ? INT64_C(0xf0000000) : INT64_C(0x120000000);
    for (int32_t i = 0; i < row->rank; i++)
        view.strides[i] = strides[i] == FAR ? last_byte / unit_bytes / (row->dims[i] - 1) | 1 : strides[i];
    return view;
}

void far_make(const far_case *row, uint32_t unit_bytes, test_case *it) {
    *it = (test_case){.name = row->what, .element_bits = 8 * unit_bytes, .dims.count = row->rank};
    memcpy(it->dims.values, row->dims, sizeof row->dims);
    it->src = view_of(row, row->src, unit_bytes);
    it->dst = view_of(row, row->dst, unit_bytes);
}

static uint8_t *map_sparse(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    madvise(memory, bytes, MADV_NOHUGEPAGE);
    return memory;
}

static size_t place_of(const test_case *it, const case_view *view, const int64_t *index) {
    int64_t place = 0;
    for (int32_t i = 0; i < it->dims.count; i++)
        place += index[i] * view->strides[i];
    return (size_t)place * (it->element_bits / 8);
}

bool far_create(const test_case *it, expectation *expected, far_memories *made) {
    int64_t index[CASE_MAX_RANK] = {0};
    uint32_t seed = 1;
    expect_shapes(it, expected);
    *made = (far_memories){.src_bytes = expected->src_bytes, .dst_bytes = expected->dst_bytes};
    made->src = map_sparse(made->src_bytes);
    made->dst = map_sparse(made->dst_bytes);
    if (!made->src || !made->dst) {
        far_destroy(expected, made);
        return false;
    }
    do
        fill_noise(made->src + place_of(it, &it->src, index), it->element_bits / 8, seed++);
    while (next_index(it->dims.count, it->dims.values, index));
    expect_compute(it, made->src, expected);
    return true;
}

void far_check(const test_case *it, const expectation *expected, const far_memories *made) {
    int64_t index[CASE_MAX_RANK] = {0};
    const uint8_t *wanted = expected->dense;
    do {
        const size_t place = place_of(it, &it->dst, index), bytes = it->element_bits / 8;
        if (memcmp(made->dst + place, wanted, bytes) != 0)
            fail_msg("%s: byte %zu of the destination, units of %zu bytes, is wrong", it->name, place, bytes);
        wanted += bytes;
    } while (next_index(it->dims.count, it->dims.values, index));
}

void far_destroy(expectation *expected, far_memories *made) {
    if (made->src)
        munmap(made->src, made->src_bytes);
    if (made->dst)
        munmap(made->dst, made->dst_bytes);
    *made = (far_memories){.src = NULL};
    expect_destroy(expected);
}
