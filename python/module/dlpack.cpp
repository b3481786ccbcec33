/* Memory of other libraries through DLPack, for element types that NumPy's own functions do not know: bfloat16, and floats of 8
 * bits. Nothing is copied.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "module.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>
#include <vector>

namespace nb = nanobind;
using nb::literals::operator""_a;

/* What NumPy needs to make an array of it: the address, the shape, the strides in elements, code, bits and lanes of DLPack's
 * type, and what holds the memory. */
template <typename array> static nb::tuple parts_of(const array &it) {
    nb::list shape, strides;
    for (size_t i = 0; i < it.ndim(); i++) {
        shape.append(it.shape(i));
        strides.append(it.stride(i));
    }
    const nb::dlpack::dtype type = it.dtype();
    return nb::make_tuple(reinterpret_cast<std::uintptr_t>(it.data()), nb::tuple(shape), nb::tuple(strides),
                          static_cast<int>(type.code), static_cast<int>(type.bits), static_cast<int>(type.lanes),
                          nb::capsule(new array(it), [](void *held) noexcept { delete static_cast<array *>(held); }));
}

static nb::tuple read_parts(const nb::ndarray<nb::ro> &it) {
    return parts_of(it);
}

/* Memory that is read-only is not taken. */
static nb::tuple write_parts(const nb::ndarray<> &it) {
    return parts_of(it);
}

/* An object with __dlpack__, over memory that owner holds. strides: of elements. */
static nb::object lend(nb::handle owner, std::uintptr_t address, const std::vector<size_t> &shape,
                       const std::vector<int64_t> &strides, int code, int bits) {
    const nb::dlpack::dtype type = {static_cast<uint8_t>(code), static_cast<uint8_t>(bits), 1};
    const nb::ndarray<nb::array_api> lent(reinterpret_cast<void *>(address), shape.size(), shape.data(), owner, strides.data(),
                                          type, nb::device::cpu::value);
    return nb::cast(lent);
}

void add_dlpack(nb::module_ &module) {
    module.def("read_dlpack", read_parts, nb::arg("array").noconvert());
    module.def("write_dlpack", write_parts, nb::arg("array").noconvert());
    module.def("lend", lend, "owner"_a, "address"_a, "shape"_a, "strides"_a, "code"_a, "bits"_a);
}
