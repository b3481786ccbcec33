/* What the simulated GPU refuses, and what it does as OpenCL says: each of them something that a strict GPU minds and a lenient
 * one lets pass.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

#include "tests/support.h"

#include <stdlib.h>
#include <string.h>

#define BYTES ((size_t)4096)
#define OK(code) assert_int_equal(code, CL_SUCCESS)

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static cl_program program;
static cl_mem buffer;

static const char source[] =
    "kernel void write_at(global uchar *at, const ulong place) { at[place + get_global_id(0)] = 1; }\n"
    "kernel void write_word(global uchar *at, const ulong place) { *(global uint *)(at + place) = 1; }\n"
    "kernel void write_vector(global uchar *at, const ulong place) { *(global uint4 *)(at + place) = (uint4)(1, 2, 3, 4); }\n"
    "kernel void read_vector(global uchar *at, const ulong place) { vstore4(*(global uint4 *)(at + place), 0, (global uint "
    "*)at); }\n"
    "kernel void vload_anywhere(global uchar *at, const ulong place) { vstore16(vload16(0, at + place), 0, at + place + 32); }\n"
    "kernel void meet(global uchar *at, const ulong most) {\n"
    "    local uint sum[64];\n"
    "    sum[get_local_id(0)] = get_local_id(0);\n"
    "    if (get_local_id(0) < most)\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    at[get_global_id(0)] = sum[63 - get_local_id(0)];\n"
    "}\n"
    "kernel void leave_early(global uchar *at, const ulong most) {\n"
    "    if (get_local_id(0) >= most)\n"
    "        return;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    at[get_global_id(0)] = 1;\n"
    "}\n"
    "kernel void borrow(global uchar *at, local uchar *own) { own[get_local_id(0)] = 1; at[0] = own[0]; }\n";

static void begin(void) {
    cl_int code;
    const char *text = source;
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    OK(code);
    queue = clCreateCommandQueue(context, device, 0, &code);
    OK(code);
    program = clCreateProgramWithSource(context, 1, &text, NULL, &code);
    OK(code);
    code = clBuildProgram(program, 1, &device, "", NULL, NULL);
    if (code != CL_SUCCESS) {
        char log[4096] = "";
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fail_msg("%s", log);
    }
    buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, BYTES, NULL, &code);
    OK(code);
}

static void end(void) {
    OK(clReleaseMemObject(buffer));
    OK(clReleaseProgram(program));
    OK(clReleaseCommandQueue(queue));
    OK(clReleaseContext(context));
}

static cl_kernel kernel_with(const char *name, cl_mem mem, cl_ulong number) {
    cl_int code;
    cl_kernel kernel = clCreateKernel(program, name, &code);
    OK(code);
    OK(clSetKernelArg(kernel, 0, sizeof mem, &mem));
    OK(clSetKernelArg(kernel, 1, sizeof number, &number));
    return kernel;
}

/* What clFinish says after a launch, in a context of its own. */
static cl_int launch(const char *name, cl_mem_flags flags, cl_ulong number, size_t global, size_t local) {
    cl_int code;
    begin();
    cl_mem mem = clCreateBuffer(context, flags, BYTES, NULL, &code);
    OK(code);
    cl_kernel kernel = kernel_with(name, mem, number);
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
    cl_int result = clFinish(queue);
    if (result != CL_SUCCESS) /* and nothing works any more */
        assert_int_equal(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL), CL_OUT_OF_RESOURCES);
    OK(clReleaseKernel(kernel));
    OK(clReleaseMemObject(mem));
    end();
    return result;
}

static void accesses_outside_of_buffers(void **state) {
    (void)state;
    OK(launch("write_at", CL_MEM_READ_WRITE, 0, BYTES, 64));
    assert_int_equal(launch("write_at", CL_MEM_READ_WRITE, 1, BYTES, 64), CL_OUT_OF_RESOURCES);
    assert_int_equal(launch("write_at", CL_MEM_READ_WRITE, (cl_ulong)-1, 1, 1), CL_OUT_OF_RESOURCES);
    assert_int_equal(launch("write_at", CL_MEM_READ_WRITE, (cl_ulong)1 << 40, 1, 1), CL_OUT_OF_RESOURCES);
}

