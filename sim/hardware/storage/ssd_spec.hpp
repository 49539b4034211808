// A solid state drive as its file describes it: a controller, channels with dies of flash (or of another memory without moving
// parts), a link. Times of the media are those of one die; how fast the drive is follows from how many there are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/base/units.hpp"
#include "sim/config/describe.hpp"
#include "sim/hardware/storage/storage_link.hpp"

namespace tantalus {

/// Cells written with one bit each until later: fast, but not many.
struct SlcCacheSpec {
  Bytes capacity;
  Duration program_time;
};

struct SsdSpec {
  std::string name;
  std::optional<Bytes> capacity;
  StorageLinkSpec link;
  Duration command_time;
  std::int64_t commands_per_second = 0;
  std::int64_t queue_depth = 65'535;
  std::int64_t channels = 0, dies_per_channel = 0, planes = 1;
  Bytes page;
  Duration read_time, program_time;
  Bandwidth channel_rate;
  Bytes write_cache{256LL << 20};
  std::optional<SlcCacheSpec> slc_cache;

  std::int64_t dies() const { return channels * dies_per_channel; }
  /// What a die reads or programs at once when neighbours are wanted: a page of each plane.
  Bytes stripe() const;
};

template <class Visitor>
void describe(Visitor& v, SlcCacheSpec& s) {
  v.required("capacity", s.capacity, positive, "bytes that fit before writes slow down");
  v.required("program_time", s.program_time, positive,
             "to program one page of each plane this way");
}

template <class Visitor>
void describe(Visitor& v, SsdSpec& s) {
  v.text("name", s.name, "product name");
  v.optional("capacity", s.capacity, positive, "bytes that a file system can use");
  v.section("link", s.link, "the drive's own port; a link of the system can only be slower");
  v.required("command_time", s.command_time, not_negative,
             "from a command's arrival to the first die, without waiting: interface and firmware");
  v.required("commands_per_second", s.commands_per_second, within(1, 1e9),
             "commands that the controller takes in at most");
  v.defaulted("queue_depth", s.queue_depth, within(1, 65'535),
              "commands that it knows of at once; Serial ATA has 32");
  v.required("channels", s.channels, within(1, 1'024), "channels between controller and dies");
  v.required("dies_per_channel", s.dies_per_channel, within(1, 1'024), "dies on one channel");
  v.defaulted("planes", s.planes, within(1, 64), "pages that a die reads at once, if neighbours");
  v.required("page", s.page, positive, "bytes of one page of one plane");
  v.required("read_time", s.read_time, positive, "from a die's cells to its register (tR)");
  v.required("program_time", s.program_time, positive,
             "to program one page of each plane (tPROG), with its share of erasing");
  v.required("channel_rate", s.channel_rate, positive, "rate of one channel");
  v.defaulted("write_cache", s.write_cache, positive, "bytes accepted before they are programmed");
  v.optional_section("slc_cache", s.slc_cache, "a part of the cells that is written faster");
}
void check(const SsdSpec& spec, SpecChecker& checker);

}  // namespace tantalus
