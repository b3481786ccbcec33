/* SPDX-License-Identifier: Apache-2.0 */
#define LEVEL avx512
#include "host/native/level.inc"
