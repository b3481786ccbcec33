/* The figures of a calibration, as its text has them: to show, to compare, and to take the middle of several.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_TRANSFER_FIGURES_H
#define CLMOVE_HOST_TOOLS_TRANSFER_FIGURES_H

#include <clmove/advice.h>

enum { FIGURES_KEYS = 48, FIGURES_VALUES = 32, FIGURES_LEAST = 4096 };

/* What a line's numbers count. */
typedef enum figure_unit { FIGURE_PLAIN, FIGURE_NS, FIGURE_PERCENT } figure_unit;

/* One line: its key without "_ns" or "_percent", and its numbers in seconds, or as factors. */
typedef struct figure {
    char key[48];
    figure_unit unit;
    int count;
    double values[FIGURES_VALUES];
} figure;

typedef struct figures {
    int count;
    figure all[FIGURES_KEYS];
} figures;

/* Get and set the calibration of a device. */
clmove_status figures_get(const clmove_device *device, figures *found, clmove_error *error);
clmove_status figures_set(clmove_device *device, const figures *given, clmove_error *error);

/* The number-th curve: seconds for sizes from FIGURES_LEAST bytes on, each twice the one before. NULL: there are no more. */
const figure *figures_curve(const figures *all, int number);

/* How many sizes of the number-th curve were measured. 0: not known. */
int figures_measured(const figures *all, int number);

/* A line of this key and unit; NULL: there is none. */
const figure *figures_find(const figures *all, const char *key, int unit);

/* Bytes of a curve's size. */
int64_t figures_bytes(int size);

#endif
