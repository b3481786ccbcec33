/* SPDX-License-Identifier: Apache-2.0 */
#define LEVEL baseline
#include "host/native/level.inc"
