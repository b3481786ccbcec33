/* What the tests share: noise, fenced memory, single elements, opening a device, making a case's map.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_TESTS_SUPPORT_H
#define CLMOVE_TESTS_SUPPORT_H

#include "cases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* What CTest counts as skipped. */
#define EXIT_SKIPPED 77

/* Of the cases of a table those that this process takes: from `first` on, each `every`-th. */
typedef struct test_part {
    size_t first, every;
} test_part;

/* Each every-th; or, where CLMOVE_TEST_PART is WHICH/OF, such as 3/7, each OF-th from case WHICH on. "today" is another WHICH
 * each day, so that OF days come to all. It is said, as what fails is run again by it. */
test_part part_of_cases(size_t every);

/* How many of `count` cases are of a part. */
size_t part_count(test_part part, size_t count);

/* Asserts that a call with an error argument succeeds; prints its sentence otherwise. */
#define ASSERT_OK(call, error)                                                                                                   \
    do {                                                                                                                         \
        clmove_status status_ = (call);                                                                                          \
        if (status_ != CLMOVE_OK)                                                                                                \
            fail_msg("%s: %s: %s", #call, clmove_status_text(status_), (error)->text);                                           \
    } while (0)

/* Asserts that a call fails with a status, says so in its error and gives a sentence. */
#define ASSERT_FAILS(wanted, call, error)                                                                                        \
    do {                                                                                                                         \
        *(error) = (clmove_error){.status = CLMOVE_OK};                                                                          \
        clmove_status status_ = (call);                                                                                          \
        if (status_ != (wanted) || (error)->status != (wanted) || (error)->text[0] == '\0')                                      \
            fail_msg("%s: wanted %s, got %s; the error says %s: \"%s\"", #call, clmove_status_text(wanted),                      \
                     clmove_status_text(status_), clmove_status_text((error)->status), (error)->text);                           \
    } while (0)

/* Asserts that a sentence holds a piece of text. */
void assert_mentions(const char *text, const char *piece);

/* Fills memory with noise that depends on position and seed, so that no two places look alike. */
void fill_noise(void *memory, size_t bytes, uint32_t seed);

/* Memory with guard bytes on both sides. data is misalign bytes past a 64-byte boundary. Everything starts as noise; that of data
 * depends on seed alone, not on misalign. */
typedef struct fenced {
    /* expected: what memory held when it was made, guards included. */
    uint8_t *memory, *expected;
    uint8_t *data;
    size_t bytes, total, front;
} fenced;

fenced fenced_create(size_t bytes, size_t misalign, uint32_t seed);
void fenced_destroy(fenced *it);

/* The bytes that data is expected to hold, to be written by the test. */
uint8_t *fenced_expected(fenced *it);

/* Fails, naming the first wrong byte, unless data holds what is expected and the guards are whole. */
void fenced_check(const fenced *it, const char *what);

/* Memory between two pages that nobody may touch, so that reading past it is caught too: it ends at one, or begins at the other.
 * Everything starts as noise. */
typedef struct cornered {
    uint8_t *pages, *data;
    size_t bytes, total;
} cornered;

cornered cornered_create(size_t bytes, bool at_end, uint32_t seed);
void cornered_protect(cornered *it); /* from now on nobody may write */
void cornered_destroy(cornered *it);

/* The same comparison for memory of one's own. */
void check_bytes(const uint8_t *got, const uint8_t *expected, size_t bytes, const char *what);

/* Bytes that hold count elements. */
size_t bytes_of(uint32_t element_bits, int64_t count);

/* Copies one element: 1 bit is packed most significant first, 2 and 4 bits least significant first. */
void copy_element(uint32_t element_bits, const uint8_t *src, int64_t src_at, uint8_t *dst, int64_t dst_at);

/* Counts index up like an odometer. False after the last index; at once for rank 0. */
bool next_index(int32_t rank, const int64_t *dims, int64_t *index);

/* Makes the map of a case through the public functions; fails the test when one of them refuses. */
void case_to_map(const test_case *it, clmove_map *map);

/* The case of a name. The test fails if there is none. */
const test_case *case_find(const char *name);

/* Opens a device without fallback; NULL when there is none that matches. Any other failure ends the program. */
clmove_device *open_device(const char *selector);

clmove_device_stats stats_of(const clmove_device *device);

/* Makes a device go by a calibration in which the host, and the device, take (i + 1) times so long for size i. 0: what is there.
 */
void calibrate_as(clmove_device *device, double host_seconds, double device_seconds);

#endif
