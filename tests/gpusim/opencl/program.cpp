// Programs and kernels. A program's binary is its PTX.
// SPDX-License-Identifier: Apache-2.0
#include "tests/gpusim/opencl/answer.hpp"
#include "tests/gpusim/opencl/compiler.hpp"

#include <stdexcept>

using namespace gpusim;

static const std::string binary_head = "gpusim 2\n";

API cl_program clCreateProgramWithSource(cl_context context, cl_uint count, const char **texts, const size_t *lengths,
                                         cl_int *code) {
    Guard guard;
    if (!is(context, Kind::Context))
        return give<_cl_program>(nullptr, CL_INVALID_CONTEXT, code);
    for (cl_uint i = 0; i < count; i++)
        if (!texts || !texts[i])
            return give<_cl_program>(nullptr, CL_INVALID_VALUE, code);
    if (count == 0)
        return give<_cl_program>(nullptr, CL_INVALID_VALUE, code);
    _cl_program *program = new _cl_program;
    program->context = Ref<_cl_context>(context);
    for (cl_uint i = 0; i < count; i++)
        program->source += lengths && lengths[i] ? std::string(texts[i], lengths[i]) : std::string(texts[i]);
    return give(program, CL_SUCCESS, code);
}
API cl_program clCreateProgramWithBinary(cl_context context, cl_uint count, const cl_device_id *devices, const size_t *lengths,
                                         const unsigned char **binaries, cl_int *states, cl_int *code) {
    Guard guard;
    if (!is(context, Kind::Context))
        return give<_cl_program>(nullptr, CL_INVALID_CONTEXT, code);
    if (count != 1 || !devices || !lengths || !binaries || !binaries[0] || lengths[0] == 0)
        return give<_cl_program>(nullptr, CL_INVALID_VALUE, code);
    if (devices[0] != &the_device)
        return give<_cl_program>(nullptr, CL_INVALID_DEVICE, code);
    const std::string binary((const char *)binaries[0], lengths[0]);
    const bool is_ours = binary.compare(0, binary_head.size(), binary_head) == 0;
    if (states)
        states[0] = is_ours ? CL_SUCCESS : CL_INVALID_BINARY;
    if (!is_ours)
        return give<_cl_program>(nullptr, CL_INVALID_BINARY, code);
    _cl_program *program = new _cl_program;
    program->context = Ref<_cl_context>(context);
    program->ptx = binary.substr(binary_head.size());
    return give(program, CL_SUCCESS, code);
}

// The lock is not held while clang runs: a program belongs to the thread that builds it.
API cl_int clBuildProgram(cl_program program, cl_uint count, const cl_device_id *devices, const char *options,
                          void(CL_CALLBACK *done)(cl_program, void *), void *user) {
    std::string source;
    {
        Guard guard;
        if (!is(program, Kind::Program))
            return CL_INVALID_PROGRAM;
        if ((count == 0) != (devices == nullptr) || (!done && user))
            return CL_INVALID_VALUE;
        if (count && devices[0] != &the_device)
            return CL_INVALID_DEVICE;
        source = program->source;
        program->references++;
    }
    Compiled made;
    if (!source.empty())
        made = compile(source, split_options(options));
    {
        Guard guard;
        program->options = options ? options : "";
        if (!source.empty()) {
            program->ptx = made.ptx;
            program->log = made.log;
        }
        program->kernel_names.clear();
        bool is_built = source.empty() || made.is_done;
        try {
            program->kernel_names = list_kernels(program->ptx);
            for (const std::string &name : program->kernel_names)
                if (is_built && parse_ptx(program->ptx, name).shared_bytes > LOCAL_MEMORY) {
                    program->log += "kernel " + name + " has more local memory than the device\n";
                    is_built = false;
                }
        } catch (const std::exception &error) {
            program->log += std::string(error.what()) + "\n";
            is_built = false;
        }
        program->status = is_built ? CL_BUILD_SUCCESS : CL_BUILD_ERROR;
        if (done)
            call_later([=] { done(program, user); });
        if (--program->references == 0)
            delete program;
        return is_built ? CL_SUCCESS : CL_BUILD_PROGRAM_FAILURE;
    }
}
API cl_int clRetainProgram(cl_program it) {
    return retain(it, Kind::Program, CL_INVALID_PROGRAM);
}
API cl_int clReleaseProgram(cl_program it) {
    return release(it, Kind::Program, CL_INVALID_PROGRAM);
}

