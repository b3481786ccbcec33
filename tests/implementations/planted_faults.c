/* Four kernels, each with one fault: what Oclgrind must report before its silence means anything. The first reads a buffer that
 * nobody wrote; a later one might get memory that an earlier one wrote.
 * planted_faults - exit status 0 when all of them ran on the first device of the first platform.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <stdio.h>
#include <stdlib.h>

static const char *const names[] = {"uninitialised", "race", "same_value", "bounds"};
static const char *const source =
    "kernel void race(global int *dst) { dst[0] = (int)get_global_id(0); }\n"
    "kernel void same_value(global int *dst) { dst[0] = 7; }\n"
    "kernel void bounds(global int *dst) { dst[get_global_id(0) + 1] = 7; }\n"
    "kernel void uninitialised(global int *dst) { if (dst[get_global_id(0)] == 7) dst[get_global_id(0)] = 8; }\n";
enum { ITEMS = 4 };

#define STOP_UNLESS(call)                                                                                                        \
    do {                                                                                                                         \
        cl_int code_ = (call);                                                                                                   \
        if (code_ != CL_SUCCESS) {                                                                                               \
            printf("planted faults: %s failed with %d\n", #call, (int)code_);                                                    \
            return EXIT_FAILURE;                                                                                                 \
        }                                                                                                                        \
    } while (0)

int main(void) {
    cl_platform_id platform;
    cl_device_id device;
    cl_int code;
    size_t items = ITEMS;
    STOP_UNLESS(clGetPlatformIDs(1, &platform, NULL));
    STOP_UNLESS(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    STOP_UNLESS(code);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &code);
    STOP_UNLESS(code);
    cl_program program = clCreateProgramWithSource(context, 1, (const char **)&source, NULL, &code);
    STOP_UNLESS(code);
    STOP_UNLESS(clBuildProgram(program, 1, &device, "-cl-std=CL1.2", NULL, NULL));
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        cl_mem dst = clCreateBuffer(context, CL_MEM_READ_WRITE, ITEMS * sizeof(cl_int), NULL, &code);
        STOP_UNLESS(code);
        cl_kernel kernel = clCreateKernel(program, names[i], &code);
        STOP_UNLESS(code);
        STOP_UNLESS(clSetKernelArg(kernel, 0, sizeof dst, &dst));
        STOP_UNLESS(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
        STOP_UNLESS(clFinish(queue));
        clReleaseKernel(kernel);
        clReleaseMemObject(dst);
    }
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    printf("planted faults: %d kernels run\n", (int)(sizeof names / sizeof names[0]));
    return EXIT_SUCCESS;
}
