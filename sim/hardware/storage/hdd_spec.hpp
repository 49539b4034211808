// A hard disk as its file describes it: turning platters and one arm.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/base/units.hpp"
#include "sim/config/describe.hpp"
#include "sim/hardware/storage/storage_link.hpp"

namespace tantalus {

struct HddSpec {
  std::string name;
  std::optional<Bytes> capacity;
  StorageLinkSpec link;
  Duration command_time{200'000'000};
  std::int64_t queue_depth = 32;
  std::int64_t turns_per_minute = 0;
  Duration seek_time;
  Duration track_seek_time{1'000'000'000};
  Bandwidth media_rate;

  Duration turn() const;
  /// The arm over a share of its whole way: the next track's time at none, and growing with the root of the way (it speeds up
  /// for half of it and slows down for the other), so that two random places are seek_time apart on average.
  Duration seek(double way) const;
};

template <class Visitor>
void describe(Visitor& v, HddSpec& s) {
  v.text("name", s.name, "product name");
  v.optional("capacity", s.capacity, positive, "bytes that a file system can use");
  v.section("link", s.link, "the drive's own port");
  v.defaulted("command_time", s.command_time, not_negative, "interface and firmware, each request");
  v.defaulted("queue_depth", s.queue_depth, within(1, 1'024),
              "requests whose order the drive may choose; 32 with native command queueing");
  v.required("turns_per_minute", s.turns_per_minute, within(100, 100'000), "of the platters");
  v.required("seek_time", s.seek_time, not_negative, "mean, from one random place to another");
  v.defaulted("track_seek_time", s.track_seek_time, not_negative, "to the next track");
  v.required("media_rate", s.media_rate, positive, "mean over the platters, read in sequence");
}
void check(const HddSpec& spec, SpecChecker& checker);

}  // namespace tantalus
