// SPDX-License-Identifier: Apache-2.0
#include "tests/gpusim/device/control_flow.hpp"

#include <algorithm>

namespace gpusim {

void free_constant_parameters(Kernel &kernel) {
    std::vector<int> state((size_t)kernel.registers, 0); // 1: only ever the address of a parameter, 2: anything
    for (bool changed = true; changed;) {
        changed = false;
        for (const Instruction &in : kernel.code)
            for (int d = 0; d < in.dsts; d++) {
                if (in.dst[d] < 0)
                    continue;
                bool address =
                    in.op == Op::Mov && (in.src[0].reg < 0 ? in.src[0].value >= PARAM_BASE : state[(size_t)in.src[0].reg] == 1);
                bool unknown = in.op == Op::Mov && in.src[0].reg >= 0 && state[(size_t)in.src[0].reg] == 0;
                int &now = state[(size_t)in.dst[d]];
                int next = unknown ? now : address ? std::max(now, 1) : 2;
                changed = changed || next != now;
                now = next;
            }
    }
    for (Instruction &in : kernel.code)
        if (in.op == Op::Ld && in.space == Space::Param && (in.src[0].reg < 0 || state[(size_t)in.src[0].reg] == 1)) {
            in.cls = Class::Free;
            in.slots = 0;
        }
}

void find_live(Kernel &kernel, const std::vector<Block> &blocks) {
    const size_t words = ((size_t)kernel.registers + 63) / 64;
    typedef std::vector<uint64_t> Bits;
    std::vector<Bits> in(blocks.size(), Bits(words, 0));
    std::vector<bool> constant((size_t)kernel.registers, true); // operands from the constant bank, which need no register
    for (const Instruction &i : kernel.code)
        for (int d = 0; d < i.dsts; d++)
            if (i.dst[d] >= 0 && !(i.cls == Class::Free && (i.op == Op::Ld || (i.op == Op::Mov && i.src[0].reg < 0))))
                constant[(size_t)i.dst[d]] = false;
    auto step = [&](Bits &live, const Instruction &i) {
        for (int d = 0; d < i.dsts; d++)
            if (i.dst[d] >= 0 && i.guard < 0)
                live[(size_t)i.dst[d] / 64] &= ~(1ull << (i.dst[d] % 64));
        for (int s = 0; s < i.srcs; s++)
            if (i.src[s].reg >= SPECIAL)
                live[(size_t)i.src[s].reg / 64] |= 1ull << (i.src[s].reg % 64);
        if (i.guard >= 0)
            live[(size_t)i.guard / 64] |= 1ull << (i.guard % 64);
    };
    auto out_of = [&](size_t b) {
        Bits live(words, 0);
        for (int next : blocks[b].next)
            for (size_t w = 0; w < words; w++)
                live[w] |= in[(size_t)next][w];
        return live;
    };
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t b = blocks.size(); b-- > 0;) {
            Bits live = out_of(b);
            for (int i = blocks[b].last; i >= blocks[b].first; i--)
                step(live, kernel.code[(size_t)i]);
            if (live != in[b]) {
                in[b] = live;
                changed = true;
            }
        }
    }
    for (size_t b = 0; b < blocks.size(); b++) {
        Bits live = out_of(b);
        for (int i = blocks[b].last; i >= blocks[b].first; i--) {
            step(live, kernel.code[(size_t)i]);
            int need = 0;
            for (size_t w = 0; w < words; w++)
                for (uint64_t bits = live[w]; bits; bits &= bits - 1) {
                    size_t r = w * 64 + (size_t)__builtin_ctzll(bits);
                    need += constant[r] || kernel.width[r] == 1 ? 0 : kernel.width[r] == 64 ? 2 : 1;
                }
            kernel.live = std::max(kernel.live, need);
        }
    }
}

} // namespace gpusim
