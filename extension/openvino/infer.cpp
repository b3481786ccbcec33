/* The shape of the result. A static one is the map's; what becomes of dynamic dimensions is what OpenVINO's own operators say.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "steps.h"

#include <algorithm>
#include <stdexcept>

#include <openvino/op/broadcast.hpp>
#include <openvino/op/constant.hpp>
#include <openvino/op/depth_to_space.hpp>
#include <openvino/op/parameter.hpp>
#include <openvino/op/reshape.hpp>
#include <openvino/op/shuffle_channels.hpp>
#include <openvino/op/space_to_depth.hpp>
#include <openvino/op/squeeze.hpp>
#include <openvino/op/tile.hpp>
#include <openvino/op/transpose.hpp>
#include <openvino/op/unsqueeze.hpp>

namespace clmove_openvino {

namespace {

std::shared_ptr<ov::Node> constant(const std::vector<int64_t> &values) {
    return ov::op::v0::Constant::create(ov::element::i64, ov::Shape{values.size()}, values);
}

/* Reshape reads 0 as keep if it is told so, and has no other way to say it. */
std::shared_ptr<ov::Node> reshape(const step &it, const std::shared_ptr<ov::Node> &src) {
    std::vector<int64_t> to = it.numbers;
    const bool keeps = std::count(to.begin(), to.end(), KEEP) != 0;
    if (keeps && std::count(to.begin(), to.end(), 0))
        throw std::invalid_argument("the step \"" + it.text + "\": a dimension of 0 beside = needs a static shape");
    std::replace(to.begin(), to.end(), KEEP, int64_t{0});
    return std::make_shared<ov::op::v1::Reshape>(src, constant(to), keeps);
}

/* In the place of = stands 1, which a bidirectional broadcast leaves as it is. */
std::shared_ptr<ov::Node> expand(const step &it, const std::shared_ptr<ov::Node> &src) {
    std::vector<int64_t> to = it.numbers;
    std::replace(to.begin(), to.end(), KEEP, int64_t{1});
    return std::make_shared<ov::op::v3::Broadcast>(src, constant(to), ov::op::BroadcastType::BIDIRECTIONAL);
}

std::shared_ptr<ov::Node> as_node(const step &it, const std::shared_ptr<ov::Node> &src) {
    using to_depth = ov::op::v0::SpaceToDepth;
    using to_space = ov::op::v0::DepthToSpace;
    switch (it.what) {
    case kind::reshape:
        return reshape(it, src);
    case kind::expand:
        return expand(it, src);
    case kind::permute:
        return std::make_shared<ov::op::v1::Transpose>(src, constant(it.numbers));
    case kind::tile:
        return std::make_shared<ov::op::v0::Tile>(src, constant(it.numbers));
    case kind::squeeze:
        return it.numbers.empty() ? std::make_shared<ov::op::v0::Squeeze>(src)
                                  : std::make_shared<ov::op::v0::Squeeze>(src, constant(it.numbers));
    case kind::unsqueeze:
        return std::make_shared<ov::op::v0::Unsqueeze>(src, constant(it.numbers));
    case kind::shuffle_channels:
        return std::make_shared<ov::op::v0::ShuffleChannels>(src, it.numbers[1], it.numbers[0]);
    case kind::space_to_depth:
    case kind::depth_to_space:
        break;
    }
    const size_t block = static_cast<size_t>(std::max<int64_t>(it.numbers[0], 0));
    if (it.what == kind::space_to_depth)
        return std::make_shared<to_depth>(
            src, it.depth_first ? to_depth::SpaceToDepthMode::DEPTH_FIRST : to_depth::SpaceToDepthMode::BLOCKS_FIRST, block);
    return std::make_shared<to_space>(
        src, it.depth_first ? to_space::DepthToSpaceMode::DEPTH_FIRST : to_space::DepthToSpaceMode::BLOCKS_FIRST, block);
}

} // namespace

ov::PartialShape infer(const std::vector<step> &steps, const ov::PartialShape &src) {
    if (src.is_static()) {
        const ov::Shape dims = src.to_shape();
        const std::vector<clmove_map> maps = maps_of(steps, 8, {dims.begin(), dims.end()});
        const int64_t *made = clmove_map_dims(&maps.back());
        return ov::PartialShape(std::vector<ov::Dimension>(made, made + clmove_map_rank(&maps.back())));
    }
    ov::PartialShape shape = src;
    for (const step &it : steps)
        shape = as_node(it, std::make_shared<ov::op::v0::Parameter>(ov::element::u8, shape))->get_output_partial_shape(0);
    return shape;
}

} // namespace clmove_openvino
