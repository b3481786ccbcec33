// Reads the PTX that clang writes for a kernel.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gpusim {

enum class Op : uint8_t {
    Mov,
    Pack,
    Unpack,
    Cvt,
    Add,
    Sub,
    MulLo,
    MulHi,
    MulWide,
    MadLo,
    MadHi,
    MadWide,
    Div,
    Rem,
    Min,
    Max,
    Neg,
    Abs,
    And,
    Or,
    Xor,
    Not,
    Lop3,
    Shl,
    Shr,
    Setp,
    Selp,
    Prmt,
    Bfe,
    Bfi,
    Brev,
    Clz,
    Popc,
    ShfL,
    ShfR,
    Ld,
    St,
    Bra,
    Ret,
    Bar,
    Nop
};

enum class Space : uint8_t { Generic, Global, Local, Shared, Param };

enum class Compare : uint8_t { Eq, Ne, Lt, Le, Gt, Ge };

struct Source {
    // The register, or else -1 and there is a value.
    int reg = -1;
    uint64_t value = 0;
    // Where a run has it. Values have rows as registers do.
    int row = 0;
};

// What an instruction costs a GPU, as far as counting goes.
enum class Class : uint8_t { Free, Alu, Mul, Div, Memory, Control };

struct Instruction {
    Op op = Op::Nop;
    Class cls = Class::Alu;
    // 32-bit instructions that it becomes, estimated.
    uint8_t slots = 1;
    uint8_t bits = 32, from_bits = 32;
    bool is_signed = false, from_signed = false, negate_guard = false;
    Compare compare = Compare::Eq;
    Space space = Space::Generic;
    uint8_t vector = 1;
    int guard = -1;
    int dst[4] = {-1, -1, -1, -1};
    uint8_t dsts = 0, srcs = 0;
    Source src[5];
    int64_t offset = 0;
    int target = -1;
    // Where the lanes of a branch meet again.
    int reconverge = -1;
    int line = 0, site = -1;
};

struct Parameter {
    uint32_t offset, bytes;
    // Param: it is a value, and points to nothing.
    Space points_to;
};

struct Kernel {
    std::string name;
    std::vector<Parameter> parameters;
    uint32_t parameter_bytes = 0, local_bytes = 0, shared_bytes = 0;
    std::vector<Instruction> code;
    int registers = 0;
    // The bits of each register; 1 for a predicate.
    std::vector<uint8_t> width;
    // What the rows after those of the registers hold.
    std::vector<uint64_t> values;
    // 32-bit registers alive at once, at most.
    int live = 0;
    // The file and line of each place that touches global memory.
    std::vector<std::string> sites;
};

// The first registers: ids and sizes, of x, y and z each.
constexpr int TID = 0, NTID = 3, CTAID = 6, NCTAID = 9, SPECIAL = 12;

constexpr uint64_t LOCAL_BASE = 1ull << 60, SHARED_BASE = 2ull << 60, PARAM_BASE = 3ull << 60;

// Throws std::runtime_error with the line that it does not know.
Kernel parse_ptx(const std::string &text, const std::string &kernel);

// The names of the kernels.
std::vector<std::string> list_kernels(const std::string &text);

} // namespace gpusim
