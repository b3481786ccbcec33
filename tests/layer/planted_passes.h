/* Two passes of which one program is miscompiled.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_TESTS_LAYER_PLANTED_PASSES_H
#define CLMOVE_TESTS_LAYER_PLANTED_PASSES_H

#include "plant.h"

extern const plant_interface *plant;

/* The next variant moves the bytes, or the same one with 64-bit indices. */
void passes_with_a_wrong_part_are_not_used(void **state);

#endif
