#include "sim/hardware/block_placement.hpp"

#include <algorithm>

namespace tantalus {

const std::vector<Assignment>& BlockPlacement::place(std::span<const UnitLoad> loads,
                                                     const PlacementRequest& request) {
  parts_.clear();
  for (std::uint32_t i = 0; i < loads.size(); ++i) {
    if (loads[i].units > 0) {
      parts_.push_back({i, loads[i].units, loads[i].used, 0, loads[i].runs_it});
    }
  }
  PlacementRequest left = request;
  while (left.blocks > 0) {
    const Part* chosen = least_loaded(left);
    if (chosen == nullptr) break;
    give(static_cast<std::size_t>(chosen - parts_.data()), left);
  }
  assignments_.clear();
  for (const Part& part : parts_) {
    if (part.added > 0) assignments_.push_back({part.from, part.units, part.added});
  }
  std::sort(assignments_.begin(), assignments_.end(), [](const Assignment& a, const Assignment& b) {
    return a.from != b.from ? a.from < b.from : a.blocks > b.blocks;
  });
  return assignments_;
}

BlockPlacement::Part* BlockPlacement::least_loaded(const PlacementRequest& left) {
  Part* best = nullptr;
  for (Part& part : parts_) {
    if (part.used + left.block_room > whole_unit) continue;
    if (!part.runs_it && left.fresh_units == 0) continue;
    if (best == nullptr || part.used < best->used) best = &part;
  }
  return best;
}

bool BlockPlacement::others_have_room(const Part& chosen, const PlacementRequest& left) const {
  return std::any_of(parts_.begin(), parts_.end(), [&](const Part& part) {
    return &part != &chosen && part.used + left.block_room <= whole_unit &&
           (part.runs_it || left.fresh_units > 0);
  });
}

void BlockPlacement::give(std::size_t chosen, PlacementRequest& left) {
  Part& part = parts_[chosen];
  std::int64_t units = std::min(part.units, left.blocks);
  if (!part.runs_it) units = std::min(units, left.fresh_units);
  if (units <
      part.units) {  // some of these units get one more block than the others: two parts from here on
    Part rest = part;
    rest.units -= units;
    part.units = units;
    if (!part.runs_it) left.fresh_units -= units;
    part.runs_it = true;
    part.used += left.block_room;
    part.added += 1;
    left.blocks -= units;
    parts_.push_back(rest);
    return;
  }
  std::int64_t each = 1;
  if (!others_have_room(part, left)) {  // several rounds at once: nobody else would get a turn
    each = std::min((whole_unit - part.used) / left.block_room, left.blocks / units);
  }
  if (!part.runs_it) left.fresh_units -= units;
  part.runs_it = true;
  part.used += left.block_room * each;
  part.added += each;
  left.blocks -= units * each;
}

}  // namespace tantalus
