// Which instructions follow each other, and where lanes that part meet again.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tests/gpusim/device/ptx.hpp"

namespace gpusim {

struct Block {
    // Instructions, both included.
    int first, last;
    std::vector<int> next;
};

std::vector<Block> find_blocks(const Kernel &kernel);

// Where the lanes of each branch meet again: the nearest block that every way from it goes through.
void set_reconvergence(Kernel &kernel, const std::vector<Block> &blocks);

// Parameters at places known when compiling are operands of other instructions, from the constant bank.
void free_constant_parameters(Kernel &kernel);

// Counts the registers that are alive at once.
void find_live(Kernel &kernel, const std::vector<Block> &blocks);

} // namespace gpusim
