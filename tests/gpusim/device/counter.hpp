// Counts what a run does, as a GPU's own counters would.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tests/gpusim/device/machine.hpp"
#include "tests/gpusim/device/ptx.hpp"

namespace gpusim {

class Counter {
  public:
    Counter(const Kernel &kernel, const Machine &machine);
    Counts counts;

    void instruction(const Instruction &in, unsigned active);
    // An access of the lanes in mask. Returns where the slowest sector of a load came from.
    Level global(unsigned sm, const Instruction &in, const uint64_t *addresses, uint64_t mask, uint64_t bytes);
    void local(uint64_t mask, uint64_t bytes);
    void shared(const uint64_t *addresses, uint64_t mask, uint64_t bytes);
    void wait(Level from, uint64_t bytes);
    // At the end of the launch.
    void finish();

  private:
    const unsigned lanes;
    Memory memory;
    std::vector<Touched> touched; // by the request
    std::vector<uint64_t> words;
    void find_touched(const uint64_t *addresses, uint64_t mask, uint64_t bytes);
    uint64_t count_wavefronts(const uint64_t *addresses, uint64_t mask, uint64_t bytes);
};

} // namespace gpusim
