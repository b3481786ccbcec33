/* A .npy file to read: mapped into memory if it is a regular file, read into memory if it is a pipe.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_CLI_TENSOR_SOURCE_H
#define CLMOVE_CLI_TENSOR_SOURCE_H

#include "npy.h"

typedef struct tensor_source {
    npy_header header;
    const void *data; /* header.data_bytes of them; whatever follows in the file is ignored, as NumPy does */
    /* private: */
    void *memory;
    size_t memory_bytes;
    bool is_mapped;
} tensor_source;

/* Opens path, or standard input when it is "-". On false a sentence has been printed, and there is nothing to close. */
bool tensor_source_open(tensor_source *source, const char *path);

/* Lets go of the memory that holds what was read, where the file has it still. It may go on being read. */
void tensor_source_let_go(const tensor_source *source);

void tensor_source_close(tensor_source *source);

#endif
