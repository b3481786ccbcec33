// The simulated GPU, what it is given to run, and what is counted of a run.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tests/gpusim/device/caches.hpp"

#include <cstdint>
#include <vector>

namespace gpusim {

struct Machine {
    // Work-items that a kernel takes, at most.
    unsigned group = 1024;
    unsigned warp = 32, sms = 132, threads_per_sm = 2048, registers_per_sm = 65536;
    uint64_t l1_bytes = 128 << 10, l2_bytes = 32 << 20;
    // Of local memory, and what of it each group takes beside its own.
    uint64_t shared_per_sm = 228 << 10, shared_of_group = 1 << 10;
    // Whether accesses may have any alignment, and not only multiples of their size.
    bool any_alignment = false;
};

struct Grid {
    uint64_t local[3] = {1, 1, 1}, groups[3] = {1, 1, 1};
    // The bytes of a work-group.
    uint64_t shared_bytes = 0;
    uint64_t group_size() const { return local[0] * local[1] * local[2]; }
    uint64_t group_count() const { return groups[0] * groups[1] * groups[2]; }
};

struct Buffer {
    uint64_t address, bytes;
    unsigned char *memory;
    bool may_read, may_write;
};

struct Counts {
    uint64_t groups = 0, warps = 0, waves = 0;
    // Without moves between registers. The slots are counted in warps.
    uint64_t lane_instructions = 0, warp_instructions = 0, issue_slots = 0;
    // lane_instructions by Class.
    uint64_t lanes_of[6] = {0, 0, 0, 0, 0, 0};
    // Multiplies for the higher half, which divisions need.
    uint64_t wide_multiplies = 0;
    uint64_t branches = 0, divergent = 0;
    // Waits for loads, by where the slowest came from; lanes' bytes.
    uint64_t stalls = 0, stalls_at[3] = {0, 0, 0}, stall_bytes = 0;
    uint64_t local_requests = 0, local_bytes = 0, shared_requests = 0, shared_wavefronts = 0;
    Requests load, store;
    std::vector<Requests> site_load, site_store;
    Traffic traffic;
    int live = 0;
    unsigned groups_per_sm = 0;
    // Share of lanes that were active.
    double simt = 0;
};

} // namespace gpusim
