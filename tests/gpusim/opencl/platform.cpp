// The platform and its device, and contexts.
// SPDX-License-Identifier: Apache-2.0
#include "tests/gpusim/opencl/answer.hpp"

using namespace gpusim;

namespace gpusim {
_cl_platform_id the_platform;
_cl_device_id the_device;
} // namespace gpusim

API cl_int clGetPlatformIDs(cl_uint room, cl_platform_id *list, cl_uint *count) {
    if ((!list && !count) || (list && room == 0))
        return CL_INVALID_VALUE;
    if (list)
        list[0] = &the_platform;
    if (count)
        *count = 1;
    return CL_SUCCESS;
}

API cl_int clIcdGetPlatformIDsKHR(cl_uint room, cl_platform_id *list, cl_uint *count) {
    return clGetPlatformIDs(room, list, count);
}

API cl_int clGetPlatformInfo(cl_platform_id it, cl_platform_info what, size_t room, void *to, size_t *size) {
    const Answer answer = {room, to, size};
    if (it && it != &the_platform)
        return CL_INVALID_PLATFORM;
    switch (what) {
    case CL_PLATFORM_PROFILE:
        return answer.text("FULL_PROFILE");
    case CL_PLATFORM_VERSION:
        return answer.text("OpenCL 1.2 gpusim");
    case CL_PLATFORM_NAME:
    case CL_PLATFORM_VENDOR:
        return answer.text("gpusim");
    case CL_PLATFORM_EXTENSIONS:
        return answer.text("cl_khr_icd");
    case CL_PLATFORM_ICD_SUFFIX_KHR:
        return answer.text("GPUSIM");
    default:
        return CL_INVALID_VALUE;
    }
}

API cl_int clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint room, cl_device_id *list, cl_uint *count) {
    if (platform && platform != &the_platform)
        return CL_INVALID_PLATFORM;
    if ((!list && !count) || (list && room == 0))
        return CL_INVALID_VALUE;
    if (!(type & (CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_DEFAULT)))
        return CL_DEVICE_NOT_FOUND;
    if (list)
        list[0] = &the_device;
    if (count)
        *count = 1;
    return CL_SUCCESS;
}

static cl_int answer_text(cl_device_info what, const Answer &answer) {
    switch (what) {
    case CL_DEVICE_NAME:
        return answer.text("simulated GPU");
    case CL_DEVICE_VENDOR:
        return answer.text("gpusim");
    case CL_DEVICE_PROFILE:
        return answer.text("FULL_PROFILE");
    case CL_DEVICE_VERSION:
        return answer.text("OpenCL 1.2 gpusim");
    case CL_DEVICE_OPENCL_C_VERSION:
        return answer.text("OpenCL C 1.2 gpusim");
    case CL_DRIVER_VERSION:
        return answer.text("2");
    case CL_DEVICE_EXTENSIONS:
    case CL_DEVICE_BUILT_IN_KERNELS:
        return answer.text("");
    default:
        return CL_INVALID_VALUE;
    }
}

