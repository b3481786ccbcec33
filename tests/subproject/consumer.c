/* Moves a tensor on the host: 0 when the bytes are right. Of a static library it must be told so by the target alone.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <clmove/clmove.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    static const unsigned char src[] = {1, 2, 3, 4}, expected[] = {1, 2, 1, 2, 3, 4, 3, 4};
    const int64_t dims[] = {2, 2}, repeats[] = {1, 2};
    const clmove_device_params params = {.struct_size = sizeof params, .selector = "host"};
    unsigned char dst[sizeof expected] = {0};
    clmove_error error = {0};
    clmove_map map;
    clmove_device *device = NULL;
    clmove_plan *plan = NULL;
    int done = clmove_map_init(&map, 8, 2, dims, &error) == CLMOVE_OK &&
               clmove_map_tile(&map, 2, repeats, CLMOVE_RULES_OPENVINO, &error) == CLMOVE_OK &&
               clmove_device_open(&params, &device, &error) == CLMOVE_OK &&
               clmove_plan_create(device, &map, NULL, &plan, &error) == CLMOVE_OK &&
               clmove_run(plan, src, sizeof src, dst, sizeof dst, &error) == CLMOVE_OK && memcmp(dst, expected, sizeof dst) == 0;
    clmove_plan_destroy(&plan);
    clmove_device_close(&device);
    printf("clmove %s: %s\n", clmove_version(), done ? "right" : error.text[0] ? error.text : "wrong bytes");
    return !done;
}
