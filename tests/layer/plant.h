/* What the layer that plants miscompilations lets a test do. It is loaded by the OpenCL loader through OPENCL_LAYERS; a test
 * finds this struct with dlsym as `plant_control`.
 * The condition in CLMOVE_TEST_PLANT is sown for all files when the layer is loaded, for programs that do not know it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_TESTS_LAYER_PLANT_H
#define CLMOVE_TESTS_LAYER_PLANT_H

#include <stdint.h>

typedef struct plant_interface {
    /* From now on each program made from the kernel file of this name ("" for all) writes a wrong byte where each work-item
     * begins, if the condition, OpenCL C that may look at INDEX_BITS and args, holds. NULL: nothing is planted any more. */
    void (*sow)(const char *source, const char *condition);
    /* Programs with something planted, since the last sow. */
    unsigned (*sown)(void);
} plant_interface;

#endif
