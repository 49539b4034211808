// Laws of the GPU kernels on random work, devices and number formats: nothing beats a peak, no byte is lost, and a faster
// resource never costs time. What must be excepted is named and bounded here.
#include <functional>

#include <doctest/doctest.h>

#include "tests/sim/hardware/gpu_fixture.hpp"

namespace tantalus::test {

namespace {

const std::vector<std::string> parts = {"gtx580",    "gtx1080",  "titanx-maxwell", "p100-pcie-16gb",
                                        "v100-sxm2", "t4",       "a100-80gb-pcie", "rtx3090",
                                        "rtx4090",   "l4",       "h100-sxm5",      "h200-sxm",
                                        "rtx5090",   "b200-sxm", "mi100",          "mi210",
                                        "jetsontx1", "k40"};

const std::vector<DType> formats = {DType::fp32, DType::fp32, DType::tf32, DType::fp16,
                                    DType::bf16, DType::int8, DType::fp8};

// Draws stand in statements of their own: the order of arguments is the compiler's, and both must test the same operations.
Operation random_product(Random& random) {
  const std::int64_t m = random.size(20'000);
  const std::int64_t n = random.size(20'000);
  const std::int64_t k = random.size(100'000);
  const DType type = random.one_of(formats);
  const std::int64_t batch = random.within(0, 3) == 0 ? random.within(1, 96) : 1;
  return product_op(m, n, k, type, batch);
}

Operation random_convolution(Random& random) {
  const std::vector<std::int64_t> kernels = {1, 3, 5, 7, 11};
  const std::vector<Pass> passes = {Pass::forward, Pass::input_gradient, Pass::weight_gradient};
  const std::int64_t groups = random.within(0, 4) == 0 ? random.within(2, 8) : 1;
  const std::int64_t batch = random.within(1, 64);
  const std::int64_t in_ch = groups * random.size(300);
  const std::int64_t side = random.within(7, 230);
  const std::int64_t out_ch = groups * random.size(300);
  const std::int64_t kernel = random.one_of(kernels);
  const std::int64_t stride = random.within(1, 3);
  const Pass pass = random.one_of(passes);
  return conv_op(batch, in_ch, side, out_ch, kernel, stride, groups, pass, random.one_of(formats));
}

Operation random_stream(Random& random) {
  const std::vector<ElementFn> functions = {ElementFn::add, ElementFn::relu, ElementFn::pow,
                                            ElementFn::adam};
  const ElementFn fn = random.one_of(functions);
  const std::int64_t elements = random.size(300'000'000);
  return element_op(fn, elements, static_cast<int>(random.within(1, 3)));
}

Operation random_rows(Random& random) {
  const std::vector<RowFn> functions = {RowFn::softmax, RowFn::layer_norm, RowFn::batch_norm,
                                        RowFn::lrn, RowFn::reduce};
  Operation op;
  op.name = "rows";
  op.pass = random.within(0, 1) == 0 ? Pass::forward : Pass::input_gradient;
  const RowShape shape{random.one_of(functions), random.size(100'000), random.size(10'000), 5};
  op.work = shape;
  const Bytes size{shape.rows * shape.cols * 4};
  op.operands = {{TensorId{1}, size, false}, {TensorId{2}, size, true}};
  op.other_ops = shape.rows * shape.cols * 5;
  return op;
}

Operation random_operation(Random& random) {
  switch (random.within(0, 3)) {
    case 0:
      return random_product(random);
    case 1:
      return random_convolution(random);
    case 2:
      return random_stream(random);
    default:
      return random_rows(random);
  }
}

double peak_flops(const GpuSpec& spec, DType type) {
  const auto lanes = [&](std::int64_t n) {
    return 2.0 * static_cast<double>(n) * static_cast<double>(spec.clock.sustained->count());
  };
  double best = lanes(spec.sm.fp32_lanes);
  const auto matrix = [&](const std::optional<FlopsPerCycle>& rate) {
    if (rate)
      best = std::max(best, static_cast<double>(rate->count()) *
                                static_cast<double>(spec.clock.tensor->count()));
  };
  if (type == DType::fp32) matrix(spec.tensor.fp32);
  if (type == DType::tf32) matrix(spec.tensor.tf32);
  if (type == DType::fp16) matrix(spec.tensor.fp16);
  if (type == DType::bf16) matrix(spec.tensor.bf16);
  if (type == DType::fp8) matrix(spec.tensor.fp8);
  if (type == DType::int8) matrix(spec.tensor.int8);
  if (type == DType::fp16 || type == DType::bf16) best = std::max(best, lanes(*spec.sm.fp16_lanes));
  if (type == DType::int8) best = std::max(best, lanes(*spec.sm.int8_lanes));
  return best * static_cast<double>(spec.sm.count);
}

/// Each phase of a block is rounded up to a picosecond, an SM runs its blocks one after the other, and a block that can use
/// only a share of its SM draws its rounding out by as much.
double rounding_of(const GpuModel& model, const Operation& op) {
  double picoseconds = 0.0;
  for (const KernelCost& kernel : kernels_of(model, op)) {
    const double blocks =
        static_cast<double>(kernel.launch.blocks() / model.rates().units + kernel.blocks_per_unit);
    for (const BlockPhase& phase : kernel.groups[0].phases)
      picoseconds += 2.0 * blocks / phase.max_share;
  }
  return picoseconds * 1e-12;
}

/// One rate of a device made twice as fast.
struct Doubling {
  const char* name;
  void (*apply)(GpuSpec&);
};

const Doubling doublings[] = {
    {"fp32 lanes",
     [](GpuSpec& s) {
       s.sm.fp32_lanes *= 2;
       *s.sm.fp16_lanes *= 2;
       *s.sm.int8_lanes *= 2;
     }},
    {"clock",
     [](GpuSpec& s) {
       s.clock.boost = s.clock.boost * 2;
       s.clock.sustained = *s.clock.sustained * 2;
       s.clock.tensor = *s.clock.tensor * 2;
     }},
    {"matrix rate",
     [](GpuSpec& s) {
       for (auto* rate : {&s.tensor.fp32, &s.tensor.tf32, &s.tensor.fp16, &s.tensor.bf16,
                          &s.tensor.fp8, &s.tensor.int8}) {
         if (*rate) *rate = **rate * 2;
       }
     }},
    {"L2 bandwidth", [](GpuSpec& s) { s.l2.bandwidth = *s.l2.bandwidth * 2; }},
    {"L2 port of an SM", [](GpuSpec& s) { s.l2.bandwidth_per_sm = *s.l2.bandwidth_per_sm * 2; }},
    {"L1 bandwidth", [](GpuSpec& s) { s.sm.l1_bandwidth = s.sm.l1_bandwidth * 2; }},
    {"store port", [](GpuSpec& s) { s.sm.store_bandwidth = s.sm.store_bandwidth * 2; }},
    {"DRAM bandwidth", [](GpuSpec& s) { s.dram.bandwidth = *s.dram.bandwidth * 2; }},
    {"DRAM latency", [](GpuSpec& s) { s.dram_latency = Duration{s.dram_latency.count() / 2}; }},
    {"power limit",
     [](GpuSpec& s) {
       if (s.power) s.power->limit = s.power->limit * 2;
     }},
};

}  // namespace

TEST_CASE(
    "no kernel beats the peak on the arithmetic that it executes, nor a level's bandwidth on its "
    "bytes") {
  Random random(1);
  int checked = 0;
  for (const std::string& part : parts) {
    const GpuModel model = gpu_model(part);
    for (int i = 0; i < 120; ++i) {
      const Operation op = random_operation(random);
      const auto kernels = model.kernels(op, {});
      if (!kernels.ok()) continue;  // a format that the part lacks
      const double peak = peak_flops(model.spec(), op.type);
      for (const KernelCost& kernel : kernels.value()) {
        const double time = seconds(alone_time(kernel, model.rates()));
        INFO(part, " ", kernel.launch.name, " ", op.name);
        CHECK(static_cast<double>(kernel.executed_flops) <= peak * time * (1 + 1e-9));
        for (const SharedLevel level : {SharedLevel::cache, SharedLevel::dram}) {
          const auto rate =
              static_cast<double>(model.rates().bandwidth[static_cast<std::size_t>(level)].count());
          CHECK(static_cast<double>(total_bytes(kernel, level).count()) <=
                rate * time * (1 + 1e-9));
        }
        ++checked;
      }
    }
  }
  CHECK(checked > 1'000);
}

TEST_CASE("cold kernels move at least their operands, and a part of a block at most more") {
  Random random(2);
  for (const std::string& part : parts) {
    const GpuModel model = gpu_model(part);
    for (int i = 0; i < 80; ++i) {
      const Operation op =
          random.within(0, 1) == 0 ? random_product(random) : random_stream(random);
      const auto kernels = model.kernels(op, {});
      if (!kernels.ok() || kernels->size() != 1) continue;  // parts of split products travel too
      const KernelCost& kernel = kernels.value()[0];
      const Bytes moved = total_bytes(kernel, SharedLevel::dram);
      INFO(part, " ", kernel.launch.name);
      CHECK(moved >= operand_bytes(op));
      CHECK(moved.count() <= operand_bytes(op).count() + kernel.launch.blocks());
      CHECK(total_bytes(kernel, SharedLevel::cache) >= operand_bytes(op));
    }
  }
}

TEST_CASE("a faster resource never costs time") {
  Random random(3);
  for (const std::string& part : parts) {
    const GpuSpec spec = read_gpu(part).value();
    const GpuModel model = gpu_model(spec);
    std::vector<GpuModel> faster;
    for (const Doubling& doubling : doublings) {
      GpuSpec changed = spec;
      doubling.apply(changed);
      faster.push_back(gpu_model(changed));
    }
    for (int i = 0; i < 60; ++i) {
      const Operation op = random_operation(random);
      if (!model.kernels(op, {}).ok()) continue;
      const double before = launched_seconds(model, op);
      for (std::size_t d = 0; d < faster.size(); ++d) {
        const double after = launched_seconds(faster[d], op);
        INFO(part, ": ", std::string(doublings[d].name), ", ", kernels_of(model, op)[0].launch.name,
             " -> ", kernels_of(faster[d], op)[0].launch.name);
        CHECK(after <= before * (1 + 1e-6) + rounding_of(faster[d], op));
      }
    }
  }
}

// Anomaly "coarser waves": with twice the SMs a kernel that filled its waves evenly may leave a tail, and a stream bound by
// DRAM gains nothing that would pay for it. A tail is at most one of 32 waves.
// Anomaly "rows in flight": more SMs work on more rows at a time, whose later reads then miss an L2 that did not grow. Each
// of up to three reads may reach DRAM, so that at most twice the bytes do.
TEST_CASE(
    "twice the SMs cost at most a tail, or the later reads of rows that no longer fit the L2") {
  Random random(4);
  for (const std::string& part : parts) {
    GpuSpec spec = read_gpu(part).value();
    const GpuModel model = gpu_model(spec);
    spec.sm.count *= 2;
    const GpuModel doubled = gpu_model(spec);
    for (int i = 0; i < 80; ++i) {
      const Operation op = random_operation(random);
      if (!model.kernels(op, {}).ok()) continue;
      const bool rereads = std::holds_alternative<RowShape>(op.work);
      INFO(part, " ", kernels_of(model, op)[0].launch.name, " -> ",
           kernels_of(doubled, op)[0].launch.name);
      CHECK(launched_seconds(doubled, op) <=
            launched_seconds(model, op) * (rereads ? 2.1 : 1.04) + 1e-9);
    }
  }
}

TEST_CASE("DRAM clock, channels and width give a streaming kernel the same gain") {
  const Operation op = element_op(ElementFn::add, 100'000'000, 2);
  const auto gain = [&](void (*change)(DramSpec&)) {
    GpuSpec spec = read_gpu("a100-80gb-pcie").value();
    change(spec.dram);
    spec.dram.bandwidth.reset();
    derive(spec.dram);
    return launched_seconds(gpu_model("a100-80gb-pcie"), op) /
           launched_seconds(gpu_model(spec), op);
  };
  const double by_clock = gain([](DramSpec& d) { d.data_rate = d.data_rate * 2; });

  CHECK(by_clock == doctest::Approx(gain([](DramSpec& d) { d.channels *= 2; })));
  CHECK(by_clock ==
        doctest::Approx(gain([](DramSpec& d) { d.channel_width = d.channel_width * 2; })));
  CHECK(by_clock > 1.8);
}

TEST_CASE("the same operation twice gives the same kernels") {
  Random random(5);
  const GpuModel model = gpu_model("v100-sxm2");
  for (int i = 0; i < 50; ++i) {
    const Operation op = random_operation(random);
    if (!model.kernels(op, {}).ok()) continue;
    CHECK(launched_seconds(model, op) == launched_seconds(model, op));
    CHECK(kernels_of(model, op)[0].launch == kernels_of(model, op)[0].launch);
  }
}

}  // namespace tantalus::test
