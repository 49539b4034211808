// Layers through oneDNN 2.x as its manual asks: every primitive may choose its layouts, and where two neighbours disagree a
// reorder stands between them, as a kernel of its own. Tensors that nobody wrote yet take the layout of their first reader.
// What oneDNN lacks (dropout, the update) is a plain loop over the memory as it lies.
#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

#include <oneapi/dnnl/dnnl.hpp>

#include "kernels/cpu/buffer.hpp"
#include "kernels/cpu/libraries.hpp"
#include "kernels/cpu/loops.hpp"

namespace tantalus::kernels {

namespace {

using Dims = dnnl::memory::dims;
using Desc = dnnl::memory::desc;
using Tag = dnnl::memory::format_tag;
using Arguments = std::unordered_map<int, dnnl::memory>;

constexpr auto f32 = dnnl::memory::data_type::f32;

Desc any(const Dims& dims) { return {dims, f32, Tag::any}; }

Desc plain(const Dims& dims) {
  static constexpr Tag tags[] = {Tag::a, Tag::ab, Tag::abc, Tag::abcd, Tag::abcde};
  return {dims, f32, tags[dims.size() - 1]};
}

std::int64_t elements_of(const Dims& dims) {
  std::int64_t all = 1;
  for (const auto dim : dims) all *= dim;
  return all;
}

struct ConvDims {
  explicit ConvDims(const ConvSize& s)
      : x{s.batch, s.in_ch, s.in_h, s.in_w},
        w{s.out_ch, s.in_ch, s.kernel_h, s.kernel_w},
        bias{s.out_ch},
        y{s.batch, s.out_ch, s.out_h, s.out_w},
        stride{s.stride_h, s.stride_w},
        dilation{s.dilation_h - 1, s.dilation_w - 1},
        before{s.pad_h, s.pad_w},
        after{behind(s.in_h, s.out_h, s.kernel_h, s.stride_h, s.pad_h, s.dilation_h),
              behind(s.in_w, s.out_w, s.kernel_w, s.stride_w, s.pad_w, s.dilation_w)} {
    if (s.groups > 1)
      w = {s.groups, s.out_ch / s.groups, s.in_ch / s.groups, s.kernel_h, s.kernel_w};
  }
  static std::int64_t behind(std::int64_t in, std::int64_t out, std::int64_t kernel,
                             std::int64_t stride, std::int64_t pad, std::int64_t dilation) {
    return (out - 1) * stride + (kernel - 1) * dilation + 1 - in - pad;
  }
  Dims x, w, bias, y, stride, dilation, before, after;
};

struct PoolDims {
  explicit PoolDims(const PoolSize& s)
      : x{s.batch, s.channels, s.in_h, s.in_w},
        y{s.batch, s.channels, s.out_h, s.out_w},
        kernel{s.kernel_h, s.kernel_w},
        stride{s.stride_h, s.stride_w},
        before{0, 0},
        after{ConvDims::behind(s.in_h, s.out_h, s.kernel_h, s.stride_h, 0, 1),
              ConvDims::behind(s.in_w, s.out_w, s.kernel_w, s.stride_w, 0, 1)} {}
  Dims x, y, kernel, stride, before, after;
};

class DnnChain final : public Chain {
 public:
  explicit DnnChain(const Program& program);
  std::vector<float> values(int number) const override;
  void set_values(int number, std::span<const float> values) override;

 private:
  /// A tensor as it lies: its home, and copies in other layouts that stay good until it is written.
  struct Tensor {
    std::optional<dnnl::memory> home;
    std::vector<dnnl::memory> copies;
  };

  Tensor& tensor(int number) { return tensors_.at(static_cast<std::size_t>(number)); }
  dnnl::memory allocate(const Desc& desc);
  /// The tensor in a layout, through a reorder kernel where it lies otherwise.
  dnnl::memory in(int number, const Desc& wanted);
  /// A home for a result: what was there is no longer good.
  dnnl::memory out(int number, const Desc& desc);
  /// A result whose home has another layout already: written beside it, then reordered by a kernel.
  void settle(int number, const dnnl::memory& result);
  /// How it lies now, or plainly in these dimensions when nobody touched it yet.
  Desc lies(int number, const Dims& dims);
  /// The dimensions in which a tensor is known, or these.
  Dims dims_of(int number, const Dims& otherwise);

