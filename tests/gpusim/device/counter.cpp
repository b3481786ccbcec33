// SPDX-License-Identifier: Apache-2.0
#include "tests/gpusim/device/counter.hpp"
#include "tests/gpusim/device/bits.hpp"

#include <algorithm>

namespace gpusim {

Counter::Counter(const Kernel &kernel, const Machine &machine)
    : lanes(machine.warp), memory(machine.sms, machine.l1_bytes, machine.l2_bytes) {
    counts.site_load.resize(kernel.sites.size());
    counts.site_store.resize(kernel.sites.size());
    counts.live = kernel.live;
}

void Counter::instruction(const Instruction &in, unsigned active) {
    counts.lane_instructions += active;
    counts.warp_instructions++;
    counts.issue_slots += in.slots;
    counts.lanes_of[(int)in.cls] += active;
    if (in.op == Op::MulHi || in.op == Op::MadHi)
        counts.wide_multiplies += active;
}

void Counter::wait(Level from, uint64_t bytes) {
    counts.stalls++;
    counts.stalls_at[from]++;
    counts.stall_bytes += bytes;
}

void Counter::local(uint64_t mask, uint64_t bytes) {
    counts.local_requests++;
    counts.local_bytes += bytes * (unsigned)__builtin_popcountll(mask);
}

void Counter::shared(const uint64_t *addresses, uint64_t mask, uint64_t bytes) {
    counts.shared_requests++;
    counts.shared_wavefronts += count_wavefronts(addresses, mask, bytes);
}

// How often 32 banks of 4 bytes have to be asked: by the busiest bank.
uint64_t Counter::count_wavefronts(const uint64_t *addresses, uint64_t mask, uint64_t bytes) {
    bool sorted = true;
    words.clear();
    each(mask, [&](unsigned l) {
        for (uint64_t w = addresses[l] / 4; w <= (addresses[l] + bytes - 1) / 4; w++) {
            if (!words.empty() && words.back() == w)
                continue;
            sorted = sorted && (words.empty() || words.back() < w);
            words.push_back(w);
        }
    });
    if (!sorted) {
        std::sort(words.begin(), words.end());
        words.erase(std::unique(words.begin(), words.end()), words.end());
    }
    uint64_t busy[32] = {0}, most = 0;
    for (uint64_t word : words)
        most = std::max(most, ++busy[word % 32]);
    return most;
}

// The sectors of a request, each once.
void Counter::find_touched(const uint64_t *addresses, uint64_t mask, uint64_t bytes) {
    bool sorted = true;
    touched.clear();
    each(mask, [&](unsigned l) {
        const uint64_t begin = addresses[l], end = begin + bytes;
        for (uint64_t s = begin / SECTOR; s <= (end - 1) / SECTOR; s++) {
            const uint64_t from = std::max(begin, s * SECTOR) - s * SECTOR, to = std::min(end, (s + 1) * SECTOR) - s * SECTOR;
            const uint32_t part = (uint32_t)(ones((unsigned)(to - from)) << from);
            if (!touched.empty() && touched.back().sector == s) {
                touched.back().bytes |= part;
                continue;
            }
            sorted = sorted && (touched.empty() || touched.back().sector < s);
            touched.push_back({s, part});
        }
    });
    if (sorted)
        return;
    std::sort(touched.begin(), touched.end(), [](const Touched &a, const Touched &b) { return a.sector < b.sector; });
    size_t kept = 0;
    for (size_t i = 1; i < touched.size(); i++)
        if (touched[i].sector == touched[kept].sector)
            touched[kept].bytes |= touched[i].bytes;
        else
            touched[++kept] = touched[i];
    touched.resize(kept + 1);
}

Level Counter::global(unsigned sm, const Instruction &in, const uint64_t *addresses, uint64_t mask, uint64_t bytes) {
    find_touched(addresses, mask, bytes);
    Requests one;
    for (size_t i = 0; i < touched.size(); i++)
        one.lines += i == 0 || touched[i].sector / SECTORS != touched[i - 1].sector / SECTORS;
    one.requests = 1;
    one.lanes = (unsigned)__builtin_popcountll(mask);
    one.bytes = bytes * one.lanes;
    one.sectors = touched.size();
    one.ideal_sectors = (one.bytes + SECTOR - 1) / SECTOR;
    one.wavefronts = std::max<uint64_t>(count_wavefronts(addresses, mask, bytes), (one.lines + 3) / 4);
    const unsigned count = (unsigned)touched.size();
    if (in.op == Op::Ld) {
        counts.load.add(one);
        counts.site_load[(size_t)in.site].add(one);
        return memory.load(sm, touched.data(), count);
    }
    counts.store.add(one);
    counts.site_store[(size_t)in.site].add(one);
    memory.store(touched.data(), count);
    return FROM_L1;
}

void Counter::finish() {
    memory.flush();
    counts.traffic = memory.traffic;
    const uint64_t possible = counts.warp_instructions * lanes;
    counts.simt = possible ? (double)counts.lane_instructions / (double)possible : 1;
}

} // namespace gpusim
