// One line of JSON a launch, at the end of the file that GPUSIM_OUT names.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tests/gpusim/device/run.hpp"

namespace gpusim {

bool wants_report();
void report(const Kernel &kernel, const Machine &machine, const Counts &counts, const Grid &grid);

} // namespace gpusim
