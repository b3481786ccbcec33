/* Moves one tensor with clmove on a device, once, and checks the bytes against clmove's host executor. Prints a line of JSON.
 *
 *     run OP ELEMENT_BITS SHAPE ARGUMENT [MODE]
 *         tile REPEATS | space_to_depth BLOCK MODE | depth_to_space BLOCK MODE | permute ORDER | identity -
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <clmove/clmove.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static clmove_error error;

static void check(clmove_status status, const char *what) {
    if (status == CLMOVE_OK)
        return;
    fprintf(stderr, "run: %s: %s\n", what, error.text);
    exit(EXIT_FAILURE);
}

static int32_t read_list(const char *text, int64_t *list) {
    int32_t count = 0;
    for (const char *at = text; *at && count < CLMOVE_MAX_RANK; at += *at == ',') {
        char *end;
        list[count++] = strtoll(at, &end, 10);
        if (end == at)
            return 0;
        at = end;
    }
    return count;
}

static void make_map(clmove_map *map, int count, char **words) {
    int64_t dims[CLMOVE_MAX_RANK], list[CLMOVE_MAX_RANK];
    const char *op = words[1];
    int32_t rank = read_list(words[3], dims), given = read_list(words[4], list);
    clmove_mode mode = count > 5 && strcmp(words[5], "depth_first") == 0 ? CLMOVE_DEPTH_FIRST : CLMOVE_BLOCKS_FIRST;
    check(clmove_map_init(map, (uint32_t)atoi(words[2]), rank, dims, &error), "map");
    if (strcmp(op, "tile") == 0)
        check(clmove_map_tile(map, given, list, CLMOVE_RULES_OPENVINO, &error), op);
    else if (strcmp(op, "space_to_depth") == 0)
        check(clmove_map_space_to_depth(map, list[0], mode, CLMOVE_RULES_OPENVINO, &error), op);
    else if (strcmp(op, "depth_to_space") == 0)
        check(clmove_map_depth_to_space(map, list[0], mode, CLMOVE_RULES_OPENVINO, &error), op);
    else if (strcmp(op, "permute") == 0) {
        int64_t order[CLMOVE_MAX_RANK];
        for (int32_t i = 0; i < given; i++)
            order[i] = (int64_t)list[i];
        check(clmove_map_permute(map, given, order, &error), op);
    } else if (strcmp(op, "identity") != 0) {
        fprintf(stderr, "run: there is no operator %s\n", op);
        exit(2);
    }
}

static unsigned char *noise(size_t bytes) {
    unsigned char *memory = malloc(bytes ? bytes : 1);
    uint32_t seed = 1;
    if (!memory)
        exit(EXIT_FAILURE);
    for (size_t i = 0; i < bytes; i++)
        memory[i] = (unsigned char)((seed = seed * 1664525U + 1013904223U) >> 24);
    return memory;
}

int main(int count, char **words) {
    clmove_map map;
    clmove_device *gpu = NULL, *host = NULL;
    clmove_plan *plan = NULL, *plain = NULL;
    clmove_buffer *from = NULL, *to = NULL;
    clmove_plan_info info = {.struct_size = sizeof info};
    if (count < 5) {
        fprintf(stderr, "usage: run OP ELEMENT_BITS SHAPE ARGUMENT [MODE]\n");
        return 2;
    }
    make_map(&map, count, words);
    size_t src_bytes = (size_t)clmove_map_src_bytes(&map), dst_bytes = (size_t)clmove_map_dst_bytes(&map);
    unsigned char *src = noise(src_bytes), *wanted = noise(dst_bytes), *got = noise(dst_bytes);
    check(clmove_device_open(&(clmove_device_params){.struct_size = sizeof(clmove_device_params), .selector = "host"}, &host,
                             &error),
          "host");
    check(clmove_plan_create(host, &map, NULL, &plain, &error), "the host's plan");
    check(clmove_run(plain, src, src_bytes, wanted, dst_bytes, &error), "the host's run");
    check(
        clmove_device_open(&(clmove_device_params){.struct_size = sizeof(clmove_device_params), .selector = "gpu"}, &gpu, &error),
        "gpu");
    check(clmove_plan_create(gpu, &map, NULL, &plan, &error), "plan");
    check(clmove_plan_get_info(plan, &info, &error), "plan");
    check(clmove_buffer_create(gpu, src_bytes, &from, &error), "buffer");
    check(clmove_buffer_create(gpu, dst_bytes, &to, &error), "buffer");
    check(clmove_buffer_write(from, 0, src, src_bytes, &error), "write");
    check(clmove_buffer_write(to, 0, got, dst_bytes, &error), "write");
    check(clmove_enqueue(plan, clmove_buffer_view(from, 0), clmove_buffer_view(to, 0), NULL, &error), "enqueue");
    check(clmove_buffer_read(to, 0, got, dst_bytes, &error), "read");
    bool equal = memcmp(got, wanted, dst_bytes) == 0;
    printf("{\"variant\":\"%s\",\"unit_bits\":%u,\"index_bits\":%u,\"src_bytes\":%zu,\"dst_bytes\":%zu,\"launches\":%lld,"
           "\"verified\":%s}\n",
           info.variant, info.unit_bits, info.index_bits, src_bytes, dst_bytes, (long long)info.launches,
           equal ? "true" : "false");
    clmove_buffer_destroy(&from);
    clmove_buffer_destroy(&to);
    clmove_plan_destroy(&plan);
    clmove_plan_destroy(&plain);
    clmove_device_close(&gpu);
    clmove_device_close(&host);
    free(src);
    free(wanted);
    free(got);
    return equal ? EXIT_SUCCESS : EXIT_FAILURE;
}
