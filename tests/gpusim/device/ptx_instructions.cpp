// Reads one instruction of PTX, and says what it costs.
// SPDX-License-Identifier: Apache-2.0
#include "tests/gpusim/device/ptx_parser.hpp"

#include <algorithm>
#include <cstdlib>

namespace gpusim {

static bool has(const std::vector<std::string> &parts, const char *part) {
    return std::find(parts.begin() + 1, parts.end(), part) != parts.end();
}

static std::vector<std::string> inside(const std::string &text) { // {a, b}
    return split_operands(text.substr(1, text.size() - 2));
}

int Parser::reg(const std::string &name) const {
    auto found = registers.find(name);
    if (found == registers.end())
        fail("unknown register", name);
    return found->second;
}

Source Parser::source(const std::string &text) {
    static const std::map<std::string, int> special = {
        {"%tid.x", TID},         {"%tid.y", TID + 1},   {"%tid.z", TID + 2},       {"%ntid.x", NTID},
        {"%ntid.y", NTID + 1},   {"%ntid.z", NTID + 2}, {"%ctaid.x", CTAID},       {"%ctaid.y", CTAID + 1},
        {"%ctaid.z", CTAID + 2}, {"%nctaid.x", NCTAID}, {"%nctaid.y", NCTAID + 1}, {"%nctaid.z", NCTAID + 2}};
    Source s;
    auto known = special.find(text);
    if (known != special.end())
        s.reg = known->second;
    else if (text[0] == '%')
        s.reg = reg(text);
    else if (text[0] == '-' || (text[0] >= '0' && text[0] <= '9'))
        s.value = text[0] == '-' ? (uint64_t)strtoll(text.c_str(), nullptr, 0) : strtoull(text.c_str(), nullptr, 0);
    else {
        auto symbol = symbols.find(text);
        auto module_wide = shared.find(text);
        if (symbol != symbols.end())
            s.value = symbol->second;
        else if (module_wide != shared.end())
            s.value = add_memory(module_wide->second, SHARED_BASE, &kernel.shared_bytes);
        else
            fail("unknown name", text);
    }
    if (s.reg < 0)
        rows.emplace(s.value, (int)rows.size());
    return s;
}

void Parser::set_type(const std::string &type, uint8_t *bits, bool *is_signed) const {
    if (type == "pred") {
        *bits = 1;
        return;
    }
    *is_signed = type[0] == 's';
    *bits = (uint8_t)atoi(type.c_str() + 1);
    if (*bits == 0 || type[0] == 'f')
        fail("unknown type", type);
}

void Parser::set_address(Instruction &in, std::string text) { // [a+4]
    text = text.substr(1, text.size() - 2);
    const size_t plus = text.find('+', 1);
    if (plus != std::string::npos) {
        in.offset = strtoll(text.c_str() + plus + 1, nullptr, 0);
        text = text.substr(0, plus);
    }
    in.src[0] = source(trim(text));
}

void Parser::set_plain(Instruction &in, Op op, Class cls, size_t sources, const std::vector<std::string> &operands) {
    in.op = op;
    in.cls = cls;
    if (operands.size() != sources + 1)
        fail("operands", operands.empty() ? "none" : operands[0]);
    in.dst[0] = reg(operands[0]);
    in.dsts = 1;
    in.srcs = (uint8_t)sources;
    for (size_t i = 0; i < sources; i++)
        in.src[i] = source(operands[i + 1]);
}

// What computes: one row of the table is an instruction, whose slots are those of 32 and of 64 bits.
bool Parser::read_plain(Instruction &in, const std::vector<std::string> &parts, const std::vector<std::string> &operands) {
    struct Row {
        const char *name, *part;
        Op op;
        Class cls;
        uint8_t sources, slots, wide_slots;
    };
    static const Row rows_of_ops[] = {
        {"add", nullptr, Op::Add, Class::Alu, 2, 1, 2},    {"sub", nullptr, Op::Sub, Class::Alu, 2, 1, 2},
        {"mul", "lo", Op::MulLo, Class::Mul, 2, 1, 4},     {"mul", "hi", Op::MulHi, Class::Mul, 2, 2, 10},
        {"mul", "wide", Op::MulWide, Class::Mul, 2, 1, 1}, {"mad", "lo", Op::MadLo, Class::Mul, 3, 1, 4},
        {"mad", "hi", Op::MadHi, Class::Mul, 3, 2, 10},    {"mad", "wide", Op::MadWide, Class::Mul, 3, 1, 1},
        {"div", nullptr, Op::Div, Class::Div, 2, 20, 70},  {"rem", nullptr, Op::Rem, Class::Div, 2, 20, 70},
        {"min", nullptr, Op::Min, Class::Alu, 2, 1, 2},    {"max", nullptr, Op::Max, Class::Alu, 2, 1, 2},
        {"neg", nullptr, Op::Neg, Class::Alu, 1, 1, 2},    {"abs", nullptr, Op::Abs, Class::Alu, 1, 1, 2},
        {"and", nullptr, Op::And, Class::Alu, 2, 1, 2},    {"or", nullptr, Op::Or, Class::Alu, 2, 1, 2},
        {"xor", nullptr, Op::Xor, Class::Alu, 2, 1, 2},    {"not", nullptr, Op::Not, Class::Alu, 1, 1, 2},
        {"lop3", nullptr, Op::Lop3, Class::Alu, 4, 1, 2},  {"shl", nullptr, Op::Shl, Class::Alu, 2, 1, 2},
        {"shr", nullptr, Op::Shr, Class::Alu, 2, 1, 2},    {"selp", nullptr, Op::Selp, Class::Alu, 3, 1, 2},
        {"prmt", nullptr, Op::Prmt, Class::Alu, 3, 1, 2},  {"bfe", nullptr, Op::Bfe, Class::Alu, 3, 1, 2},
        {"bfi", nullptr, Op::Bfi, Class::Alu, 4, 1, 2},    {"brev", nullptr, Op::Brev, Class::Alu, 1, 1, 2},
        {"clz", nullptr, Op::Clz, Class::Alu, 1, 1, 2},    {"popc", nullptr, Op::Popc, Class::Alu, 1, 1, 2},
        {"shf", "l", Op::ShfL, Class::Alu, 3, 1, 2},       {"shf", "r", Op::ShfR, Class::Alu, 3, 1, 2},
    };
    if (parts[0] == "shf" && !has(parts, "wrap"))
        return false;
    if (parts[0] == "mad" && has(parts, "cc"))
        return false;
    for (const Row &row : rows_of_ops)
        if (parts[0] == row.name && (!row.part || has(parts, row.part))) {
            set_type(parts.back(), &in.bits, &in.is_signed);
            set_plain(in, row.op, row.cls, row.sources, operands);
            in.slots = in.bits == 64 ? row.wide_slots : row.slots;
            return true;
        }
    return false;
}

void Parser::read_move(Instruction &in, const std::vector<std::string> &parts, const std::vector<std::string> &operands) {
    set_type(parts.back(), &in.bits, &in.is_signed);
    in.cls = Class::Free;
    in.slots = 0;
    if (operands[0][0] == '{') { // unpack
        in.op = Op::Unpack;
        for (const std::string &name : inside(operands[0]))
            in.dst[in.dsts++] = name == "_" ? -1 : reg(name);
        in.src[0] = source(operands[1]);
        in.srcs = 1;
    } else if (operands[1][0] == '{') {
        in.op = Op::Pack;
        in.dst[0] = reg(operands[0]);
        in.dsts = 1;
        for (const std::string &name : inside(operands[1]))
            in.src[in.srcs++] = source(name);
    } else {
        set_plain(in, Op::Mov, Class::Free, 1, operands);
        return;
    }
    if (in.bits != 64) {
        in.cls = Class::Alu;
        in.slots = 1;
    }
}

void Parser::read_access(Instruction &in, const std::vector<std::string> &parts, const std::vector<std::string> &operands) {
    in.op = parts[0] == "ld" ? Op::Ld : Op::St;
    in.cls = Class::Memory;
    in.space = has(parts, "global")   ? Space::Global
               : has(parts, "local")  ? Space::Local
               : has(parts, "shared") ? Space::Shared
               : has(parts, "param")  ? Space::Param
                                      : Space::Generic;
    if (in.space == Space::Param)
        in.cls = Class::Alu; // constant bank
    set_type(parts.back(), &in.bits, &in.is_signed);
    const bool loads = in.op == Op::Ld;
    const std::string &value = operands[loads ? 0 : 1];
    const std::vector<std::string> values = value[0] == '{' ? inside(value) : std::vector<std::string>{value};
    in.vector = (uint8_t)values.size();
    set_address(in, operands[loads ? 1 : 0]);
    in.srcs = 1;
    for (const std::string &name : values)
        if (loads)
            in.dst[in.dsts++] = reg(name);
        else
            in.src[in.srcs++] = source(name);
    if (in.space == Space::Global || in.space == Space::Generic) {
        auto made = sites.emplace(place, (int)kernel.sites.size());
        if (made.second)
            kernel.sites.push_back(place);
        in.site = made.first->second;
    }
}

bool Parser::read_control(Instruction &in, const std::string &op, const std::vector<std::string> &operands) {
    in.cls = Class::Control;
    if (op == "bra") {
        in.op = Op::Bra;
        if (in.guard < 0) { // the assembler lays blocks out so that most are not needed
            in.cls = Class::Free;
            in.slots = 0;
        }
        branches.emplace_back((int)kernel.code.size(), operands[0]);
    } else if (op == "ret" || op == "exit")
        in.op = Op::Ret;
    else if (op == "bar" || op == "barrier")
        in.op = Op::Bar;
    else if (op == "membar" || op == "fence")
        in.op = Op::Nop;
    else
        return false;
    return true;
}

// Reads "@!%p1 " in front of an instruction, and returns the rest.
std::string Parser::read_guard(Instruction &in, const std::string &text) const {
    if (text[0] != '@')
        return text;
    const size_t space = text.find_first_of(" \t");
    std::string guard = text.substr(1, space - 1);
    if (guard[0] == '!') {
        in.negate_guard = true;
        guard = guard.substr(1);
    }
    in.guard = reg(guard);
    return trim(text.substr(space));
}

static bool find_compare(const std::string &name, Compare *compare) {
    static const std::map<std::string, Compare> compares = {
        {"eq", Compare::Eq}, {"ne", Compare::Ne}, {"lt", Compare::Lt}, {"le", Compare::Le}, {"gt", Compare::Gt},
        {"ge", Compare::Ge}, {"lo", Compare::Lt}, {"ls", Compare::Le}, {"hi", Compare::Gt}, {"hs", Compare::Ge}};
    auto found = compares.find(name);
    if (found != compares.end())
        *compare = found->second;
    return found != compares.end();
}

void Parser::add_instruction(const std::string &whole) {
    Instruction in;
    in.line = line;
    std::string text = read_guard(in, whole);
    if (text.back() == ';')
        text.pop_back();
    const size_t space = text.find_first_of(" \t");
    const std::string head = text.substr(0, space), rest = space == std::string::npos ? "" : trim(text.substr(space));
    const std::vector<std::string> parts = split(head, '.'), operands = split_operands(rest);
    const std::string &op = parts[0];
    if (op == "mov" || op == "cvta")
        read_move(in, parts, operands);
    else if (op == "cvt" && parts.size() == 3) {
        set_plain(in, Op::Cvt, Class::Alu, 1, operands);
        set_type(parts[1], &in.bits, &in.is_signed);
        set_type(parts[2], &in.from_bits, &in.from_signed);
        const bool free = in.bits <= in.from_bits || !in.from_signed; // a register is used as it is, or with a 0 above
        in.cls = free ? Class::Free : Class::Alu;
        in.slots = free ? 0 : 1;
    } else if (op == "setp" && parts.size() == 3 && find_compare(parts[1], &in.compare)) {
        set_type(parts[2], &in.bits, &in.is_signed);
        set_plain(in, Op::Setp, Class::Alu, 2, operands);
        in.slots = in.bits == 64 ? 2 : 1;
    } else if (op == "ld" || op == "st")
        read_access(in, parts, operands);
    else if (!read_control(in, op, operands)) {
        in.cls = Class::Alu;
        if (!read_plain(in, parts, operands))
            fail("unknown instruction", whole);
    }
    kernel.code.push_back(in);
}

} // namespace gpusim
