// Reads PTX line by line: declarations, labels, places in the source.
// SPDX-License-Identifier: Apache-2.0
#include "tests/gpusim/device/ptx_parser.hpp"
#include "tests/gpusim/device/control_flow.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <sstream>
#include <stdexcept>

namespace gpusim {

std::string trim(const std::string &text) {
    const size_t first = text.find_first_not_of(" \t\r"), last = text.find_last_not_of(" \t\r");
    return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

std::vector<std::string> split(const std::string &text, char by) {
    std::vector<std::string> parts;
    std::string part;
    std::istringstream stream(text);
    while (std::getline(stream, part, by))
        parts.push_back(part);
    return parts;
}

std::vector<std::string> split_operands(const std::string &text) {
    std::vector<std::string> parts;
    int depth = 0;
    std::string part;
    for (char c : text) {
        depth += (c == '{' || c == '[') - (c == '}' || c == ']');
        if (c == ',' && depth == 0) {
            parts.push_back(trim(part));
            part.clear();
        } else
            part += c;
    }
    if (!trim(part).empty())
        parts.push_back(trim(part));
    return parts;
}

static bool begins(const std::string &text, const char *with) {
    return text.rfind(with, 0) == 0;
}

// The lines without comments.
static std::vector<std::string> read_lines(const std::string &text) {
    std::vector<std::string> lines;
    for (std::string &line : split(text, '\n')) {
        const size_t comment = line.find("//");
        if (comment != std::string::npos)
            line.resize(comment);
        lines.push_back(trim(line));
    }
    return lines;
}

// The name in ".visible .entry name(".
static std::string entry_of(const std::string &line) {
    const size_t entry = line.find(".entry ");
    if (entry == std::string::npos)
        return "";
    const std::string rest = line.substr(entry + 7);
    return trim(rest.substr(0, rest.find('(')));
}

void Parser::fail(const std::string &why, const std::string &text) const {
    throw std::runtime_error("PTX: " + why + ": " + text);
}

void Parser::declare_registers(const std::string &text) { // .reg .b32 %r<50>;
    std::istringstream stream(text);
    std::string reg, type, name;
    stream >> reg >> type >> name;
    name.erase(std::remove(name.begin(), name.end(), ';'), name.end());
    const uint8_t width = type == ".pred" ? 1 : (uint8_t)atoi(type.c_str() + 2);
    const size_t open = name.find('<');
    const int count = open == std::string::npos ? 0 : atoi(name.c_str() + open + 1);
    for (int i = 0; i < std::max(count, 1); i++) {
        registers[open == std::string::npos ? name : name.substr(0, open) + std::to_string(i)] = kernel.registers++;
        kernel.width.push_back(width);
    }
}

// ".align 16 .b8 name[64]" or ".param .u64 .ptr .global .align 1 name".
Variable Parser::read_variable(const std::string &text) const {
    std::istringstream stream(text);
    std::string word, last;
    Variable it;
    uint32_t unit = 8;
    bool points = false;
    while (stream >> word) {
        if (word == ".align" && stream >> word)
            it.align = (uint32_t)atoi(word.c_str());
        else if (word == ".ptr")
            points = true;
        else if (points && word == ".shared")
            it.points_to = Space::Shared;
        else if (points && word[0] == '.')
            it.points_to = Space::Global; // or constant memory, which is a buffer as well
        else if (word[0] == '.' && (word[1] == 'b' || word[1] == 'u' || word[1] == 's') && isdigit(word[2]))
            unit = (uint32_t)atoi(word.c_str() + 2) / 8;
        else
            last = word;
    }
    last.erase(std::remove_if(last.begin(), last.end(), [](char c) { return c == ',' || c == ';' || c == ')'; }), last.end());
    const size_t open = last.find('[');
    it.name = last.substr(0, open);
    it.bytes = unit * (open == std::string::npos ? 1 : (uint32_t)atoi(last.c_str() + open + 1));
    if (it.align == 0 || open == std::string::npos)
        it.align = unit;
    return it;
}

uint64_t Parser::add_memory(const Variable &variable, uint64_t base, uint32_t *used) {
    *used = (*used + variable.align - 1) / variable.align * variable.align;
    const uint64_t address = base + *used;
    symbols[variable.name] = address;
    *used += variable.bytes;
    return address;
}

void Parser::add_shared(const std::string &text) {
    const Variable it = read_variable(text);
    shared[it.name] = it;
}

void Parser::add_parameter(const std::string &text) {
    const Variable it = read_variable(text);
    const uint64_t address = add_memory(it, PARAM_BASE, &kernel.parameter_bytes);
    kernel.parameters.push_back({(uint32_t)(address - PARAM_BASE), it.bytes, it.points_to});
}

// ".loc 1 12 5" or ".loc 1 12 5, function_name $L__info_string0, inlined_at 1 30 3"
void Parser::set_place(const std::string &text) {
    std::istringstream stream(text);
    std::string loc;
    int file = 0, number = 0;
    stream >> loc >> file >> number;
    auto found = files.find(file);
    place = (found == files.end() ? "?" : found->second) + ":" + std::to_string(number);
}

void Parser::set_file(const std::string &text) { // .file 1 "/dir/name" or .file 1 "dir" "name"
    std::istringstream stream(text);
    std::string word;
    int number = 0;
    stream >> word >> number;
    const std::vector<std::string> quoted = split(text, '"');
    const std::string name = quoted.size() >= 4 ? quoted[3] : quoted.size() >= 2 ? quoted[1] : "?";
    const size_t slash = name.rfind('/');
    files[number] = slash == std::string::npos ? name : name.substr(slash + 1);
}

// Of the body.
void Parser::read_line(const std::string &s) {
    if (begins(s, ".local"))
        add_memory(read_variable(s), LOCAL_BASE, &kernel.local_bytes);
    else if (begins(s, ".loc"))
        set_place(s);
    else if (begins(s, ".shared"))
        add_shared(s);
    else if (begins(s, ".reg"))
        declare_registers(s);
    else if (s.back() == ':')
        labels[s.substr(0, s.size() - 1)] = (int)kernel.code.size();
    else if (s[0] != '{' && s[0] != '}' && s[0] != '.')
        add_instruction(s);
}

void Parser::finish() {
    if (kernel.code.empty())
        fail("there is no kernel", kernel.name);
    Instruction last;
    last.op = Op::Ret;
    last.cls = Class::Control;
    kernel.code.push_back(last);
    for (const auto &branch : branches) {
        auto found = labels.find(branch.second);
        if (found == labels.end())
            fail("unknown label", branch.second);
        kernel.code[(size_t)branch.first].target = found->second;
    }
    for (Instruction &in : kernel.code) // the rows of values follow those of the registers
        for (int i = 0; i < in.srcs; i++)
            in.src[i].row = in.src[i].reg >= 0 ? in.src[i].reg : kernel.registers + rows.at(in.src[i].value);
    kernel.values.resize(rows.size());
    for (const auto &row : rows)
        kernel.values[(size_t)row.second] = row.first;
}

Kernel Parser::parse(const std::string &text, const std::string &name) {
    enum { Outside, Head, Body } at = Outside;
    const std::vector<std::string> lines = read_lines(text);
    kernel.name = name;
    kernel.registers = SPECIAL;
    kernel.width.assign(SPECIAL, 32);
    for (const std::string &s : lines) // they come last
        if (begins(s, ".file"))
            set_file(s);
    for (const std::string &s : lines) {
        line++;
        if (s.empty() || begins(s, ".file"))
            continue;
        if (at == Outside && s.find(".shared ") != std::string::npos)
            add_shared(s);
        else if (entry_of(s) == name)
            at = Head;
        else if (at == Head && s[0] == '{')
            at = Body;
        else if (at == Head && begins(s, ".param"))
            add_parameter(s);
        else if (at == Body && s == "}")
            break;
        else if (at == Body)
            read_line(s);
    }
    finish();
    return kernel;
}

Kernel parse_ptx(const std::string &text, const std::string &name) {
    Parser parser;
    Kernel kernel = parser.parse(text, name);
    const std::vector<Block> blocks = find_blocks(kernel);
    set_reconvergence(kernel, blocks);
    free_constant_parameters(kernel);
    find_live(kernel, blocks);
    return kernel;
}

std::vector<std::string> list_kernels(const std::string &text) {
    std::vector<std::string> names;
    for (const std::string &line : read_lines(text)) {
        const std::string name = entry_of(line);
        if (!name.empty())
            names.push_back(name);
    }
    return names;
}

} // namespace gpusim
