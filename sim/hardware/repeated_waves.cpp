// The waves of a kernel that are counted instead of simulated: those between two lulls (block_engine.hpp) differ in nothing.
#include <algorithm>

#include "sim/hardware/block_engine.hpp"

namespace tantalus {

bool BlockEngine::lull() const {
  return engine_.trace() == nullptr && running_ == 1 && waiting_.size() == 1 &&
         kernels_[waiting_.front()].live == 0 && flows_.active_flows() == 0;
}

BlockEngine::Lull BlockEngine::lull_now() const {
  const Kernel& kernel = kernels_[waiting_.front()];
  return {waiting_.front(), kernel.group,   kernel.unplaced,  engine_.now(), placements_,
          kernels_started_, flows_started_, flows_.started(), unit_work_,    kernel.waited};
}

// One placement filled all units since the last lull, no other kernel or flow came between, and there is enough for the same
// again, once as a repetition and once as events: the last full wave may overlap with what follows it.
bool BlockEngine::repeats() const {
  const Lull now = lull_now();
  const bool alone = now.kernel == lull_.kernel && now.group == lull_.group &&
                     now.placements == lull_.placements + 1 && now.kernels == lull_.kernels &&
                     now.all_flows - lull_.all_flows == now.flows - lull_.flows;
  return alone && now.when > lull_.when && now.unplaced / (lull_.unplaced - now.unplaced) >= 2;
}

void BlockEngine::repeat_waves() {
  std::int64_t times = 0;
  std::int64_t blocks = 0;
  Duration period;
  if (lull() && repeats()) {
    const Kernel& kernel = kernels_[waiting_.front()];
    blocks = lull_.unplaced - kernel.unplaced;
    period = engine_.now() - lull_.when;
    const Duration undisturbed = engine_.next_event() - engine_.now() - Duration{1};
    times = std::min(kernel.unplaced / blocks - 1, undisturbed.count() / period.count());
  }
  if (times > 0) repeat(times, blocks);
  engine_.at(engine_.now() + period * times, Phase::act, {on<&BlockEngine::place_waiting>, this});
}

/// What `times` waves of `blocks` blocks like the one since the last lull leave behind.
void BlockEngine::repeat(std::int64_t times, std::int64_t blocks) {
  Kernel& kernel = kernels_[waiting_.front()];
  kernel.unplaced -= times * blocks;
  kernel.unplaced_all -= times * blocks;
  unit_work_ += (unit_work_ - lull_.unit_work) * times;
  for (std::size_t bound = 0; bound < kernel.waited.size(); ++bound) {
    kernel.waited[bound] += (kernel.waited[bound] - lull_.waited[bound]) * times;
  }
  const std::vector<BlockPhase>& phases = kernel.cost->groups[kernel.group].phases;
  for (std::size_t i = 0; i < phases.size() * shared_levels; ++i) {
    const Bytes each = phases[i / shared_levels].bytes[i % shared_levels];
    if (each <= Bytes{0}) continue;
    flows_.count_moved(kernel.flow_classes[kernel.first_phase[kernel.group] + i], each,
                       times * blocks);
  }
}

}  // namespace tantalus
