// What the clGet...Info functions give back.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tests/gpusim/opencl/objects.hpp"

#include <cstring>

namespace gpusim {

struct Answer {
    size_t room;
    void *to;
    size_t *size;

    cl_int bytes(const void *value, size_t count) const {
        if (to && room < count)
            return CL_INVALID_VALUE;
        if (to && count)
            memcpy(to, value, count);
        if (size)
            *size = count;
        return CL_SUCCESS;
    }
    template <typename T> cl_int number(const T &value) const { return bytes(&value, sizeof value); }
    cl_int text(const std::string &value) const { return bytes(value.c_str(), value.size() + 1); }
};

} // namespace gpusim