static cl_int answer_binary(const Answer &answer, const std::string &binary) {
    if (answer.to && answer.room < sizeof(unsigned char *))
        return CL_INVALID_VALUE;
    unsigned char *to = answer.to ? *(unsigned char **)answer.to : nullptr;
    if (to)
        memcpy(to, binary.data(), binary.size());
    if (answer.size)
        *answer.size = sizeof(unsigned char *);
    return CL_SUCCESS;
}

API cl_int clGetProgramInfo(cl_program it, cl_program_info what, size_t room, void *to, size_t *size) {
    Guard guard;
    const Answer answer = {room, to, size};
    if (!is(it, Kind::Program))
        return CL_INVALID_PROGRAM;
    const bool is_built = it->status == CL_BUILD_SUCCESS;
    switch (what) {
    case CL_PROGRAM_REFERENCE_COUNT:
        return answer.number(it->references);
    case CL_PROGRAM_CONTEXT:
        return answer.number(it->context.get());
    case CL_PROGRAM_NUM_DEVICES:
        return answer.number((cl_uint)1);
    case CL_PROGRAM_DEVICES:
        return answer.number((cl_device_id)&the_device);
    case CL_PROGRAM_SOURCE:
        return answer.text(it->source);
    case CL_PROGRAM_BINARY_SIZES:
        return answer.number(is_built ? binary_head.size() + it->ptx.size() : (size_t)0);
    case CL_PROGRAM_BINARIES:
        return answer_binary(answer, is_built ? binary_head + it->ptx : "");
    case CL_PROGRAM_NUM_KERNELS:
        return is_built ? answer.number(it->kernel_names.size()) : CL_INVALID_PROGRAM_EXECUTABLE;
    case CL_PROGRAM_KERNEL_NAMES: {
        std::string names;
        for (const std::string &name : it->kernel_names)
            names += (names.empty() ? "" : ";") + name;
        return is_built ? answer.text(names) : CL_INVALID_PROGRAM_EXECUTABLE;
    }
    default:
        return CL_INVALID_VALUE;
    }
}
API cl_int clGetProgramBuildInfo(cl_program it, cl_device_id device, cl_program_build_info what, size_t room, void *to,
                                 size_t *size) {
    Guard guard;
    const Answer answer = {room, to, size};
    if (!is(it, Kind::Program))
        return CL_INVALID_PROGRAM;
    if (device != &the_device)
        return CL_INVALID_DEVICE;
    switch (what) {
    case CL_PROGRAM_BUILD_STATUS:
        return answer.number(it->status);
    case CL_PROGRAM_BUILD_OPTIONS:
        return answer.text(it->options);
    case CL_PROGRAM_BUILD_LOG:
        return answer.text(it->log);
    case CL_PROGRAM_BINARY_TYPE:
        return answer.number((cl_program_binary_type)(it->status == CL_BUILD_SUCCESS ? CL_PROGRAM_BINARY_TYPE_EXECUTABLE
                                                                                     : CL_PROGRAM_BINARY_TYPE_NONE));
    default:
        return CL_INVALID_VALUE;
    }
}

// ---- kernels ----

API cl_kernel clCreateKernel(cl_program program, const char *name, cl_int *code) {
    Guard guard;
    if (!is(program, Kind::Program))
        return give<_cl_kernel>(nullptr, CL_INVALID_PROGRAM, code);
    if (program->status != CL_BUILD_SUCCESS)
        return give<_cl_kernel>(nullptr, CL_INVALID_PROGRAM_EXECUTABLE, code);
    if (!name)
        return give<_cl_kernel>(nullptr, CL_INVALID_VALUE, code);
    bool is_there = false;
    for (const std::string &other : program->kernel_names)
        is_there = is_there || other == name;
    if (!is_there)
        return give<_cl_kernel>(nullptr, CL_INVALID_KERNEL_NAME, code);
    _cl_kernel *kernel = new _cl_kernel;
    kernel->program = Ref<_cl_program>(program);
    kernel->code = std::make_shared<gpusim::Kernel>(parse_ptx(program->ptx, name)); // the build has tried
    kernel->arguments.resize(kernel->code->parameters.size());
    return give(kernel, CL_SUCCESS, code);
}
API cl_int clRetainKernel(cl_kernel it) {
    return retain(it, Kind::Kernel, CL_INVALID_KERNEL);
}
API cl_int clReleaseKernel(cl_kernel it) {
    return release(it, Kind::Kernel, CL_INVALID_KERNEL);
}

