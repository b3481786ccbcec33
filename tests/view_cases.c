/* SPDX-License-Identifier: Apache-2.0 */
#include "view_cases.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

enum { MOST_CASES = 1024, MOST_RANK = 4 };

static test_case cases[MOST_CASES];
static char names[MOST_CASES][96];
static size_t made;

/* The offset is such that the lowest unit of the view is unit 1 of the source, which is out of line. */
static void add(const char *what, uint32_t bits, int32_t rank, const int64_t *dims, const int64_t *strides) {
    test_case *it = &cases[made];
    if (made == MOST_CASES)
        abort();
    int length = snprintf(names[made], sizeof names[made], "%s, %" PRIu32 " bits", what, bits);
    it->name = names[made++];
    it->element_bits = bits;
    it->dims.count = rank;
    it->src.given = true;
    it->src.offset = 1;
    for (int32_t i = 0; i < rank; i++) {
        it->dims.values[i] = dims[i];
        it->src.strides[i] = strides[i];
        it->src.offset += strides[i] < 0 ? (1 - dims[i]) * strides[i] : 0;
        length += snprintf(&names[made - 1][length], sizeof names[0] - (size_t)length, " [%" PRId64 ":%" PRId64 "]", dims[i],
                           strides[i]);
    }
}

static void add_rows(uint32_t bits) {
    static const int64_t apart[] = {-13, -4, -3, -2, -1, 2, 3, 4, 5, 8, 16}, lengths[] = {5, 67, 1031};
    for (size_t s = 0; s < COUNT(apart); s++) {
        const int64_t distance = apart[s] < 0 ? -apart[s] : apart[s];
        for (size_t i = 0; i < COUNT(lengths); i++)
            add("rows", bits, 2, (int64_t[]){7, lengths[i]}, (int64_t[]){distance * lengths[i] + 3, apart[s]});
        add("one row", bits, 1, (int64_t[]){apart[s] == -1 ? 70001 : 5003}, &apart[s]); /* more than a segment, and less */
    }
    add("many rows backwards", bits, 2, (int64_t[]){601, 33}, (int64_t[]){33, -1});
    add("many rows, every other unit", bits, 2, (int64_t[]){601, 33}, (int64_t[]){-66, 2});
}

static void add_pixels(uint32_t bits) {
    static const int64_t apart[][3] = {{3, -1, 3},   {3, 1, 4}, {3, -1, 4}, {2, 1, 4}, {3, 1, -3}, {4, -1, -4}, {5, -1, 8},
                                       {16, -1, 16}, {2, 1, 3}, {3, 1, 13}, {6, 1, 7}, {9, 1, 16}, {4, 1, 24}};
    for (size_t i = 0; i < COUNT(apart); i++) {
        const int64_t count = apart[i][0], unit = apart[i][1], pixel = apart[i][2];
        const int64_t distance = pixel < 0 ? -pixel : pixel;
        add("pixels", bits, 2, (int64_t[]){1501, count}, (int64_t[]){pixel, unit});
        add("planes of pixels", bits, 2, (int64_t[]){count, i % 2 ? 1501 : 8801}, (int64_t[]){unit, pixel});
        add("planes of images", bits, 3, (int64_t[]){count, 23, 71}, (int64_t[]){unit, 80 * pixel, pixel});
        if (count != distance)
            add("planes of short rows", bits, 3, (int64_t[]){count, 131, 5 + count},
                (int64_t[]){unit, (7 + count) * pixel, pixel});
    }
}

static void add_windows(uint32_t bits) {
    static const int64_t sides[] = {2, 3, 5, 7, 17};
    for (size_t i = 0; i < COUNT(sides); i++) {
        const int64_t side = sides[i];
        add("windows", bits, 2, (int64_t[]){1201, side}, (int64_t[]){1, 1});
        add("windows", bits, 2, (int64_t[]){701, side}, (int64_t[]){side - 1, 1});
        add("windows backwards", bits, 2, (int64_t[]){701, side}, (int64_t[]){2, -1});
        add("squares", bits, 4, (int64_t[]){11, 83, side, side}, (int64_t[]){101, 1, 101, 1});
        add("squares of 3 channels", bits, 4, (int64_t[]){5, 31, side, 3 * side}, (int64_t[]){2 * 160, 6, 160, 1});
    }
}