static void accesses_that_flags_forbid(void **state) {
    (void)state;
    assert_int_equal(launch("write_at", CL_MEM_READ_ONLY, 0, 1, 1), CL_OUT_OF_RESOURCES);
    OK(launch("write_at", CL_MEM_WRITE_ONLY, 0, 1, 1));
    assert_int_equal(launch("read_vector", CL_MEM_WRITE_ONLY, 0, 1, 1), CL_OUT_OF_RESOURCES);
}

static void accesses_that_are_not_aligned(void **state) {
    (void)state;
    OK(launch("write_word", CL_MEM_READ_WRITE, 4, 1, 1));
    assert_int_equal(launch("write_word", CL_MEM_READ_WRITE, 2, 1, 1), CL_OUT_OF_RESOURCES);
    OK(launch("write_vector", CL_MEM_READ_WRITE, 16, 1, 1));
    assert_int_equal(launch("write_vector", CL_MEM_READ_WRITE, 8, 1, 1), CL_OUT_OF_RESOURCES);
    OK(launch("read_vector", CL_MEM_READ_WRITE, 32, 1, 1));
    assert_int_equal(launch("read_vector", CL_MEM_READ_WRITE, 4, 1, 1), CL_OUT_OF_RESOURCES);
    OK(launch("vload_anywhere", CL_MEM_READ_WRITE, 7, 1, 1));
}

static void barriers_that_not_all_reach(void **state) {
    (void)state;
    OK(launch("meet", CL_MEM_READ_WRITE, 64, 128, 64));
    assert_int_equal(launch("meet", CL_MEM_READ_WRITE, 33, 128, 64), CL_OUT_OF_RESOURCES); /* within a warp, of any size */
    OK(launch("leave_early", CL_MEM_READ_WRITE, 128, 128, 128));
    assert_int_equal(launch("leave_early", CL_MEM_READ_WRITE, 64, 128, 128), CL_OUT_OF_RESOURCES); /* whole warps */
    assert_int_equal(launch("leave_early", CL_MEM_READ_WRITE, 3, 128, 128), CL_OUT_OF_RESOURCES);
}

static void sizes_of_launches(void **state) {
    (void)state;
    begin();
    cl_kernel kernel = kernel_with("write_at", buffer, 0);
    const size_t none = 0, some = 96, odd = 64, many = 2048, third = 32;
    assert_int_equal(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &none, NULL, 0, NULL, NULL), CL_INVALID_GLOBAL_WORK_SIZE);
    assert_int_equal(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &some, &none, 0, NULL, NULL), CL_INVALID_WORK_GROUP_SIZE);
    assert_int_equal(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &some, &odd, 0, NULL, NULL), CL_INVALID_WORK_GROUP_SIZE);
    assert_int_equal(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &many, &many, 0, NULL, NULL), CL_INVALID_WORK_ITEM_SIZE);
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &some, &third, 0, NULL, NULL));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &some, NULL, 0, NULL, NULL));
    OK(clFinish(queue));
    OK(clReleaseKernel(kernel));
    end();
}

