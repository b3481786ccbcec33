/* What the tests of several devices share.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_TESTS_TEST_SEVERAL_H
#define CLMOVE_TESTS_TEST_SEVERAL_H

#include "support.h"

/* The list that the program was called with, the selectors of its devices, and the list opened. */
extern const char *several_list;
extern char **several_ones;
extern int several_count;
extern clmove_device *several_device;

/* Rows of f32 turned over: [rows, columns] to [columns, rows]. */
typedef struct turned {
    int64_t rows, columns;
    size_t bytes;
    clmove_plan *plan;
    uint8_t *src, *dst, *expected;
} turned;

turned turned_create(clmove_device *on, int64_t rows, int64_t columns);
void turned_destroy(turned *it);

/* Runs in pieces, or with 0 as the library cuts, and checks the bytes. */
clmove_run_info turned_run(turned *it, int64_t piece_bytes);

/* Returns how many tests failed. */
int several_run_tests(void);

#endif
