/* What the fault-injection layer lets a test do. The layer is loaded by the OpenCL loader through OPENCL_LAYERS; a test finds
 * this struct with dlsym as `faults_control`. With CLMOVE_TEST_GPU in the environment every device says from the start that it is
 * a GPU with memory of its own, with CLMOVE_TEST_UNIFIED too that it shares the host's, with CLMOVE_TEST_SMALL_CACHE that its
 * cache has one byte, with CLMOVE_TEST_MAX_ALLOC that a buffer has at most so many. Behind the name
 * of every device and the version of its driver stands CLMOVE_TEST_MARK. With CLMOVE_TEST_ACCOUNT the process ends with a line
 * on stderr, "objects: 12 created, 0 left".
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_TESTS_LAYER_FAULTS_H
#define CLMOVE_TESTS_LAYER_FAULTS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct faults_interface {
    /* From now on the nth call (from 1) of a function fails with code, without reaching the driver; the calls after it too if
     * `forever`. One function at a time. */
    void (*arm)(const char *function, unsigned nth, int32_t code, bool forever);
    /* Calls that failed since arm. python/tests/test_faults.py knows the first three. */
    unsigned (*fired)(void);
    /* Lets all calls through again. */
    void (*disarm)(void);
    /* From now on clEnqueueCopyBuffer copies nothing, or clEnqueueMapBuffer or clEnqueueUnmapMemObject changes the first byte of
     * what is mapped, and says that all is well. Until disarm. */
    void (*spoil)(const char *function);
    /* Every device says it is a GPU, and that its buffers have at most max_alloc bytes unless that is 0. */
    void (*pretend)(bool gpu, uint64_t max_alloc);
    /* Whether a device that says it is a GPU says that it shares the host's memory, too. */
    void (*share)(bool unified);
    /* Objects created or retained and not released yet; *kind names a kind that has some, or "". */
    int64_t (*balance)(const char **kind);
    /* Objects created or retained in all, so that a balance of 0 means something. */
    int64_t (*created)(void);
    /* Kernels that reached the driver. */
    unsigned (*kernels)(void);
} faults_interface;

#endif
