/* The environment variables that choose between two values.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_VARIABLES_H
#define CLMOVE_HOST_VARIABLES_H

#include "host/error.h"

typedef enum clm_variable {
    /* CLMOVE_IN_PLACE: 0 or 1. */
    CLM_VARIABLE_IN_PLACE,
    /* CLMOVE_KERNELS: plain is 0, clang is 1. */
    CLM_VARIABLE_KERNELS,
    /* CLMOVE_PROGRAM_CACHE: 0 or off is 0, 1 or on is 1. */
    CLM_VARIABLE_PROGRAM_CACHE,
    /* CLMOVE_SELF_TEST: 0 or 1. */
    CLM_VARIABLE_SELF_TEST,
} clm_variable;

/* The value of a variable: 0 or 1; -1 if it is not set, is empty, or has a value that clm_variables_check refuses. */
int clm_variable_value(clm_variable variable);

/* Raises INVALID_ARGUMENT if one of them has another value. Devices that are opened or listed check all of them, also those that
 * they do not use: a word that is misspelt is no less wrong on the host. */
clmove_status clm_variables_check(clmove_error *error);

#endif
