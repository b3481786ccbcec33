/* A run in pieces with progress: a tensor of any size is moved piece by piece. After each piece a callback is told how much is
 * done, and may cancel.
 *
 * clmove_run does the same if the tensor does not fit the device. Here the pieces are small, so that there are several.
 *
 * usage: streaming [DEVICE]
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <clmove/clmove.h>

#include <stdio.h>
#include <stdlib.h>

/* An image of 50 MB, channels first; blocks of 2 x 2 become channels. */
enum { C = 3, H = 2048, W = 2048, BLOCK = 2 };
static float image[C][H][W], deep[C * BLOCK * BLOCK][H / BLOCK][W / BLOCK];

/* Prints how far the run is, and cancels it once it is as far as *user says. */
static bool show(void *user, const clmove_progress *now) {
    const double share = (double)now->bytes_done / (double)now->bytes_total, *stop_at = user;
    fprintf(stderr, "\r%3.0f %%, %.1f GB/s ", share * 100, now->seconds > 0 ? (double)now->bytes_done / now->seconds * 1e-9 : 0);
    return share < *stop_at;
}

/* What fails ends the program. */
static void check(clmove_status status, const clmove_error *error) {
    if (status) {
        fprintf(stderr, "streaming: %s: %s\n", clmove_status_text(status), error->text);
        exit(EXIT_FAILURE);
    }
}

static int64_t count_wrong(void) {
    int64_t wrong = 0;
    for (int c = 0; c < C; c++)
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++)
                wrong += deep[(c * BLOCK + y % BLOCK) * BLOCK + x % BLOCK][y / BLOCK][x / BLOCK] != image[c][y][x];
    return wrong;
}

int main(int count, char **arguments) {
    clmove_error error;
    clmove_map map;
    clmove_device *device;
    clmove_plan *plan;
    clmove_run_info info = {.struct_size = sizeof info};
    double half = 0.5, never = 2;
    clmove_device_params with = {.struct_size = sizeof with, .selector = count > 1 ? arguments[1] : NULL};
    clmove_run_params params = {
        .struct_size = sizeof params, .progress = show, .progress_user = &half, .piece_bytes = 8 << 20, .info = &info};
    for (int i = 0; i < C * H * W; i++)
        image[i / (H * W)][i / W % H][i % W] = (float)i; /* up to 12.6 million, which floats do exactly */
    check(clmove_map_init(&map, 32, 4, (int64_t[]){1, C, H, W}, &error), &error);
    check(clmove_map_space_to_depth(&map, BLOCK, CLMOVE_DEPTH_FIRST, CLMOVE_RULES_OPENVINO, &error), &error);
    check(clmove_device_open(&with, &device, &error), &error);
    check(clmove_plan_create(device, &map, NULL, &plan, &error), &error);

    clmove_status status = clmove_run_with(plan, image, sizeof image, deep, sizeof deep, &params, &error);
    fprintf(stderr, "%s\n", clmove_status_text(status));
    bool was_cancelled = status == CLMOVE_CANCELLED;

    params.progress_user = &never;
    check(clmove_run_with(plan, image, sizeof image, deep, sizeof deep, &params, &error), &error);
    fprintf(stderr, "\n");
    clmove_plan_destroy(&plan);
    clmove_device_close(&device);

    int64_t wrong = count_wrong();
    printf("streaming: cancelled half-way: %s; again, in %lld pieces, %s: %s\n", was_cancelled ? "yes" : "NO",
           (long long)info.pieces, clmove_run_method_text(info.method), wrong ? "WRONG" : "every element is right");
    return was_cancelled && !wrong && info.pieces > 1 ? EXIT_SUCCESS : EXIT_FAILURE;
}
