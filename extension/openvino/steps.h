/* The steps of clmove.Move, as text and as operators of the library.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_OPENVINO_STEPS_H
#define CLMOVE_OPENVINO_STEPS_H

#include <clmove/map.h>

#include <string>
#include <vector>

#include <openvino/core/partial_shape.hpp>

namespace clmove_openvino {

enum class kind {
    reshape,
    permute,
    tile,
    expand,
    space_to_depth,
    depth_to_space,
    squeeze,
    unsqueeze,
    shuffle_channels,
};

/* In the numbers of reshape and expand: the dimension that is there already. */
constexpr int64_t KEEP = INT64_MIN;

struct step {
    kind what;
    /* Dimensions, an order, repeats or axes; of blocks the block size; of shuffle_channels the group and the axis. */
    std::vector<int64_t> numbers;
    bool depth_first;
    /* As it was written, for sentences. */
    std::string text;
};

/* Reads steps such as "space-to-depth 2:blocks_first; permute 0,2,3,1; reshape =,-1,48". The names and values are those of
 * `clmove move`; in addition, = keeps a dimension, and there are squeeze AXES, unsqueeze AXES and shuffle-channels GROUP:AXIS.
 * Throws std::invalid_argument with a sentence. */
std::vector<step> parse(const std::string &text);

/* The maps that the steps are for a source of this shape: one, or more where a reshape cuts across what an earlier step
 * separated. Throws std::invalid_argument with the library's sentence and the step. */
std::vector<clmove_map> maps_of(const std::vector<step> &steps, uint32_t element_bits, const std::vector<int64_t> &dims);

/* The shape of the result. Where the source has dynamic dimensions, OpenVINO's own operators say what becomes of them. Throws
 * std::invalid_argument, or what these operators throw. */
ov::PartialShape infer(const std::vector<step> &steps, const ov::PartialShape &src);

} // namespace clmove_openvino

#endif
