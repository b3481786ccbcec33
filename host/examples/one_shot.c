/* One shot: a SpaceToDepth from host memory to host memory, on the device that fits best.
 *
 * Describe what goes where (a map), make that ready for a device (a plan), run it. The same plan runs again on other memory of
 * the same shape, and costs nothing more then.
 *
 * usage: one_shot [DEVICE]    host, cpu, gpu, part of a name, ...; without one it is CLMOVE_DEVICE, or the best there is
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <clmove/clmove.h>

#include <stdio.h>
#include <stdlib.h>

/* An image, channels first, and the blocks that become channels. */
enum { CHANNELS = 3, HEIGHT = 480, WIDTH = 640, BLOCK = 4 };
enum { DEPTH = CHANNELS * BLOCK * BLOCK, ROWS = HEIGHT / BLOCK, COLUMNS = WIDTH / BLOCK };

static float image[CHANNELS][HEIGHT][WIDTH], deep[DEPTH][ROWS][COLUMNS];

static clmove_status move(const char *selector, char *variant, size_t room, clmove_error *error) {
    clmove_map map;
    clmove_plan *plan = NULL;
    clmove_device *device = NULL;
    clmove_plan_info info = {.struct_size = sizeof info};
    clmove_status status = clmove_map_init(&map, 32, 4, (int64_t[]){1, CHANNELS, HEIGHT, WIDTH}, error);
    if (!status)
        status = clmove_map_space_to_depth(&map, BLOCK, CLMOVE_DEPTH_FIRST, CLMOVE_RULES_OPENVINO, error);
    if (!status)
        status = clmove_device_open(&(clmove_device_params){.struct_size = sizeof(clmove_device_params), .selector = selector},
                                    &device, error);
    if (!status)
        status = clmove_plan_create(device, &map, NULL, &plan, error);
    if (!status)
        status = clmove_run(plan, image, sizeof image, deep, sizeof deep, error);
    if (!status)
        status = clmove_plan_get_info(plan, &info, error);
    if (!status)
        snprintf(variant, room, "%s (%s)", clmove_executor_text(info.executor), info.variant);
    clmove_plan_destroy(&plan);
    clmove_device_close(&device);
    return status;
}

/* What the operator's definition says is elsewhere: channel c, block (y, x) is channel (c, y % BLOCK, x % BLOCK) of the result.
 */
static int64_t count_wrong(void) {
    int64_t wrong = 0;
    for (int c = 0; c < CHANNELS; c++)
        for (int y = 0; y < HEIGHT; y++)
            for (int x = 0; x < WIDTH; x++)
                wrong += deep[(c * BLOCK + y % BLOCK) * BLOCK + x % BLOCK][y / BLOCK][x / BLOCK] != image[c][y][x];
    return wrong;
}

int main(int count, char **arguments) {
    clmove_error error;
    char variant[64];
    float number = 0; /* counts to 921600, which floats do exactly */
    for (int c = 0; c < CHANNELS; c++)
        for (int y = 0; y < HEIGHT; y++)
            for (int x = 0; x < WIDTH; x++)
                image[c][y][x] = number++;

    clmove_status status = move(count > 1 ? arguments[1] : NULL, variant, sizeof variant, &error);
    if (status) {
        fprintf(stderr, "one_shot: %s: %s\n", clmove_status_text(status), error.text);
        return EXIT_FAILURE;
    }
    int64_t wrong = count_wrong();
    printf("one_shot: [1,%d,%d,%d] -> [1,%d,%d,%d] by %s: %s\n", CHANNELS, HEIGHT, WIDTH, DEPTH, ROWS, COLUMNS, variant,
           wrong ? "WRONG" : "every element is where it belongs");
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
