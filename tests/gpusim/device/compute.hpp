// What an instruction that touches no memory does to the registers of a warp.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tests/gpusim/device/ptx.hpp"

namespace gpusim {

// registers: LANES of each row. mask: the lanes that take part.
template <unsigned LANES> void compute(const Kernel &kernel, const Instruction &in, uint64_t *registers, uint64_t mask);

} // namespace gpusim
