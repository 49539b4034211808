// Systems with fake models, planned by hand: a GPU alone, and a GPU with a CPU as its host over one link.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/hardware/cpu.hpp"
#include "sim/hardware/gpu.hpp"
#include "sim/hardware/simulate.hpp"
#include "tests/sim/hardware/fake_model.hpp"

namespace tantalus::test {

inline const DeviceKind fake_gpu_kind{"gpu", "a fake GPU", nullptr, DeviceKind::Role::accelerator};
inline const DeviceKind fake_cpu_kind{"cpu", "a fake CPU", nullptr, DeviceKind::Role::host};

class FakeGpuPlan final : public DevicePlan {
 public:
  FakeGpuPlan(FakeModel model, GpuTiming timing) : model_(std::move(model)), timing_(timing) {}
  std::unique_ptr<Component> make(const DeviceSite& site) const override {
    return std::make_unique<Gpu>(site, model_, timing_);
  }
  const DeviceModel* model() const override { return &model_; }

 private:
  FakeModel model_;
  GpuTiming timing_;
};

class FakeCpuPlan final : public DevicePlan {
 public:
  explicit FakeCpuPlan(FakeModel model) : model_(std::move(model)) {}
  std::unique_ptr<Component> make(const DeviceSite& site) const override {
    return std::make_unique<Cpu>(site, model_);
  }
  const DeviceModel* model() const override { return &model_; }

 private:
  FakeModel model_;
};

inline constexpr GpuTiming instant_launch{Duration{0}, Duration{0}, 1024, 2};

inline PartPlan gpu_part(std::string name, FakeModel model, GpuTiming timing = instant_launch) {
  return {std::move(name), &fake_gpu_kind, std::make_unique<FakeGpuPlan>(std::move(model), timing)};
}
inline PartPlan cpu_part(std::string name, FakeModel model) {
  return {std::move(name), &fake_cpu_kind, std::make_unique<FakeCpuPlan>(std::move(model))};
}

/// An ideal host and one device.
inline SystemPlan lone(PartPlan part) {
  SystemPlan plan;
  plan.name = part.name;
  plan.parts.push_back(std::move(part));
  plan.routes.resize(1);
  return plan;
}

/// "cpu" hosts "gpu0" over a link of 10 GB/s; host memory of 100 GB/s.
inline SystemPlan hosted(FakeModel gpu, GpuTiming timing = instant_launch,
                         FakeModel cpu = FakeModel({4, {Bandwidth{0}, 100 * gb_per_s}})) {
  SystemPlan plan;
  plan.name = "hosted";
  plan.parts.push_back(cpu_part("cpu", std::move(cpu)));
  plan.parts.push_back(gpu_part("gpu0", std::move(gpu), timing));
  plan.links.push_back({"pcie cpu-gpu0", 0, 1, 10 * gb_per_s});
  plan.host = 0;
  plan.routes = {{}, {0}};
  return plan;
}

inline StackSpec stack_of(Duration host_per_operator) {
  StackSpec stack;
  stack.name = "test";
  stack.host_per_operator = host_per_operator;
  return stack;
}

/// Builds, runs and keeps the trace.
struct Run {
  Run(const SystemPlan& plan, const TaskGraph& tasks,
      const StackSpec& stack = stack_of(Duration{0}), const std::string& device = {}) {
    Machine machine = build(plan);
    Result<Results> run = simulate(machine, tasks, {device, stack, &trace});
    results = std::move(run).value();
  }
  Trace trace;
  Results results;
};

}  // namespace tantalus::test
