/* What the layer of remote.c tells a test, which finds this struct with dlsym as `remote_control`.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_TESTS_LAYER_REMOTE_H
#define CLMOVE_TESTS_LAYER_REMOTE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct remote_interface {
    /* Whether OpenCL's calls pass through the layer. */
    bool (*is_there)(void);
    /* Buffers made over host memory so far, and those of them that were made over some of the memory that another was
     * over, or has while it is mapped. */
    unsigned (*wrapped)(void);
    unsigned (*overlapping)(void);
    /* Every device says that its buffers have at most so many bytes, unless that is 0. */
    void (*limit)(uint64_t max_alloc);
} remote_interface;

#endif
