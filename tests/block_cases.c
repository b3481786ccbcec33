/* SPDX-License-Identifier: Apache-2.0 */
#include "block_cases.h"

#include <stdio.h>

static const uint32_t widths[] = {8, 16, 32, 64, 128};
/* Groups in a row: none and some of a vector's, whole vectors, and what is left over past one and two. */
static const int64_t across[] = {1, 2, 3, 5, 9, 18, 33, 64, 67, 131};

/* Blocks of more units than are split, but so few that all rows of a matrix are in one tile. */
static const int64_t large[] = {18, 24, 30, 31, 47, 48, 49};

enum {
    WIDTHS = sizeof widths / sizeof *widths,
    ROWS = sizeof across / sizeof *across,
    LARGEST_BLOCK = 17,
    LARGE = sizeof large / sizeof *large
};

static test_case cases[(LARGEST_BLOCK - 1) * WIDTHS * (ROWS * 2 + 2) + LARGE * WIDTHS];
static char names[sizeof cases / sizeof *cases][48];

static void add(size_t at, const char *what, test_case it) {
    snprintf(names[at], sizeof names[at], "%s %d, %d bits, %d across", what, (int)it.steps[0].args.values[0],
             (int)it.element_bits, (int)it.dims.values[3]);
    it.name = names[at];
    cases[at] = it;
}

const test_case *block_cases(size_t *count) {
    *count = 0;
    for (int64_t block = 2; block <= LARGEST_BLOCK; block++)
        for (size_t w = 0; w < WIDTHS; w++) {
            /* Many rows, which make one in each place of the destination, of more than a room of them has, and of which some are
             * in turn. */
            add((*count)++, "part many rows",
                (test_case){.element_bits = widths[w],
                            .dims = {4, {1, 1, 24 * block, 67 * block}},
                            .steps = {{.op = CASE_SPACE_TO_DEPTH, .mode = CLMOVE_BLOCKS_FIRST, .args = {1, {block}}}}});
            add((*count)++, "weave many rows",
                (test_case){.element_bits = widths[w],
                            .dims = {4, {1, block * block, 24, 67}},
                            .steps = {{.op = CASE_DEPTH_TO_SPACE, .mode = CLMOVE_BLOCKS_FIRST, .args = {1, {block}}}}});
            for (size_t r = 0; r < ROWS; r++) {
                const clmove_mode mode = (block + (int64_t)r) % 2 ? CLMOVE_DEPTH_FIRST : CLMOVE_BLOCKS_FIRST;
                const case_list blocks = {1, {block}};
                add((*count)++, "part",
                    (test_case){.element_bits = widths[w],
                                .dims = {4, {1, 2, 3 * block, across[r] * block}},
                                .steps = {{.op = CASE_SPACE_TO_DEPTH, .mode = mode, .args = blocks}}});
                add((*count)++, "weave",
                    (test_case){.element_bits = widths[w],
                                .dims = {4, {1, 2 * block * block, 5, across[r]}},
                                .steps = {{.op = CASE_DEPTH_TO_SPACE, .mode = mode, .args = blocks}}});
            }
        }
    for (size_t i = 0; i < LARGE; i++)
        for (size_t w = 0; w < WIDTHS; w++)
            add((*count)++, "part among many",
                (test_case){.element_bits = widths[w],
                            .dims = {4, {1, 1, 3 * large[i], 301 * large[i]}},
                            .steps = {{.op = CASE_SPACE_TO_DEPTH, .mode = CLMOVE_DEPTH_FIRST, .args = {1, {large[i]}}}}});
    return cases;
}
