/* The operator clmove.Move: any chain of operators that move elements and compute nothing, as one node.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_OPENVINO_MOVE_H
#define CLMOVE_OPENVINO_MOVE_H

#include "steps.h"

#include <memory>
#include <string>
#include <vector>

#include <openvino/op/op.hpp>

namespace clmove_openvino {

/* One input of any shape and of any type with a fixed width, one output of the same type.
 * Attributes: steps, as parse() in steps.h reads it; device, a selector of clmove_device_open ("", the default: what
 * CLMOVE_DEVICE says, or auto). */
class Move : public ov::op::Op {
  public:
    OPENVINO_OP("Move", "clmove");

    Move() = default;
    Move(const ov::Output<ov::Node> &src, const std::string &steps, const std::string &device);
    void validate_and_infer_types() override;
    std::shared_ptr<ov::Node> clone_with_new_inputs(const ov::OutputVector &inputs) const override;
    bool visit_attributes(ov::AttributeVisitor &visitor) override;
    bool evaluate(ov::TensorVector &outputs, const ov::TensorVector &inputs) const override;
    bool has_evaluate() const override;

  private:
    std::string text, device;
    std::vector<step> steps;
};

} // namespace clmove_openvino

#endif
