// From OpenCL C to PTX, with clang.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

namespace gpusim {

struct Compiled {
    bool is_done = false;
    std::string ptx, log;
};

// With GPUSIM_CACHE, a folder, what was compiled once is read from there.
Compiled compile(const std::string &source, const std::vector<std::string> &options);

// A build's options at the blanks that are not within quotes.
std::vector<std::string> split_options(const char *options);

} // namespace gpusim
