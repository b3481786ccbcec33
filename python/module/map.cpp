/* Maps. Each function changes the map, and leaves it as it was if it fails.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "module.h"

#include <nanobind/stl/vector.h>
#include <vector>

namespace nb = nanobind;
using nb::literals::operator""_a;
using numbers = std::vector<int64_t>;

static int64_t count(const numbers &values) {
    return static_cast<int64_t>(values.size());
}

static void init(map_object *made, uint32_t element_bits, const numbers &dims) {
    clmove_error error;
    new (made) map_object;
    check(clmove_map_init(&made->map, element_bits, count(dims), dims.data(), &error), error);
}

/* The library reads one stride for each dimension. */
static void check_rank(const map_object &it, const numbers &strides) {
    if (count(strides) != clmove_map_rank(&it.map))
        fail(CLMOVE_BAD_SHAPE, "a view needs one stride for each dimension");
}

static void view_src(map_object &it, const numbers &strides, int64_t offset) {
    clmove_error error;
    check_rank(it, strides);
    check(clmove_map_view_src(&it.map, strides.data(), offset, &error), error);
}

static void view_dst(map_object &it, const numbers &strides, int64_t offset) {
    clmove_error error;
    check_rank(it, strides);
    check(clmove_map_view_dst(&it.map, strides.data(), offset, &error), error);
}

static void tile(map_object &it, const numbers &repeats) {
    clmove_error error;
    check(clmove_map_tile(&it.map, count(repeats), repeats.data(), CLMOVE_RULES_OPENVINO, &error), error);
}

static clmove_mode mode(bool depth_first) {
    return depth_first ? CLMOVE_DEPTH_FIRST : CLMOVE_BLOCKS_FIRST;
}

static void space_to_depth(map_object &it, int64_t block, bool depth_first) {
    clmove_error error;
    check(clmove_map_space_to_depth(&it.map, block, mode(depth_first), CLMOVE_RULES_OPENVINO, &error), error);
}

static void depth_to_space(map_object &it, int64_t block, bool depth_first) {
    clmove_error error;
    check(clmove_map_depth_to_space(&it.map, block, mode(depth_first), CLMOVE_RULES_OPENVINO, &error), error);
}

static void permute(map_object &it, const numbers &order) {
    clmove_error error;
    check(clmove_map_permute(&it.map, count(order), order.data(), &error), error);
}

static void reshape(map_object &it, const numbers &dims) {
    clmove_error error;
    check(clmove_map_reshape(&it.map, count(dims), dims.data(), &error), error);
}

static void expand(map_object &it, const numbers &dims) {
    clmove_error error;
    check(clmove_map_expand(&it.map, count(dims), dims.data(), CLMOVE_RULES_OPENVINO, &error), error);
}

static nb::tuple shape(const map_object &it) {
    const int64_t *dims = clmove_map_dims(&it.map);
    return nb::tuple(nb::cast(numbers(dims, dims + clmove_map_rank(&it.map))));
}

void add_map(nb::module_ &module) {
    nb::class_<map_object>(module, "Map")
        .def("__init__", init, "element_bits"_a, "dims"_a)
        .def("copy", [](const map_object &it) { return map_object(it); })
        .def("view_src", view_src, "strides"_a, "offset"_a)
        .def("view_dst", view_dst, "strides"_a, "offset"_a)
        .def("tile", tile, "repeats"_a)
        .def("space_to_depth", space_to_depth, "block"_a, "depth_first"_a)
        .def("depth_to_space", depth_to_space, "block"_a, "depth_first"_a)
        .def("permute", permute, "order"_a)
        .def("reshape", reshape, "dims"_a)
        .def("expand", expand, "dims"_a)
        .def_prop_ro("shape", shape);
}
