// How much of the last cache one program has right now: neighbours share it, and change their minds.
#pragma once

#include <cstddef>

#include "kernels/cpu/probes.hpp"
#include "kernels/cpu/topology.hpp"

namespace tantalus::validation {

/// Bytes that surely lie past the second level and well inside the third; 0 without a third.
std::size_t first_of_last_cache(const kernels::Topology& topology);

struct CacheReach {
  double bytes =
      0;  // an operand read again after so many bytes is about to leave the cache; 0: not found
  double rate = 0;        // bytes a second of reads that stay inside
  double neighbours = 0;  // bytes a second that other programs move through it
};

/// Passes over working sets that grow from `first` bytes to all of `memory`: where half of the time between the cache's rate
/// and memory's is lost, the model has passed 1.18 reaches (the middle of 0.7 and 2 on its logarithmic scale). `far`: bytes a
/// second of reads from memory. Some 20 ms.
CacheReach cache_reach(kernels::Isa isa, float* memory, std::size_t bytes, std::size_t first,
                       double far);

/// Bytes a second that one core fills from memory: the middle of a pass that reads, one in place, a scaled copy and a triad over
/// `bytes` together, a line that goes back counted as 0.15 of one that comes (docs/modelling.md, "CPU memory levels").
double memory_rate(kernels::Isa isa, float* memory, std::size_t bytes);

}  // namespace tantalus::validation
