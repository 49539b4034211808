#include "sim/hardware/cpu_spin.hpp"

#include <algorithm>
#include <cmath>

namespace tantalus {

namespace {

Duration times(Duration time, double factor) {
  return Duration{std::llround(static_cast<double>(time.count()) * factor)};
}

/// `share` of a phase's work; what nobody shares stays with the first part.
BlockPhase part_of(const BlockPhase& phase, double share, double slower, bool first) {
  BlockPhase part = phase;
  part.unit_time = times(phase.unit_time, share * slower);
  for (Bytes& bytes : part.bytes)
    bytes = Bytes{std::llround(static_cast<double>(bytes.count()) * share)};
  if (!first) part.latency = Duration{0};
  return part;
}

Duration alone(const BlockPhase& phase, const KernelCost& kernel, const DeviceRates& rates) {
  KernelCost one = kernel;
  one.fixed = Duration{0};
  one.groups = {{1, {phase}}};
  return alone_time(one, rates);
}

}  // namespace

SpinRule spin_rule_of(const CpuSpec& spec, const CpuLibrary& library) {
  const std::int64_t ticks = library.threads.spin_ticks;
  if (ticks < 1 || spec.smt.threads < 2 || spec.cores < 2) return {};
  // Serial loops are priced at the clock of one busy core; beside spinners all cores are busy and each is shared.
  const double slower =
      static_cast<double>(spec.clock.one_core->count()) /
      (static_cast<double>(spec.clock.sustained->count()) * spec.smt.share.value());
  return {Cycles{ticks} / spec.clock.base, std::max(1.0, slower)};
}

KernelCost beside_spinners(const KernelCost& kernel, const SpinRule& rule, Duration left,
                           const DeviceRates& rates) {
  KernelCost result = kernel;
  result.groups.clear();
  left -= std::min(left, kernel.fixed);
  for (const BlockGroup& group : kernel.groups) {
    BlockGroup slowed{group.blocks, {}};
    for (const BlockPhase& phase : group.phases) {
      const BlockPhase shared = part_of(phase, 1.0, rule.slower, true);
      const Duration span = alone(shared, kernel, rates);
      if (span <= left) {
        slowed.phases.push_back(shared);
        left -= span;
        continue;
      }
      const double before = static_cast<double>(left.count()) / static_cast<double>(span.count());
      if (before > 0.0) slowed.phases.push_back(part_of(phase, before, rule.slower, true));
      slowed.phases.push_back(part_of(phase, 1.0 - before, 1.0, before <= 0.0));
      left = Duration{0};
    }
    result.groups.push_back(std::move(slowed));
  }
  return result;
}

}  // namespace tantalus
