// The same as C++.
// SPDX-License-Identifier: Apache-2.0
#include "consumer.c"
