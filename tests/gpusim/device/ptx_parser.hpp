// What reads PTX keeps while it reads: ptx_parser.cpp has the lines, ptx_instructions.cpp an instruction's.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tests/gpusim/device/ptx.hpp"

#include <map>
#include <utility>

namespace gpusim {

std::string trim(const std::string &text);
std::vector<std::string> split(const std::string &text, char by);

// "a, {b, c}, [d+4]" at the commas that are not within brackets.
std::vector<std::string> split_operands(const std::string &text);

struct Variable {
    std::string name;
    uint32_t bytes = 8, align = 0;
    Space points_to = Space::Param;
};

class Parser {
  public:
    Kernel parse(const std::string &text, const std::string &name);

  private:
    Kernel kernel;
    std::map<std::string, int> registers, labels;
    std::map<std::string, uint64_t> symbols;
    std::map<std::string, Variable> shared; // declared; a kernel has those that it uses
    std::map<int, std::string> files;
    std::map<std::string, int> sites;
    std::map<uint64_t, int> rows;                      // of values
    std::vector<std::pair<int, std::string>> branches; // to be resolved
    std::string place;
    int line = 0;

    [[noreturn]] void fail(const std::string &why, const std::string &text) const;
    void declare_registers(const std::string &text);
    Variable read_variable(const std::string &text) const;
    void add_parameter(const std::string &text);
    uint64_t add_memory(const Variable &variable, uint64_t base, uint32_t *used);
    void add_shared(const std::string &text);
    void set_place(const std::string &text);
    void set_file(const std::string &text);
    void read_line(const std::string &text);
    void finish();

    int reg(const std::string &name) const;
    Source source(const std::string &text);
    void set_type(const std::string &type, uint8_t *bits, bool *is_signed) const;
    void set_address(Instruction &in, std::string text);
    void set_plain(Instruction &in, Op op, Class cls, size_t sources, const std::vector<std::string> &operands);
    bool read_plain(Instruction &in, const std::vector<std::string> &parts, const std::vector<std::string> &operands);
    void read_move(Instruction &in, const std::vector<std::string> &parts, const std::vector<std::string> &operands);
    void read_access(Instruction &in, const std::vector<std::string> &parts, const std::vector<std::string> &operands);
    bool read_control(Instruction &in, const std::string &op, const std::vector<std::string> &operands);
    std::string read_guard(Instruction &in, const std::string &text) const;
    void add_instruction(const std::string &text);
};

} // namespace gpusim
