/* For programs whose OpenCL calls pass through the layer of faults.h: finding it, and what their tests begin and end with.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_TESTS_LAYER_LAYER_H
#define CLMOVE_TESTS_LAYER_LAYER_H

#include "faults.h"
#include "journey.h"

/* What the layer can do, once layer_find has found it. */
extern const faults_interface *faults;

/* The journey of the test that runs. */
extern journey way;

/* For main, whose one argument is the layer's path: finds the layer, and makes sure that a device is behind it. EXIT_SUCCESS, or
 * what main has to return, after a line that begins with the name of the tests and says why. */
int layer_find(const char *name, const char *selector, int count, char **arguments);

/* Fails when an OpenCL object is left. */
void check_no_object_left(void);

/* The teardown of a test, also of one that failed: nothing is armed or pretended, and the journey is at its end. */
int layer_clean_up(void **state);

#endif
