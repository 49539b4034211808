// Small integer names for things, one type each, so that a task can never be passed where a device is meant.
#pragma once

#include <compare>
#include <cstdint>

namespace tantalus {

/// Index of one thing of kind `Tag` in the table that owns it; ids count from zero in creation order.
template <class Tag>
struct Id {
  std::uint32_t value = 0;
  constexpr auto operator<=>(const Id&) const = default;
};

using DeviceId = Id<struct DeviceTag>;
using LinkId = Id<struct LinkTag>;
using TaskId = Id<struct TaskTag>;
using LayerId = Id<struct LayerTag>;

}  // namespace tantalus