  void emit(std::string implementation, std::function<void()> run);
  void emit_reorder(const dnnl::memory& from, const dnnl::memory& to);
  template <class PrimitiveDesc>
  void emit(const dnnl::primitive& primitive, const PrimitiveDesc& desc, Arguments arguments);

  void add(const ConvSize& s);
  void add(const LinearSize& s);
  void add(const PoolSize& s);
  void add(const LrnSize& s);
  void add(const SoftmaxSize& s);
  void add(const ElementSize& s);
  void add(const UpdateSize& s);
  void add_eltwise(dnnl::algorithm there, dnnl::algorithm back, std::int64_t elements);
  void add_dropout(std::int64_t elements);
  void add_sum(std::int64_t elements);
  void add_copy(std::int64_t elements);

  Program program_;
  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
  std::vector<Tensor> tensors_;
  std::vector<Buffer> buffers_;
  std::map<int, dnnl::memory> workspaces_;
  std::vector<std::vector<std::uint8_t>> masks_;
  const Step* step_ = nullptr;  // the one being added
  std::size_t step_number_ = 0;
  std::uint64_t random_ = 88172645463325252ULL;

  dnnl::prop_kind forward_kind() const {
    return program_.training ? dnnl::prop_kind::forward_training
                             : dnnl::prop_kind::forward_inference;
  }
  bool is(Direction direction) const { return step_->direction == direction; }
};

DnnChain::DnnChain(const Program& program) : program_(program) {
  tensors_.resize(program.tensor_bytes.size());
  masks_.resize(program.tensor_bytes.size());
  try {
    for (const Step& step : program_.steps) {
      step_ = &step;
      step_number_ = static_cast<std::size_t>(&step - program_.steps.data());
      std::visit([this](const auto& size) { add(size); }, step.size);
    }
  } catch (const dnnl::error& error) {
    throw std::runtime_error("oneDNN refuses " + step_->name + ": " + error.what());
  }
}

dnnl::memory DnnChain::allocate(const Desc& desc) {
  buffers_.emplace_back((desc.get_size() + 3) / 4);
  return {desc, engine_, buffers_.back().data()};
}

dnnl::memory DnnChain::in(int number, const Desc& wanted) {
  Tensor& t = tensor(number);
  if (!t.home) {
    t.home = allocate(wanted);
    const auto count = static_cast<std::size_t>(elements_of(wanted.dims()));
    set_values(number, first_values(program_, number, count));
  }
  if (t.home->get_desc() == wanted) return *t.home;
  for (const dnnl::memory& copy : t.copies) {
    if (copy.get_desc() == wanted) return copy;
  }
  // Only a change of shape, such as an image that a fully connected layer sees as a row.
  if (t.home->get_desc().dims() != wanted.dims()) {
    const Desc seen = t.home->get_desc().reshape(wanted.dims(), true);
    if (seen && seen == wanted) return {wanted, engine_, t.home->get_data_handle()};
  }
  dnnl::memory from =
      t.home->get_desc().dims() == wanted.dims()
          ? *t.home
          : dnnl::memory(plain(wanted.dims()), engine_,
                         in(number, plain(t.home->get_desc().dims())).get_data_handle());
  if (from.get_desc() == wanted) return from;
  dnnl::memory copy = allocate(wanted);
  emit_reorder(from, copy);
  tensor(number).copies.push_back(copy);
  return copy;
}

dnnl::memory DnnChain::out(int number, const Desc& desc) {
  Tensor& t = tensor(number);
  t.copies.clear();
  if (!t.home) t.home = allocate(desc);
  if (t.home->get_desc() == desc) return *t.home;
  return allocate(desc);
}

void DnnChain::settle(int number, const dnnl::memory& result) {
  const dnnl::memory home = *tensor(number).home;
  if (home.get_data_handle() == result.get_data_handle()) return;
  emit_reorder(result, home);
}

Desc DnnChain::lies(int number, const Dims& dims) {
  if (number == none || !tensor(number).home) return plain(dims);
  return tensor(number).home->get_desc();
}

Dims DnnChain::dims_of(int number, const Dims& otherwise) {
  if (number == none || !tensor(number).home) return otherwise;
  const Tensor& t = tensor(number);
  Dims dims = t.home->get_desc().dims();
  return elements_of(dims) == elements_of(otherwise) && dims.front() == otherwise.front()
             ? dims
             : otherwise;
}

void DnnChain::emit(std::string implementation, std::function<void()> run) {
  kernels_.push_back({step_number_, false, std::move(implementation), flops_of(*step_),
                      bytes_of(*step_, program_), std::move(run)});
}

void DnnChain::emit_reorder(const dnnl::memory& from, const dnnl::memory& to) {
  const dnnl::reorder::primitive_desc pd(from, to);
  const dnnl::primitive reorder = dnnl::reorder(pd);
  Arguments arguments{{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}};
  kernels_.push_back(
      {step_number_, true, pd.impl_info_str(), 0.0,
       static_cast<double>(from.get_desc().get_size() + to.get_desc().get_size()),
       [this, reorder, arguments = std::move(arguments)] { reorder.execute(stream_, arguments); }});
}

template <class PrimitiveDesc>
void DnnChain::emit(const dnnl::primitive& primitive, const PrimitiveDesc& desc,
                    Arguments arguments) {
  emit(desc.impl_info_str(), [this, primitive, arguments = std::move(arguments)] {
    primitive.execute(stream_, arguments);
  });
}

// ------------------------------------------------------------------------------------------------------------ products

// The forward primitive is the hint of both gradients, in the layouts that it would choose.
void DnnChain::add(const ConvSize& s) {
  const Roles r = step_->at;
  const ConvDims d(s);
  constexpr auto direct = dnnl::algorithm::convolution_direct;
  const bool biased = r.bias != none;
  const dnnl::convolution_forward::desc forward =
      biased ? dnnl::convolution_forward::desc(forward_kind(), direct, any(d.x), any(d.w),
                                               plain(d.bias), any(d.y), d.stride, d.dilation,
                                               d.before, d.after)
             : dnnl::convolution_forward::desc(forward_kind(), direct, any(d.x), any(d.w), any(d.y),
                                               d.stride, d.dilation, d.before, d.after);
  const dnnl::convolution_forward::primitive_desc pd(forward, engine_);
  if (is(Direction::forward)) {
    Arguments arguments{{DNNL_ARG_SRC, in(r.x, pd.src_desc())},
                        {DNNL_ARG_WEIGHTS, in(r.w, pd.weights_desc())},
                        {DNNL_ARG_DST, out(r.y, pd.dst_desc())}};
    if (biased) arguments[DNNL_ARG_BIAS] = in(r.bias, plain(d.bias));
    const dnnl::memory result = arguments[DNNL_ARG_DST];
    emit(dnnl::convolution_forward(pd), pd, std::move(arguments));
    settle(r.y, result);
  } else if (is(Direction::input_gradient)) {
    const dnnl::convolution_backward_data::desc back(direct, any(d.x), any(d.w), any(d.y), d.stride,
                                                     d.dilation, d.before, d.after);
    const dnnl::convolution_backward_data::primitive_desc bpd(back, engine_, pd);
    const dnnl::memory result = out(r.dx, bpd.diff_src_desc());
    emit(dnnl::convolution_backward_data(bpd), bpd,
         {{DNNL_ARG_DIFF_DST, in(r.dy, bpd.diff_dst_desc())},
          {DNNL_ARG_WEIGHTS, in(r.w, bpd.weights_desc())},
          {DNNL_ARG_DIFF_SRC, result}});
    settle(r.dx, result);
  } else if (is(Direction::weight_gradient)) {
    const bool sums = r.db != none;
    const dnnl::convolution_backward_weights::desc back =
        sums ? dnnl::convolution_backward_weights::desc(direct, any(d.x), any(d.w), plain(d.bias),
                                                        any(d.y), d.stride, d.dilation, d.before,
                                                        d.after)
             : dnnl::convolution_backward_weights::desc(direct, any(d.x), any(d.w), any(d.y),
                                                        d.stride, d.dilation, d.before, d.after);
    const dnnl::convolution_backward_weights::primitive_desc bpd(back, engine_, pd);
    const dnnl::memory result = out(r.dw, bpd.diff_weights_desc());
    Arguments arguments{{DNNL_ARG_SRC, in(r.x, bpd.src_desc())},
                        {DNNL_ARG_DIFF_DST, in(r.dy, bpd.diff_dst_desc())},
                        {DNNL_ARG_DIFF_WEIGHTS, result}};
    if (sums) arguments[DNNL_ARG_DIFF_BIAS] = out(r.db, plain(d.bias));
    emit(dnnl::convolution_backward_weights(bpd), bpd, std::move(arguments));
    settle(r.dw, result);
  }
}

void DnnChain::add(const LinearSize& s) {
  using Forward = dnnl::inner_product_forward;
  const Roles r = step_->at;
  if (is(Direction::bias_gradient)) return;
  const int input = is(Direction::input_gradient) ? r.like : r.x;
  // An image is taken as it lies: the weights then have its channels, height and width.
  const Dims rows{s.batch, s.in};
  const Dims x = dims_of(input, rows);
  Dims w = x;
  w.front() = s.out;
  const Dims bias{s.out}, y{s.batch, s.out};
  const bool biased = r.bias != none;
  const Forward::desc forward =
      biased ? Forward::desc(forward_kind(), any(x), any(w), plain(bias), any(y))
             : Forward::desc(forward_kind(), any(x), any(w), any(y));
  const Forward::primitive_desc pd(forward, engine_);
  if (is(Direction::forward)) {
    Arguments arguments{{DNNL_ARG_SRC, in(r.x, pd.src_desc())},
                        {DNNL_ARG_WEIGHTS, in(r.w, pd.weights_desc())},
                        {DNNL_ARG_DST, out(r.y, pd.dst_desc())}};
    if (biased) arguments[DNNL_ARG_BIAS] = in(r.bias, plain(bias));
    const dnnl::memory result = arguments[DNNL_ARG_DST];
    emit(Forward(pd), pd, std::move(arguments));
    settle(r.y, result);
  } else if (is(Direction::input_gradient)) {
    using Back = dnnl::inner_product_backward_data;
    const Back::primitive_desc bpd({any(x), any(w), any(y)}, engine_, pd);
    const dnnl::memory result = out(r.dx, bpd.diff_src_desc());
    emit(Back(bpd), bpd,
         {{DNNL_ARG_DIFF_DST, in(r.dy, bpd.diff_dst_desc())},
          {DNNL_ARG_WEIGHTS, in(r.w, bpd.weights_desc())},
          {DNNL_ARG_DIFF_SRC, result}});
    settle(r.dx, result);
  } else {
    using Back = dnnl::inner_product_backward_weights;
    const bool sums = r.db != none;
    const Back::desc back =
        sums ? Back::desc(any(x), any(w), plain(bias), any(y)) : Back::desc(any(x), any(w), any(y));
    const Back::primitive_desc bpd(back, engine_, pd);
    const dnnl::memory result = out(r.dw, bpd.diff_weights_desc());
    Arguments arguments{{DNNL_ARG_SRC, in(r.x, bpd.src_desc())},
                        {DNNL_ARG_DIFF_DST, in(r.dy, bpd.diff_dst_desc())},
                        {DNNL_ARG_DIFF_WEIGHTS, result}};
    if (sums) arguments[DNNL_ARG_DIFF_BIAS] = out(r.db, plain(bias));
    emit(Back(bpd), bpd, std::move(arguments));
    settle(r.dw, result);
  }
}

// ------------------------------------------------------------------------------------------------------ windows and rows

void DnnChain::add(const PoolSize& s) {
  using Forward = dnnl::pooling_forward;
  using Back = dnnl::pooling_backward;
  const Roles r = step_->at;
  const PoolDims d(s);
  const auto algorithm =
      s.average ? dnnl::algorithm::pooling_avg_exclude_padding : dnnl::algorithm::pooling_max;
  const Desc source = lies(is(Direction::forward) ? r.x : r.like, d.x);
  const Forward::desc forward(forward_kind(), algorithm, source.dims() == d.x ? source : plain(d.x),
                              any(d.y), d.stride, d.kernel, d.before, d.after);
  const Forward::primitive_desc pd(forward, engine_);
  if (is(Direction::forward)) {
    const dnnl::memory result = out(r.y, pd.dst_desc());
    Arguments arguments{{DNNL_ARG_SRC, in(r.x, pd.src_desc())}, {DNNL_ARG_DST, result}};
    if (program_.training && !s.average) {
      workspaces_[r.saved] = allocate(pd.workspace_desc());
      arguments[DNNL_ARG_WORKSPACE] = workspaces_[r.saved];
    }
    emit(Forward(pd), pd, std::move(arguments));
    settle(r.y, result);
    return;
  }
  const Back::desc back(algorithm, pd.src_desc(), pd.dst_desc(), d.stride, d.kernel, d.before,
                        d.after);
  const Back::primitive_desc bpd(back, engine_, pd);
  const dnnl::memory result = out(r.dx, bpd.diff_src_desc());
  Arguments arguments{{DNNL_ARG_DIFF_DST, in(r.dy, bpd.diff_dst_desc())},
                      {DNNL_ARG_DIFF_SRC, result}};
  if (!s.average) arguments[DNNL_ARG_WORKSPACE] = workspaces_.at(r.saved);
  emit(Back(bpd), bpd, std::move(arguments));
  settle(r.dx, result);
}

void DnnChain::add(const LrnSize& s) {
  using Forward = dnnl::lrn_forward;
  using Back = dnnl::lrn_backward;
  const Roles r = step_->at;
  const Dims dims{s.batch, s.channels, s.height, s.width};
  const Desc x = lies(r.x, dims);
  constexpr auto across = dnnl::algorithm::lrn_across_channels;
  const Forward::desc forward(forward_kind(), across, x, s.window, lrn_alpha, lrn_beta, lrn_k);
  const Forward::primitive_desc pd(forward, engine_);
  if (is(Direction::forward)) {
    const dnnl::memory result = out(r.y, x);
    Arguments arguments{{DNNL_ARG_SRC, in(r.x, x)}, {DNNL_ARG_DST, result}};
    if (program_.training && pd.workspace_desc().get_size() > 0) {
      workspaces_[r.saved] = allocate(pd.workspace_desc());
      arguments[DNNL_ARG_WORKSPACE] = workspaces_[r.saved];
    }
    emit(Forward(pd), pd, std::move(arguments));
    settle(r.y, result);
    return;
  }
  const Back::desc back(across, x, x, s.window, lrn_alpha, lrn_beta, lrn_k);
  const Back::primitive_desc bpd(back, engine_, pd);
  const dnnl::memory result = out(r.dx, bpd.diff_src_desc());
  Arguments arguments{{DNNL_ARG_SRC, in(r.x, x)},
                      {DNNL_ARG_DIFF_DST, in(r.dy, bpd.diff_dst_desc())},
                      {DNNL_ARG_DIFF_SRC, result}};
  if (workspaces_.contains(r.saved)) arguments[DNNL_ARG_WORKSPACE] = workspaces_.at(r.saved);
  emit(Back(bpd), bpd, std::move(arguments));
  settle(r.dx, result);
}

void DnnChain::add(const SoftmaxSize& s) {
  using Forward = dnnl::softmax_forward;
  using Back = dnnl::softmax_backward;
  const Roles r = step_->at;
  const Desc rows = plain({s.rows, s.cols});
  const Forward::primitive_desc pd({forward_kind(), rows, 1}, engine_);
  if (is(Direction::forward)) {
    const dnnl::memory result = out(r.y, rows);
    emit(Forward(pd), pd, {{DNNL_ARG_SRC, in(r.x, rows)}, {DNNL_ARG_DST, result}});
    settle(r.y, result);
    return;
  }
  const Back::primitive_desc bpd({rows, rows, 1}, engine_, pd);
  const dnnl::memory result = out(r.dx, rows);
  emit(Back(bpd), bpd,
       {{DNNL_ARG_DST, in(r.y, rows)},
        {DNNL_ARG_DIFF_DST, in(r.dy, rows)},
        {DNNL_ARG_DIFF_SRC, result}});
  settle(r.dx, result);
}

// -------------------------------------------------------------------------------------------------------- element by element

void DnnChain::add(const ElementSize& s) {
  using dnnl::algorithm;
  switch (s.kind) {
    case ElementKind::relu:
      return add_eltwise(algorithm::eltwise_relu, algorithm::eltwise_relu_use_dst_for_bwd,
                         s.elements);
    case ElementKind::tanh:
      return add_eltwise(algorithm::eltwise_tanh, algorithm::eltwise_tanh_use_dst_for_bwd,
                         s.elements);
    case ElementKind::sigmoid:
      return add_eltwise(algorithm::eltwise_logistic, algorithm::eltwise_logistic_use_dst_for_bwd,
                         s.elements);
    case ElementKind::dropout:
      return add_dropout(s.elements);
    case ElementKind::add:
      return add_sum(s.elements);
    case ElementKind::copy:
      return add_copy(s.elements);
  }
}

void DnnChain::add_eltwise(dnnl::algorithm there, dnnl::algorithm back, std::int64_t elements) {
  using Forward = dnnl::eltwise_forward;
  using Back = dnnl::eltwise_backward;
  const Roles r = step_->at;
  if (is(Direction::forward)) {
    const Desc x = lies(r.x, {elements});
    // Backward reads the result, so that training must compute it by the same rule.
    const auto algorithm = program_.training ? back : there;
    const Forward::primitive_desc pd({forward_kind(), algorithm, x, 0.0F, 0.0F}, engine_);
    const dnnl::memory result = out(r.y, x);
    emit(Forward(pd), pd, {{DNNL_ARG_SRC, in(r.x, x)}, {DNNL_ARG_DST, result}});
    settle(r.y, result);
    return;
  }
  const Desc y = lies(r.y, {elements});
  const Forward::primitive_desc pd({forward_kind(), back, y, 0.0F, 0.0F}, engine_);
  const Back::primitive_desc bpd({back, y, y, 0.0F, 0.0F}, engine_, pd);
  const dnnl::memory result = out(r.dx, y);
  emit(Back(bpd), bpd,
       {{DNNL_ARG_DST, in(r.y, y)}, {DNNL_ARG_DIFF_DST, in(r.dy, y)}, {DNNL_ARG_DIFF_SRC, result}});
  settle(r.dx, result);
}

float* floats(const dnnl::memory& memory) { return static_cast<float*>(memory.get_data_handle()); }

void DnnChain::add_dropout(std::int64_t elements) {
  const Roles r = step_->at;
  const int from = is(Direction::forward) ? r.x : r.dy, to = is(Direction::forward) ? r.y : r.dx;
  // The whole memory, padding of channels included; zeroes stay zeroes.
  const Desc desc = lies(is(Direction::forward) ? from : r.like, {elements});
  const dnnl::memory x = in(from, desc), y = out(to, desc);
  const auto n = static_cast<std::int64_t>(desc.get_size() / sizeof(float));
  auto& mask = masks_.at(static_cast<std::size_t>(r.saved));
  if (mask.size() < static_cast<std::size_t>(n)) mask.resize(static_cast<std::size_t>(n));
  std::uint8_t* bytes = mask.data();
  if (is(Direction::forward)) {
    emit("loop", [=, this] { dropout(floats(x), bytes, floats(y), n, random_); });
  } else {
    emit("loop", [=] { dropout_gradient(floats(x), bytes, floats(y), n); });
  }
  settle(to, y);
}

void DnnChain::add_sum(std::int64_t elements) {
  const Roles r = step_->at;
  const Desc desc = lies(r.x, {elements});
  const dnnl::binary::primitive_desc pd({dnnl::algorithm::binary_add, desc, desc, desc}, engine_);
  const dnnl::memory result = out(r.y, desc);
  emit(dnnl::binary(pd), pd,
       {{DNNL_ARG_SRC_0, in(r.x, desc)}, {DNNL_ARG_SRC_1, in(r.x2, desc)}, {DNNL_ARG_DST, result}});
  settle(r.y, result);
}

void DnnChain::add_copy(std::int64_t elements) {
  const Roles r = step_->at;
  const Desc desc = lies(r.x, {elements});
  const dnnl::memory x = in(r.x, desc), y = out(r.y, desc);
  emit("loop", [=] { std::copy_n(floats(x), desc.get_size() / sizeof(float), floats(y)); });
  settle(r.y, y);
}

// Element by element over the weights as they lie; gradients come in the same layout.
void DnnChain::add(const UpdateSize& s) {
  struct Part {
    dnnl::memory gradient, weights, momentum;
    std::int64_t n;
  };
  std::vector<Part> parts;
  for (const UpdateSize::Part& part : s.parts) {
    const Desc desc = lies(part.weights, {part.elements});
    const dnnl::memory weights = in(part.weights, desc);
    const dnnl::memory gradient = in(part.gradient, desc), momentum = in(part.momentum, desc);
    tensor(part.weights).copies.clear();
    parts.push_back(
        {gradient, weights, momentum, static_cast<std::int64_t>(desc.get_size() / sizeof(float))});
  }
  emit("loop", [parts] {
    for (const Part& p : parts) sgd(floats(p.gradient), floats(p.weights), floats(p.momentum), p.n);
  });
}

std::vector<float> DnnChain::values(int number) const {
  const auto& home = tensors_.at(static_cast<std::size_t>(number)).home;
  if (!home) return {};
  const Dims dims = home->get_desc().dims();
  std::vector<float> result(static_cast<std::size_t>(elements_of(dims)));
  dnnl::stream stream(engine_);
  dnnl::memory from = *home, to(plain(dims), engine_, result.data());
  dnnl::reorder(from, to).execute(stream, from, to);
  stream.wait();
  return result;
}

void DnnChain::set_values(int number, std::span<const float> values) {
  auto& home = tensor(number).home;
  if (!home) throw std::runtime_error("a tensor that no step uses has no values");
  std::vector<float> copy(values.begin(), values.end());
  dnnl::memory from(plain(home->get_desc().dims()), engine_, copy.data()), to = *home;
  dnnl::reorder(from, to).execute(stream_, from, to);
  stream_.wait();
}

}  // namespace

std::unique_ptr<Chain> dnn_chain(const Program& program) {
  return std::make_unique<DnnChain>(program);
}

std::string dnn_name() {
  const dnnl_version_t* v = dnnl_version();
  std::string name = "oneDNN " + std::to_string(v->major) + "." + std::to_string(v->minor) + "." +
                     std::to_string(v->patch);
  switch (dnnl::get_effective_cpu_isa()) {
    case dnnl::cpu_isa::sse41:
      return name + " SSE4.1";
    case dnnl::cpu_isa::avx:
      return name + " AVX";
    case dnnl::cpu_isa::avx2:
    case dnnl::cpu_isa::avx2_vnni:
      return name + " AVX2";
    default:
      return name + " AVX-512";
  }
}

}  // namespace tantalus::kernels
