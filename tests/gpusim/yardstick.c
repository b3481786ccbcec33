/* Runs a kernel of yardstick.cl on the simulated GPU, and checks its bytes: yardstick FILE KERNEL WIDTH HEIGHT. Prints what run.c
 * prints.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(cl_int code, const char *what) {
    if (code == CL_SUCCESS)
        return;
    fprintf(stderr, "yardstick: %s: %d\n", what, code);
    exit(EXIT_FAILURE);
}

/* The source unit of 4 bytes that unit `to` of the destination is. */
static size_t source_of(const char *kernel, size_t to, size_t width, size_t height) {
    if (strncmp(kernel, "transpose", 9) == 0)
        return to % height * width + to / height;
    if (strncmp(kernel, "split_2", 7) == 0)
        return to % (width * height / 2) * 2 + to / (width * height / 2);
    if (strncmp(kernel, "repeat_3", 8) == 0)
        return to / 24 * 3 + to % 3;
    return to;
}

int main(int count, char **words) {
    if (count != 5)
        return 2;
    const char *kernel_name = words[2];
    const cl_uint width = (cl_uint)atoi(words[3]), height = (cl_uint)atoi(words[4]);
    const size_t units = (size_t)width * height, local = 256;
    const size_t made = strncmp(kernel_name, "repeat", 6) == 0 ? 8 * units : units; /* units of the destination */
    const size_t unit_items = strstr(kernel_name, "by_4")           ? 16
                              : strcmp(kernel_name, "split_2") == 0 ? 8
                              : strstr(kernel_name, "vectors")      ? 8
                              : strstr(kernel_name, "naive")        ? 1
                                                                    : 4;
    const size_t global = made / unit_items;
    static char source[1 << 16];
    FILE *file = fopen(words[1], "r");
    if (!file || !fread(source, 1, sizeof source - 1, file))
        return 2;
    fclose(file);
    cl_platform_id platform;
    cl_device_id device;
    cl_int code;
    check(clGetPlatformIDs(1, &platform, NULL), "platform");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL), "device");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &code);
    const char *texts[] = {"#line 1 \"yardstick.cl\"\n", source};
    cl_program program = clCreateProgramWithSource(context, 2, texts, NULL, &code);
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "build");
    cl_kernel kernel = clCreateKernel(program, kernel_name, &code);
    check(code, kernel_name);
    cl_uint *src = malloc(units * 4), *dst = malloc(made * 4);
    if (!src || !dst)
        return EXIT_FAILURE;
    for (size_t i = 0; i < units; i++)
        src[i] = (cl_uint)i * 2654435761u;
    cl_mem from = clCreateBuffer(context, CL_MEM_READ_ONLY, units * 4, NULL, &code);
    cl_mem to = clCreateBuffer(context, CL_MEM_WRITE_ONLY, made * 4, NULL, &code);
    check(clEnqueueWriteBuffer(queue, from, CL_TRUE, 0, units * 4, src, 0, NULL, NULL), "write");
    check(clSetKernelArg(kernel, 0, sizeof from, &from), "argument");
    check(clSetKernelArg(kernel, 1, sizeof to, &to), "argument");
    check(clSetKernelArg(kernel, 2, sizeof width, &width), "argument");
    check(clSetKernelArg(kernel, 3, sizeof height, &height), "argument");
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL), "launch");
    check(clEnqueueReadBuffer(queue, to, CL_TRUE, 0, made * 4, dst, 0, NULL, NULL), "read");
    size_t wrong = 0;
    for (size_t i = 0; i < made; i++)
        wrong += dst[i] != src[source_of(kernel_name, i, width, height)];
    printf("{\"variant\":\"-\",\"unit_bits\":32,\"index_bits\":32,\"src_bytes\":%zu,\"dst_bytes\":%zu,\"launches\":1,"
           "\"verified\":%s}\n",
           units * 4, made * 4, wrong ? "false" : "true");
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
