#include "sim/results/results.hpp"

namespace tantalus {

std::string_view name_of(Bound bound) {
  switch (bound) {
    case Bound::compute:
      return "compute";
    case Bound::l1:
      return "l1";
    case Bound::l2:
      return "l2";
    case Bound::l3:
      return "l3";
    case Bound::dram:
      return "dram";
    case Bound::launch:
      return "launch";
    case Bound::host:
      return "host";
    case Bound::power:
      return "power";
  }
  return "compute";
}

std::string_view name_of(OccupancyLimit limit) {
  switch (limit) {
    case OccupancyLimit::registers:
      return "registers";
    case OccupancyLimit::shared:
      return "shared";
    case OccupancyLimit::threads:
      return "threads";
    case OccupancyLimit::blocks:
      return "blocks";
    case OccupancyLimit::grid:
      return "grid";
  }
  return "grid";
}

}  // namespace tantalus
