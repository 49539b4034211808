#include "sim/hardware/storage/ssd_spec.hpp"

#include <algorithm>
#include <cstdint>

#include "sim/base/units_text.hpp"
#include "sim/hardware/storage/need.hpp"

namespace tantalus {

Bytes SsdSpec::stripe() const {
  const Int128 bytes = Int128{page.count()} * planes;
  return Bytes{static_cast<std::int64_t>(std::min<Int128>(bytes, INT64_MAX))};
}

namespace {

void check_numbers(const SsdSpec& spec, SpecChecker& checker) {
  constexpr std::int64_t most_dies = 1'024, one_second = picoseconds_per_second;
  need(checker, "command_time", spec.command_time, 0, one_second);
  need(checker, "commands_per_second", spec.commands_per_second, 1, one_second);
  need(checker, "queue_depth", spec.queue_depth, 1, INT32_MAX);
  need(checker, "channels", spec.channels, 1, most_dies);
  need(checker, "dies_per_channel", spec.dies_per_channel, 1, most_dies);
  need(checker, "planes", spec.planes, 1, most_dies);
  need(checker, "page", spec.page, 1, 1LL << 30);
  need(checker, "read_time", spec.read_time, 0, one_second);
  need(checker, "program_time", spec.program_time, 1, one_second);
  need(checker, "channel_rate", spec.channel_rate);
}

}  // namespace

void check(const SsdSpec& spec, SpecChecker& checker) {
  check_numbers(spec, checker);
  if (spec.write_cache < spec.stripe()) {
    checker.contradictory("write_cache", "small-write-cache",
                          "a write is programmed from the cache, which holds less than a page of "
                          "each plane (" +
                              to_text(spec.stripe()) + ")",
                          "write at least that, or leave it out");
  }
  if (spec.slc_cache && spec.slc_cache->program_time > spec.program_time) {
    checker.unusual("slc_cache.program_time", "slow-slc",
                    "cells with one bit are written slower here than the others",
                    "one bit a cell takes less time than several");
  }
}

}  // namespace tantalus