static void add_turned(uint32_t bits) {
    static const int64_t sides[][2] = {{17, 33}, {64, 128}, {131, 67}, {5, 301}};
    for (size_t i = 0; i < COUNT(sides); i++) {
        const int64_t high = sides[i][0], wide = sides[i][1];
        add("turned", bits, 2, (int64_t[]){wide, high}, (int64_t[]){-1, wide});
        add("turned back", bits, 2, (int64_t[]){wide, high}, (int64_t[]){1, -wide});
        add("turned over", bits, 2, (int64_t[]){wide, high}, (int64_t[]){-1, -wide});
        add("planes turned", bits, 3, (int64_t[]){3, wide, high}, (int64_t[]){high * wide, -1, wide});
        add("pixels turned", bits, 3, (int64_t[]){wide, high, 3}, (int64_t[]){-3, 3 * wide, 1});
        add("pixels turned over", bits, 3, (int64_t[]){wide, high, 3}, (int64_t[]){-3, 3 * wide, -1});
    }
}

/* What two passes move: rows of the destination come from afar, and their neighbours in the source leave gaps, or go backwards.
 */
static void add_far_steps(uint32_t bits) {
    add("every other column turned", bits, 2, (int64_t[]){130, 1031}, (int64_t[]){2, 261});
    add("every third column turned, parts of rows", bits, 2, (int64_t[]){131, 1152}, (int64_t[]){3, 400});
    add("every other column turned backwards", bits, 2, (int64_t[]){96, 2000}, (int64_t[]){-2, 192});
    add("every other channel to planes", bits, 2, (int64_t[]){64, 1353}, (int64_t[]){2, 128});
    add("mirrored planes to pixels", bits, 3, (int64_t[]){96, 257, 3}, (int64_t[]){257, -1, 96 * 257});
    add("planes turned over to pixels", bits, 3, (int64_t[]){96, 250, 4}, (int64_t[]){-250, -1, 96 * 250});
    add("every third row and column to pixels", bits, 3, (int64_t[]){80, 300, 3}, (int64_t[]){2700, 3, 80 * 2700});
}

/* The last one, into rows with gaps. */
static void leave_gaps(void) {
    test_case *it = &cases[made - 1];
    int64_t stride = 1;
    it->dst = (case_view){.given = true, .offset = 3};
    for (int32_t i = it->dims.count - 1; i >= 0; i--) {
        it->dst.strides[i] = stride;
        stride = (stride * it->dims.values[i]) + (i == it->dims.count - 1 ? 2 : 0);
    }
    strncat(names[made - 1], ", gaps", sizeof names[0] - strlen(names[made - 1]) - 1);
}

static void add_gaps(uint32_t bits) {
    add("rows backwards", bits, 2, (int64_t[]){601, 33}, (int64_t[]){33, -1});
    leave_gaps();
    add("rows backwards", bits, 2, (int64_t[]){5, 1301}, (int64_t[]){1301, -1});
    leave_gaps();
    add("windows", bits, 2, (int64_t[]){1201, 5}, (int64_t[]){1, 1});
    leave_gaps();
    add("turned", bits, 2, (int64_t[]){131, 67}, (int64_t[]){-1, 131});
    leave_gaps();
    add("planes of pixels", bits, 2, (int64_t[]){3, 8801}, (int64_t[]){-1, 4});
    leave_gaps();
    add("every other column turned", bits, 2, (int64_t[]){130, 1032}, (int64_t[]){2, 261});
    leave_gaps();
}

const test_case *view_cases(size_t *count) {
    static const uint32_t widths[] = {8, 16, 24, 32, 64, 128};
    if (made == 0) {
        /* fewer bytes of the source than a window has, and few blocks in the last segment */
        add("squares turned, again and again", 8, 3, (int64_t[]){824455, 3, 3}, (int64_t[]){0, 1, 3});
        for (size_t w = 0; w < COUNT(widths); w++) {
            add_rows(widths[w]);
            add_pixels(widths[w]);
            add_windows(widths[w]);
            add_turned(widths[w]);
            add_far_steps(widths[w]);
            add_gaps(widths[w]);
        }
    }
    *count = made;
    return cases;
}
