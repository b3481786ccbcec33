/* Cases of growing size.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/common/message.h"
#include "host/tools/workloads/case.h"

#include <inttypes.h>
#include <stdio.h>

enum { FIRST = 12, LAST = 30 }; /* 4 KiB and 1 GiB as powers of two */

/* Rows of 1 KiB, three times each: a quarter is read, the rest is written. */
static task make_tile(int power) {
    return (task){.rank = 2, .dims = {(INT64_C(1) << power) / 4096, 256}, .op = {.count = 2, .values = {1, 3}}};
}

/* Two channels of images as wide as high, or twice as wide; half is read, half is written. */
static task make_blocks(int power, int64_t block) {
    int pixels = power - 4; /* two channels of 4 bytes, read and written */
    int64_t height = INT64_C(1) << pixels / 2, width = INT64_C(1) << (pixels + 1) / 2;
    return (task){.rank = 4,
                  .dims = {1, 2 * block * block, height / block, width / block},
                  .op = {.block_size = 2, .mode = CLMOVE_DEPTH_FIRST}};
}

/* A matrix as wide as high, or twice as wide, transposed: half is read, half is written. */
static task make_permute(int power) {
    int elements = power - 3; /* of 4 bytes, read and written */
    return (task){
        .rank = 2, .dims = {INT64_C(1) << elements / 2, INT64_C(1) << (elements + 1) / 2}, .op = {.count = 2, .values = {1, 0}}};
}

static void make(bench_case *one, operation_kind kind, int power) {
    static const char *const units[] = {"KiB", "MiB", "GiB"};
    snprintf(one->name, sizeof one->name, "%s_%d_%s", bench_operation_name(kind), 1 << power % 10, units[power / 10 - 1]);
    if (kind == OPERATION_TILE)
        one->what = make_tile(power);
    else if (kind == OPERATION_PERMUTE)
        one->what = make_permute(power);
    else
        one->what = make_blocks(power, kind == OPERATION_SPACE_TO_DEPTH ? 1 : 2);
    one->what.element_bits = 32;
    one->what.op.kind = kind;
}

bool bench_list_sweep(bench_list *list, operation_kind kind, uint64_t most) {
    size_t count = 0;
    while (FIRST + count <= LAST && UINT64_C(1) << (FIRST + count) <= most)
        count++;
    if (count == 0)
        return refused("the smallest case moves 4096 bytes, and there is room for %" PRIu64, most);
    if (!bench_list_reserve(list, count))
        return false;
    for (size_t i = 0; i < count; i++)
        make(&list->cases[i], kind, FIRST + (int)i);
    if (FIRST + count <= LAST)
        report("note: the sweep ends with %s: there is room for %" PRIu64 " bytes", list->cases[count - 1].name, most);
    return true;
}
