// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace gpusim {

inline uint64_t ones(unsigned bits) {
    return bits >= 64 ? ~0ull : (1ull << bits) - 1;
}

inline uint64_t cut(uint64_t value, unsigned bits) {
    return value & ones(bits);
}

// As a number with a sign.
inline int64_t extend(uint64_t value, unsigned bits) {
    const unsigned shift = bits >= 64 ? 0 : 64 - bits;
    return (int64_t)(value << shift) >> shift;
}

// Calls f with each lane of a mask.
template <typename F> inline void each(uint64_t mask, F f) {
    for (uint64_t m = mask; m; m &= m - 1)
        f((unsigned)__builtin_ctzll(m));
}

} // namespace gpusim
