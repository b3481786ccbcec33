/* See calm.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "calm.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void calm_threads(int argc, char **argv) {
    static const char variable[] = "OMP_WAIT_POLICY";
    static char program[] = "clmove";
    char **arguments = getenv(variable) ? NULL : calloc((size_t)argc + 2, sizeof *arguments);
    if (!arguments)
        return;
    arguments[0] = program;
    memcpy(arguments + 1, argv, (size_t)argc * sizeof *argv);
    if (setenv(variable, "passive", 1) == 0)
        execv("/proc/self/exe", arguments);
    unsetenv(variable); /* OpenMP did not hear of it. The figures are noisier, and as right */
    free(arguments);
}
