// What all parts of the library need: the lock, the environment, the clock.
// SPDX-License-Identifier: Apache-2.0
#include "tests/gpusim/opencl/objects.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <time.h>

namespace gpusim {

static std::mutex lock;
static std::condition_variable change;
static uint64_t changes;
static std::vector<std::function<void()>> later;

Guard::Guard() : held(lock) {}

Guard::~Guard() {
    std::vector<std::function<void()>> callbacks;
    callbacks.swap(later);
    held.unlock();
    for (const auto &callback : callbacks)
        callback();
}

bool Guard::wait_for_change() {
    const uint64_t seen = changes;
    if (!later.empty()) { // a callback may be what brings the change
        std::vector<std::function<void()>> callbacks;
        callbacks.swap(later);
        held.unlock();
        for (const auto &callback : callbacks)
            callback();
        held.lock();
    }
    return change.wait_for(held, std::chrono::seconds(60), [seen] { return changes != seen; });
}

void changed() {
    changes++;
    change.notify_all();
}

void call_later(std::function<void()> callback) {
    later.push_back(std::move(callback));
}

uint64_t number_of(const char *name, uint64_t otherwise) {
    const char *text = getenv(name);
    return text && *text ? strtoull(text, nullptr, 0) : otherwise;
}

void say(const std::string &sentence) {
    fprintf(stderr, "gpusim: %s\n", sentence.c_str());
}

cl_ulong now() {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (cl_ulong)time.tv_sec * 1000000000 + (cl_ulong)time.tv_nsec;
}

Machine machine_here() {
    Machine machine;
    machine.warp = (unsigned)number_of("GPUSIM_WARP", machine.warp);
    machine.sms = (unsigned)number_of("GPUSIM_SMS", machine.sms);
    machine.group = (unsigned)number_of("GPUSIM_GROUP", machine.group);
    machine.l1_bytes = number_of("GPUSIM_L1_KIB", machine.l1_bytes >> 10) << 10;
    machine.l2_bytes = number_of("GPUSIM_L2_MIB", machine.l2_bytes >> 20) << 20;
    machine.any_alignment = number_of("GPUSIM_VECTORS", 0) > 0;
    return machine;
}

} // namespace gpusim
