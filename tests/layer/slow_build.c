/* A driver whose compiler takes CLMOVE_TEST_BUILD_SECONDS for a program, whatever signals come, as compilers do. First it makes
 * the file that CLMOVE_TEST_BUILD_BEGUN names.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "entry.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static cl_int CL_API_CALL my_clBuildProgram(cl_program program, cl_uint devices, const cl_device_id *list, const char *options,
                                            void(CL_CALLBACK *notify)(cl_program, void *), void *user) {
    const char *given = getenv("CLMOVE_TEST_BUILD_SECONDS"), *sign = getenv("CLMOVE_TEST_BUILD_BEGUN");
    FILE *made = sign ? fopen(sign, "we") : NULL;
    if (made)
        fclose(made);
    struct timespec left = {.tv_sec = given ? strtol(given, NULL, 10) : 60};
    while (nanosleep(&left, &left) != 0 && errno == EINTR)
        ;
    return target->clBuildProgram(program, devices, list, options, notify, user);
}

const char layer_name[] = "clmove test slow build";

void layer_begin(cl_icd_dispatch *dispatch) {
    dispatch->clBuildProgram = my_clBuildProgram;
}
