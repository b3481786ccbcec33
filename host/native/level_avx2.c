/* SPDX-License-Identifier: Apache-2.0 */
#define LEVEL avx2
#include "host/native/level.inc"
