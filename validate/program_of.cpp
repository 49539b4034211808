#include "validate/program_of.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace tantalus::validation {

namespace {

using kernels::Direction;
using kernels::ElementKind;
using kernels::Roles;
using kernels::Step;

Direction direction_of(Pass pass) {
  switch (pass) {
    case Pass::forward:
      return Direction::forward;
    case Pass::input_gradient:
      return Direction::input_gradient;
    case Pass::weight_gradient:
      return Direction::weight_gradient;
    case Pass::bias_gradient:
      return Direction::bias_gradient;
    case Pass::update:
      return Direction::update;
  }
  return Direction::forward;
}

kernels::ConvSize size_of(const ConvShape& s) {
  return {s.batch, s.in_ch,      s.in_h,       s.in_w,     s.out_ch,   s.out_h,
          s.out_w, s.kernel_h,   s.kernel_w,   s.stride_h, s.stride_w, s.pad_h,
          s.pad_w, s.dilation_h, s.dilation_w, s.groups};
}

kernels::PoolSize size_of(const PoolShape& s) {
  return {s.kind != PoolKind::max,
          s.batch,
          s.channels,
          s.in_h,
          s.in_w,
          s.out_h,
          s.out_w,
          s.kernel_h,
          s.kernel_w,
          s.stride_h,
          s.stride_w};
}

class Translation {
 public:
  Translation(const Network& network, bool training) : network_(network) {
    program_.training = training;
  }

  Result<kernels::Program> run(const TaskGraph& tasks) {
    for (const Task& task : tasks.tasks()) {
      const auto* operation = std::get_if<Operation>(&task.work);
      if (operation == nullptr) return refusal(task.name, "is a copy between memories");
      remember_sizes(*operation);
      std::optional<Step> step = step_of(*operation);
      if (!step) return refusal(operation->name, "has no kernel in the CPU harness");
      program_.steps.push_back(std::move(*step));
    }
    give_bias_gradients_to_weights();
    return std::move(program_);
  }

 private:
  static Diagnostic refusal(const std::string& name, const std::string& why) {
    return {Severity::error,
            "not-measurable",
            {},
            name,
            why,
            "networks of convolution, pooling, LRN, linear, ReLU, tanh, sigmoid, softmax, dropout "
            "and add are measured",
            1};
  }

  static int number(const TensorUse& use) { return static_cast<int>(use.tensor.value); }

  void remember_sizes(const Operation& op) {
    for (const TensorUse& use : op.operands) {
      const auto at = static_cast<std::size_t>(number(use));
      if (program_.tensor_bytes.size() <= at) program_.tensor_bytes.resize(at + 1);
      program_.tensor_bytes[at] = std::max(program_.tensor_bytes[at], use.size.count());
    }
  }

  std::optional<Step> step_of(const Operation& op) {
    Step step{op.name, direction_of(op.pass), kernels::ElementSize{}, {}};
    const bool known =
        std::visit([&](const auto& shape) { return fill(step, op, shape); }, op.work);
    if (!known) return std::nullopt;
    if (op.pass == Pass::forward) {
      forward_[op.layer] = step.at;
      if (!std::holds_alternative<kernels::ElementSize>(step.size)) size_[op.layer] = step.size;
    }
    return step;
  }

  // ---- products: forward x w (bias) y; input gradient dy w dx; weight gradient x dy dw; bias gradient dy db

  bool fill(Step& step, const Operation& op, const ConvShape& shape) {
    step.size = size_of(shape);
    return fill_product(step, op);
  }

  bool fill(Step& step, const Operation& op, const GemmShape& s) {
    if (s.batch != 1 || network_.layers.at(op.layer.value).kind != LayerKind::linear) return false;
    switch (op.pass) {
      case Pass::forward:
        step.size = kernels::LinearSize{s.m, s.k, s.n};
        break;
      case Pass::input_gradient:
        step.size = kernels::LinearSize{s.m, s.n, s.k};
        break;
      default:
        step.size = kernels::LinearSize{s.k, s.n, s.m};
    }
    return fill_product(step, op);
  }

  bool fill_product(Step& step, const Operation& op) {
    const auto& use = op.operands;
    Roles& at = step.at;
    switch (op.pass) {
      case Pass::forward:
        at.x = number(use.at(0)), at.w = number(use.at(1)), at.y = number(use.back());
        if (op.bias) at.bias = number(use.at(2));
        return true;
      case Pass::input_gradient:
        at.dy = number(use.at(0)), at.w = number(use.at(1)), at.dx = number(use.at(2));
        at.like = forward_[op.layer].x;
        return true;
      case Pass::weight_gradient:
        at.x = number(use.at(0)), at.dy = number(use.at(1)), at.dw = number(use.at(2));
        return true;
      default:
        return false;
    }
  }

  // ---- windows

