/* Steps as text, and as maps.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "steps.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <stdexcept>

namespace clmove_openvino {

/* ---- text ---- */

namespace {

enum class form { numbers, numbers_or_keep, block_and_mode, group_and_axis };

struct name_row {
    const char *name;
    kind what;
    form has;
};

const name_row NAMES[] = {
    {"reshape", kind::reshape, form::numbers_or_keep},
    {"permute", kind::permute, form::numbers},
    {"tile", kind::tile, form::numbers},
    {"expand", kind::expand, form::numbers_or_keep},
    {"space-to-depth", kind::space_to_depth, form::block_and_mode},
    {"depth-to-space", kind::depth_to_space, form::block_and_mode},
    {"squeeze", kind::squeeze, form::numbers},
    {"unsqueeze", kind::unsqueeze, form::numbers},
    {"shuffle-channels", kind::shuffle_channels, form::group_and_axis},
};

[[noreturn]] void refuse(const std::string &step, const std::string &why) {
    throw std::invalid_argument("the step \"" + step + "\": " + why);
}

std::string trim(const std::string &text) {
    const char *blanks = " \t\n";
    const size_t first = text.find_first_not_of(blanks);
    return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::vector<std::string> split(const std::string &text, char at) {
    std::vector<std::string> parts;
    size_t begin = 0, end;
    while ((end = text.find(at, begin)) != std::string::npos) {
        parts.push_back(trim(text.substr(begin, end - begin)));
        begin = end + 1;
    }
    parts.push_back(trim(text.substr(begin)));
    return parts;
}

int64_t number(const std::string &word, const std::string &step, bool may_keep) {
    if (may_keep && word == "=")
        return KEEP;
    char *end = nullptr;
    errno = 0;
    const long long value = std::strtoll(word.c_str(), &end, 10);
    if (word.empty() || *end || errno || value == KEEP)
        refuse(step, "\"" + word + "\" is no whole number" + (may_keep ? " and not =" : ""));
    return value;
}

/* "" is the list without a number. */
std::vector<int64_t> numbers(const std::string &words, const std::string &step, bool may_keep) {
    std::vector<int64_t> values;
    if (!words.empty())
        for (const std::string &word : split(words, ','))
            values.push_back(number(word, step, may_keep));
    return values;
}

step parse_one(const std::string &text) {
    const size_t blank = text.find_first_of(" \t\n");
    const std::string name = text.substr(0, blank);
    const std::string value = blank == std::string::npos ? "" : trim(text.substr(blank));
    const auto row = std::find_if(std::begin(NAMES), std::end(NAMES), [&](const name_row &each) { return name == each.name; });
    if (row == std::end(NAMES)) {
        std::string all;
        for (const name_row &each : NAMES)
            all += std::string(all.empty() ? "" : ", ") + each.name;
        refuse(text, "there is no \"" + name + "\"; steps are " + all);
    }
    step made{row->what, {}, false, text};
    if (row->has == form::numbers || row->has == form::numbers_or_keep) {
        made.numbers = numbers(value, text, row->has == form::numbers_or_keep);
        return made;
    }
    const std::vector<std::string> pair = split(value, ':');
    if (pair.size() != 2)
        refuse(text, row->has == form::block_and_mode ? "write it as " + name + " 2:blocks_first, or 2:depth_first"
                                                      : "write it as " + name + " GROUP:AXIS, such as 4:1");
    made.numbers.push_back(number(pair[0], text, false));
    if (row->has == form::group_and_axis)
        made.numbers.push_back(number(pair[1], text, false));
    else if (pair[1] != "blocks_first" && pair[1] != "depth_first")
        refuse(text, "the mode is \"" + pair[1] + "\", and may be blocks_first or depth_first");
    made.depth_first = pair[1] == "depth_first";
    return made;
}

} // namespace

std::vector<step> parse(const std::string &text) {
    std::vector<step> steps;
    if (!trim(text).empty())
        for (const std::string &each : split(text, ';'))
            steps.push_back(parse_one(each));
    return steps;
}

/* ---- maps ---- */

namespace {

int64_t count(const std::vector<int64_t> &values) {
    return static_cast<int64_t>(values.size());
}

std::vector<int64_t> dims_of(const clmove_map &map) {
    const int64_t *dims = clmove_map_dims(&map);
    return {dims, dims + clmove_map_rank(&map)};
}

int64_t axis_in(int64_t axis, int64_t rank, const step &it) {
    if (axis < -rank || axis >= rank)
        refuse(it.text, "axis " + std::to_string(axis) + " is not one of " + std::to_string(rank) + " dimensions");
    return axis < 0 ? axis + rank : axis;
}

/* Axes of squeeze and unsqueeze as marks, one for each of rank dimensions. */
std::vector<bool> marks(const step &it, int64_t rank) {
    std::vector<bool> marked(static_cast<size_t>(rank));
    for (int64_t axis : it.numbers) {
        const size_t at = static_cast<size_t>(axis_in(axis, rank, it));
        if (marked[at])
            refuse(it.text, "axis " + std::to_string(axis) + " stands twice");
        marked[at] = true;
    }
    return marked;
}

/* The dimensions without those that are squeezed: all of 1 if the step has no axes. */
std::vector<int64_t> squeezed(const step &it, const std::vector<int64_t> &dims) {
    const std::vector<bool> marked = marks(it, count(dims));
    std::vector<int64_t> left;
    for (size_t i = 0; i < dims.size(); i++) {
        if (marked[i] && dims[i] != 1)
            refuse(it.text, "dimension " + std::to_string(i) + " is " + std::to_string(dims[i]) + ", and 1 alone is squeezed");
        if (!(marked[i] || (it.numbers.empty() && dims[i] == 1)))
            left.push_back(dims[i]);
    }
    return left;
}

std::vector<int64_t> unsqueezed(const step &it, const std::vector<int64_t> &dims) {
    const std::vector<bool> marked = marks(it, count(dims) + count(it.numbers));
    std::vector<int64_t> wide;
    auto next = dims.begin();
    for (bool mark : marked)
        wide.push_back(mark ? 1 : *next++);
    return wide;
}

/* The numbers with the dimensions in the place of =: the same dimension for reshape, the same from the end for expand. */
std::vector<int64_t> kept(const step &it, const std::vector<int64_t> &dims) {
    std::vector<int64_t> values = it.numbers;
    const int64_t shift = it.what == kind::expand ? count(dims) - count(values) : 0;
    for (size_t i = 0; i < values.size(); i++) {
        const int64_t from = static_cast<int64_t>(i) + shift;
        if (values[i] == KEEP && (from < 0 || from >= count(dims)))
            refuse(it.text, "= in the place of dimension " + std::to_string(i) + " has nothing to keep");
        if (values[i] == KEEP)
            values[i] = dims[static_cast<size_t>(from)];
    }
    return values;
}

/* [.., C, ..] as [.., group, C / group, ..], these two exchanged, and joined again. */
clmove_status shuffle(const step &it, clmove_map *map, clmove_error *error) {
    const std::vector<int64_t> dims = dims_of(*map);
    const int64_t group = it.numbers[0];
    const size_t axis = static_cast<size_t>(axis_in(it.numbers[1], count(dims), it));
    if (group < 1 || dims[axis] % group)
        refuse(it.text,
               "dimension " + std::to_string(axis) + " is " + std::to_string(dims[axis]) + ", not a multiple of the group");
    std::vector<int64_t> split_dims = dims, order(dims.size() + 1);
    split_dims[axis] = dims[axis] / group;
    split_dims.insert(split_dims.begin() + static_cast<std::ptrdiff_t>(axis), group);
    for (size_t i = 0; i < order.size(); i++)
        order[i] = static_cast<int64_t>(i == axis ? i + 1 : i == axis + 1 ? axis : i);
    clmove_map next = *map;
    clmove_status status = clmove_map_reshape(&next, count(split_dims), split_dims.data(), error);
    if (status == CLMOVE_OK)
        status = clmove_map_permute(&next, count(order), order.data(), error);
    if (status == CLMOVE_OK)
        status = clmove_map_reshape(&next, count(dims), dims.data(), error);
    if (status == CLMOVE_OK)
        *map = next;
    return status;
}

clmove_status apply(const step &it, clmove_map *map, clmove_error *error) {
    const clmove_mode mode = it.depth_first ? CLMOVE_DEPTH_FIRST : CLMOVE_BLOCKS_FIRST;
    const std::vector<int64_t> dims = dims_of(*map);
    std::vector<int64_t> to = it.numbers;
    switch (it.what) {
    case kind::permute:
        return clmove_map_permute(map, count(to), to.data(), error);
    case kind::tile:
        return clmove_map_tile(map, count(to), to.data(), CLMOVE_RULES_OPENVINO, error);
    case kind::space_to_depth:
        return clmove_map_space_to_depth(map, to[0], mode, CLMOVE_RULES_OPENVINO, error);
    case kind::depth_to_space:
        return clmove_map_depth_to_space(map, to[0], mode, CLMOVE_RULES_OPENVINO, error);
    case kind::shuffle_channels:
        return shuffle(it, map, error);
    case kind::expand:
        to = kept(it, dims);
        return clmove_map_expand(map, count(to), to.data(), CLMOVE_RULES_OPENVINO, error);
    case kind::reshape:
        to = kept(it, dims);
        break;
    case kind::squeeze:
        to = squeezed(it, dims);
        break;
    case kind::unsqueeze:
        to = unsqueezed(it, dims);
        break;
    }
    return clmove_map_reshape(map, count(to), to.data(), error);
}

} // namespace

std::vector<clmove_map> maps_of(const std::vector<step> &steps, uint32_t element_bits, const std::vector<int64_t> &dims) {
    clmove_error error;
    std::vector<clmove_map> maps(1);
    if (clmove_map_init(&maps[0], element_bits, count(dims), dims.data(), &error) != CLMOVE_OK)
        throw std::invalid_argument(error.text);
    for (const step &it : steps) {
        clmove_status status = apply(it, &maps.back(), &error);
        if (status == CLMOVE_UNSUPPORTED) { /* no single map expresses it: another begins here */
            const std::vector<int64_t> between = dims_of(maps.back());
            maps.emplace_back();
            status = clmove_map_init(&maps.back(), element_bits, count(between), between.data(), &error);
            if (status == CLMOVE_OK)
                status = apply(it, &maps.back(), &error);
        }
        if (status != CLMOVE_OK)
            refuse(it.text, error.text);
    }
    return maps;
}

} // namespace clmove_openvino
