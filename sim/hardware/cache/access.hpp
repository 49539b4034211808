// One reference of a program to memory, as patterns and traces hand it to the cache simulator.
#pragma once

#include <cstdint>
#include <vector>

namespace tantalus {

/// `modify` is a load and a store of the same bytes in one step: counted as a load, as cachegrind does, and the line is dirty.
enum class AccessKind : std::uint16_t { load, store, instruction, modify };
inline constexpr unsigned access_kinds = 4;

/// Most bytes of one reference: block copies of a trace.
inline constexpr std::uint32_t longest_access = 4096;

/// 16 bytes: a machine reads millions of them a second.
struct Access {
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;  // 1 to longest_access; the last byte still has an address
  AccessKind kind = AccessKind::load;
  std::uint16_t core = 0;  // who asks

  bool operator==(const Access&) const = default;
};

using Accesses = std::vector<Access>;

}  // namespace tantalus