  bool fill(Step& step, const Operation& op, const PoolShape& shape) {
    step.size = size_of(shape);
    const auto& use = op.operands;
    Roles& at = step.at;
    if (op.pass == Pass::forward) {
      at.x = number(use.at(0)), at.y = number(use.at(1));
      if (use.size() > 2) at.saved = number(use.at(2));
      return true;
    }
    at.dy = number(use.at(0)), at.dx = number(use.at(1));
    if (use.size() > 2) at.saved = number(use.at(2));
    at.like = forward_[op.layer].x;
    return true;
  }

  // ---- rows

  bool fill(Step& step, const Operation& op, const RowShape& s) {
    const auto& use = op.operands;
    Roles& at = step.at;
    switch (s.fn) {
      case RowFn::reduce:  // the bias gradient of a product
        if (op.pass != Pass::bias_gradient || !size_.contains(op.layer)) return false;
        step.size = size_[op.layer];
        at.dy = number(use.at(0)), at.db = number(use.at(1));
        return true;
      case RowFn::softmax:
        step.size = kernels::SoftmaxSize{s.rows, s.cols};
        if (op.pass == Pass::forward) {
          at.x = number(use.at(0)), at.y = number(use.at(1));
        } else {
          at.dy = number(use.at(0)), at.y = number(use.at(1)), at.dx = number(use.at(2));
        }
        return true;
      case RowFn::lrn:
        return fill_lrn(step, op, s);
      default:
        return false;
    }
  }

  bool fill_lrn(Step& step, const Operation& op, const RowShape& s) {
    const Layer& layer = network_.layers.at(op.layer.value);
    const std::vector<std::int64_t>& dims = network_.activations[layer.output].shape.dims;
    if (dims.size() != 3) return false;
    step.size = kernels::LrnSize{s.rows / (dims[1] * dims[2]), dims[0], dims[1], dims[2], s.window};
    const auto& use = op.operands;
    Roles& at = step.at;
    if (op.pass == Pass::forward) {
      at.x = number(use.at(0)), at.saved = number(use.at(1)), at.y = number(use.at(2));
      return true;
    }
    at.dy = number(use.at(0)), at.x = number(use.at(1)), at.y = number(use.at(2));
    at.saved = number(use.at(3)), at.dx = number(use.at(4));
    return true;
  }

  // ---- element by element

  bool fill(Step& step, const Operation& op, const ElementwiseShape& s) {
    if (op.pass == Pass::update) return fill_update(step, op, s);
    static const std::map<ElementFn, ElementKind> kinds{{ElementFn::relu, ElementKind::relu},
                                                        {ElementFn::tanh, ElementKind::tanh},
                                                        {ElementFn::sigmoid, ElementKind::sigmoid},
                                                        {ElementFn::dropout, ElementKind::dropout},
                                                        {ElementFn::add, ElementKind::add}};
    const auto kind = kinds.find(s.fn);
    if (kind == kinds.end()) return false;
    step.size = kernels::ElementSize{kind->second, s.elements};
    const auto& use = op.operands;
    Roles& at = step.at;
    if (s.fn == ElementFn::add) {
      if (use.size() != 3) return false;
      at.x = number(use[0]), at.x2 = number(use[1]), at.y = number(use[2]);
      step.direction = Direction::forward;
      return true;
    }
    const bool forward = op.pass == Pass::forward;
    const bool dropout = s.fn == ElementFn::dropout;
    (forward ? at.x : at.dy) = number(use.at(0));
    (forward ? at.y : at.dx) = number(use.back());
    if (dropout) at.saved = number(use.at(1));
    if (dropout && !forward) at.like = forward_[op.layer].y;
    if (!dropout && !forward) at.y = number(use.at(1));
    return true;
  }

  static bool fill_update(Step& step, const Operation& op, const ElementwiseShape& s) {
    if (s.fn != ElementFn::sgd_momentum || op.operands.size() % 3 != 0) return false;
    kernels::UpdateSize update;
    for (std::size_t i = 0; i < op.operands.size(); i += 3) {
      const TensorUse& weights = op.operands[i + 1];
      update.parts.push_back({number(op.operands[i]), number(weights), number(op.operands[i + 2]),
                              weights.size.count() / 4});
    }
    step.size = std::move(update);
    return true;
  }

  bool fill(Step&, const Operation&, const EmbeddingShape&) { return false; }

  // A library that sums the bias gradient inside the weight gradient must know where to put it.
  void give_bias_gradients_to_weights() {
    for (std::size_t i = 1; i < program_.steps.size(); ++i) {
      Step& sum = program_.steps[i];
      Step& before = program_.steps[i - 1];
      if (sum.direction == Direction::bias_gradient &&
          before.direction == Direction::weight_gradient && sum.at.dy == before.at.dy) {
        before.at.db = sum.at.db;
      }
    }
  }

  const Network& network_;
  kernels::Program program_;
  std::map<LayerId, Roles> forward_;
  std::map<LayerId, kernels::StepSize> size_;
};

}  // namespace

Result<kernels::Program> program_of(const Network& network, const TaskGraph& tasks, bool training) {
  return Translation(network, training).run(tasks);
}

}  // namespace tantalus::validation
