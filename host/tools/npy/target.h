/* A .npy file to write: whole or absent. It grows without a name, or under a temporary one, in the same folder, and takes its
 * own name, and the place of what had it, in one step. What is there before survives every failure.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_NPY_TARGET_H
#define CLMOVE_HOST_TOOLS_NPY_TARGET_H

#include "host/tools/npy/npy.h"

typedef struct tensor_target {
    /* The bytes of the array, to be filled. */
    void *data;
    size_t bytes;
    /* private: */
    /* Where it goes, symbolic links followed. */
    char *path;
    void *memory;
    size_t memory_bytes;
    int file;
} tensor_target;

/* Starts a file for the result of a map in C order, of dtype header->descr. All its disk space is taken now. On false a
 * sentence has been printed, and nothing is left. */
bool tensor_target_create(tensor_target *target, const char *path, const npy_header *header, const clmove_map *map);

/* Lets go of the memory that holds what was written; the file has it. It may go on being written, and read. */
void tensor_target_let_go(const tensor_target *target);

/* Gives the file its name. On false a sentence has been printed, and nothing is left. */
bool tensor_target_commit(tensor_target *target);

/* Removes it; after tensor_target_commit, nothing. */
void tensor_target_discard(tensor_target *target);

#endif
