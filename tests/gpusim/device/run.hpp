// Runs a kernel as a GPU does: warps in lockstep, lanes that part and meet again, work-groups handed to multiprocessors in waves;
// and counts, where that is wanted.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tests/gpusim/device/machine.hpp"
#include "tests/gpusim/device/ptx.hpp"

namespace gpusim {

// Throws std::runtime_error with a sentence for what no kernel may do: an access outside of its buffers, or one that is not
// aligned, a barrier that not all work-items of a group reach.
Counts run_kernel(const Kernel &kernel, const Machine &machine, const std::vector<Buffer> &buffers,
                  const std::vector<unsigned char> &parameters, const Grid &grid, bool is_counted);

} // namespace gpusim
