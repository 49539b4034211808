// The processor's cores as something that threads share: work is core time, a thread runs on at most one core, and when there
// are more runnable threads than cores all run slower, equally. Cores and memory are capacities of one fabric, so that copies,
// loader workers and a network that runs on the processor itself slow each other where they meet.
#pragma once

#include <cstdint>
#include <string>

#include "sim/engine/shared_capacity.hpp"
#include "sim/hardware/fabric.hpp"

namespace tantalus {

class HostCores {
 public:
  /// `cores` may be a fraction more than there are: a second hardware thread adds some. Work counts nanoseconds of one core.
  HostCores(Fabric& fabric, const std::string& processor, double cores);

  /// Threads that do the same kind of work: each occupies `width` cores at most and moves `traffic` bytes a second of
  /// `memory` for each core it has.
  FlowClassId open(std::int64_t width, CapacityId memory, Bandwidth traffic);

  /// One thread of the class works for `work` of its own time, when nothing slows it.
  void run(FlowClassId kind, std::int64_t width, Duration work, Action done);

  /// Core time spent so far.
  Duration busy() const { return fabric_.flows().busy(cores_); }
  CapacityId capacity() const { return cores_; }

 private:
  Fabric& fabric_;
  CapacityId cores_;
};

}  // namespace tantalus
