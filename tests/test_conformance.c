/* The vectors of the specifications' own projects: test_conformance FOLDER SELECTOR
 *
 * The last line says how many of each ran: `conformance: ...`. None is a failure, and so is no folder; no device is a skip.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "support.h"
#include "vectors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static clmove_device *device;

typedef struct file {
    const char *name, *label;
    json_t *json;
    /* moved: values that are not empty. */
    unsigned values, moved, shapes, refused, inexpressible;
    bool onnx;
} file;

static file files[] = {
    {.name = "openvino_vectors.json", .label = "OpenVINO vectors"},
    {.name = "openvino_shape_cases.json", .label = "OpenVINO shape cases"},
    {.name = "onnx_vectors.json", .label = "ONNX vectors", .onnx = true},
};
#define FILES (sizeof files / sizeof *files)

static clmove_status apply(const vector *it, bool onnx, clmove_map *map, clmove_error *error) {
    const case_step *step = &it->moved.steps[0];
    /* ONNX has no mode for SpaceToDepth yet; the vector of the proposed one goes by the other rules. */
    bool proposed = step->op == CASE_SPACE_TO_DEPTH && step->mode == CLMOVE_DEPTH_FIRST;
    clmove_rules rules = onnx && !proposed ? CLMOVE_RULES_ONNX : CLMOVE_RULES_OPENVINO;
    clmove_status status = clmove_map_init(map, it->moved.element_bits, it->moved.dims.count, it->moved.dims.values, error);
    if (status != CLMOVE_OK)
        return status;
    if (step->op == CASE_TILE)
        return clmove_map_tile(map, step->args.count, step->args.values, rules, error);
    if (step->op == CASE_SPACE_TO_DEPTH)
        return clmove_map_space_to_depth(map, step->args.values[0], step->mode, rules, error);
    return clmove_map_depth_to_space(map, step->args.values[0], step->mode, rules, error);
}

/* Our sentence names the same cause as theirs when every number in theirs is in ours as well. */
static void check_refusal(const vector *it, bool onnx) {
    clmove_map map;
    clmove_error error;
    ASSERT_FAILS(CLMOVE_BAD_SHAPE, apply(it, onnx, &map, &error), &error);
    for (const char *at = it->error; *at;) {
        size_t digits = strspn(at, "0123456789");
        char number[32];
        snprintf(number, sizeof number, "%.*s", (int)digits, at);
        if (digits > 0)
            assert_mentions(error.text, number);
        at += digits > 0 ? digits : 1;
    }
    bool about_rank = strstr(it->error, "rank") != NULL;
    assert_mentions(error.text, about_rank ? "rank" : "block size");
}

static size_t bytes_in(const case_list *dims, uint32_t bits) {
    int64_t elements = 1;
    for (int32_t i = 0; i < dims->count; i++)
        elements *= dims->values[i];
    return bytes_of(bits, elements);
}

static void check_values(const vector *it, const clmove_map *map) {
    clmove_error error;
    clmove_plan *plan = NULL;
    fenced src = fenced_create(bytes_in(&it->moved.dims, it->moved.element_bits), 0, 1);
    fenced dst = fenced_create(bytes_in(&it->out_dims, it->moved.element_bits), 0, 2);
    assert_int_equal(json_array_size(it->in), src.bytes * 8 / it->moved.element_bits);
    assert_int_equal(json_array_size(it->out), dst.bytes * 8 / it->moved.element_bits);
    assert_true(vector_store(it->in, it->type, src.data) && vector_store(it->in, it->type, fenced_expected(&src)));
    assert_true(vector_store(it->out, it->type, fenced_expected(&dst)));
    ASSERT_OK(clmove_plan_create(device, map, NULL, &plan, &error), &error);
    ASSERT_OK(clmove_run(plan, src.data, src.bytes, dst.data, dst.bytes, &error), &error);
    fenced_check(&dst, it->name);
    fenced_check(&src, "source");
    clmove_plan_destroy(&plan);
    fenced_destroy(&src);
    fenced_destroy(&dst);
}

