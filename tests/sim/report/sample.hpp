// A small Results written by hand: two layers on a GPU with a host, so that reports are tested without any simulation.
#pragma once

#include "sim/report/prediction.hpp"

namespace tantalus::testing {

inline Duration ns(std::int64_t count) { return Duration{count * 1000}; }
inline TimePoint at(std::int64_t nanoseconds) { return TimePoint{ns(nanoseconds)}; }

/// A kernel of 16 blocks of 128 threads.
inline KernelResult kernel(const std::string& name, std::int64_t start, std::int64_t end) {
  KernelResult k;
  k.name = name;
  k.algorithm = "implicit_gemm";
  k.grid = {4, 4, 1};
  k.block = {128, 1, 1};
  k.registers_per_thread = 96;
  k.shared_bytes = Bytes{16384};
  k.blocks_per_sm = 5;
  k.occupancy_limit = OccupancyLimit::registers;
  k.waves = 16.0 / (108.0 * 5.0);
  k.start = at(start);
  k.end = at(end);
  k.compute = ns(300);
  k.cache = ns(200);
  k.dram = ns(500);
  k.cache_bytes = Bytes{40'000};
  k.dram_bytes = Bytes{20'000};
  k.executed_flops = 200'000;
  k.bound = Bound::dram;
  return k;
}

inline TaskResult task(std::uint32_t layer, const std::string& name, const std::string& pass,
                       std::vector<KernelResult> kernels) {
  TaskResult t;
  t.task = TaskId{layer};
  t.layer = LayerId{layer};
  t.name = name;
  t.kind = "conv2d";
  t.pass = pass;
  t.device = "gpu0";
  t.algorithm = kernels.front().algorithm;
  t.issued = at(0);
  t.queued = at(10);
  t.start = kernels.front().start;
  t.end = kernels.back().end;
  t.host = ns(400);
  t.launch = ns(100);
  t.sync = ns(50);
  t.macs = 86'400;
  t.other_ops = 3'456;
  t.input_bytes = Bytes{3136};
  t.output_bytes = Bytes{13'824};
  t.parameter_bytes = Bytes{624};
  t.doubt = {"convolution", 0.25, 0.0};
  t.kernels = std::move(kernels);
  t.bound = t.kernels.front().bound;
  return t;
}

/// conv1 (one kernel, 1,000 ns) and relu1 (one kernel, 500 ns with error 0.5), a step of 3,000 ns.
inline Prediction inference_sample() {
  Prediction p;
  p.question = {"test-gpu", "Test GPU", "tiny", "inference", "fp32", "all", 2, 2, 2, true, {}};
  Results& r = p.results;
  r.layers = {{"conv1", "conv2d", 156, Bytes{3136}, Bytes{13'824}, Bytes{624}},
              {"relu1", "relu", 0, Bytes{13'824}, Bytes{13'824}, Bytes{0}}};
  r.tasks.push_back(task(0, "conv1", "forward", {kernel("implicit_gemm_128x32", 500, 1500)}));
  TaskResult relu = task(1, "relu1", "forward", {kernel("elementwise_relu", 2000, 2500)});
  relu.kind = "relu";
  relu.algorithm = "elementwise";
  relu.macs = 0;
  relu.doubt = {"elementwise", 0.5, 0.0};
  relu.bound = Bound::launch;
  r.tasks.push_back(relu);
  r.resources = {{"gpu0", "l2", ns(400), Bytes{80'000}}, {"gpu0", "dram", ns(1000), Bytes{40'000}}};
  r.memory = {true,     Bytes{80LL << 30}, Bytes{500 << 20}, Bytes{624},       Bytes{0},
              Bytes{0}, Bytes{31'000},     Bytes{0},         Bytes{499 << 20}, "conv1"};
  r.step = ns(3000);
  r.host_busy = ns(800);
  r.device_busy = ns(1500);
  r.host_per_operator = ns(400);
  r.device = "gpu0";
  r.library = "cudnn-8-test";
  r.stack = "plain";
  r.fingerprint = 0x0123456789abcdefULL;
  return p;
}

/// The same with the passes of training on conv1, a generic catalogue, too little memory, a lone part and an override.
inline Prediction training_sample() {
  Prediction p = inference_sample();
  p.question.mode = "training";
  p.question.batch = 64;
  p.question.batch_per_device = 64;
  p.question.micro_batch = 16;
  p.question.has_host = false;
  p.question.knowledge = "datasheet";
  p.question.what_if = {"dram.bandwidth is 9.6 TB/s; everything else stays as it is"};
  Results& r = p.results;
  r.tasks.push_back(
      task(1, "relu1", "input_gradient", {kernel("elementwise_relu_grad", 2500, 2600)}));
  r.tasks.push_back(
      task(0, "conv1", "weight_gradient",
           {kernel("wgrad_split_k", 2600, 4600), kernel("split_k_reduce", 4600, 4800)}));
  r.tasks.push_back(task(0, "conv1", "bias_gradient", {kernel("reduce_rows", 4800, 4900)}));
  r.tasks.push_back(task(0, "conv1", "update", {kernel("sgd_momentum", 4900, 5000)}));
  r.memory.fits = false;
  r.memory.peak = Bytes{81LL << 30};
  r.memory.gradients = Bytes{624};
  r.memory.optimizer = Bytes{624};
  r.step = ns(5200);
  r.generic_library = true;
  r.host_busy = r.host_per_operator = Duration{};
  r.warnings = {
      {Severity::warning, "unverified", {}, "gpu0.l2.bandwidth", "nobody checked this number", ""}};
  return p;
}

}  // namespace tantalus::testing
