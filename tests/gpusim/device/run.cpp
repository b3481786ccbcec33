// SPDX-License-Identifier: Apache-2.0
#include "tests/gpusim/device/run.hpp"
#include "tests/gpusim/device/access.hpp"
#include "tests/gpusim/device/bits.hpp"
#include "tests/gpusim/device/compute.hpp"
#include "tests/gpusim/device/counter.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <stdexcept>

namespace gpusim {

namespace {

constexpr int NOBODYS = 0xa7; // what memory holds that nobody has written

// Lanes that go on from pc and meet others at reconverge.
struct Split {
    int pc, reconverge;
    uint64_t mask;
};

struct Group {
    uint64_t number = 0;
    // Warps.
    unsigned running = 0, waiting = 0;
    // At least one warp has ended.
    bool has_ended = false;
    // The barrier that they wait at.
    int barrier = -1;
    std::vector<unsigned char> shared;
};

struct Warp {
    // Rows of registers and of values, of all lanes each.
    std::vector<uint64_t> registers;
    std::vector<unsigned char> local;
    std::vector<Split> stack;
    // Registers that loads have still to fill.
    std::vector<int> pending;
    std::vector<uint8_t> is_pending;
    // all: the lanes that it began with.
    uint64_t pending_bytes = 0, all = 0;
    Level pending_from = FROM_L1;
    bool done = false, at_barrier = false;
    Group *group = nullptr;
};

template <unsigned LANES> class Run {
  public:
    Run(const Kernel &kernel, const Machine &machine, const std::vector<Buffer> &buffers,
        const std::vector<unsigned char> &parameters, const Grid &grid, Counter *counter)
        : kernel(kernel), machine(machine), grid(grid), space(kernel, machine, buffers, parameters), counter(counter) {}

    void run() {
        const unsigned resident = find_resident();
        const uint64_t wave = (uint64_t)resident * machine.sms, count = grid.group_count();
        if (counter) {
            counter->counts.groups_per_sm = resident;
            counter->counts.groups = count;
        }
        std::vector<Group> groups(resident);
        for (uint64_t first = 0; first < count; first += wave) {
            if (counter)
                counter->counts.waves++;
            for (unsigned sm = 0; sm < machine.sms && first + sm < count; sm++) {
                size_t used = 0;
                for (unsigned r = 0; r < resident; r++) {
                    const uint64_t number = first + (uint64_t)r * machine.sms + sm;
                    if (number < count)
                        used = begin_group(groups[r], number, used);
                }
                run_resident(sm, used);
            }
        }
    }

  private:
    const Kernel &kernel;
    const Machine &machine;
    const Grid &grid;
    const AddressSpace space;
    Counter *counter; // or none
    std::vector<Warp> warps;

    // Groups on one multiprocessor at a time.
    unsigned find_resident() const {
        // NVIDIA's ptxas keeps about half of what is alive in clang's PTX, in steps of 8: 40 of 62, 40 or 48 of 80, 48 of 94.
        // This is that, or 8 more.
        const unsigned registers = std::min(255u, ((unsigned)kernel.live / 2 + 4 + 7) / 8 * 8);
        const uint64_t size = grid.group_size(), shared = grid.shared_bytes + machine.shared_of_group;
        return (unsigned)std::max<uint64_t>(
            1, std::min<uint64_t>({machine.registers_per_sm / (registers * size), machine.threads_per_sm / size,
                                   machine.shared_per_sm / shared, 32}));
    }

    size_t begin_group(Group &group, uint64_t number, size_t used) {
        group.number = number;
        group.running = group.waiting = 0;
        group.has_ended = false;
        group.shared.assign(grid.shared_bytes, NOBODYS);
        for (uint64_t item = 0; item < grid.group_size(); item += LANES) {
            if (used == warps.size())
                add_warp();
            begin_warp(warps[used++], group, item);
        }
        return used;
    }

    // Registers keep what the warp before left there: a kernel may not care.
    void add_warp() {
        warps.emplace_back();
        Warp &warp = warps.back();
        warp.registers.assign(((size_t)kernel.registers + kernel.values.size()) * LANES, 0xa7a7a7a7a7a7a7a7);
        for (size_t i = 0; i < kernel.values.size(); i++)
            std::fill_n(warp.registers.begin() + (std::ptrdiff_t)(((size_t)kernel.registers + i) * LANES), LANES,
                        kernel.values[i]);
        for (size_t i = 0; i < (size_t)kernel.registers * LANES; i++)
            warp.registers[i] = cut(warp.registers[i], kernel.width[i / LANES]);
        warp.is_pending.assign((size_t)kernel.registers, 0);
    }

    void begin_warp(Warp &warp, Group &group, uint64_t first_item) {
        const uint64_t active = std::min<uint64_t>(LANES, grid.group_size() - first_item);
        warp.local.assign((size_t)kernel.local_bytes * LANES, NOBODYS);
        warp.all = ones((unsigned)active);
        warp.stack.assign(1, {0, -1, warp.all});
        warp.done = warp.at_barrier = false;
        warp.group = &group;
        for (unsigned l = 0; l < LANES; l++) {
            uint64_t item = first_item + l, number = group.number;
            for (int i = 0; i < 3; i++) {
                warp.registers[(size_t)(TID + i) * LANES + l] = item % grid.local[i];
                warp.registers[(size_t)(NTID + i) * LANES + l] = grid.local[i];
                warp.registers[(size_t)(CTAID + i) * LANES + l] = number % grid.groups[i];
                warp.registers[(size_t)(NCTAID + i) * LANES + l] = grid.groups[i];
                item /= grid.local[i];
                number /= grid.groups[i];
            }
        }
        group.running++;
        if (counter)
            counter->counts.warps++;
    }

    // In turn: a warp goes on until it has to wait.
    void run_resident(unsigned sm, size_t used) {
        for (size_t left = used; left > 0;)
            for (size_t w = 0; w < used; w++) {
                Warp &warp = warps[w];
                if (warp.done || warp.at_barrier)
                    continue;
                go_on(sm, warp);
                Group &group = *warp.group;
                if (warp.done) {
                    left--;
                    group.running--;
                    group.has_ended = true;
                }
                if (group.waiting > 0 && group.has_ended)
                    fail("ends in some work-items of a group while others wait at a barrier");
                if (group.waiting > 0 && group.waiting == group.running)
                    leave_barrier(group, used);
            }
    }

    void leave_barrier(Group &group, size_t used) {
        group.waiting = 0;
        for (size_t w = 0; w < used; w++)
            if (warps[w].group == &group)
                warps[w].at_barrier = false;
    }

    void reach_barrier(Warp &warp, int pc, uint64_t mask) {
        Group &group = *warp.group;
        if (mask != warp.all)
            fail("reaches a barrier with a part of the work-items of a warp");
        if (group.waiting > 0 && group.barrier != pc)
            fail("waits at two barriers at once, in different work-items of a group");
        group.barrier = pc;
        group.waiting++;
        warp.at_barrier = true;
    }

    [[noreturn]] void fail(const std::string &what) const { throw std::runtime_error("kernel " + kernel.name + " " + what); }

    void wait(Warp &warp) {
        counter->wait(warp.pending_from, warp.pending_bytes);
        for (int r : warp.pending)
            warp.is_pending[(size_t)r] = 0;
        warp.pending.clear();
        warp.pending_bytes = 0;
        warp.pending_from = FROM_L1;
    }

    bool needs_pending(const Warp &warp, const Instruction &in) const {
        if (warp.pending.empty())
            return false;
        for (int s = 0; s < in.srcs; s++)
            if (in.src[s].reg >= 0 && warp.is_pending[(size_t)in.src[s].reg])
                return true;
        for (int d = 0; d < in.dsts; d++)
            if (in.dst[d] >= 0 && warp.is_pending[(size_t)in.dst[d]])
                return true;
        return in.guard >= 0 && warp.is_pending[(size_t)in.guard];
    }

    uint64_t guarded(const Warp &warp, const Instruction &in, uint64_t mask) const {
        uint64_t on = 0;
        for (unsigned l = 0; l < LANES; l++)
            on |= (uint64_t)((warp.registers[(size_t)in.guard * LANES + l] & 1) != in.negate_guard) << l;
        return mask & on;
    }

    void go_on(unsigned sm, Warp &warp) {
        for (;;) {
            while (!warp.stack.empty() && (warp.stack.back().mask == 0 || warp.stack.back().pc == warp.stack.back().reconverge))
                warp.stack.pop_back();
            if (warp.stack.empty()) {
                if (!warp.pending.empty())
                    wait(warp);
                warp.done = true;
                return;
            }
            Split &top = warp.stack.back();
            const int pc = top.pc;
            const Instruction &in = kernel.code[(size_t)pc];
            if (counter && needs_pending(warp, in)) {
                wait(warp);
                return;
            }
            const uint64_t mask = in.guard < 0 ? top.mask : guarded(warp, in, top.mask);
            if (counter && in.cls != Class::Free)
                counter->instruction(in, (unsigned)__builtin_popcountll(in.op == Op::Bra ? top.mask : mask));
            if (in.op == Op::Bra) {
                branch(warp, in, mask);
                continue;
            }
            top.pc++;
            if (in.op == Op::Ret) {
                for (Split &split : warp.stack)
                    split.mask &= ~mask;
            } else if (in.op == Op::Bar) {
                reach_barrier(warp, pc, mask);
                return;
            } else if (in.op == Op::Ld || in.op == Op::St) {
                if (mask)
                    move(sm, warp, in, mask);
            } else
                compute<LANES>(kernel, in, warp.registers.data(), mask);
        }
    }

    void branch(Warp &warp, const Instruction &in, uint64_t taken) {
        Split &top = warp.stack.back();
        const uint64_t rest = top.mask & ~taken;
        const int next = top.pc + 1;
        if (counter) {
            counter->counts.branches++;
            counter->counts.divergent += rest && taken;
        }
        if (!rest)
            top.pc = in.target;
        else if (!taken)
            top.pc = next;
        else {
            const int meet = in.reconverge < 0 ? (int)kernel.code.size() - 1 : in.reconverge;
            top.pc = meet;
            warp.stack.push_back({next, meet, rest});
            warp.stack.push_back({in.target, meet, taken});
        }
    }

    void move(unsigned sm, Warp &warp, const Instruction &in, uint64_t mask) {
        const uint64_t bytes = (uint64_t)in.bits / 8 * in.vector;
        const uint64_t *base = warp.registers.data() + (size_t)in.src[0].row * LANES;
        uint64_t addresses[LANES];
        for (unsigned l = 0; l < LANES; l++)
            addresses[l] = base[l] + (uint64_t)in.offset;
        const Space used = in.space == Space::Generic ? space_of(addresses[__builtin_ctzll(mask)]) : in.space;
        switch (in.bits) {
        case 8:
            move_as<uint8_t>(warp, in, used, addresses, mask, bytes);
            break;
        case 16:
            move_as<uint16_t>(warp, in, used, addresses, mask, bytes);
            break;
        case 32:
            move_as<uint32_t>(warp, in, used, addresses, mask, bytes);
            break;
        default:
            move_as<uint64_t>(warp, in, used, addresses, mask, bytes);
        }
        if (counter)
            count(sm, warp, in, used, addresses, mask, bytes);
    }

    template <typename T>
    void move_as(Warp &warp, const Instruction &in, Space used, const uint64_t *addresses, uint64_t mask, uint64_t bytes) {
        uint64_t *r = warp.registers.data();
        auto loaded = [&](const unsigned char *at, unsigned k) {
            T value;
            memcpy(&value, at + k * sizeof value, sizeof value);
            const uint64_t wide = in.is_signed ? (uint64_t)extend(value, in.bits) : value;
            return wide & ones(kernel.width[(size_t)in.dst[k]]);
        };
        if (used == Space::Param && in.op == Op::Ld && in.src[0].reg < 0) { // the same for all
            const unsigned char *at = space.find(in, used, addresses[0], bytes, {nullptr, 0, nullptr});
            for (unsigned k = 0; k < in.vector; k++) {
                const uint64_t value = loaded(at, k);
                each(mask, [&](unsigned l) { r[(size_t)in.dst[k] * LANES + l] = value; });
            }
            return;
        }
        Own own = {nullptr, kernel.local_bytes, &warp.group->shared};
        each(mask, [&](unsigned l) {
            own.local = warp.local.data() + (size_t)l * kernel.local_bytes;
            unsigned char *at = space.find(in, used, addresses[l], bytes, own);
            for (unsigned k = 0; k < in.vector; k++)
                if (in.op == Op::Ld)
                    r[(size_t)in.dst[k] * LANES + l] = loaded(at, k);
                else
                    memcpy(at + k * sizeof(T), r + (size_t)in.src[1 + k].row * LANES + l, sizeof(T));
        });
    }

    void count(unsigned sm, Warp &warp, const Instruction &in, Space used, const uint64_t *addresses, uint64_t mask,
               uint64_t bytes) {
        if (used == Space::Local)
            counter->local(mask, bytes);
        else if (used == Space::Shared)
            counter->shared(addresses, mask, bytes);
        else if (used == Space::Global) {
            const Level from = counter->global(sm, in, addresses, mask, bytes);
            if (in.op != Op::Ld)
                return;
            for (int d = 0; d < in.dsts; d++) {
                warp.pending.push_back(in.dst[d]);
                warp.is_pending[(size_t)in.dst[d]] = 1;
            }
            warp.pending_bytes += bytes * (unsigned)__builtin_popcountll(mask);
            warp.pending_from = std::max(warp.pending_from, from);
        }
    }
};

} // namespace

Counts run_kernel(const Kernel &kernel, const Machine &machine, const std::vector<Buffer> &buffers,
                  const std::vector<unsigned char> &parameters, const Grid &grid, bool is_counted) {
    std::unique_ptr<Counter> counter(is_counted ? new Counter(kernel, machine) : nullptr);
    switch (machine.warp) {
    case 16:
        Run<16>(kernel, machine, buffers, parameters, grid, counter.get()).run();
        break;
    case 32:
        Run<32>(kernel, machine, buffers, parameters, grid, counter.get()).run();
        break;
    case 64:
        Run<64>(kernel, machine, buffers, parameters, grid, counter.get()).run();
        break;
    default:
        throw std::runtime_error("warps of " + std::to_string(machine.warp) + " are not simulated; 16, 32 and 64 are");
    }
    if (!counter)
        return {};
    counter->finish();
    return counter->counts;
}

} // namespace gpusim
