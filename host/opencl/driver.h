/* OpenCL's functions, loaded at run time, so that a machine without a loader still runs the host executor.
 *
 * The loader is libOpenCL.so.1, or what the environment variable CLMOVE_OPENCL_LIBRARY names. It is opened once a process and
 * never closed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_OPENCL_DRIVER_H
#define CLMOVE_HOST_OPENCL_DRIVER_H

#define CL_TARGET_OPENCL_VERSION 200 /* of 2.0 only CLM_DRIVER_NEWER_FUNCTIONS are used, if they exist */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#if defined __ALTIVEC__ /* OpenCL's headers bring POWER's altivec.h, whose bool is a vector */
#undef bool
#define bool _Bool
#endif

#include "host/error.h"

#define CLM_DRIVER_FUNCTIONS(X)                                                                                                  \
    X(clGetPlatformIDs)                                                                                                          \
    X(clGetPlatformInfo)                                                                                                         \
    X(clGetDeviceIDs)                                                                                                            \
    X(clGetDeviceInfo)                                                                                                           \
    X(clCreateContext)                                                                                                           \
    X(clRetainContext)                                                                                                           \
    X(clGetContextInfo)                                                                                                          \
    X(clReleaseContext)                                                                                                          \
    X(clRetainDevice)                                                                                                            \
    X(clReleaseDevice)                                                                                                           \
    X(clCreateCommandQueue)                                                                                                      \
    X(clRetainCommandQueue)                                                                                                      \
    X(clGetCommandQueueInfo)                                                                                                     \
    X(clReleaseCommandQueue)                                                                                                     \
    X(clCreateBuffer)                                                                                                            \
    X(clRetainMemObject)                                                                                                         \
    X(clReleaseMemObject)                                                                                                        \
    X(clGetMemObjectInfo)                                                                                                        \
    X(clEnqueueReadBuffer)                                                                                                       \
    X(clEnqueueWriteBuffer)                                                                                                      \
    X(clEnqueueCopyBuffer)                                                                                                       \
    X(clEnqueueFillBuffer)                                                                                                       \
    X(clEnqueueMapBuffer)                                                                                                        \
    X(clEnqueueUnmapMemObject)                                                                                                   \
    X(clEnqueueMarkerWithWaitList)                                                                                               \
    X(clCreateProgramWithSource)                                                                                                 \
    X(clCreateProgramWithBinary)                                                                                                 \
    X(clBuildProgram)                                                                                                            \
    X(clGetProgramInfo)                                                                                                          \
    X(clGetProgramBuildInfo)                                                                                                     \
    X(clReleaseProgram)                                                                                                          \
    X(clCreateKernel)                                                                                                            \
    X(clReleaseKernel)                                                                                                           \
    X(clGetKernelWorkGroupInfo)                                                                                                  \
    X(clSetKernelArg)                                                                                                            \
    X(clEnqueueNDRangeKernel)                                                                                                    \
    X(clGetEventInfo)                                                                                                            \
    X(clGetEventProfilingInfo)                                                                                                   \
    X(clWaitForEvents)                                                                                                           \
    X(clRetainEvent)                                                                                                             \
    X(clReleaseEvent)                                                                                                            \
    X(clFlush)                                                                                                                   \
    X(clFinish)

/* NULL: the loader is older. */
#define CLM_DRIVER_NEWER_FUNCTIONS(X)                                                                                            \
    X(clSetKernelArgSVMPointer)                                                                                                  \
    X(clEnqueueSVMMap)                                                                                                           \
    X(clEnqueueSVMUnmap)

typedef struct clm_driver {
#define DRIVER_FIELD(function) __typeof__(&function) function;
    CLM_DRIVER_FUNCTIONS(DRIVER_FIELD)
    CLM_DRIVER_NEWER_FUNCTIONS(DRIVER_FIELD)
#undef DRIVER_FIELD
} clm_driver;

/* The loaded functions. Raises NO_DEVICE, and names the missing library. Thread-safe. */
clmove_status clm_driver_get(const clm_driver **driver, clmove_error *error);

/* Raises the failure of an OpenCL call: OUT_OF_MEMORY, BUILD_FAILED or DEVICE_FAILED, with the call, the code and its name. */
clmove_status clm_raise_opencl(clmove_error *error, cl_int code, const char *call);

/* The name of an OpenCL error code, without CL_: "OUT_OF_RESOURCES". */
const char *clm_opencl_code_text(cl_int code);

/* Calls driver->function(...) and raises its failure. */
#define CL_TRY(driver, function, ...)                                                                                            \
    do {                                                                                                                         \
        cl_int code_ = (driver)->function(__VA_ARGS__);                                                                          \
        if (code_ != CL_SUCCESS) {                                                                                               \
            status = clm_raise_opencl(error, code_, #function);                                                                  \
            goto out;                                                                                                            \
        }                                                                                                                        \
    } while (0)

#endif
