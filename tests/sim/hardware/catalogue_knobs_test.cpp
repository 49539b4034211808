// No field of a kernel catalogue is decoration: each one that describe() lists changes what some operation costs on some
// device. A new field without any effect fails here.
#include <sstream>

#include <doctest/doctest.h>

#include "sim/hardware/cpu_spin.hpp"
#include "tests/sim/hardware/cpu_fixture.hpp"
#include "tests/sim/hardware/gpu_fixture.hpp"
#include "tests/sim/hardware/knob_turner.hpp"

namespace tantalus::test {

namespace {

Operation row_op(RowFn fn, std::int64_t rows, std::int64_t cols, Pass pass = Pass::forward) {
  Operation op;
  op.name = "rows";
  op.pass = pass;
  op.work = RowShape{fn, rows, cols, fn == RowFn::lrn ? 5 : 1, fn == RowFn::reduce ? 2 : 1};
  const Bytes size{rows * cols * 4};
  op.operands = {{TensorId{1}, size, false}, {TensorId{2}, size, true}};
  if (pass != Pass::forward) op.operands.push_back({TensorId{3}, size, false});
  return op;
}

/// As a layer of training leaves it: the scale is kept for the gradient.
Operation lrn_op(std::int64_t rows, std::int64_t cols) {
  Operation op = row_op(RowFn::lrn, rows, cols);
  op.operands.push_back({TensorId{3}, Bytes{rows * cols * 4}, true});
  return op;
}

Operation pool_op(PoolKind kind, std::int64_t batch, std::int64_t channels, std::int64_t size) {
  const std::int64_t out = (size - 3) / 2 + 1;
  Operation op;
  op.name = "pool";
  op.work = PoolShape{kind, batch, channels, size, size, out, out, 3, 3, 2, 2};
  op.operands = {{TensorId{1}, Bytes{batch * channels * size * size * 4}, false},
                 {TensorId{2}, Bytes{batch * channels * out * out * 4}, true}};
  return op;
}

Operation embedding_op(std::int64_t rows, std::int64_t width) {
  Operation op;
  op.name = "embedding";
  op.work = EmbeddingShape{rows, width, 50'000};
  op.operands = {{TensorId{1}, Bytes{rows * width * 4}, false},
                 {TensorId{2}, Bytes{rows * width * 4}, true}};
  return op;
}

Operation with_bias(Operation op) {
  op.bias = true;
  return op;
}

Operation transposed(Operation op) {
  std::get<GemmShape>(op.work).trans_b = true;
  return op;
}

/// Every kind of operation, small and large, of every number format and pass.
std::vector<Operation> operations() {
  std::vector<Operation> all;
  for (const DType type : {DType::fp32, DType::tf32, DType::fp16, DType::int8}) {
    for (const std::int64_t n : {24, 333, 2048}) all.push_back(product_op(n, n, n, type));
    all.push_back(with_bias(conv_op(16, 64, 56, 64, 3, 1, 1, Pass::forward, type)));
    all.push_back(with_bias(product_op(1760, 64, 1760, type)));
    all.push_back(transposed(product_op(40, 70, 20'000, type)));
    all.push_back(product_op(64, 64, 8192, type, 24));
    all.push_back(transposed(product_op(20, 30, 64, type)));
    all.push_back(product_op(2, 4096, 9216, type));
    all.push_back(product_op(256, 4096, 4096, type));
    for (const Pass pass : {Pass::forward, Pass::input_gradient, Pass::weight_gradient}) {
      all.push_back(conv_op(1, 16, 13, 40, 3, 1, 1, pass, type));
      all.push_back(conv_op(1, 512, 14, 512, 1, 1, 1, pass, type));
      all.push_back(conv_op(16, 64, 56, 64, 3, 1, 1, pass, type));
      all.push_back(conv_op(64, 256, 14, 256, 3, 1, 1, pass, type));
      all.push_back(conv_op(4, 3, 224, 64, 7, 2, 1, pass, type));
      all.push_back(conv_op(16, 96, 27, 256, 5, 1, 1, pass, type));
      all.push_back(conv_op(32, 256, 28, 512, 1, 2, 1, pass, type));
      all.push_back(conv_op(32, 256, 28, 64, 1, 1, 1, pass, type));
      all.push_back(conv_op(8, 96, 56, 96, 3, 1, 96, pass, type));
      all.push_back(with_bias(conv_op(8, 48, 27, 128, 5, 1, 2, pass, type)));
    }
  }
  for (const ElementFn fn :
       {ElementFn::copy, ElementFn::add, ElementFn::mul, ElementFn::div, ElementFn::pow,
        ElementFn::relu, ElementFn::gelu, ElementFn::tanh, ElementFn::bias, ElementFn::dropout,
        ElementFn::sgd_momentum, ElementFn::adam}) {
    all.push_back(element_op(fn, 20'000));
    all.push_back(element_op(fn, 20'000'000));
  }
  for (const RowFn fn :
       {RowFn::softmax, RowFn::layer_norm, RowFn::batch_norm, RowFn::lrn, RowFn::reduce}) {
    for (const Pass pass : {Pass::forward, Pass::input_gradient}) {
      all.push_back(row_op(fn, 16, 300'000, pass));
      all.push_back(row_op(fn, 20'000, 96, pass));
      all.push_back(row_op(fn, 2'000, 5'000, pass));
    }
  }
  all.push_back(lrn_op(64 * 27 * 27, 256));
  for (const PoolKind kind : {PoolKind::max, PoolKind::average}) {
    all.push_back(pool_op(kind, 1, 6, 28));
    all.push_back(pool_op(kind, 64, 96, 55));
  }
  for (Operation back :
       {element_op(ElementFn::relu, 20'000), element_op(ElementFn::dropout, 20'000),
        pool_op(PoolKind::max, 1, 6, 28)}) {
    back.pass = Pass::input_gradient;
    all.push_back(back);
  }
  Operation scattered = pool_op(PoolKind::max, 64, 96, 55);  // reads what it has zeroed
  scattered.pass = Pass::input_gradient;
  TensorUse result = scattered.operands.back();
  result.written = false;
  scattered.operands.push_back(result);
  all.push_back(scattered);
  all.push_back(embedding_op(100, 64));
  all.push_back(embedding_op(100'000, 768));
  return all;
}

/// All that a model says of an operation, as text.
std::string answer(const DeviceModel& model, const Operation& op) {
  std::ostringstream text;
  const auto kernels = model.kernels(op, {});
  text << model.library_of(op) << model.library_is_generic() << model.wants_channels_last(op);
  for (const Bound bound : {Bound::compute, Bound::l1, Bound::dram, Bound::power}) {
    const Doubt doubt = model.doubt(op, bound);
    text << ' ' << doubt.family << doubt.model << ' ' << doubt.parameters << ' ' << doubt.faster
         << ' ' << doubt.brief.count();
  }
  if (!kernels.ok()) return text.str() + "refused";
  for (const KernelCost& kernel : *kernels) {
    text << ' ' << kernel.launch.name << ' ' << alone_time(kernel, model.rates()).count() << ' '
         << kernel.workspace.count() << ' ' << total_bytes(kernel, SharedLevel::cache).count()
         << ' ' << total_unit_time(kernel).count() << ' ' << kernel.fixed.count() << ' '
         << kernel.blocks_per_unit;
  }
  return text.str();
}

/// What is known of a catalogue beside its kernels.
std::string habits(const GpuSpec&, const GpuLibrary&) { return {}; }
std::string habits(const CpuSpec& spec, const CpuLibrary& library) {
  const SpinRule rule = spin_rule_of(spec, library);
  return std::to_string(rule.lasts.count()) + ' ' + std::to_string(rule.slower);
}

/// A device with one catalogue to turn, and what it answers before.
template <class Spec, class Library, class Model>
class Subject {
 public:
  Subject(Spec spec, Library library, const std::vector<Operation>& ops)
      : spec_(std::move(spec)), library_(std::move(library)) {
    const Model model = model_of(library_);
    for (const Operation& op : ops) before_.push_back(answer(model, op));
  }

  bool notices(const std::string& path, const std::vector<Operation>& ops) const {
    for (int turn = 0; turn < KnobTurner::turns; ++turn) {
      Library turned = library_;
      KnobTurner turner(path, turn);
      describe(turner, turned);
      if (habits(spec_, turned) != habits(spec_, library_)) return true;
      const Model model = model_of(turned);
      for (std::size_t i = 0; i < ops.size(); ++i) {
        if (answer(model, ops[i]) != before_[i]) return true;
      }
    }
    return false;
  }

 private:
  Model model_of(const Library& library) const {
    if constexpr (std::is_same_v<Library, GpuLibrary>) {
      return Model(spec_, {library});
    } else {
      return Model(spec_, library);
    }
  }

  Spec spec_;
  Library library_;
  std::vector<std::string> before_;
};

template <class Library, class Subjects>
void check_all_fields(const Subjects& subjects, const std::vector<Operation>& ops) {
  KnobTurner fields;
  Library library;
  describe(fields, library);
  CHECK(fields.paths().size() > 40);
  for (const std::string& path : fields.paths()) {
    CAPTURE(path);
    bool noticed = false;
    for (const auto& subject : subjects) noticed = noticed || subject.notices(path, ops);
    CHECK(noticed);
  }
}

}  // namespace

TEST_CASE("no field of a GPU catalogue is decoration") {
  const std::vector<Operation> ops = operations();
  std::vector<Subject<GpuSpec, GpuLibrary, GpuModel>> subjects;
  for (const auto& [device, library] :
       std::vector<std::pair<std::string, std::string>>{{"v100-pcie", "cuda-12"},
                                                        {"a100-80gb-pcie", "cuda-12"},
                                                        {"titanx-maxwell", "cudnn-5.1"},
                                                        {"gtx1080", "caffe-im2col"},
                                                        {"mi100", "rocm-generic"}}) {
    subjects.emplace_back(read_gpu(device).value(), read_gpu_library(library).value(), ops);
  }
  GpuLibrary own_products = plain_library();
  own_products.convolution[0].product = own_products.gemm;
  subjects.emplace_back(plain_gpu(), own_products, ops);
  GpuLibrary only_convolutions = plain_library();
  only_convolutions.products.swap(only_convolutions.gemm);
  subjects.emplace_back(plain_gpu(), only_convolutions, ops);
  check_all_fields<GpuLibrary>(subjects, ops);
}

TEST_CASE("no field of a CPU catalogue is decoration") {
  const std::vector<Operation> ops = operations();
  std::vector<Subject<CpuSpec, CpuLibrary, CpuModel>> subjects;
  for (const auto& [device, library] : std::vector<std::pair<std::string, std::string>>{
           {"xeon-e5-2650-v3", "openblas-avx2-haswell"},
           {"epyc-9654", "onednn-avx2"},
           {"epyc-7742", "ncnn-avx2"},
           {"zen5-vm", "onednn-avx512"},
           {"zen5-vm", "openblas-avx512"}}) {
    subjects.emplace_back(read_cpu(device).value(), read_library(library).value(), ops);
  }
  check_all_fields<CpuLibrary>(subjects, ops);
}

}  // namespace tantalus::test
