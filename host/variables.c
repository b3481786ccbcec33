/* SPDX-License-Identifier: Apache-2.0 */
#include "host/variables.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *must_be;
    /* The words of 0, and of 1. */
    const char *words[2][2];
} variables[] = {
    [CLM_VARIABLE_IN_PLACE] = {"CLMOVE_IN_PLACE", "0, 1, or nothing", {{"0"}, {"1"}}},
    [CLM_VARIABLE_KERNELS] = {"CLMOVE_KERNELS", "plain or clang, or nothing", {{"plain"}, {"clang"}}},
    [CLM_VARIABLE_PROGRAM_CACHE] = {"CLMOVE_PROGRAM_CACHE", "0 or off, 1 or on, or nothing", {{"0", "off"}, {"1", "on"}}},
    [CLM_VARIABLE_SELF_TEST] = {"CLMOVE_SELF_TEST", "0, 1, or nothing", {{"0"}, {"1"}}},
};

int clm_variable_value(clm_variable variable) {
    const char *given = getenv(variables[variable].name);
    for (int value = 0; given && value < 2; value++)
        for (int i = 0; i < 2 && variables[variable].words[value][i]; i++)
            if (strcmp(given, variables[variable].words[value][i]) == 0)
                return value;
    return -1;
}

clmove_status clm_variables_check(clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *given = getenv(variables[i].name);
        REQUIRE(!given || !*given || clm_variable_value((clm_variable)i) >= 0, INVALID_ARGUMENT, "%s is \"%.64s\", it must be %s",
                variables[i].name, given, variables[i].must_be);
    }
out:
    return status;
}