API cl_int clSetKernelArg(cl_kernel it, cl_uint index, size_t bytes, const void *value) {
    Guard guard;
    if (!is(it, Kind::Kernel))
        return CL_INVALID_KERNEL;
    if (index >= it->arguments.size())
        return CL_INVALID_ARG_INDEX;
    const Parameter &parameter = it->code->parameters[index];
    _cl_kernel::Argument made;
    made.is_set = true;
    if (parameter.points_to == Space::Shared) {
        if (value)
            return CL_INVALID_ARG_VALUE;
        if (bytes == 0)
            return CL_INVALID_ARG_SIZE;
        made.local_bytes = bytes;
    } else if (parameter.points_to == Space::Global) {
        cl_mem mem = value ? *(const cl_mem *)value : nullptr;
        if (bytes != sizeof(cl_mem))
            return CL_INVALID_ARG_SIZE;
        if (mem && !is(mem, Kind::Memory))
            return CL_INVALID_MEM_OBJECT;
        made.memory = Ref<_cl_mem>(mem);
        const uint64_t address = mem ? mem->address : 0;
        made.value.assign((const unsigned char *)&address, (const unsigned char *)(&address + 1));
    } else {
        if (!value)
            return CL_INVALID_ARG_VALUE;
        if (bytes != parameter.bytes)
            return CL_INVALID_ARG_SIZE;
        made.value.assign((const unsigned char *)value, (const unsigned char *)value + bytes);
    }
    it->arguments[index] = std::move(made);
    return CL_SUCCESS;
}

API cl_int clGetKernelInfo(cl_kernel it, cl_kernel_info what, size_t room, void *to, size_t *size) {
    Guard guard;
    const Answer answer = {room, to, size};
    if (!is(it, Kind::Kernel))
        return CL_INVALID_KERNEL;
    switch (what) {
    case CL_KERNEL_FUNCTION_NAME:
        return answer.text(it->code->name);
    case CL_KERNEL_NUM_ARGS:
        return answer.number((cl_uint)it->arguments.size());
    case CL_KERNEL_REFERENCE_COUNT:
        return answer.number(it->references);
    case CL_KERNEL_CONTEXT:
        return answer.number(it->program->context.get());
    case CL_KERNEL_PROGRAM:
        return answer.number(it->program.get());
    case CL_KERNEL_ATTRIBUTES:
        return answer.text("");
    default:
        return CL_INVALID_VALUE;
    }
}
API cl_int clGetKernelArgInfo(cl_kernel it, cl_uint index, cl_kernel_arg_info, size_t, void *, size_t *) {
    Guard guard;
    if (!is(it, Kind::Kernel))
        return CL_INVALID_KERNEL;
    return index < it->arguments.size() ? CL_KERNEL_ARG_INFO_NOT_AVAILABLE : CL_INVALID_ARG_INDEX; // PTX has none
}
API cl_int clGetKernelWorkGroupInfo(cl_kernel it, cl_device_id device, cl_kernel_work_group_info what, size_t room, void *to,
                                    size_t *size) {
    Guard guard;
    const Answer answer = {room, to, size};
    if (!is(it, Kind::Kernel))
        return CL_INVALID_KERNEL;
    if (device && device != &the_device)
        return CL_INVALID_DEVICE;
    const size_t any[3] = {0, 0, 0}; // PTX of OpenCL C does not have it
    size_t local_bytes = it->code->shared_bytes;
    switch (what) {
    case CL_KERNEL_WORK_GROUP_SIZE:
        return answer.number((size_t)machine_here().group);
    case CL_KERNEL_COMPILE_WORK_GROUP_SIZE:
        return answer.bytes(any, sizeof any);
    case CL_KERNEL_LOCAL_MEM_SIZE:
        for (const _cl_kernel::Argument &argument : it->arguments)
            local_bytes += argument.local_bytes;
        return answer.number((cl_ulong)local_bytes);
    case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
        return answer.number((size_t)machine_here().warp);
    case CL_KERNEL_PRIVATE_MEM_SIZE:
        return answer.number((cl_ulong)it->code->local_bytes);
    default:
        return CL_INVALID_VALUE;
    }
}
