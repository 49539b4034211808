// Which units take the next blocks of a kernel: breadth first, the least loaded unit first, as long as a block fits. Pure and
// without a clock. Units that hold the same blocks are one class, so the cost is in classes, not in units.
//
// Room is counted in shares of a unit: a block of a kernel that fits `b` times on an empty unit takes 1/b of it. For one
// kernel that is exactly its occupancy; for several kernels on one unit it is exact when the same resource limits them
// all, and never too generous otherwise (docs/modelling.md, "Blocks as events").
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tantalus {

/// A whole unit's room. A block takes at least one count, so at most 2^40 blocks fit.
inline constexpr std::int64_t whole_unit = std::int64_t{1} << 40;

/// Room that one block takes when `blocks_per_unit` of them fill a unit.
constexpr std::int64_t room_of_block(std::int64_t blocks_per_unit) {
  return whole_unit / blocks_per_unit;
}

/// Equal units as the placement sees them.
struct UnitLoad {
  std::int64_t units = 0;
  std::int64_t used = 0;  // of whole_unit, on each
  bool runs_it = false;   // holds blocks of the kernel that is being placed
};

/// `units` units of class `from` get `blocks` more blocks each.
struct Assignment {
  std::uint32_t from = 0;  // index into the loads
  std::int64_t units = 0;
  std::int64_t blocks = 0;

  bool operator==(const Assignment&) const = default;
};

struct PlacementRequest {
  std::int64_t blocks = 0;       // waiting to be placed
  std::int64_t block_room = 0;   // of each
  std::int64_t fresh_units = 0;  // units that do not run the kernel yet and may start to
};

/// Keeps scratch memory between calls; the answer does not depend on earlier calls.
class BlockPlacement {
 public:
  /// In order of class, larger shares of a class first. Units of a class that get nothing are not listed. Blocks that found
  /// no room are what the assignments do not add up to.
  const std::vector<Assignment>& place(std::span<const UnitLoad> loads,
                                       const PlacementRequest& request);

 private:
  struct Part {
    std::uint32_t from;
    std::int64_t units;
    std::int64_t used;
    std::int64_t added;
    bool runs_it;
  };

  Part* least_loaded(const PlacementRequest& left);
  bool others_have_room(const Part& chosen, const PlacementRequest& left) const;
  void give(std::size_t chosen, PlacementRequest& left);

  std::vector<Part> parts_;
  std::vector<Assignment> assignments_;
};

}  // namespace tantalus
