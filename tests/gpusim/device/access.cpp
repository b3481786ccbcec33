// SPDX-License-Identifier: Apache-2.0
#include "tests/gpusim/device/access.hpp"

#include <stdexcept>

namespace gpusim {

void AddressSpace::refuse(const Instruction &in, uint64_t address, uint64_t bytes) const {
    bool is_inside = false;
    for (const Buffer &buffer : buffers)
        is_inside = is_inside || (address >= buffer.address && address + bytes <= buffer.address + buffer.bytes);
    fail(in, address, bytes,
         is_inside ? "which the buffer's flags, or the host that has it mapped, forbid" : "which is in no buffer");
}

unsigned char *AddressSpace::find_other(const Instruction &in, Space space, uint64_t address, uint64_t bytes,
                                        const Own &own) const {
    if (space == Space::Param) {
        const uint64_t at = address - PARAM_BASE;
        if (in.op == Op::Ld && at + bytes <= parameters.size())
            return const_cast<unsigned char *>(parameters.data()) + at;
        fail(in, at, bytes, "which is no parameter to read");
    }
    if (space == Space::Shared) {
        const uint64_t at = address - SHARED_BASE;
        if (at + bytes <= own.shared->size())
            return own.shared->data() + at;
        fail(in, at, bytes, "which is not in its group's local memory");
    }
    const uint64_t at = address - LOCAL_BASE;
    if (at + bytes <= own.local_bytes)
        return own.local + at;
    fail(in, at, bytes, "which is not in its item's private memory");
}

void AddressSpace::fail(const Instruction &in, uint64_t address, uint64_t bytes, const char *why) const {
    const std::string place = in.site >= 0 ? " at " + kernel.sites[(size_t)in.site] : "";
    throw std::runtime_error("kernel " + kernel.name + place + (in.op == Op::Ld ? " reads " : " writes ") +
                             std::to_string(bytes) + " bytes at address " + std::to_string(address) + ", " + why);
}

} // namespace gpusim
