/* SPDX-License-Identifier: Apache-2.0 */
#include "scene.h"

static clmove_error error;

clmove_plan *scene_plan(clmove_device *device, int64_t rows) {
    clmove_map map;
    ASSERT_OK(clmove_map_init(&map, 32, 2, (const int64_t[]){rows, COLUMNS}, &error), &error);
    ASSERT_OK(clmove_map_permute(&map, 2, (const int64_t[]){1, 0}, &error), &error);
    clmove_plan *plan = NULL;
    ASSERT_OK(clmove_plan_create(device, &map, NULL, &plan, &error), &error);
    return plan;
}

void scene_transpose(const uint8_t *src, uint8_t *dst) {
    for (int64_t i = 0; i < COLUMNS; i++)
        for (int64_t k = 0; k < ROWS; k++)
            copy_element(32, src, k * COLUMNS + i, dst, i * ROWS + k);
}

scene scene_make(cl_command_queue_properties properties) {
    scene it;
    bed_make(&it.at, properties);
    it.plan = scene_plan(it.at.device, ROWS);
    fill_noise(it.src_bytes, ROOM, 1);
    fill_noise(it.dst_bytes, ROOM, 2);
    it.src = bed_memory(&it.at, CL_MEM_READ_WRITE, it.src_bytes, ROOM);
    it.dst = bed_memory(&it.at, CL_MEM_READ_WRITE, it.dst_bytes, ROOM);
    return it;
}

void scene_end(scene *it) {
    clmove_plan_destroy(&it->plan);
    ASSERT_CL(clReleaseMemObject(it->src));
    ASSERT_CL(clReleaseMemObject(it->dst));
    bed_end(&it->at);
    check_no_object_left();
}

void scene_check(scene *it, size_t src_offset, size_t dst_offset) {
    uint8_t got[ROOM];
    scene_transpose(it->src_bytes + src_offset, it->dst_bytes + dst_offset);
    bed_read(&it->at, it->dst, got, ROOM);
    check_bytes(got, it->dst_bytes, ROOM, "destination");
    bed_read(&it->at, it->src, got, ROOM);
    check_bytes(got, it->src_bytes, ROOM, "source");
}
