// Launches.
// SPDX-License-Identifier: Apache-2.0
#include "tests/gpusim/device/run.hpp"
#include "tests/gpusim/opencl/queue.hpp"
#include "tests/gpusim/opencl/report.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

using namespace gpusim;

// The largest divisor of the size that is no larger than a usual group.
static size_t choose_group(size_t size) {
    size_t group = std::min<size_t>(size, 256);
    while (size % group != 0)
        group--;
    return group;
}

static cl_int make_grid(cl_uint dimensions, const size_t *offset, const size_t *global, const size_t *local, Grid *grid) {
    if (dimensions < 1 || dimensions > 3)
        return CL_INVALID_WORK_DIMENSION;
    if (!global)
        return CL_INVALID_GLOBAL_WORK_SIZE;
    uint64_t items = 1;
    for (cl_uint i = 0; i < dimensions; i++) {
        if (offset && offset[i] != 0)
            return CL_INVALID_GLOBAL_OFFSET; // not simulated
        if (global[i] == 0 || global[i] >= 1ull << 31)
            return CL_INVALID_GLOBAL_WORK_SIZE;
        const size_t group = local ? local[i] : i == 0 ? choose_group(global[i]) : 1;
        if (group == 0 || global[i] % group != 0)
            return CL_INVALID_WORK_GROUP_SIZE;
        if (group > (i == 2 ? 64 : MAX_GROUP))
            return CL_INVALID_WORK_ITEM_SIZE;
        grid->local[i] = group;
        grid->groups[i] = global[i] / group;
        items *= group;
    }
    return items > machine_here().group ? CL_INVALID_WORK_GROUP_SIZE : CL_SUCCESS;
}

namespace {
// What a launch keeps of its kernel, whose arguments the caller may set anew.
struct Launch {
    std::shared_ptr<const gpusim::Kernel> code;
    std::vector<unsigned char> parameters;
    std::vector<Ref<_cl_mem>> memories;
    Grid grid;
};
} // namespace

static cl_int collect_arguments(const _cl_kernel &kernel, const _cl_context *context, Launch *launch) {
    launch->parameters.resize(kernel.code->parameter_bytes);
    launch->grid.shared_bytes = kernel.code->shared_bytes;
    for (size_t i = 0; i < kernel.arguments.size(); i++) {
        const _cl_kernel::Argument &argument = kernel.arguments[i];
        const Parameter &parameter = kernel.code->parameters[i];
        if (!argument.is_set)
            return CL_INVALID_KERNEL_ARGS;
        unsigned char *to = launch->parameters.data() + parameter.offset;
        if (argument.local_bytes) {
            launch->grid.shared_bytes = (launch->grid.shared_bytes + 15) / 16 * 16;
            const uint64_t address = SHARED_BASE + launch->grid.shared_bytes;
            memcpy(to, &address, sizeof address);
            launch->grid.shared_bytes += argument.local_bytes;
        } else
            memcpy(to, argument.value.data(), argument.value.size());
        if (argument.memory) {
            if (argument.memory->context.get() != context)
                return CL_INVALID_CONTEXT;
            launch->memories.push_back(argument.memory);
        }
    }
    return launch->grid.shared_bytes > LOCAL_MEMORY ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}

// What the kernel may do with a buffer: what its flags say, and what the host has mapped.
static Buffer describe(_cl_mem &mem) {
    Buffer buffer = {mem.address, mem.bytes, mem.memory, !(mem.flags & CL_MEM_WRITE_ONLY), !(mem.flags & CL_MEM_READ_ONLY)};
    for (const _cl_mem::Mapping &mapping : mem.root()->mappings)
        if (mem.origin < mapping.offset + mapping.bytes && mapping.offset < mem.origin + mem.bytes) {
            buffer.may_write = false;
            buffer.may_read = buffer.may_read && mapping.flags == CL_MAP_READ;
        }
    return buffer;
}

static cl_int run(const Launch &launch) {
    std::vector<Buffer> buffers;
    for (const Ref<_cl_mem> &memory : launch.memories)
        buffers.push_back(describe(*memory));
    try {
        const Machine machine = machine_here();
        const bool is_counted = wants_report();
        const Counts counts = run_kernel(*launch.code, machine, buffers, launch.parameters, launch.grid, is_counted);
        if (is_counted)
            report(*launch.code, machine, counts, launch.grid);
    } catch (const std::exception &error) {
        say(error.what());
        return CL_OUT_OF_RESOURCES;
    }
    return CL_SUCCESS;
}

API cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
                                  const size_t *global, const size_t *local, cl_uint waits, const cl_event *list,
                                  cl_event *event) {
    Guard guard;
    cl_int code = check_enqueue(queue, {waits, list});
    if (code != CL_SUCCESS)
        return code;
    if (!is(kernel, Kind::Kernel))
        return CL_INVALID_KERNEL;
    if (kernel->program->context.get() != queue->context.get())
        return CL_INVALID_CONTEXT;
    auto launch = std::make_shared<Launch>();
    launch->code = kernel->code;
    code = make_grid(dimensions, offset, global, local, &launch->grid);
    if (code == CL_SUCCESS)
        code = collect_arguments(*kernel, queue->context.get(), launch.get());
    if (code != CL_SUCCESS)
        return code;
    return enqueue(guard, queue, CL_COMMAND_NDRANGE_KERNEL, false, {waits, list}, event, [launch] { return run(*launch); });
}
