/* See move.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "move.h"

#include "program.h"

#include <openvino/core/extension.hpp>
#include <openvino/core/op_extension.hpp>

namespace clmove_openvino {

/* Elements that lie side by side, whole or packed as the library packs them. */
static bool is_movable(const ov::element::Type &type) {
    switch (type) {
    case ov::element::string:
    case ov::element::u3: /* these two have their bits in several places */
    case ov::element::u6:
        return false;
    default:
        return type.is_dynamic() || type.bitwidth() > 0;
    }
}

Move::Move(const ov::Output<ov::Node> &src, const std::string &steps_text, const std::string &selector)
    : Op({src}), text(steps_text), device(selector) {
    constructor_validate_and_infer_types();
}

bool Move::visit_attributes(ov::AttributeVisitor &visitor) {
    visitor.on_attribute("steps", text);
    visitor.on_attribute("device", device);
    return true;
}

void Move::validate_and_infer_types() {
    NODE_VALIDATION_CHECK(this, get_input_size() == 1, "clmove.Move has one input, not ", get_input_size());
    const ov::element::Type type = get_input_element_type(0);
    NODE_VALIDATION_CHECK(this, is_movable(type), "clmove.Move moves elements of a fixed width, and ", type, " has none");
    ov::PartialShape shape;
    try {
        steps = parse(text);
        shape = infer(steps, get_input_partial_shape(0));
    } catch (const std::invalid_argument &why) {
        NODE_VALIDATION_CHECK(this, false, "clmove.Move: ", why.what());
    }
    set_output_type(0, type, shape);
}

std::shared_ptr<ov::Node> Move::clone_with_new_inputs(const ov::OutputVector &inputs) const {
    check_new_args_count(this, inputs);
    return std::make_shared<Move>(inputs[0], text, device);
}

bool Move::has_evaluate() const {
    return true;
}

bool Move::evaluate(ov::TensorVector &outputs, const ov::TensorVector &inputs) const {
    ov::Tensor src = inputs[0];
    ov::Tensor &dst = outputs[0];
    const uint32_t bits = static_cast<uint32_t>(src.get_element_type().bitwidth());
    if (!src.is_continuous()) { /* a part of a larger tensor */
        src = ov::Tensor(src.get_element_type(), src.get_shape());
        inputs[0].copy_to(src);
    }
    try {
        const auto found = find_program(device, text, steps, bits, src.get_shape());
        dst.set_shape(found->shape());
        OPENVINO_ASSERT(dst.is_continuous(), "the output is a part of a larger tensor: pass one that is whole");
        found->run(src.data(), src.get_byte_size(), dst.data(), dst.get_byte_size());
    } catch (const std::logic_error &why) {
        OPENVINO_THROW("clmove.Move ", get_friendly_name(), ": ", why.what());
    } catch (const std::runtime_error &why) {
        OPENVINO_THROW("clmove.Move ", get_friendly_name(), ": ", why.what());
    }
    return true;
}

} // namespace clmove_openvino

static std::vector<ov::Extension::Ptr> extensions() {
    clmove_openvino::remember_processors();
    return {std::make_shared<ov::OpExtension<clmove_openvino::Move>>()};
}

OPENVINO_CREATE_EXTENSIONS(extensions());
