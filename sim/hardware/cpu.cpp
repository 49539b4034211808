#include "sim/hardware/cpu.hpp"

#include <algorithm>
#include <vector>

namespace tantalus {

namespace {

bool is_parallel(const KernelCost& kernel) { return kernel.units_limit > 1; }

}  // namespace

void Cpu::begin_run(const RunPlan& plan) {
  TaskDevice::begin_run(plan);
  spins_until_ = plan.begin;
}

Duration Cpu::still_waiting() const {
  const TimePoint now = engine().now();
  return spins_until_ > now ? spins_until_ - now : Duration{0};
}

// The kernels of one operation take turns image by image, so that serial loops among parallel regions never find them asleep.
void Cpu::start_next(TaskId id, std::size_t kernel) {
  std::vector<KernelCost>& costs = run(id).costs;
  const bool among_parallel = std::any_of(costs.begin(), costs.end(), is_parallel);
  const Duration left = among_parallel ? spin_.lasts : still_waiting();
  KernelCost& cost = costs[kernel];
  if (!is_parallel(cost) && left > Duration{0} && spin_.slower > 1.0)
    cost = beside_spinners(cost, spin_, left, model().rates());
  start_kernel(id, kernel);
}

void Cpu::task_ready(TaskId id) {
  take_from_queue(id);
  if (assumed_) spins_until_ = engine().now() + std::min(*assumed_, spin_.lasts);
  const std::size_t kernels = begin_task(id);
  if (is_copy(id)) {
    start_copy(id);
  } else if (kernels == 0) {
    end_task(id);  // the device refused the operation
  } else {
    start_next(id, 0);
  }
}

void Cpu::kernel_ended(TaskId id, bool more) {
  const std::size_t ended = run(id).kernels.size() - 1;
  if (is_parallel(run(id).costs[ended])) spins_until_ = engine().now() + spin_.lasts;
  if (more) {
    start_next(id, ended + 1);
  } else {
    end_task(id);
  }
}

}  // namespace tantalus
