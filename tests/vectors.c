/* SPDX-License-Identifier: Apache-2.0 */
#include "vectors.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *name;
    uint32_t bits;
    enum { SIGNED, UNSIGNED, FLOAT, HALF, BFLOAT } kind;
} types[] = {
    {"i8", 8, SIGNED},   {"i16", 16, SIGNED},   {"i32", 32, SIGNED},   {"i64", 64, SIGNED},
    {"u8", 8, UNSIGNED}, {"u16", 16, UNSIGNED}, {"u32", 32, UNSIGNED}, {"u64", 64, UNSIGNED},
    {"f16", 16, HALF},   {"bf16", 16, BFLOAT},  {"f32", 32, FLOAT},    {"f64", 64, FLOAT},
};
#define TYPES (sizeof types / sizeof *types)

static size_t find_type(const char *name) {
    size_t i = 0;
    while (i < TYPES && strcmp(types[i].name, name) != 0)
        i++;
    return i;
}

uint32_t vector_type_bits(const char *type) {
    return find_type(type) < TYPES ? types[find_type(type)].bits : 0;
}

/* A number rounded to `precision` bits, as sign, exponent and fraction of the widths that follow from it. */
static uint16_t round_to_16_bits(double value, int precision, int lowest_exponent, int bias) {
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    int exponent, fraction_bits = precision - 1;
    if (value == 0)
        return sign;
    frexp(value, &exponent); /* value is in [0.5, 1) * 2^exponent */
    exponent = exponent - 1 < lowest_exponent ? lowest_exponent : exponent - 1;
    uint32_t scaled = (uint32_t)nearbyint(ldexp(fabs(value), fraction_bits - exponent));
    /* A fraction with its leading one adds itself to the exponent; without one, it is a subnormal. */
    return (uint16_t)(sign | (((uint32_t)(exponent + bias - 1) << fraction_bits) + scaled));
}

static bool store(const json_t *value, size_t type, uint8_t *to) {
    double number = json_number_value(value);
    float single = (float)number;
    uint64_t whole = json_is_integer(value) ? (uint64_t)json_integer_value(value) : (uint64_t)(int64_t)number;
    uint16_t half;
    if (!json_is_number(value))
        return false;
    switch (types[type].kind) {
    case SIGNED:
    case UNSIGNED:
        for (uint32_t i = 0; i < types[type].bits / 8; i++)
            to[i] = (uint8_t)(whole >> (8 * i));
        break;
    case FLOAT:
        memcpy(to, types[type].bits == 32 ? (void *)&single : (void *)&number, types[type].bits / 8);
        break;
    case HALF:
        half = round_to_16_bits(number, 11, -14, 15);
        memcpy(to, &half, sizeof half);
        break;
    case BFLOAT:
        half = round_to_16_bits(number, 8, -126, 127);
        memcpy(to, &half, sizeof half);
        break;
    }
    return true;
}

bool vector_store(const json_t *values, const char *type, uint8_t *memory) {
    size_t found = find_type(type);
    for (size_t i = 0; found < TYPES && i < json_array_size(values); i++)
        if (!store(json_array_get(values, i), found, memory + i * types[found].bits / 8))
            return false;
    return found < TYPES;
}

static bool read_list(const json_t *json, case_list *list) {
    list->count = (int32_t)json_array_size(json);
    if (!json_is_array(json) || list->count > CASE_MAX_RANK)
        return false;
    for (int32_t i = 0; i < list->count; i++) {
        if (!json_is_integer(json_array_get(json, (size_t)i)))
            return false;
        list->values[i] = json_integer_value(json_array_get(json, (size_t)i));
    }
    return true;
}

static bool read_step(const json_t *params, vector *it, case_step *step) {
    it->expressible = true;
    if (strcmp(it->op, "Tile") == 0) {
        const char *type = json_string_value(json_object_get(params, "repeats_type"));
        step->op = CASE_TILE;
        it->expressible = !json_object_get(params, "repeats_shape") && (!type || type[0] == 'i' || type[0] == 'u');
        return !it->expressible || read_list(json_object_get(params, "repeats"), &step->args);
    }
    const char *mode = json_string_value(json_object_get(params, "mode"));
    const json_t *block = json_object_get(params, "block_size");
    step->op = strcmp(it->op, "SpaceToDepth") == 0 ? CASE_SPACE_TO_DEPTH : CASE_DEPTH_TO_SPACE;
    if (step->op == CASE_DEPTH_TO_SPACE && strcmp(it->op, "DepthToSpace") != 0)
        return false;
    if (!mode || (strcmp(mode, "blocks_first") != 0 && strcmp(mode, "depth_first") != 0) || !json_is_integer(block))
        return false;
    step->mode = strcmp(mode, "blocks_first") == 0 ? CLMOVE_BLOCKS_FIRST : CLMOVE_DEPTH_FIRST;
    step->args = (case_list){1, {json_integer_value(block)}};
    return true;
}

bool vector_read(const json_t *json, vector *it, const char **reason) {
    *it = (vector){.op = json_string_value(json_object_get(json, "op")),
                   .name = json_string_value(json_object_get(json, "name")),
                   .type = json_string_value(json_object_get(json, "type")),
                   .error = json_string_value(json_object_get(json, "error")),
                   .in = json_object_get(json, "in"),
                   .out = json_object_get(json, "out")};
    *reason = "op, name or type is missing";
    if (!it->op || !it->name || !it->type)
        return false;
    it->moved.name = it->name;
    it->moved.element_bits = vector_type_bits(it->type);
    *reason = "the type is unknown";
    if (!it->moved.element_bits)
        return false;
    *reason = "in_shape or out_shape is not understood";
    if (!read_list(json_object_get(json, "in_shape"), &it->moved.dims) ||
        (!it->error && !read_list(json_object_get(json, "out_shape"), &it->out_dims)))
        return false;
    *reason = "op or params are not understood";
    return read_step(json_object_get(json, "params"), it, &it->moved.steps[0]);
}
