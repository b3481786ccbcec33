/* Two threads, two queues, one plan: a plan is made once for a device, and runs wherever there is work.
 *
 * Each thread has an OpenCL queue of its own on the device that clmove opened, and memory of its own. The plan is shared, and
 * needs no lock around it.
 *
 * usage: threads [DEVICE]    any that is OpenCL's: cpu, gpu, part of a name, ...
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <clmove/opencl.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 2, ROUNDS = 20 };

/* Channels last, [H,W,C], become channels first, [C,H,W]; three times, [3,C,H,W]. */
enum { H = 90, W = 160, C = 3, COPIES = 3, ELEMENTS = H * W * C };

typedef struct worker {
    pthread_t thread;
    clmove_device *device;
    clmove_plan *plan;
    uint32_t number;
    int64_t wrong;
    float src[ELEMENTS], dst[COPIES][C][H * W];
} worker;

static worker workers[THREADS];

/* What fails ends the program; what is the call, or clmove's sentence. */
static void check(long code, const char *what) {
    if (code) {
        fprintf(stderr, "threads: %s: %ld\n", what, code);
        exit(EXIT_FAILURE);
    }
}

static int64_t count_wrong(const worker *self) {
    int64_t wrong = 0;
    for (int copy = 0; copy < COPIES; copy++)
        for (int c = 0; c < C; c++)
            for (int pixel = 0; pixel < H * W; pixel++)
                wrong += self->dst[copy][c][pixel] != self->src[pixel * C + c];
    return wrong;
}

static void *work(void *argument) {
    worker *self = argument;
    clmove_error error;
    cl_context context;
    cl_device_id id;
    cl_int code;
    clmove_buffer *src, *dst;
    check(clmove_device_get_opencl(self->device, &context, &id, NULL, &error), error.text);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, id, NULL, &code); /* in order, so no event is needed */
    check(code, "clCreateCommandQueueWithProperties");
    check(clmove_buffer_create(self->device, sizeof self->src, &src, &error), error.text);
    check(clmove_buffer_create(self->device, sizeof self->dst, &dst, &error), error.text);
    const clmove_view from = clmove_buffer_view(src, 0), to = clmove_buffer_view(dst, 0);
    const clmove_submission own = {.struct_size = sizeof own, .queue = clmove_queue_of(queue)};
    for (uint32_t round = 0; round < ROUNDS; round++) {
        for (uint32_t i = 0; i < ELEMENTS; i++)
            self->src[i] = (float)((i + round) * THREADS + self->number); /* no two threads have a number in common */
        check(clmove_enqueue_write(src, 0, self->src, sizeof self->src, &own, &error), error.text);
        check(clmove_enqueue(self->plan, from, to, &own, &error), error.text);
        check(clmove_enqueue_read(dst, 0, self->dst, sizeof self->dst, &own, &error), error.text);
        check(clFinish(queue), "clFinish");
        self->wrong += count_wrong(self);
    }
    clmove_buffer_destroy(&src);
    clmove_buffer_destroy(&dst);
    clReleaseCommandQueue(queue);
    return NULL;
}

int main(int count, char **arguments) {
    clmove_error error;
    clmove_map map;
    clmove_device *device;
    clmove_plan *plan;
    clmove_device_info info = {.struct_size = sizeof info};
    clmove_device_params params = {.struct_size = sizeof params, .selector = count > 1 ? arguments[1] : NULL};
    check(clmove_map_init(&map, 32, 4, (int64_t[]){1, H, W, C}, &error), error.text);
    check(clmove_map_permute(&map, 4, (int64_t[]){0, 3, 1, 2}, &error), error.text);
    check(clmove_map_tile(&map, 4, (int64_t[]){COPIES, 1, 1, 1}, CLMOVE_RULES_OPENVINO, &error), error.text);
    check(clmove_device_open(&params, &device, &error), error.text);
    check(clmove_device_get_info(device, &info, &error), error.text);
    check(clmove_plan_create(device, &map, NULL, &plan, &error), error.text);

    for (uint32_t i = 0; i < THREADS; i++) {
        workers[i].device = device;
        workers[i].plan = plan;
        workers[i].number = i;
        check(pthread_create(&workers[i].thread, NULL, work, &workers[i]), "pthread_create");
    }
    int64_t wrong = 0;
    for (int i = 0; i < THREADS; i++) {
        check(pthread_join(workers[i].thread, NULL), "pthread_join");
        wrong += workers[i].wrong;
    }
    clmove_plan_destroy(&plan);
    clmove_device_close(&device);
    printf("threads: %d threads on queues of their own ran one plan %d times each on \"%s\": %s\n", THREADS, ROUNDS, info.name,
           wrong ? "WRONG" : "every element is right");
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
