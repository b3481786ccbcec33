// The objects of the OpenCL library: what they hold, who keeps whom, and the one lock over all of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#include <CL/cl.h>
#include <CL/cl_icd.h>

#include "tests/gpusim/device/machine.hpp"
#include "tests/gpusim/device/ptx.hpp"

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#define API extern "C" __attribute__((visibility("default")))

namespace gpusim {

// The loader finds every function through the first word of an object.
extern cl_icd_dispatch dispatch;

enum class Kind { Platform, Device, Context, Queue, Memory, Program, Kernel, Event };

struct Object {
    explicit Object(Kind kind) : kind(kind) {}
    cl_icd_dispatch *dispatch = &gpusim::dispatch;
    Kind kind;
    cl_uint references = 1;
};

// A reference that is given back. All of this happens below the lock.
template <typename T> class Ref {
  public:
    Ref() = default;
    explicit Ref(T *it) : it(it) {
        if (it)
            it->references++;
    }
    Ref(const Ref &other) : Ref(other.it) {}
    Ref(Ref &&other) noexcept : it(std::exchange(other.it, nullptr)) {}
    Ref &operator=(Ref other) noexcept {
        std::swap(it, other.it);
        return *this;
    }
    ~Ref() {
        if (it && --it->references == 0)
            delete it;
    }
    T *operator->() const { return it; }
    T &operator*() const { return *it; }
    T *get() const { return it; }
    explicit operator bool() const { return it != nullptr; }

  private:
    T *it = nullptr;
};

} // namespace gpusim

struct _cl_platform_id : gpusim::Object {
    _cl_platform_id() : Object(gpusim::Kind::Platform) {}
};

struct _cl_device_id : gpusim::Object {
    _cl_device_id() : Object(gpusim::Kind::Device) {}
};

struct _cl_context : gpusim::Object {
    _cl_context() : Object(gpusim::Kind::Context) {}
    std::vector<cl_context_properties> properties;
    // A command did what none may: nothing runs any more, as on a real GPU.
    bool is_broken = false;
};

struct _cl_event : gpusim::Object {
    _cl_event() : Object(gpusim::Kind::Event) {}
    gpusim::Ref<_cl_context> context;
    // None, for a user event.
    gpusim::Ref<_cl_command_queue> queue;
    cl_command_type type = CL_COMMAND_USER;
    cl_int status = CL_QUEUED;
    bool is_timed = false;
    // Nanoseconds.
    cl_ulong queued = 0, submitted = 0, started = 0, ended = 0;
    std::vector<std::pair<cl_int, std::function<void(cl_int)>>> callbacks;
};

namespace gpusim {

struct Command {
    Ref<_cl_event> event;
    std::vector<Ref<_cl_event>> waits;
    std::function<cl_int()> work;
};

} // namespace gpusim

struct _cl_command_queue : gpusim::Object {
    _cl_command_queue();
    ~_cl_command_queue();
    gpusim::Ref<_cl_context> context;
    cl_command_queue_properties properties = 0;
    // Those that are not done.
    std::deque<gpusim::Command> commands;
    // How many of the first commands were flushed.
    size_t flushed = 0;
    // What later commands wait for.
    gpusim::Ref<_cl_event> barrier;
};

struct _cl_mem : gpusim::Object {
    _cl_mem() : Object(gpusim::Kind::Memory) {}
    ~_cl_mem();
    struct Mapping {
        unsigned char *at;
        size_t offset, bytes;
        cl_map_flags flags;
    };
    gpusim::Ref<_cl_context> context;
    // The parent of a sub-buffer.
    gpusim::Ref<_cl_mem> parent;
    cl_mem_flags flags = 0;
    size_t bytes = 0, origin = 0;
    uint64_t address = 0;
    // What the device sees.
    unsigned char *memory = nullptr;
    // CL_MEM_USE_HOST_PTR: the caller's, where it is mapped.
    unsigned char *host = nullptr;
    // Where all other memory is mapped.
    unsigned char *shadow = nullptr;
    // A sub-buffer's are in the parent.
    std::vector<Mapping> mappings;
    _cl_mem *root() { return parent ? parent.get() : this; }
};

struct _cl_program : gpusim::Object {
    _cl_program() : Object(gpusim::Kind::Program) {}
    gpusim::Ref<_cl_context> context;
    std::string source, options, ptx, log;
    std::vector<std::string> kernel_names;
    cl_build_status status = CL_BUILD_NONE;
};

struct _cl_kernel : gpusim::Object {
    _cl_kernel() : Object(gpusim::Kind::Kernel) {}
    struct Argument {
        bool is_set = false;
        std::vector<unsigned char> value;
        gpusim::Ref<_cl_mem> memory;
        size_t local_bytes = 0;
    };
    gpusim::Ref<_cl_program> program;
    std::shared_ptr<const gpusim::Kernel> code;
    std::vector<Argument> arguments;
};

namespace gpusim {

extern _cl_platform_id the_platform;
extern _cl_device_id the_device;

constexpr cl_uint BASE_ALIGN_BITS = 4096; // of sub-buffers, as on NVIDIA's
constexpr int NOBODYS = 0xa7;             // what memory holds that nobody has written
constexpr uint64_t LOCAL_MEMORY = 48 << 10, MAX_GROUP = 1024;

// Everything below happens under it. Callbacks are called when the last Guard of a call has gone.
class Guard {
  public:
    Guard();
    ~Guard();
    Guard(const Guard &) = delete;
    Guard &operator=(const Guard &) = delete;
    // Lets others go on until something has changed; whether that was in time.
    bool wait_for_change();

  private:
    std::unique_lock<std::mutex> held;
};

void changed();
void call_later(std::function<void()> callback);

// Whether it is an object of that kind.
template <typename T> bool is(const T *it, Kind kind) {
    return it && it->kind == kind;
}

template <typename T> cl_int retain(T *it, Kind kind, cl_int otherwise) {
    Guard guard;
    if (!is(it, kind))
        return otherwise;
    it->references++;
    return CL_SUCCESS;
}

template <typename T> cl_int release(T *it, Kind kind, cl_int otherwise) {
    Guard guard;
    if (!is(it, kind))
        return otherwise;
    if (--it->references == 0)
        delete it;
    return CL_SUCCESS;
}

template <typename T> T *give(T *made, cl_int code, cl_int *to) {
    if (to)
        *to = code;
    return made;
}

uint64_t number_of(const char *name, uint64_t otherwise); // of an environment variable
void say(const std::string &sentence);                    // to the standard error output
cl_ulong now();
Machine machine_here();

} // namespace gpusim
