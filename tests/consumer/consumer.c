/* What another project does first: one Tile on the host. Compiled as C and as C++.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <clmove/advice.h>
#include <clmove/buffer.h>
#include <clmove/clmove.h>
#include <clmove/tuning.h>

#include <stdio.h>
#include <string.h>

/* With an argument on the device that clmove chooses. */
int main(int argc, char **argv) {
    const char src[] = "abc";
    char dst[7] = "";
    const int64_t dims[] = {3}, repeats[] = {2};
    clmove_error error;
    clmove_map map;
    clmove_device *device = NULL;
    clmove_plan *plan = NULL;
    clmove_device_params params;
    memset(&params, 0, sizeof params);
    params.struct_size = sizeof params;
    params.selector = argc > 1 ? argv[1] : "host";
    clmove_status status = clmove_map_init(&map, 8, 1, dims, &error);
    status = status ? status : clmove_map_tile(&map, 1, repeats, CLMOVE_RULES_OPENVINO, &error);
    status = status ? status : clmove_device_open(&params, &device, &error);
    status = status ? status : clmove_plan_create(device, &map, NULL, &plan, &error);
    status = status ? status : clmove_run(plan, src, 3, dst, 6, &error);
    if (status)
        fprintf(stderr, "consumer: %s\n", error.text);
    clmove_plan_destroy(&plan);
    clmove_device_close(&device);
    printf("%s %s\n", clmove_version(), dst);
    return status || strcmp(dst, "abcabc") != 0;
}
