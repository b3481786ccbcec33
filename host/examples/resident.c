/* A resident tensor: written to the device once, moved there by several operators, and only the results are read back.
 *
 * The third plan is the first two as one map: SpaceToDepth and Tile together are one launch, with no tensor in between.
 *
 * usage: resident [DEVICE]
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <clmove/clmove.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes [1,C,H,W]; SpaceToDepth makes them [1,D,R,Q], and Tile [T,D,R,Q]. */
enum { C = 4, H = 240, W = 320, BLOCK = 2, T = 5, D = C * BLOCK * BLOCK, R = H / BLOCK, Q = W / BLOCK };

static uint8_t image[C][H][W], deep[D][R][Q], tiled[T][D][R][Q], chained[T][D][R][Q];

/* For a program this small: an error is printed, and ends it. */
static void check(clmove_status status, const clmove_error *error) {
    if (status) {
        fprintf(stderr, "resident: %s: %s\n", clmove_status_text(status), error->text);
        exit(EXIT_FAILURE);
    }
}

int main(int count, char **arguments) {
    clmove_error error;
    clmove_device *device;
    clmove_map to_depth, repeat, both;
    clmove_plan *deepen, *tile, *chain;
    clmove_buffer *on_device, *deep_there, *tiled_there, *chained_there;
    const int64_t image_dims[] = {1, C, H, W}, deep_dims[] = {1, D, R, Q}, repeats[] = {T, 1, 1, 1};
    for (int c = 0; c < C; c++)
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++)
                image[c][y][x] = (uint8_t)(c * 101 + y * 7 + x * 3 + x * y % 11);

    /* Describe. */
    check(clmove_map_init(&to_depth, 8, 4, image_dims, &error), &error);
    check(clmove_map_space_to_depth(&to_depth, BLOCK, CLMOVE_BLOCKS_FIRST, CLMOVE_RULES_ONNX, &error), &error);
    check(clmove_map_init(&repeat, 8, 4, deep_dims, &error), &error);
    check(clmove_map_tile(&repeat, 4, repeats, CLMOVE_RULES_ONNX, &error), &error);
    both = to_depth; /* a map is plain data: this one goes on where the other ended */
    check(clmove_map_tile(&both, 4, repeats, CLMOVE_RULES_ONNX, &error), &error);

    /* Plan. */
    clmove_device_params params = {.struct_size = sizeof params, .selector = count > 1 ? arguments[1] : NULL};
    check(clmove_device_open(&params, &device, &error), &error);
    check(clmove_plan_create(device, &to_depth, NULL, &deepen, &error), &error);
    check(clmove_plan_create(device, &repeat, NULL, &tile, &error), &error);
    check(clmove_plan_create(device, &both, NULL, &chain, &error), &error);
    check(clmove_buffer_create(device, sizeof image, &on_device, &error), &error);
    check(clmove_buffer_create(device, sizeof deep, &deep_there, &error), &error);
    check(clmove_buffer_create(device, sizeof tiled, &tiled_there, &error), &error);
    check(clmove_buffer_create(device, sizeof chained, &chained_there, &error), &error);

    /* Run: one write, three launches, three reads. Work of one device runs in the order in which it was enqueued. */
    check(clmove_buffer_write(on_device, 0, image, sizeof image, &error), &error);
    check(clmove_enqueue(deepen, clmove_buffer_view(on_device, 0), clmove_buffer_view(deep_there, 0), NULL, &error), &error);
    check(clmove_enqueue(tile, clmove_buffer_view(deep_there, 0), clmove_buffer_view(tiled_there, 0), NULL, &error), &error);
    check(clmove_enqueue(chain, clmove_buffer_view(on_device, 0), clmove_buffer_view(chained_there, 0), NULL, &error), &error);
    check(clmove_buffer_read(deep_there, 0, deep, sizeof deep, &error), &error);
    check(clmove_buffer_read(tiled_there, 0, tiled, sizeof tiled, &error), &error);
    check(clmove_buffer_read(chained_there, 0, chained, sizeof chained, &error), &error);

    clmove_device_info info = {.struct_size = sizeof info};
    clmove_device_stats stats = {.struct_size = sizeof stats};
    check(clmove_device_get_info(device, &info, &error), &error);
    check(clmove_device_get_stats(device, &stats, &error), &error);
    clmove_plan *plans[] = {deepen, tile, chain};
    clmove_buffer *buffers[] = {on_device, deep_there, tiled_there, chained_there};
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++)
        clmove_plan_destroy(&plans[i]);
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        clmove_buffer_destroy(&buffers[i]);
    clmove_device_close(&device);

    /* By the definitions. blocks_first: the place in the block, then the channel. */
    int64_t wrong = 0;
    for (int c = 0; c < C; c++)
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++)
                wrong += deep[(y % BLOCK * BLOCK + x % BLOCK) * C + c][y / BLOCK][x / BLOCK] != image[c][y][x];
    for (int t = 0; t < T; t++)
        wrong += memcmp(tiled[t], deep, sizeof deep) != 0;
    wrong += memcmp(chained, tiled, sizeof tiled) != 0;
    printf("resident: %zu bytes sent once, %llu runs on \"%s\": SpaceToDepth, Tile, and both as one: %s\n", sizeof image,
           (unsigned long long)(stats.kernels_run + stats.host_runs), info.name, wrong ? "WRONG" : "all right, to the byte");
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
