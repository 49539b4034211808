#include "sim/hardware/storage/hdd_spec.hpp"

#include <cmath>

#include "sim/hardware/storage/need.hpp"

namespace tantalus {

Duration HddSpec::turn() const {
  return Duration{divide_up(Int128{60} * picoseconds_per_second, turns_per_minute)};
}

Duration HddSpec::seek(double way) const {
  // The mean of sqrt|x - y| over two even places is 8/15.
  const double root = std::sqrt(way) * 15.0 / 8.0;
  return track_seek_time + duration_from_seconds(seconds(seek_time - track_seek_time) * root);
}

void check(const HddSpec& spec, SpecChecker& checker) {
  need(checker, "command_time", spec.command_time, 0, picoseconds_per_second);
  need(checker, "queue_depth", spec.queue_depth, 1, INT32_MAX);
  need(checker, "turns_per_minute", spec.turns_per_minute, 1, 1'000'000'000);
  need(checker, "seek_time", spec.seek_time, 0, picoseconds_per_second);
  need(checker, "media_rate", spec.media_rate);
  if (spec.track_seek_time > spec.seek_time) {
    checker.contradictory("track_seek_time", "slow-track-seek",
                          "the next track is farther than a random one", "write at most seek_time");
  }
}

}  // namespace tantalus