static void local_memory_beyond_48_kib(void **state) {
    (void)state;
    cl_int code;
    const size_t items = 64;
    const char *large = "kernel void large(global uint *at) { local uint own[12289]; own[get_local_id(0)] = 1;\n"
                        "barrier(CLK_LOCAL_MEM_FENCE); at[0] = own[at[1]]; }";
    begin();
    cl_kernel kernel = clCreateKernel(program, "borrow", &code);
    OK(code);
    OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    OK(clSetKernelArg(kernel, 1, 48 << 10, NULL));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &items, 0, NULL, NULL));
    OK(clSetKernelArg(kernel, 1, (48 << 10) + 1, NULL));
    assert_int_equal(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &items, 0, NULL, NULL), CL_OUT_OF_RESOURCES);
    OK(clFinish(queue));
    OK(clSetKernelArg(kernel, 1, 63, NULL)); /* 64 work-items write a byte each */
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &items, 0, NULL, NULL));
    assert_int_equal(clFinish(queue), CL_OUT_OF_RESOURCES);
    OK(clReleaseKernel(kernel));
    cl_program other = clCreateProgramWithSource(context, 1, &large, NULL, &code);
    OK(code);
    assert_int_equal(clBuildProgram(other, 1, &device, "", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    OK(clReleaseProgram(other));
    end();
}

static void commands_of_no_bytes_and_too_many(void **state) {
    (void)state;
    begin();
    static uint8_t host[2 * 4096];
    cl_int code;
    assert_int_equal(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 0, host, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, 0, host, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(clEnqueueCopyBuffer(queue, buffer, buffer, 0, 64, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(clEnqueueFillBuffer(queue, buffer, host, 1, 0, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_null(clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0, 0, 0, NULL, NULL, &code));
    assert_int_equal(code, CL_INVALID_VALUE);
    assert_int_equal(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 1, BYTES, host, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(clEnqueueReadBuffer(queue, buffer, CL_TRUE, BYTES + 1, 1, host, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(clEnqueueCopyBuffer(queue, buffer, buffer, 0, 64, 65, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    assert_int_equal(clEnqueueFillBuffer(queue, buffer, host, 3, 0, 6, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(clEnqueueFillBuffer(queue, buffer, host, 4, 2, 8, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_null(clCreateBuffer(context, CL_MEM_READ_WRITE, 0, NULL, &code));
    assert_int_equal(code, CL_INVALID_BUFFER_SIZE);
    assert_null(clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 16, NULL, &code));
    assert_int_equal(code, CL_INVALID_HOST_PTR);
    end();
}

static void origins_of_sub_buffers(void **state) {
    (void)state;
    cl_int code;
    uint8_t got[64];
    begin();
    for (size_t origin = 1; origin < 512; origin *= 2) {
        const cl_buffer_region region = {origin, 64};
        assert_null(clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code));
        assert_int_equal(code, CL_MISALIGNED_SUB_BUFFER_OFFSET);
    }
    const cl_buffer_region beyond = {512, BYTES - 511}, inside = {512, 64};
    assert_null(clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &beyond, &code));
    assert_int_equal(code, CL_INVALID_VALUE);
    cl_mem part = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &inside, &code);
    OK(code);
    cl_kernel kernel = kernel_with("write_at", part, 0);
    const size_t items = 64, one = 1;
    const cl_ulong past = 64;
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &items, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 512, 64, got, 0, NULL, NULL));
    for (size_t i = 0; i < sizeof got; i++)
        assert_int_equal(got[i], 1);
    OK(clSetKernelArg(kernel, 1, sizeof past, &past)); /* within the buffer, but not within its part */
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, &one, 0, NULL, NULL));
    assert_int_equal(clFinish(queue), CL_OUT_OF_RESOURCES);
    OK(clReleaseKernel(kernel));
    OK(clReleaseMemObject(part));
    end();
}

/* The device's memory is its own: the host sees it where it is mapped, and the device what was mapped once it is unmapped. */
static void memory_is_the_devices_own(void **state) {
    (void)state;
    cl_int code;
    static uint8_t host[4096];
    uint8_t got = 0;
    begin();
    memset(host, 9, sizeof host);
    cl_mem mem = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, BYTES, host, &code);
    OK(code);
    cl_kernel kernel = kernel_with("write_at", mem, 0);
    const size_t one = 1;
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, &one, 0, NULL, NULL));
    OK(clFinish(queue));
    assert_int_equal(host[0], 9);
    uint8_t *at = clEnqueueMapBuffer(queue, mem, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, BYTES, 0, NULL, NULL, &code);
    OK(code);
    assert_ptr_equal(at, host);
    assert_int_equal(host[0], 1);
    host[0] = 2;
    OK(clEnqueueUnmapMemObject(queue, mem, at, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, 1, &got, 0, NULL, NULL));
    assert_int_equal(got, 2);
    at = clEnqueueMapBuffer(queue, mem, CL_TRUE, CL_MAP_WRITE, 0, BYTES, 0, NULL, NULL, &code);
    OK(code);
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, &one, 0, NULL, NULL)); /* while the host has it */
    assert_int_equal(clFinish(queue), CL_OUT_OF_RESOURCES);
    OK(clReleaseKernel(kernel));
    OK(clReleaseMemObject(mem));
    end();
}

/* Nothing runs before it is flushed or waited for, and without an order the last command goes first. */
static void commands_run_when_they_must(void **state) {
    (void)state;
    cl_int code;
    cl_event first, second, gate;
    uint8_t one = 1, two = 2, got = 0;
    begin();
    OK(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, 1, &one, 0, NULL, NULL));
    one = 5; /* too early */
    OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 1, &got, 0, NULL, NULL));
    assert_int_equal(got, 5);
    cl_command_queue loose = clCreateCommandQueue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
    OK(code);
    one = 1;
    for (int waits = 0; waits < 2; waits++) {
        OK(clEnqueueWriteBuffer(loose, buffer, CL_FALSE, 0, 1, &one, 0, NULL, &first));
        OK(clEnqueueWriteBuffer(loose, buffer, CL_FALSE, 0, 1, &two, (cl_uint)waits, waits ? &first : NULL, &second));
        OK(clFinish(loose));
        OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 1, &got, 0, NULL, NULL));
        assert_int_equal(got, waits ? 2 : 1);
        OK(clReleaseEvent(first));
        OK(clReleaseEvent(second));
    }
    gate = clCreateUserEvent(context, &code);
    OK(code);
    OK(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, 1, &one, 1, &gate, &first));
    OK(clFlush(queue));
    OK(clEnqueueReadBuffer(loose, buffer, CL_TRUE, 0, 1, &got, 0, NULL, NULL));
    assert_int_equal(got, 2);
    OK(clSetUserEventStatus(gate, -7));
    assert_int_equal(clWaitForEvents(1, &first), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    OK(clReleaseEvent(first));
    OK(clReleaseEvent(gate));
    OK(clReleaseCommandQueue(loose));
    end();
}

