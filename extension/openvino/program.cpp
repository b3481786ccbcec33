/* See program.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "program.h"

#include "spread.h"

#include <algorithm>
#include <list>
#include <map>
#include <mutex>
#include <sched.h>
#include <stdexcept>
#include <thread>
#include <tuple>

namespace clmove_openvino {

static void check(clmove_status status, const clmove_error &error) {
    if (status != CLMOVE_OK)
        throw std::runtime_error(error.text);
}

program::program(clmove_device *device, const std::vector<clmove_map> &maps) {
    clmove_error error;
    plans.reserve(maps.size());
    for (const clmove_map &map : maps) {
        clmove_plan *plan = nullptr;
        if (clmove_plan_create(device, &map, nullptr, &plan, &error) != CLMOVE_OK) {
            for (clmove_plan *made : plans)
                clmove_plan_destroy(&made);
            throw std::runtime_error(error.text);
        }
        plans.push_back(plan);
        bytes.push_back(static_cast<size_t>(clmove_map_dst_bytes(&map)));
    }
    const int64_t *dims = clmove_map_dims(&maps.back());
    dst_shape.assign(dims, dims + clmove_map_rank(&maps.back()));
}

program::~program() {
    for (clmove_plan *plan : plans)
        clmove_plan_destroy(&plan);
}

/* What a thread moves at least: to hand a part to one that spins takes 1 us, in which 32 KiB are moved. */
static constexpr size_t PART_LEAST_BYTES = size_t{64} << 10;

static void run_one(clmove_plan *plan, const void *src, size_t src_bytes, void *dst, size_t dst_bytes) {
    clmove_error error;
    clmove_run_params params = {};
    params.struct_size = sizeof params;
    params.spread = spread;
    params.spread_parts =
        std::clamp<int64_t>(static_cast<int64_t>((src_bytes + dst_bytes) / PART_LEAST_BYTES), 1, count_threads());
    check(clmove_run_with(plan, src, src_bytes, dst, dst_bytes, &params, &error), error);
}

void program::run(const void *src, size_t src_bytes, void *dst, size_t dst_bytes) const {
    std::unique_ptr<char[]> from;
    for (size_t i = 0; i + 1 < plans.size(); i++) {
        std::unique_ptr<char[]> to(new char[bytes[i]]);
        run_one(plans[i], src, src_bytes, to.get(), bytes[i]);
        from = std::move(to);
        src = from.get();
        src_bytes = bytes[i];
    }
    run_one(plans.back(), src, src_bytes, dst, dst_bytes);
}

/* ---- what is kept ---- */

namespace {

constexpr size_t MOST_KEPT = 256;

using key = std::tuple<std::string, std::string, uint32_t, std::vector<size_t>>;

/* The latest programs stand in front. */
struct store {
    using entry = std::pair<key, std::shared_ptr<const program>>;
    std::mutex lock;
    cpu_set_t processors;
    bool has_processors = false;
    /* By selector. */
    std::map<std::string, clmove_device *> devices;
    std::list<entry> latest;
    std::map<key, std::list<entry>::iterator> places;
};

/* Never destroyed: at the end of the process, OpenCL's drivers may be gone before it. */
store &kept() {
    static store *const made = new store;
    return *made;
}

clmove_device *device_for(store &in, const std::string &selector) {
    clmove_error error;
    clmove_device_params params = {};
    clmove_device *&device = in.devices[selector];
    params.struct_size = sizeof params;
    params.selector = selector.c_str();
    if (device)
        return device;
    clmove_status status = CLMOVE_OK;
    std::thread([&] {
        if (in.has_processors)
            sched_setaffinity(0, sizeof in.processors, &in.processors);
        status = clmove_device_open(&params, &device, &error);
    }).join();
    check(status, error);
    return device;
}

} // namespace

void remember_processors() {
    store &in = kept();
    std::lock_guard<std::mutex> locked(in.lock);
    in.has_processors = in.has_processors || sched_getaffinity(0, sizeof in.processors, &in.processors) == 0;
}

std::shared_ptr<const program> find_program(const std::string &device, const std::string &text, const std::vector<step> &steps,
                                            uint32_t element_bits, const std::vector<size_t> &dims) {
    store &in = kept();
    const key wanted(device, text, element_bits, dims);
    {
        std::lock_guard<std::mutex> locked(in.lock);
        const auto found = in.places.find(wanted);
        if (found != in.places.end()) {
            in.latest.splice(in.latest.begin(), in.latest, found->second);
            return found->second->second;
        }
    }
    const std::vector<clmove_map> maps = maps_of(steps, element_bits, {dims.begin(), dims.end()});
    clmove_device *opened;
    {
        std::lock_guard<std::mutex> locked(in.lock);
        opened = device_for(in, device);
    }
    /* Other threads may find theirs while a program of OpenCL's is built. */
    auto made = std::make_shared<const program>(opened, maps);
    std::lock_guard<std::mutex> locked(in.lock);
    const auto found = in.places.find(wanted);
    if (found != in.places.end())
        return found->second->second;
    in.latest.emplace_front(wanted, made);
    in.places.emplace(wanted, in.latest.begin());
    if (in.latest.size() > MOST_KEPT) {
        in.places.erase(in.latest.back().first);
        in.latest.pop_back();
    }
    return made;
}

} // namespace clmove_openvino
