/* What the parts of test_program_cache share: a cache in an empty home folder, and one binary.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_TESTS_CACHE_BED_H
#define CLMOVE_TESTS_CACHE_BED_H

#include "host/cache/cache.h"
#include "support.h"

/* Emptied before each test. */
extern char home[sizeof "/tmp/clmove-test-XXXXXX"];
extern clm_cache cache;
/* Of the last call. */
extern char why[CLM_CACHE_WHY];
extern clmove_error error;
/* What store writes, and expect_hit expects, under this key. */
extern unsigned char binary_data[3001];
extern clm_binary binary;
extern uint64_t key;

/* Runs a command, which must succeed. */
void shell(const char *command);

/* Before each test: the cache is in the home folder, and open. */
int set_up(void **state);

/* Opens the cache again, which must be on then. */
void open_cache(void);

/* The one file in the folder, and how many there are. */
size_t find_file(char path[1200]);

/* Each must succeed. */
void store(void);
void expect_hit(void);

/* reason: what the sentence mentions; "" where nothing is wrong. */
void expect_miss(const char *reason);

/* Where the cache is. Returns how many of its tests failed. */
int program_cache_folder_tests(void);

#endif
