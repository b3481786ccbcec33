/* A .npy file to read: mapped into memory if it is a regular file, read into memory if it is a pipe.
 *
 * Its header is read and parsed once, so that whatever becomes of the file, all that is known of the array agrees.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_NPY_SOURCE_H
#define CLMOVE_HOST_TOOLS_NPY_SOURCE_H

#include "host/tools/npy/npy.h"

#include <sys/stat.h>

typedef struct tensor_source {
    npy_header header;
    /* The header.data_bytes bytes of the array. What follows them in the file is ignored, as NumPy does. */
    const void *data;
    /* private: */
    const char *name;
    void *memory;
    size_t memory_bytes;
    /* The file that is mapped, or -1. */
    int file;
    /* The state of the file before its first byte was read. */
    struct stat before;
} tensor_source;

/* Opens path, which must outlive the source, or standard input when it is "-". On false a sentence has been printed, and there is
 * nothing to close. */
bool tensor_source_open(tensor_source *source, const char *path);

/* Whether the file is what it was when it was opened, as far as its size and the time of its last change say. Memory mapped from
 * one that shrank is not there. On false a sentence has been printed. */
bool tensor_source_check(const tensor_source *source);

/* Lets go of the memory that holds what was read, where the file has it still. It may go on being read. */
void tensor_source_let_go(const tensor_source *source);

void tensor_source_close(tensor_source *source);

#endif
