#include "sim/pipeline/host_cores.hpp"

#include <cmath>
#include <vector>

namespace tantalus {

namespace {

constexpr std::int64_t work_per_second = 1'000'000'000;
constexpr std::int64_t picoseconds_of_work = picoseconds_per_second / work_per_second;

}  // namespace

HostCores::HostCores(Fabric& fabric, const std::string& processor, double cores)
    : fabric_(fabric),
      cores_(fabric.add(processor, "cores",
                        Bandwidth{std::llround(cores * static_cast<double>(work_per_second))})) {}

FlowClassId HostCores::open(std::int64_t width, CapacityId memory, Bandwidth traffic) {
  std::vector<Crossing> route{{cores_.value}};
  if (traffic > Bandwidth{0})
    route.push_back({memory.value, Crossing::ratio(traffic.count(), work_per_second)});
  return fabric_.flows().open_class(
      {std::move(route), width, Rate::of(Bandwidth{width * work_per_second})});
}

void HostCores::run(FlowClassId kind, std::int64_t width, Duration work, Action done) {
  fabric_.flows().start(kind, Bytes{divide_up(work.count(), picoseconds_of_work) * width}, done);
}

}  // namespace tantalus
