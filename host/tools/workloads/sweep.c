/* Cases of growing size.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/common/message.h"
#include "host/tools/workloads/case.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { FIRST = 12, LAST = 30 }; /* 4 KiB and 1 GiB as powers of two */

/* Rows of 1 KiB, three times each: a quarter is read, the rest is written. */
static void make_tile(task *what, int power) {
    what->rank = 2;
    what->dims[0] = (INT64_C(1) << power) / 4096;
    what->dims[1] = 256;
    what->op.count = 2;
    what->op.values[0] = 1;
    what->op.values[1] = 3;
}

/* Two channels of images as wide as high, or twice as wide; half is read, half is written. */
static void make_blocks(task *what, int power) {
    int pixels = power - 4; /* two channels of 4 bytes, read and written */
    bool has_space = what->op.kind == OPERATION_SPACE_TO_DEPTH;
    int64_t block = has_space ? 1 : 2;
    what->rank = 4;
    what->dims[0] = 1;
    what->dims[1] = 2 * block * block;
    what->dims[2] = (INT64_C(1) << pixels / 2) / block;
    what->dims[3] = (INT64_C(1) << (pixels + 1) / 2) / block;
    what->op.block_size = 2;
    what->op.mode = CLMOVE_DEPTH_FIRST;
}

/* A matrix as wide as high, or twice as wide, transposed: half is read, half is written. */
static void make_permute(task *what, int power) {
    int elements = power - 3; /* of 4 bytes, read and written */
    what->rank = 2;
    what->dims[0] = INT64_C(1) << elements / 2;
    what->dims[1] = INT64_C(1) << (elements + 1) / 2;
    what->op.count = 2;
    what->op.values[0] = 1;
}

static void make(bench_case *one, operation_kind kind, int power) {
    static const char *const units[] = {"KiB", "MiB", "GiB"};
    *one = (bench_case){.what = {.element_bits = 32, .op.kind = kind}};
    snprintf(one->name, sizeof one->name, "%s_%d_%s", bench_operation_name(kind), 1 << power % 10, units[power / 10 - 1]);
    if (kind == OPERATION_TILE)
        make_tile(&one->what, power);
    else if (kind == OPERATION_PERMUTE)
        make_permute(&one->what, power);
    else
        make_blocks(&one->what, power);
}

bool bench_list_sweep(bench_list *list, operation_kind kind, uint64_t most) {
    bench_case *cases = calloc(LAST - FIRST + 1, sizeof *cases);
    size_t count = 0;
    if (!cases) {
        failed("there is no memory for the list of cases");
        return false;
    }
    for (int power = FIRST; power <= LAST && UINT64_C(1) << power <= most; power++)
        make(&cases[count++], kind, power);
    if (count == 0) {
        free(cases);
        failed("the smallest case moves 4096 bytes, and there is room for %" PRIu64, most);
        return false;
    }
    if (count < LAST - FIRST + 1)
        report("note: the sweep ends with %s: there is room for %" PRIu64 " bytes", cases[count - 1].name, most);
    *list = (bench_list){.cases = cases, .count = count};
    return true;
}
