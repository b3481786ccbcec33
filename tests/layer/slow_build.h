/* What the layer whose compiler takes its time lets a test do. The layer is loaded by the OpenCL loader through OPENCL_LAYERS; a
 * test finds this struct with dlsym as `slow_build_control`. Each build that is not held takes CLMOVE_TEST_BUILD_SECONDS, 60
 * where there is no such variable, whatever signals come.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_TESTS_LAYER_SLOW_BUILD_H
#define CLMOVE_TESTS_LAYER_SLOW_BUILD_H

#include <stdbool.h>
#include <stdint.h>

typedef struct slow_build_interface {
    /* From now on each program whose build options hold this text waits for let_go while it is built; or, if late, while a kernel
     * of it is launched, as with drivers that put off the build. code: what a held call then returns without reaching the driver,
     * 0 if it is to go on. */
    void (*hold)(const char *options, bool late, int32_t code);
    /* Waits until a call is held. False: none came within a minute. */
    bool (*await)(void);
    /* Lets all go on that are held, and holds none any more. */
    void (*let_go)(void);
    /* Calls that were held since hold. */
    unsigned (*held)(void);
    /* Whether one of them waited for a minute, and then went on by itself. */
    bool (*gave_up)(void);
} slow_build_interface;

#endif
