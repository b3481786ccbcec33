/* The header of a .npy file, versions 1.0 to 3.0: parsed from bytes that may be hostile, and written.
 *
 * Specification: numpy.lib.format.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_NPY_NPY_H
#define CLMOVE_HOST_TOOLS_NPY_NPY_H

#include <clmove/clmove.h>

enum { NPY_PROLOGUE = 12, NPY_REASON = 256 };

typedef struct npy_header {
    /* A copy of the header's, to be freed. */
    char *text;
    /* The dtype as Python text, in `text`. */
    const char *descr;
    /* The descr has characters that only version 3.0 can hold. */
    bool needs_utf8;
    uint32_t element_bytes;
    bool fortran_order;
    int32_t rank;
    int64_t dims[CLMOVE_MAX_RANK];
    /* Of the whole array. */
    int64_t data_bytes;
} npy_header;

/* Finds where the data starts, from the first NPY_PROLOGUE bytes of the file, or from all of them if it has fewer.
 * reason, here and below, has NPY_REASON characters. On false it says what is wrong, in one clause that begins with "it". */
bool npy_data_offset(const void *bytes, size_t count, uint64_t *offset, char *reason);

/* Parses the header in the first count bytes of the file, where the data starts. Everything in *header has been checked: no size
 * is negative, and data_bytes did not overflow. */
bool npy_parse(const void *bytes, size_t count, npy_header *header, char *reason);

/* Writes a header for header's descr and the shape given, in C order, with the smallest version that can hold it, padded so that
 * the data starts on a 64-byte boundary. Returns a block of *bytes bytes to be freed, or NULL when memory ran out. */
char *npy_format(const npy_header *header, int32_t rank, const int64_t *dims, size_t *bytes);

/* Writes whole numbers, at most 32, with the same text of one or two characters between them. Returns text. */
enum { SHAPE_TEXT = CLMOVE_MAX_RANK * 22 + 4 };
const char *list_text(int32_t count, const int64_t *values, const char *between, char text[SHAPE_TEXT]);

/* Writes a shape as Python does, such as (1, 3, 224, 224); at most 32 dimensions. Returns text. */
const char *shape_text(int32_t rank, const int64_t *dims, char text[SHAPE_TEXT]);

#endif
