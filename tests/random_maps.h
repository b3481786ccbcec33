/* Random maps, the same ones for the same seed, for tests of properties.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_TESTS_RANDOM_MAPS_H
#define CLMOVE_TESTS_RANDOM_MAPS_H

#include <clmove/clmove.h>

/* Starts the sequence of pick. */
void pick_from(uint64_t seed);

/* A number of 0 to below - 1. */
int64_t pick(int64_t below);

/* A random map of at most 3000 elements: widths from 1 bit up, views, chains of operators. */
void random_map(clmove_map *map);

/* Elements of a map's destination. */
int64_t elements_of(const clmove_map *map);

#endif
