// Where addresses lie: buffers, parameters, and the memory of work-items and work-groups.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tests/gpusim/device/machine.hpp"
#include "tests/gpusim/device/ptx.hpp"

namespace gpusim {

// Memory that lies elsewhere for each work-item or work-group.
struct Own {
    unsigned char *local;
    uint64_t local_bytes;
    std::vector<unsigned char> *shared;
};

class AddressSpace {
  public:
    AddressSpace(const Kernel &kernel, const Machine &machine, const std::vector<Buffer> &buffers,
                 const std::vector<unsigned char> &parameters)
        : kernel(kernel), any_alignment(machine.any_alignment), buffers(buffers), parameters(parameters) {}

    // The memory of an access, which is checked. Throws std::runtime_error.
    unsigned char *find(const Instruction &in, Space space, uint64_t address, uint64_t bytes, const Own &own) const {
        if ((address & (bytes - 1)) != 0 && !any_alignment) // a power of two
            fail(in, address, bytes, "which is not aligned to that");
        if (space != Space::Global)
            return find_other(in, space, address, bytes, own);
        // Parts of one buffer are buffers too: any of them may allow it.
        for (const Buffer &buffer : buffers)
            if (address >= buffer.address && address + bytes <= buffer.address + buffer.bytes &&
                (in.op == Op::Ld ? buffer.may_read : buffer.may_write))
                return buffer.memory + (address - buffer.address);
        refuse(in, address, bytes);
    }

  private:
    const Kernel &kernel;
    const bool any_alignment;
    const std::vector<Buffer> &buffers;
    const std::vector<unsigned char> &parameters;
    [[noreturn]] void refuse(const Instruction &in, uint64_t address, uint64_t bytes) const;
    unsigned char *find_other(const Instruction &in, Space space, uint64_t address, uint64_t bytes, const Own &own) const;
    [[noreturn]] void fail(const Instruction &in, uint64_t address, uint64_t bytes, const char *why) const;
};

// What a generic address points to.
inline Space space_of(uint64_t address) {
    return address >= PARAM_BASE    ? Space::Param
           : address >= SHARED_BASE ? Space::Shared
           : address >= LOCAL_BASE  ? Space::Local
                                    : Space::Global;
}

} // namespace gpusim
