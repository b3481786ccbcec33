/* One image of a batch: SpaceToDepth reads it where it lies in device memory, and nothing else of the batch.
 *
 * No OpenCL header is needed. The plan is that of one image, and a view of the batch says which.
 *
 * usage: slice [DEVICE]
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <clmove/clmove.h>

#include <stdio.h>
#include <stdlib.h>

/* Floats [N,C,H,W], of which image I becomes [1,D,R,Q]. */
enum { N = 4, C = 3, H = 120, W = 160, I = 2, BLOCK = 2, D = C * BLOCK * BLOCK, R = H / BLOCK, Q = W / BLOCK };

static float batch[N][C][H][W], deep[D][R][Q];

/* For a program this small: an error is printed, and ends it. */
static void check(clmove_status status, const clmove_error *error) {
    if (status) {
        fprintf(stderr, "slice: %s: %s\n", clmove_status_text(status), error->text);
        exit(EXIT_FAILURE);
    }
}

int main(int count, char **arguments) {
    clmove_error error;
    clmove_map map;
    clmove_device *device;
    clmove_plan *plan;
    clmove_buffer *images, *result;
    for (int i = 0; i < N * C * H * W; i++)
        (&batch[0][0][0][0])[i] = (float)i;

    clmove_device_params params = {.struct_size = sizeof params, .selector = count > 1 ? arguments[1] : NULL};
    check(clmove_device_open(&params, &device, &error), &error);
    check(clmove_buffer_create(device, sizeof batch, &images, &error), &error);
    check(clmove_buffer_create(device, sizeof deep, &result, &error), &error);
    check(clmove_buffer_write(images, 0, batch, sizeof batch, &error), &error);

    check(clmove_map_init(&map, 32, 4, (int64_t[]){1, C, H, W}, &error), &error);
    check(clmove_map_space_to_depth(&map, BLOCK, CLMOVE_BLOCKS_FIRST, CLMOVE_RULES_ONNX, &error), &error);
    check(clmove_plan_create(device, &map, NULL, &plan, &error), &error);
    clmove_view image = clmove_buffer_view(images, I * sizeof *batch);
    check(clmove_enqueue(plan, image, clmove_buffer_view(result, 0), NULL, &error), &error);
    check(clmove_buffer_read(result, 0, deep, sizeof deep, &error), &error);

    clmove_plan_destroy(&plan);
    clmove_buffer_destroy(&images);
    clmove_buffer_destroy(&result);
    clmove_device_info info = {.struct_size = sizeof info};
    check(clmove_device_get_info(device, &info, &error), &error);
    clmove_device_close(&device);

    /* By the definition. blocks_first: the place in the block, then the channel. */
    int wrong = 0;
    for (int c = 0; c < C; c++)
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++)
                wrong += deep[(y % BLOCK * BLOCK + x % BLOCK) * C + c][y / BLOCK][x / BLOCK] != batch[I][c][y][x];
    printf("slice: image %d of %d, SpaceToDepth on \"%s\": %s\n", I, N, info.name, wrong ? "WRONG" : "all right, to the byte");
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