static void binaries_are_programs(void **state) {
    (void)state;
    cl_int code, each;
    size_t bytes = 0;
    begin();
    OK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL));
    assert_true(bytes > 0);
    unsigned char *binary = malloc(bytes);
    assert_non_null(binary);
    OK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
    const unsigned char *given = binary;
    cl_program again = clCreateProgramWithBinary(context, 1, &device, &bytes, &given, &each, &code);
    OK(code);
    assert_int_equal(each, CL_SUCCESS);
    assert_null(clCreateKernel(again, "meet", &code));
    assert_int_equal(code, CL_INVALID_PROGRAM_EXECUTABLE);
    OK(clBuildProgram(again, 1, &device, "", NULL, NULL));
    cl_kernel kernel = clCreateKernel(again, "meet", &code);
    OK(code);
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(again));
    binary[0] ^= 1;
    assert_null(clCreateProgramWithBinary(context, 1, &device, &bytes, &given, &each, &code));
    assert_int_equal(code, CL_INVALID_BINARY);
    free(binary);
    end();
}

int main(void) {
    cl_platform_id platform;
    if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL) != CL_SUCCESS)
        return EXIT_FAILURE;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accesses_outside_of_buffers),
        cmocka_unit_test(accesses_that_flags_forbid),
        cmocka_unit_test(accesses_that_are_not_aligned),
        cmocka_unit_test(barriers_that_not_all_reach),
        cmocka_unit_test(sizes_of_launches),
        cmocka_unit_test(local_memory_beyond_48_kib),
        cmocka_unit_test(commands_of_no_bytes_and_too_many),
        cmocka_unit_test(origins_of_sub_buffers),
        cmocka_unit_test(memory_is_the_devices_own),
        cmocka_unit_test(commands_run_when_they_must),
        cmocka_unit_test(binaries_are_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
