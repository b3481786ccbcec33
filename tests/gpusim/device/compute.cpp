// SPDX-License-Identifier: Apache-2.0
#include "tests/gpusim/device/compute.hpp"
#include "tests/gpusim/device/bits.hpp"

#include <algorithm>

namespace gpusim {

static uint64_t permute_bytes(uint64_t a, uint64_t b, uint64_t selectors) {
    const uint64_t both = cut(a, 32) | b << 32;
    uint64_t value = 0;
    for (unsigned k = 0; k < 4; k++) {
        const unsigned selector = (unsigned)(selectors >> (4 * k)) & 15;
        uint64_t byte = both >> (8 * (selector & 7)) & 255;
        if (selector & 8)
            byte = byte & 128 ? 255 : 0;
        value |= byte << (8 * k);
    }
    return value;
}

static uint64_t extract(uint64_t a, unsigned from, unsigned count, unsigned bits, bool is_signed) {
    if (count == 0)
        return 0;
    if (from >= bits)
        return is_signed && a >> (bits - 1) & 1 ? ~0ull : 0;
    const unsigned there = std::min(count, bits - from);
    const uint64_t value = a >> from;
    return is_signed ? (uint64_t)extend(value, there) : cut(value, there);
}

static uint64_t insert(uint64_t a, uint64_t into, unsigned to, unsigned count, unsigned bits) {
    if (to >= bits)
        return into;
    const uint64_t field = cut(cut(~0ull, count) << to, bits);
    return (into & ~field) | (a << to & field);
}

static bool compare(Compare how, bool less, bool equal) {
    switch (how) {
    case Compare::Eq:
        return equal;
    case Compare::Ne:
        return !equal;
    case Compare::Lt:
        return less;
    case Compare::Le:
        return less || equal;
    case Compare::Gt:
        return !less && !equal;
    case Compare::Ge:
        return !less;
    }
    return false;
}

static uint64_t reverse(uint64_t a, unsigned bits) {
    uint64_t value = 0;
    for (unsigned i = 0; i < bits; i++)
        value |= (a >> i & 1) << (bits - 1 - i);
    return value;
}

template <unsigned LANES> void compute(const Kernel &kernel, const Instruction &in, uint64_t *registers, uint64_t mask) {
    const uint64_t full = ones(LANES);
    auto row = [&](int k) { return registers + (size_t)in.src[k].row * LANES; };
    const uint64_t *a = in.srcs > 0 ? row(0) : registers, *b = in.srcs > 1 ? row(1) : a, *c = in.srcs > 2 ? row(2) : a;
    const uint64_t *e = in.srcs > 3 ? row(3) : a;
    uint64_t *d = in.dst[0] >= 0 ? registers + (size_t)in.dst[0] * LANES : nullptr;
    const unsigned bits = in.bits;
    const uint64_t m = ones(bits), out = in.dst[0] >= 0 ? ones(kernel.width[(size_t)in.dst[0]]) : ~0ull;
#define EACH(value)                                                                                                              \
    do {                                                                                                                         \
        if (mask == full)                                                                                                        \
            for (unsigned l = 0; l < LANES; l++)                                                                                 \
                d[l] = (uint64_t)(value)&out;                                                                                    \
        else                                                                                                                     \
            each(mask, [&](unsigned l) { d[l] = (uint64_t)(value)&out; });                                                       \
    } while (0)
#define EITHER(signed_value, unsigned_value)                                                                                     \
    do {                                                                                                                         \
        if (in.is_signed)                                                                                                        \
            EACH(signed_value);                                                                                                  \
        else                                                                                                                     \
            EACH(unsigned_value);                                                                                                \
    } while (0)
#define U(x) (x[l] & m)
#define I(x) extend(x[l], bits)
#define COUNT(x) ((unsigned)(x[l] & 0xffffffff))
    switch (in.op) {
    case Op::Mov:
        EACH(a[l]);
        break;
    case Op::Pack: {
        const unsigned part = bits / in.srcs;
        each(mask, [&](unsigned l) {
            uint64_t value = 0;
            for (int k = 0; k < in.srcs; k++)
                value |= cut(row(k)[l], part) << (part * (unsigned)k);
            d[l] = value & out;
        });
        break;
    }
    case Op::Unpack: {
        const unsigned part = bits / in.dsts;
        for (int k = 0; k < in.dsts; k++)
            if (in.dst[k] >= 0) {
                uint64_t *to = registers + (size_t)in.dst[k] * LANES;
                each(mask, [&](unsigned l) { to[l] = cut(a[l] >> (part * (unsigned)k), part); });
            }
        break;
    }
    case Op::Cvt:
        if (in.from_signed)
            EACH((uint64_t)extend(a[l], in.from_bits) & m);
        else
            EACH(a[l] & ones(in.from_bits) & m);
        break;
    case Op::Add:
        EACH(a[l] + b[l]);
        break;
    case Op::Sub:
        EACH(a[l] - b[l]);
        break;
    case Op::MulLo:
        EACH(a[l] * b[l]);
        break;
    case Op::MulHi:
        EITHER(((__int128)I(a) * I(b)) >> bits, ((unsigned __int128)U(a) * U(b)) >> bits);
        break;
    case Op::MulWide:
        EITHER(I(a) * I(b), U(a) * U(b));
        break;
    case Op::MadLo:
        EACH(a[l] * b[l] + c[l]);
        break;
    case Op::MadHi:
        EITHER((uint64_t)(((__int128)I(a) * I(b)) >> bits) + c[l], (uint64_t)(((unsigned __int128)U(a) * U(b)) >> bits) + c[l]);
        break;
    case Op::MadWide:
        EITHER((uint64_t)(I(a) * I(b)) + c[l], U(a) * U(b) + c[l]);
        break;
    case Op::Div:
        EITHER(I(b) == -1 ? 0 - (uint64_t)I(a) : I(b) ? (uint64_t)(I(a) / I(b)) : ~0ull, U(b) ? U(a) / U(b) : ~0ull);
        break;
    case Op::Rem:
        EITHER(I(b) == -1 ? 0 : I(b) ? I(a) % I(b) : I(a), U(b) ? U(a) % U(b) : U(a));
        break;
    case Op::Min:
        EITHER(std::min(I(a), I(b)), std::min(U(a), U(b)));
        break;
    case Op::Max:
        EITHER(std::max(I(a), I(b)), std::max(U(a), U(b)));
        break;
    case Op::Neg:
        EACH(0 - a[l]);
        break;
    case Op::Abs:
        EACH(I(a) < 0 ? 0 - (uint64_t)I(a) : (uint64_t)I(a));
        break;
    case Op::And:
        EACH(a[l] & b[l]);
        break;
    case Op::Or:
        EACH(a[l] | b[l]);
        break;
    case Op::Xor:
        EACH(a[l] ^ b[l]);
        break;
    case Op::Not:
        EACH(~a[l]);
        break;
    case Op::Lop3:
        EACH(([&] {
            uint64_t value = 0;
            for (unsigned k = 0; k < 8; k++)
                if (e[l] >> k & 1)
                    value |= (k & 4 ? a[l] : ~a[l]) & (k & 2 ? b[l] : ~b[l]) & (k & 1 ? c[l] : ~c[l]);
            return value;
        }()));
        break;
    case Op::Shl:
        EACH(COUNT(b) >= bits ? 0 : a[l] << COUNT(b));
        break;
    case Op::Shr:
        EITHER(I(a) >> std::min(COUNT(b), bits - 1), COUNT(b) >= bits ? 0 : U(a) >> COUNT(b));
        break;
    case Op::Setp:
        EITHER(compare(in.compare, I(a) < I(b), I(a) == I(b)), compare(in.compare, U(a) < U(b), U(a) == U(b)));
        break;
    case Op::Selp:
        EACH(c[l] & 1 ? a[l] : b[l]);
        break;
    case Op::Prmt:
        EACH(permute_bytes(a[l], b[l], c[l]));
        break;
    case Op::Bfe:
        EACH(extract(U(a), (unsigned)b[l] & 255, (unsigned)c[l] & 255, bits, in.is_signed));
        break;
    case Op::Bfi:
        EACH(insert(U(a), U(b), (unsigned)c[l] & 255, (unsigned)e[l] & 255, bits));
        break;
    case Op::Brev:
        EACH(reverse(U(a), bits));
        break;
    case Op::Clz:
        EACH(U(a) ? (unsigned)__builtin_clzll(U(a)) - (64 - bits) : bits);
        break;
    case Op::Popc:
        EACH(__builtin_popcountll(U(a)));
        break;
    case Op::ShfL:
        EACH(((b[l] << 32 | cut(a[l], 32)) << (c[l] & 31)) >> 32);
        break;
    case Op::ShfR:
        EACH((b[l] << 32 | cut(a[l], 32)) >> (c[l] & 31));
        break;
    case Op::Ld:
    case Op::St:
    case Op::Bra:
    case Op::Ret:
    case Op::Bar:
    case Op::Nop:
        break;
    }
#undef EACH
#undef EITHER
#undef U
#undef I
#undef COUNT
}

template void compute<16>(const Kernel &, const Instruction &, uint64_t *, uint64_t);
template void compute<32>(const Kernel &, const Instruction &, uint64_t *, uint64_t);
template void compute<64>(const Kernel &, const Instruction &, uint64_t *, uint64_t);

} // namespace gpusim
