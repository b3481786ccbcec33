// What a GPU's memory system does with the requests of its warps: caches in sectors of 32 bytes and lines of 128, and the traffic
// behind them. No clocks: only counts.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

namespace gpusim {

constexpr uint32_t SECTOR = 32, LINE = 128, SECTORS = LINE / SECTOR;

// One side (loads or stores) of one buffer, or of one place in the code.
struct Requests {
    // Bytes that all lanes asked for.
    uint64_t requests = 0, lanes = 0, bytes = 0;
    uint64_t sectors = 0, lines = 0, ideal_sectors = 0, wavefronts = 0;
    void add(const Requests &other) {
        requests += other.requests, lanes += other.lanes, bytes += other.bytes, sectors += other.sectors;
        lines += other.lines, ideal_sectors += other.ideal_sectors, wavefronts += other.wavefronts;
    }
};

struct Touched {
    // Number of the sector.
    uint64_t sector;
    // Which of its bytes.
    uint32_t bytes;
};

struct Traffic {
    // Sectors of loads.
    uint64_t l1_hits = 0, l1_misses = 0;
    // Sectors that reach the second level.
    uint64_t l2_reads = 0, l2_writes = 0, l2_hits = 0;
    // Sectors.
    uint64_t dram_reads = 0, dram_writes = 0;
    // Those of dram_writes that are not whole, so that each also costs a read.
    uint64_t partial_writes = 0;
};

// Set-associative, least recently used, whole lines with a mask for each sector.
class Cache {
  public:
    struct Line {
        uint64_t tag = ~0ull, used = 0;
        uint32_t valid[SECTORS] = {0, 0, 0, 0}, dirty[SECTORS] = {0, 0, 0, 0};
    };
    Cache(uint64_t bytes, unsigned ways) : ways(ways) {
        sets = 1;
        while (sets * 2 * ways * LINE <= bytes)
            sets *= 2;
        lines.resize(sets * ways);
    }
    // The line, or null.
    Line *find(uint64_t number) {
        Line *set = set_of(number);
        for (unsigned i = 0; i < ways; i++)
            if (set[i].tag == number) {
                set[i].used = ++clock;
                return &set[i];
            }
        return nullptr;
    }
    // The line that makes room; the caller writes back what is dirty, then calls claim.
    Line *victim(uint64_t number) {
        Line *set = set_of(number), *oldest = set;
        for (unsigned i = 1; i < ways; i++)
            if (set[i].used < oldest->used)
                oldest = &set[i];
        return oldest;
    }
    void claim(Line *line, uint64_t number) {
        *line = Line();
        line->tag = number;
        line->used = ++clock;
    }
    void clear() {
        for (Line &line : lines)
            line = Line();
    }
    std::vector<Line> lines;

  private:
    uint64_t sets, clock = 0;
    unsigned ways;
    Line *set_of(uint64_t number) {
        uint64_t hash = number ^ number >> 9 ^ number >> 18 ^ number >> 27; // as hardware does, so that powers of two spread
        return &lines[(hash & (sets - 1)) * ways];
    }
};

enum Level { FROM_L1, FROM_L2, FROM_DRAM };

class Memory {
  public:
    Memory(unsigned sms, uint64_t l1_bytes, uint64_t l2_bytes) : l2(l2_bytes, 16) {
        for (unsigned i = 0; i < sms; i++)
            l1.emplace_back(l1_bytes, 16);
    }
    // Says where the slowest sector came from.
    Level load(unsigned sm, const Touched *touched, unsigned count);
    void store(const Touched *touched, unsigned count);
    // Writes back what is left, at the end of a launch.
    void flush();
    Traffic traffic;

  private:
    std::vector<Cache> l1;
    Cache l2;
    Cache::Line *l2_line(uint64_t number);
    void write_back(Cache::Line *line);
};

} // namespace gpusim
