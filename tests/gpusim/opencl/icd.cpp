// The table by which OpenCL's loader finds the functions. What a device of OpenCL 1.2 without images and shared virtual memory
// does not have is refused with an error code, as the loader calls whatever it is asked for. Functions of extensions are not
// there. SPDX-License-Identifier: Apache-2.0
#include "tests/gpusim/opencl/objects.hpp"

#include <cstring>
#include <tuple>
#include <type_traits>

using namespace gpusim;

// clang-format off
#define FUNCTIONS(X) \
    X(clGetPlatformIDs) X(clGetPlatformInfo) X(clGetDeviceIDs) X(clGetDeviceInfo) X(clCreateContext) X(clRetainContext) \
    X(clReleaseContext) X(clGetContextInfo) X(clCreateCommandQueue) X(clRetainCommandQueue) X(clReleaseCommandQueue) \
    X(clGetCommandQueueInfo) X(clCreateBuffer) X(clRetainMemObject) X(clReleaseMemObject) X(clGetMemObjectInfo) \
    X(clCreateProgramWithSource) X(clCreateProgramWithBinary) X(clRetainProgram) X(clReleaseProgram) X(clBuildProgram) \
    X(clGetProgramInfo) X(clGetProgramBuildInfo) X(clCreateKernel) X(clRetainKernel) X(clReleaseKernel) \
    X(clSetKernelArg) X(clGetKernelInfo) X(clGetKernelWorkGroupInfo) X(clWaitForEvents) X(clGetEventInfo) \
    X(clRetainEvent) X(clReleaseEvent) X(clGetEventProfilingInfo) X(clFlush) X(clFinish) X(clEnqueueReadBuffer) \
    X(clEnqueueWriteBuffer) X(clEnqueueCopyBuffer) X(clEnqueueMapBuffer) X(clEnqueueUnmapMemObject) \
    X(clEnqueueNDRangeKernel) X(clSetEventCallback) X(clCreateSubBuffer) X(clCreateUserEvent) X(clSetUserEventStatus) \
    X(clCreateSubDevices) X(clRetainDevice) X(clReleaseDevice) X(clGetKernelArgInfo) X(clEnqueueFillBuffer) \
    X(clEnqueueMarkerWithWaitList) X(clEnqueueBarrierWithWaitList)
#define REFUSED(X) \
    X(clCreateContextFromType) X(clSetCommandQueueProperty) X(clCreateImage2D) X(clCreateImage3D) \
    X(clGetSupportedImageFormats) X(clGetImageInfo) X(clCreateSampler) X(clRetainSampler) X(clReleaseSampler) \
    X(clGetSamplerInfo) X(clUnloadCompiler) X(clCreateKernelsInProgram) X(clEnqueueReadImage) X(clEnqueueWriteImage) \
    X(clEnqueueCopyImage) X(clEnqueueCopyImageToBuffer) X(clEnqueueCopyBufferToImage) X(clEnqueueMapImage) \
    X(clEnqueueTask) X(clEnqueueNativeKernel) X(clEnqueueMarker) X(clEnqueueWaitForEvents) X(clEnqueueBarrier) \
    X(clSetMemObjectDestructorCallback) X(clEnqueueReadBufferRect) X(clEnqueueWriteBufferRect) \
    X(clEnqueueCopyBufferRect) X(clCreateSubDevicesEXT) X(clRetainDeviceEXT) X(clReleaseDeviceEXT) X(clCreateImage) \
    X(clCreateProgramWithBuiltInKernels) X(clCompileProgram) X(clLinkProgram) X(clUnloadPlatformCompiler) \
    X(clEnqueueFillImage) X(clEnqueueMigrateMemObjects) X(clCreateCommandQueueWithProperties) X(clCreatePipe) \
    X(clGetPipeInfo) X(clSVMAlloc) X(clSVMFree) X(clEnqueueSVMFree) X(clEnqueueSVMMemcpy) X(clEnqueueSVMMemFill) \
    X(clEnqueueSVMMap) X(clEnqueueSVMUnmap) X(clCreateSamplerWithProperties) X(clSetKernelArgSVMPointer) \
    X(clSetKernelExecInfo) X(clGetKernelSubGroupInfoKHR) X(clCloneKernel) X(clCreateProgramWithIL) \
    X(clEnqueueSVMMigrateMem) X(clGetDeviceAndHostTimer) X(clGetHostTimer) X(clGetKernelSubGroupInfo) \
    X(clSetDefaultDeviceCommandQueue) X(clSetProgramReleaseCallback) X(clSetProgramSpecializationConstant) \
    X(clCreateBufferWithProperties) X(clCreateImageWithProperties) X(clSetContextDestructorCallback)
// clang-format on

API void *clGetExtensionFunctionAddress(const char *name);
API void *clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char *name);
API cl_int clIcdGetPlatformIDsKHR(cl_uint room, cl_platform_id *list, cl_uint *count);

// A function of any type that does nothing but say so.
template <typename F> struct Refusal;
template <typename R, typename... A> struct Refusal<R (*)(A...)> {
    static R call(A... arguments) {
        if constexpr (std::is_pointer_v<R>) {
            auto all = std::make_tuple(arguments...);
            auto last = std::get<sizeof...(A) - 1>(all);
            if constexpr (std::is_same_v<decltype(last), cl_int *>)
                give<void>(nullptr, CL_INVALID_OPERATION, last);
            return nullptr;
        } else if constexpr (!std::is_void_v<R>) {
            std::ignore = std::make_tuple(arguments...);
            return static_cast<R>(CL_INVALID_OPERATION);
        }
    }
};

static cl_icd_dispatch make_table() {
    cl_icd_dispatch table = {};
#define SET(name) table.name = &name;
#define REFUSE(name) table.name = &Refusal<decltype(table.name)>::call;
    FUNCTIONS(SET)
    REFUSED(REFUSE)
#undef SET
#undef REFUSE
    table.clGetExtensionFunctionAddress = &clGetExtensionFunctionAddress;
    table.clGetExtensionFunctionAddressForPlatform = &clGetExtensionFunctionAddressForPlatform;
    return table;
}

namespace gpusim {
cl_icd_dispatch dispatch = make_table();
} // namespace gpusim

API void *clGetExtensionFunctionAddress(const char *name) {
    return name && strcmp(name, "clIcdGetPlatformIDsKHR") == 0 ? (void *)&clIcdGetPlatformIDsKHR : nullptr;
}
API void *clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char *name) {
    return platform == &the_platform ? clGetExtensionFunctionAddress(name) : nullptr;
}
