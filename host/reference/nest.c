/* The patterns whose inner loops move units, for each width.
 *
 * The types are unaligned, because the caller's memory may be, and may alias anything, because it holds the caller's types.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/reference/patterns.h"

typedef uint8_t __attribute__((may_alias)) unit_8;
typedef uint16_t __attribute__((may_alias, aligned(1))) unit_16;
typedef uint32_t __attribute__((may_alias, aligned(1))) unit_32;
typedef uint64_t __attribute__((may_alias, aligned(1))) unit_64;
typedef struct __attribute__((may_alias, packed)) unit_128 {
    uint64_t low, high;
} unit_128;

#define UNIT unit_8
#define NAME(pattern) clm_##pattern##_8
#include "host/reference/nest.inc"
#undef UNIT
#undef NAME
#define UNIT unit_16
#define NAME(pattern) clm_##pattern##_16
#include "host/reference/nest.inc"
#undef UNIT
#undef NAME
#define UNIT unit_32
#define NAME(pattern) clm_##pattern##_32
#include "host/reference/nest.inc"
#undef UNIT
#undef NAME
#define UNIT unit_64
#define NAME(pattern) clm_##pattern##_64
#include "host/reference/nest.inc"
#undef UNIT
#undef NAME
#define UNIT unit_128
#define NAME(pattern) clm_##pattern##_128
#include "host/reference/nest.inc"
