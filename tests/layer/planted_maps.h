/* Maps other than the journey's, of whose programs some are miscompiled.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_TESTS_LAYER_PLANTED_MAPS_H
#define CLMOVE_TESTS_LAYER_PLANTED_MAPS_H

#include "plant.h"

extern const plant_interface *plant;

/* Of two passes one program is wrong: the next variant moves the bytes, or the same one with 64-bit indices. */
void passes_with_a_wrong_part_are_not_used(void **state);

/* All are wrong but one that was passed over as slow: it is taken. */
void slow_ones_come_last(void **state);

#endif
