/* clmove between two kernels of your own: a plain OpenCL program adds a SpaceToDepth to its own queue.
 *
 * The program keeps its context, its queue and its memory. clmove opens a device on them once. Each launch is then one more
 * command on the queue, with a wait list and an event, and without a flush or a wait of its own. The events order the commands on
 * queues of either kind. On an in-order queue the wait lists may be left out.
 *
 * usage: own_queue [in-order|out-of-order]
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <clmove/opencl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An image in bytes, and what becomes of it. */
enum { C = 3, H = 256, W = 384, BLOCK = 2 };
static uint8_t pixels[C][H][W];
static float result[C * BLOCK * BLOCK][H / BLOCK][W / BLOCK];

/* Bytes become floats from 0 to 1, and those in the end floats around 0. Both are exact. */
static const char *const source =
    "kernel void widen(global const uchar *from, global float *to) { to[get_global_id(0)] = from[get_global_id(0)] / 256.0f; }\n"
    "kernel void centre(global float *it) { it[get_global_id(0)] -= 0.5f; }\n";

/* What fails ends the program; what is the call, or clmove's sentence. */
static void check(long code, const char *what) {
    if (code) {
        fprintf(stderr, "own_queue: %s: %ld\n", what, code);
        exit(EXIT_FAILURE);
    }
}

/* The first device of the first platform that has one. */
static cl_device_id find_device(void) {
    cl_platform_id platforms[16];
    cl_uint found = 0;
    cl_device_id device = NULL;
    check(clGetPlatformIDs(16, platforms, &found), "clGetPlatformIDs");
    for (cl_uint i = 0; i < found && i < 16 && !device; i++)
        clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    check(device ? CL_SUCCESS : CL_DEVICE_NOT_FOUND, "clGetDeviceIDs");
    return device;
}

static cl_mem create_buffer(cl_context context, size_t bytes) {
    cl_int code;
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    check(code, "clCreateBuffer");
    return buffer;
}

static int64_t count_wrong(void) {
    int64_t wrong = 0;
    for (int c = 0; c < C; c++)
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++)
                wrong += result[(c * BLOCK + y % BLOCK) * BLOCK + x % BLOCK][y / BLOCK][x / BLOCK] !=
                         (float)pixels[c][y][x] / 256.0F - 0.5F;
    return wrong;
}

int main(int count, char **arguments) {
    const char *order = count > 1 ? arguments[1] : "in-order";
    const bool keeps_order = strcmp(order, "in-order") == 0;
    const cl_queue_properties any_order[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    const size_t elements = sizeof pixels;
    cl_int code;
    if (!keeps_order && strcmp(order, "out-of-order") != 0) {
        fprintf(stderr, "usage: own_queue [in-order|out-of-order]\n");
        return 2;
    }
    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i / (H * W)][i / W % H][i % W] = (uint8_t)(i * 2654435761U >> 21);

    /* The program as it was. */
    cl_device_id id = find_device();
    cl_context context = clCreateContext(NULL, 1, &id, NULL, NULL, &code);
    check(code, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, id, keeps_order ? NULL : any_order, &code);
    check(code, "clCreateCommandQueueWithProperties");
    cl_program program = clCreateProgramWithSource(context, 1, (const char *[]){source}, NULL, &code);
    check(code, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &id, "", NULL, NULL), "clBuildProgram");
    cl_kernel widen = clCreateKernel(program, "widen", &code);
    check(code, "clCreateKernel");
    cl_kernel centre = clCreateKernel(program, "centre", &code);
    check(code, "clCreateKernel");
    cl_mem bytes = create_buffer(context, sizeof pixels), image = create_buffer(context, sizeof result);
    cl_mem deep = create_buffer(context, sizeof result);
    check(clSetKernelArg(widen, 0, sizeof bytes, &bytes), "clSetKernelArg");
    check(clSetKernelArg(widen, 1, sizeof image, &image), "clSetKernelArg");
    check(clSetKernelArg(centre, 0, sizeof deep, &deep), "clSetKernelArg");

    /* New: a plan on its context. */
    clmove_error error;
    clmove_map map;
    clmove_device *device;
    clmove_plan *plan;
    check(clmove_map_init(&map, 32, 4, (int64_t[]){1, C, H, W}, &error), error.text);
    check(clmove_map_space_to_depth(&map, BLOCK, CLMOVE_DEPTH_FIRST, CLMOVE_RULES_OPENVINO, &error), error.text);
    check(clmove_device_open_opencl(context, id, queue, NULL, &device, &error), error.text);
    check(clmove_plan_create(device, &map, NULL, &plan, &error), error.text);

    /* Its commands, and one more between two of them. */
    cl_event written, widened, moved, centred;
    const clmove_view from = clmove_mem_view(image, 0), to = clmove_mem_view(deep, 0);
    const clmove_submission between = {
        .struct_size = sizeof between,
        .queue = clmove_queue_of(queue),
        .waits = 1,
        .wait_list = clmove_wait_list(&widened),
        .event = clmove_event_of(&moved),
    };
    check(clEnqueueWriteBuffer(queue, bytes, CL_FALSE, 0, sizeof pixels, pixels, 0, NULL, &written), "clEnqueueWriteBuffer");
    check(clEnqueueNDRangeKernel(queue, widen, 1, NULL, &elements, NULL, 1, &written, &widened), "widen");
    check(clmove_enqueue(plan, from, to, &between, &error), error.text);
    check(clEnqueueNDRangeKernel(queue, centre, 1, NULL, &elements, NULL, 1, &moved, &centred), "centre");
    check(clEnqueueReadBuffer(queue, deep, CL_TRUE, 0, sizeof result, result, 1, &centred, NULL), "clEnqueueReadBuffer");

    clmove_plan_destroy(&plan);
    clmove_device_close(&device);
    clReleaseEvent(written), clReleaseEvent(widened), clReleaseEvent(moved), clReleaseEvent(centred);
    clReleaseMemObject(bytes), clReleaseMemObject(image), clReleaseMemObject(deep);
    clReleaseKernel(widen), clReleaseKernel(centre), clReleaseProgram(program);
    clReleaseCommandQueue(queue), clReleaseContext(context);
    int64_t wrong = count_wrong();
    printf("own_queue: widen, SpaceToDepth, centre on one %s queue: %s\n", order, wrong ? "WRONG" : "every element is right");
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
