// SPDX-License-Identifier: Apache-2.0
#include "tests/gpusim/device/control_flow.hpp"

#include <set>

namespace gpusim {

std::vector<Block> find_blocks(const Kernel &kernel) {
    const auto &code = kernel.code;
    std::set<int> leaders = {0};
    for (size_t i = 0; i < code.size(); i++)
        if (code[i].op == Op::Bra || code[i].op == Op::Ret) {
            if (code[i].target >= 0)
                leaders.insert(code[i].target);
            if (i + 1 < code.size())
                leaders.insert((int)i + 1);
        }
    std::vector<Block> blocks;
    std::vector<int> block_of(code.size(), 0);
    for (auto it = leaders.begin(); it != leaders.end(); ++it) {
        auto after = std::next(it);
        blocks.push_back({*it, after == leaders.end() ? (int)code.size() - 1 : *after - 1, {}});
        for (int i = blocks.back().first; i <= blocks.back().last; i++)
            block_of[(size_t)i] = (int)blocks.size() - 1;
    }
    for (size_t b = 0; b < blocks.size(); b++) {
        const Instruction &end = code[(size_t)blocks[b].last];
        if (end.op == Op::Bra)
            blocks[b].next.push_back(block_of[(size_t)end.target]);
        bool falls = end.op == Op::Bra ? end.guard >= 0 : end.op == Op::Ret ? end.guard >= 0 : true;
        if (falls && b + 1 < blocks.size())
            blocks[b].next.push_back((int)b + 1);
    }
    return blocks;
}

void set_reconvergence(Kernel &kernel, const std::vector<Block> &blocks) {
    const size_t count = blocks.size(), words = (count + 63) / 64;
    typedef std::vector<uint64_t> Bits;
    std::vector<Bits> through(count, Bits(words, ~0ull));
    auto has = [](const Bits &bits, size_t i) { return bits[i / 64] >> (i % 64) & 1; };
    for (size_t b = 0; b < count; b++)
        if (blocks[b].next.empty()) {
            through[b].assign(words, 0);
            through[b][b / 64] |= 1ull << (b % 64);
        }
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = count; i-- > 0;) {
            if (blocks[i].next.empty())
                continue;
            Bits all(words, ~0ull);
            for (int next : blocks[i].next)
                for (size_t w = 0; w < words; w++)
                    all[w] &= through[(size_t)next][w];
            all[i / 64] |= 1ull << (i % 64);
            if (all != through[i]) {
                through[i] = all;
                changed = true;
            }
        }
    }
    auto size_of = [&](const Bits &bits) {
        size_t n = 0;
        for (size_t i = 0; i < count; i++)
            n += has(bits, i);
        return n;
    };
    for (size_t b = 0; b < count; b++) {
        Instruction &end = kernel.code[(size_t)blocks[b].last];
        if (end.op != Op::Bra || end.guard < 0)
            continue;
        size_t most = 0;
        for (size_t i = 0; i < count; i++) // of those that come after it, the nearest has the most after itself
            if (i != b && has(through[b], i) && size_of(through[i]) > most) {
                most = size_of(through[i]);
                end.reconverge = blocks[i].first;
            }
    }
}

} // namespace gpusim
