// SPDX-License-Identifier: Apache-2.0
#include "tests/gpusim/device/caches.hpp"

namespace gpusim {

constexpr uint32_t WHOLE = 0xffffffffu;

void Memory::write_back(Cache::Line *line) {
    for (unsigned s = 0; s < SECTORS; s++) {
        if (!line->dirty[s])
            continue;
        traffic.dram_writes++;
        if (line->dirty[s] != WHOLE && line->valid[s] != WHOLE) { // with ECC the rest has to be read first
            traffic.partial_writes++;
            traffic.dram_reads++;
        }
        line->dirty[s] = 0;
    }
}

Cache::Line *Memory::l2_line(uint64_t number) {
    Cache::Line *line = l2.find(number);
    if (!line) {
        line = l2.victim(number);
        write_back(line);
        l2.claim(line, number);
    }
    return line;
}

Level Memory::load(unsigned sm, const Touched *touched, unsigned count) {
    Level slowest = FROM_L1;
    Cache &near = l1[sm];
    for (unsigned i = 0; i < count; i++) {
        uint64_t number = touched[i].sector / SECTORS;
        unsigned s = touched[i].sector % SECTORS;
        Cache::Line *line = near.find(number);
        if (line && line->valid[s]) {
            traffic.l1_hits++;
            continue;
        }
        traffic.l1_misses++;
        if (!line) {
            line = near.victim(number);
            near.claim(line, number);
        }
        line->valid[s] = WHOLE;
        traffic.l2_reads++;
        Cache::Line *far = l2_line(number);
        if (far->valid[s] == WHOLE) {
            traffic.l2_hits++;
            slowest = slowest > FROM_L2 ? slowest : FROM_L2;
            continue;
        }
        far->valid[s] = WHOLE;
        traffic.dram_reads++;
        slowest = FROM_DRAM;
    }
    return slowest;
}

// Written through the first level, which takes no new line for it, and whose own need no update, as no kernel reads what it
// wrote; merged in the second.
void Memory::store(const Touched *touched, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        unsigned s = touched[i].sector % SECTORS;
        Cache::Line *line = l2_line(touched[i].sector / SECTORS);
        traffic.l2_writes++;
        line->dirty[s] |= touched[i].bytes;
        line->valid[s] |= touched[i].bytes;
    }
}

void Memory::flush() {
    for (Cache::Line &line : l2.lines)
        write_back(&line);
}

} // namespace gpusim