API cl_int clGetDeviceInfo(cl_device_id it, cl_device_info what, size_t room, void *to, size_t *size) {
    const Answer answer = {room, to, size};
    const size_t groups[3] = {MAX_GROUP, MAX_GROUP, 64};
    if (it != &the_device)
        return CL_INVALID_DEVICE;
    switch (what) {
    case CL_DEVICE_TYPE:
        return answer.number((cl_device_type)CL_DEVICE_TYPE_GPU);
    case CL_DEVICE_VENDOR_ID:
        return answer.number((cl_uint)0);
    case CL_DEVICE_PLATFORM:
        return answer.number((cl_platform_id)&the_platform);
    case CL_DEVICE_PARENT_DEVICE:
        return answer.number((cl_device_id) nullptr);
    case CL_DEVICE_MAX_COMPUTE_UNITS:
        return answer.number((cl_uint)machine_here().sms);
    case CL_DEVICE_MAX_CLOCK_FREQUENCY:
        return answer.number((cl_uint)1755);
    case CL_DEVICE_ADDRESS_BITS:
        return answer.number((cl_uint)64);
    case CL_DEVICE_MEM_BASE_ADDR_ALIGN:
        return answer.number((cl_uint)BASE_ALIGN_BITS);
    case CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE:
        return answer.number((cl_uint)128);
    case CL_DEVICE_GLOBAL_MEM_SIZE:
        return answer.number((cl_ulong)8 << 30);
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
        return answer.number((cl_ulong)4 << 30);
    case CL_DEVICE_GLOBAL_MEM_CACHE_SIZE:
        return answer.number((cl_ulong)machine_here().l2_bytes);
    case CL_DEVICE_GLOBAL_MEM_CACHE_TYPE:
        return answer.number((cl_device_mem_cache_type)CL_READ_WRITE_CACHE);
    case CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE:
        return answer.number((cl_uint)128);
    case CL_DEVICE_LOCAL_MEM_SIZE:
        return answer.number((cl_ulong)LOCAL_MEMORY);
    case CL_DEVICE_LOCAL_MEM_TYPE:
        return answer.number((cl_device_local_mem_type)CL_LOCAL);
    case CL_DEVICE_MAX_PARAMETER_SIZE:
        return answer.number((size_t)4352);
    case CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE:
        return answer.number((cl_ulong)64 << 10);
    case CL_DEVICE_MAX_WORK_GROUP_SIZE:
        return answer.number((size_t)MAX_GROUP);
    case CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS:
        return answer.number((cl_uint)3);
    case CL_DEVICE_MAX_WORK_ITEM_SIZES:
        return answer.bytes(groups, sizeof groups);
    case CL_DEVICE_QUEUE_PROPERTIES:
        return answer.number((cl_command_queue_properties)(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE));
    case CL_DEVICE_PROFILING_TIMER_RESOLUTION:
        return answer.number((size_t)1);
    case CL_DEVICE_PARTITION_MAX_SUB_DEVICES:
    case CL_DEVICE_REFERENCE_COUNT:
        return answer.number((cl_uint)1);
    case CL_DEVICE_PARTITION_PROPERTIES:
        return answer.number((cl_device_partition_property)0);
    case CL_DEVICE_PARTITION_AFFINITY_DOMAIN:
        return answer.number((cl_device_affinity_domain)0);
    case CL_DEVICE_PARTITION_TYPE:
        return answer.bytes(nullptr, 0);
    case CL_DEVICE_AVAILABLE:
    case CL_DEVICE_COMPILER_AVAILABLE:
    case CL_DEVICE_LINKER_AVAILABLE:
    case CL_DEVICE_ENDIAN_LITTLE:
    case CL_DEVICE_ERROR_CORRECTION_SUPPORT:
    case CL_DEVICE_PREFERRED_INTEROP_USER_SYNC:
        return answer.number((cl_bool)CL_TRUE);
    case CL_DEVICE_HOST_UNIFIED_MEMORY:
    case CL_DEVICE_IMAGE_SUPPORT:
        return answer.number((cl_bool)CL_FALSE);
    case CL_DEVICE_EXECUTION_CAPABILITIES:
        return answer.number((cl_device_exec_capabilities)CL_EXEC_KERNEL);
    case CL_DEVICE_SINGLE_FP_CONFIG:
    case CL_DEVICE_DOUBLE_FP_CONFIG:
        return answer.number((cl_device_fp_config)0);
    default:
        return answer_text(what, answer);
    }
}

API cl_int clCreateSubDevices(cl_device_id it, const cl_device_partition_property *, cl_uint, cl_device_id *, cl_uint *) {
    return it == &the_device ? CL_DEVICE_PARTITION_FAILED : CL_INVALID_DEVICE;
}
API cl_int clRetainDevice(cl_device_id it) {
    return it == &the_device ? CL_SUCCESS : CL_INVALID_DEVICE;
}
API cl_int clReleaseDevice(cl_device_id it) {
    return it == &the_device ? CL_SUCCESS : CL_INVALID_DEVICE;
}

API cl_context clCreateContext(const cl_context_properties *properties, cl_uint count, const cl_device_id *devices,
                               void(CL_CALLBACK *)(const char *, const void *, size_t, void *), void *, cl_int *code) {
    if (count == 0 || !devices)
        return give<_cl_context>(nullptr, CL_INVALID_VALUE, code);
    for (cl_uint i = 0; i < count; i++)
        if (devices[i] != &the_device)
            return give<_cl_context>(nullptr, CL_INVALID_DEVICE, code);
    _cl_context *context = new _cl_context;
    for (; properties && *properties; properties += 2)
        context->properties.insert(context->properties.end(), {properties[0], properties[1]});
    if (!context->properties.empty())
        context->properties.push_back(0);
    return give(context, CL_SUCCESS, code);
}
API cl_int clRetainContext(cl_context it) {
    return retain(it, Kind::Context, CL_INVALID_CONTEXT);
}
API cl_int clReleaseContext(cl_context it) {
    return release(it, Kind::Context, CL_INVALID_CONTEXT);
}
API cl_int clGetContextInfo(cl_context it, cl_context_info what, size_t room, void *to, size_t *size) {
    Guard guard;
    const Answer answer = {room, to, size};
    if (!is(it, Kind::Context))
        return CL_INVALID_CONTEXT;
    switch (what) {
    case CL_CONTEXT_REFERENCE_COUNT:
        return answer.number(it->references);
    case CL_CONTEXT_NUM_DEVICES:
        return answer.number((cl_uint)1);
    case CL_CONTEXT_DEVICES:
        return answer.number((cl_device_id)&the_device);
    case CL_CONTEXT_PROPERTIES:
        return answer.bytes(it->properties.data(), it->properties.size() * sizeof(cl_context_properties));
    default:
        return CL_INVALID_VALUE;
    }
}