static void run_vector(file *from, const json_t *json) {
    vector it;
    const char *reason;
    clmove_map map;
    clmove_error error;
    if (!vector_read(json, &it, &reason))
        fail_msg("%s: %s", it.name ? it.name : "a vector without a name", reason);
    if (!it.expressible) {
        printf("conformance of %s: \"%s\" is not expressible in C: repeats is int64_t * and a count\n", it.op, it.name);
        from->inexpressible++;
        return;
    }
    if (it.error) {
        check_refusal(&it, from->onnx);
        from->refused++;
        return;
    }
    ASSERT_OK(apply(&it, from->onnx, &map, &error), &error);
    assert_int_equal(clmove_map_rank(&map), it.out_dims.count);
    for (int32_t i = 0; i < clmove_map_rank(&map); i++)
        assert_int_equal(clmove_map_dims(&map)[i], it.out_dims.values[i]);
    if (it.in) {
        check_values(&it, &map);
        from->values++;
        from->moved += json_array_size(it.out) > 0;
    } else
        from->shapes++;
}

static void run_file(void **state) {
    file *it = *state;
    size_t i;
    json_t *json;
    json_array_foreach(it->json, i, json) {
        const char *name = json_string_value(json_object_get(json, "name")),
                   *type = json_string_value(json_object_get(json, "type"));
        print_message("%s %zu: %s, %s\n", it->name, i, name ? name : "?", type ? type : "?");
        run_vector(it, json);
    }
}

/* f16 and bf16 of numbers whose bits are known. */
static void values_are_rounded(void **state) {
    (void)state;
    static const struct {
        double value;
        uint16_t half, bfloat;
    } known[] = {{1, 0x3c00, 0x3f80},       {-2, 0xc000, 0xc000},      {0, 0, 0},
                 {65504, 0x7bff, 0x4780},   {1.1, 0x3c66, 0x3f8d},     {5.2, 0x4533, 0x40a6},
                 {0x1p-24, 0x0001, 0x3380}, {0x1p-14, 0x0400, 0x3880}, {2049, 0x6800, 0x4500},
                 {2051, 0x6802, 0x4500},    {0.99999, 0x3c00, 0x3f80}, {6.6, 0x469a, 0x40d3}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        json_t *list = json_pack("[f]", known[i].value);
        uint16_t half = 0, bfloat = 0;
        assert_true(vector_store(list, "f16", (uint8_t *)&half) && vector_store(list, "bf16", (uint8_t *)&bfloat));
        assert_int_equal(half, known[i].half);
        assert_int_equal(bfloat, known[i].bfloat);
        json_decref(list);
    }
}

static bool load(const char *folder) {
    for (size_t i = 0; i < FILES; i++) {
        char path[4096];
        json_error_t error;
        snprintf(path, sizeof path, "%s/%s", folder, files[i].name);
        files[i].json = json_load_file(path, 0, &error);
        if (!files[i].json) {
            printf("conformance: FAILED: %s: %s\n", path, error.text);
            return false;
        }
    }
    return true;
}

static bool check_totals(const char *selector) {
    unsigned total = 0, moved = 0;
    char text[512] = "";
    for (size_t i = 0; i < FILES; i++) {
        const file *it = &files[i];
        unsigned ran = it->values + it->shapes + it->refused;
        size_t length = strlen(text);
        snprintf(text + length, sizeof text - length,
                 "%s%u of %zu %s (%u values, %u shapes, %u refused, %u not expressible in C)", i ? "; " : "", ran,
                 json_array_size(it->json), it->label, it->values, it->shapes, it->refused, it->inexpressible);
        total += ran == 0 ? 0 : 1;
        moved += it->moved;
        json_decref(files[i].json);
    }
    clmove_device_stats stats = {.struct_size = sizeof stats};
    bool ran_here = clmove_device_get_stats(device, &stats, NULL) == CLMOVE_OK &&
                    (strcmp(selector, "host") == 0 ? stats.host_runs : stats.kernels_run) >= moved;
    printf("conformance: %s on %s\n", text, selector);
    return total == FILES && moved > 0 && ran_here;
}

int main(int count, char **arguments) {
    if (count != 3) {
        fprintf(stderr, "usage: test_conformance FOLDER SELECTOR\n");
        return 2;
    }
    if (!load(arguments[1]))
        return EXIT_FAILURE;
    device = open_device(arguments[2]);
    if (!device) {
        printf("conformance: skipped: there is no device %s\n", arguments[2]);
        return EXIT_SKIPPED;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_rounded),
        {.name = files[0].name, .test_func = run_file, .initial_state = &files[0]},
        {.name = files[1].name, .test_func = run_file, .initial_state = &files[1]},
        {.name = files[2].name, .test_func = run_file, .initial_state = &files[2]},
    };
    int failed = cmocka_run_group_tests_name("conformance", tests, NULL, NULL);
    bool complete = check_totals(arguments[2]);
    clmove_device_close(&device);
    return failed == 0 && complete ? EXIT_SUCCESS : EXIT_FAILURE;
}
