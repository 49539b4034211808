#include "sim/hardware/storage/ssd.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

#include <doctest/doctest.h>

#include "tests/sim/hardware/storage/storage_load.hpp"

namespace tantalus {
namespace {

using testing::load;
using testing::Pattern;
using testing::random_reads;
using testing::Seen;
using testing::sequential;

constexpr Bytes block{4'096};

// 8 channels x 4 dies; one of the limits is lowered in each test.
SsdSpec drive() {
  SsdSpec spec;
  spec.link.pcie = PcieLinkSpec{5, 16};
  spec.command_time = Duration{8'000'000};
  spec.commands_per_second = 100'000'000;
  spec.channels = 8;
  spec.dies_per_channel = 4;
  spec.page = Bytes{16'384};
  spec.read_time = Duration{60'000'000};
  spec.program_time = Duration{600'000'000};
  spec.channel_rate = Bandwidth{1'200'000'000};
  return spec;
}

Seen reads(const SsdSpec& spec, const Pattern& pattern, int depth, std::uint64_t count = 20'000) {
  return load<Ssd>(spec, pattern, depth, count);
}

// One block after another, each on the next die: nobody finds a die busy while there are free ones.
Pattern in_turn(const SsdSpec& spec) {
  return [stripe = static_cast<std::uint64_t>(spec.stripe().count())](std::uint64_t i) {
    return StorageRequest{block, i * stripe, StorageRequest::Kind::read, false, 0};
  };
}

/// Command, die, channel, link of one block by itself.
double unloaded(const SsdSpec& spec) {
  return seconds(spec.command_time + spec.read_time + block / spec.channel_rate +
                 block / storage_link_rate(spec.link));
}

TEST_CASE("one read at a time takes command, die, channel and link one after the other") {
  const SsdSpec spec = drive();
  const Seen seen = reads(spec, random_reads(block), 1);
  // 8 us + 60 us + 4096 B / 1.2 GB/s + 4096 B / 52.7 GB/s
  CHECK(seen.latency == doctest::Approx(71.49e-6).epsilon(0.001));
  CHECK(seen.latency == doctest::Approx(unloaded(spec)).epsilon(0.0001));
}

TEST_CASE("the queue-depth curve is the lesser of depth / unloaded latency and dies / die time") {
  const SsdSpec spec = drive();
  const double ceiling = 32 / seconds(spec.read_time);
  for (const int depth : {1, 2, 4, 8, 16, 32, 64, 128, 256}) {
    CAPTURE(depth);
    const Seen seen = reads(spec, in_turn(spec), depth);
    CHECK(seen.per_second ==
          doctest::Approx(std::min(depth / unloaded(spec), ceiling)).epsilon(0.02));
  }
}

TEST_CASE("at every depth as many are in flight as arrive in one latency (Little)") {
  for (const int depth : {1, 4, 16, 64, 256}) {
    CAPTURE(depth);
    const Seen seen = reads(drive(), random_reads(block), depth, 60'000);
    CHECK(seen.in_flight == doctest::Approx(60'000 / seen.span * seen.latency).epsilon(1e-6));
    CHECK(depth == doctest::Approx(seen.per_second * seen.latency).epsilon(0.02));
  }
}

TEST_CASE(
    "random reads that meet on a die wait: they need more depth than dies to reach the ceiling") {
  const SsdSpec spec = drive();
  const double ceiling = 32 / seconds(spec.read_time);
  double before = 0.0;
  for (const int depth : {1, 2, 8, 32, 128, 512, 2'048}) {
    CAPTURE(depth);
    const double rate = reads(spec, random_reads(block), depth, 60'000).per_second;
    CHECK(rate >= 0.99 * before);
    CHECK(rate <= std::min(depth / unloaded(spec), ceiling) * 1.001);
    before = rate;
  }
  CHECK(before == doctest::Approx(ceiling).epsilon(0.03));
}

TEST_CASE("large reads spread over the dies and reach the ceiling of the channels") {
  SsdSpec spec = drive();
  spec.channel_rate = Bandwidth{100'000'000};
  const Seen seen = reads(spec, random_reads(Bytes{1 << 20}), 32, 2'000);
  CHECK(seen.per_second * (1 << 20) == doctest::Approx(8 * 100e6).epsilon(0.02));
}

TEST_CASE("large reads reach the ceiling of the dies, and planes multiply it") {
  SsdSpec spec = drive();
  const double one_plane = 32 * 16'384 / seconds(spec.read_time);  // 8.7 GB/s
  CHECK(reads(spec, sequential(Bytes{1 << 20}, StorageRequest::Kind::read), 32, 4'000).per_second *
            (1 << 20) ==
        doctest::Approx(one_plane).epsilon(0.02));
  spec.planes = 4;
  spec.channel_rate = Bandwidth{8'000'000'000};
  CHECK(reads(spec, sequential(Bytes{1 << 20}, StorageRequest::Kind::read), 64, 4'000).per_second *
            (1 << 20) ==
        doctest::Approx(4 * one_plane).epsilon(0.02));
}

TEST_CASE("large reads reach the ceiling of the link, PCI Express or Serial ATA") {
  SsdSpec spec = drive();
  spec.link.pcie = PcieLinkSpec{3, 4};
  const Pattern large = random_reads(Bytes{1 << 20});
  CHECK(reads(spec, large, 32, 4'000).per_second * (1 << 20) ==
        doctest::Approx(3.37e9).epsilon(0.02));  // the table of PCI Express rates
  spec.link = {std::nullopt, 3};
  CHECK(reads(spec, large, 32, 4'000).per_second * (1 << 20) ==
        doctest::Approx(560e6).epsilon(0.02));
}

TEST_CASE("small reads reach the ceiling of the controller") {
  SsdSpec spec = drive();
  spec.commands_per_second = 100'000;
  CHECK(reads(spec, random_reads(block), 256).per_second == doctest::Approx(100'000).epsilon(0.02));
}

TEST_CASE("a drive that knows of few commands at once is no faster for more") {
  SsdSpec spec = drive();
  spec.queue_depth = 4;
  CHECK(reads(spec, in_turn(spec), 64).per_second ==
        doctest::Approx(reads(spec, in_turn(spec), 4).per_second).epsilon(0.001));
}

TEST_CASE("a write is answered from the cache, and the dies set the pace once it is full") {
  SsdSpec spec = drive();
  const Seen one = load<Ssd>(spec, sequential(block, StorageRequest::Kind::write), 1, 100);
  CHECK(one.latency == doctest::Approx(8.08e-6).epsilon(0.01));  // 8 us + 4096 B / 52.7 GB/s
  spec.write_cache = Bytes{8 << 20};
  const Seen many =
      load<Ssd>(spec, sequential(Bytes{1 << 20}, StorageRequest::Kind::write), 4, 2'000);
  CHECK(many.per_second * (1 << 20) ==
        doctest::Approx(32 * 16'384 / seconds(spec.program_time)).epsilon(0.02));
}

TEST_CASE("cells with one bit take writes fast until they are full") {
  SsdSpec spec = drive();
  spec.write_cache = Bytes{8 << 20};
  spec.slc_cache = SlcCacheSpec{Bytes{512 << 20}, Duration{200'000'000}};
  const Seen seen =
      load<Ssd>(spec, sequential(Bytes{1 << 20}, StorageRequest::Kind::write), 4, 1'024);
  const double full_rate = 32 * 16'384 / seconds(spec.program_time);
  const auto between = [&](std::size_t from, std::size_t to) {
    return static_cast<double>(to - from) * (1 << 20) /
           seconds(seen.answered[to] - seen.answered[from]);
  };
  CHECK(between(50, 450) == doctest::Approx(3 * full_rate).epsilon(0.02));
  CHECK(between(600, 1'000) == doctest::Approx(full_rate).epsilon(0.02));
}

TEST_CASE("a read waits for the program that runs, not for those that wait") {
  SsdSpec spec = drive();
  spec.channels = 1;
  spec.dies_per_channel = 1;
  const Pattern write_then_read = [](std::uint64_t i) {
    const bool last = i == 8;
    return StorageRequest{last ? block : Bytes{16'384}, 0,
                          last ? StorageRequest::Kind::read : StorageRequest::Kind::write, false,
                          0};
  };
  const Seen seen = load<Ssd>(spec, write_then_read, 1, 9);
  // The first stripe is in the die after 8 + 0.3 + 13.7 us and programmed 600 us later; then 60 + 3.4 us for the read.
  CHECK(seconds(seen.answered[8].since_start()) == doctest::Approx(685.5e-6).epsilon(0.001));
}

TEST_CASE("the same requests give the same answers to the picosecond") {
  const Seen first = reads(drive(), random_reads(Bytes{110'000}), 16, 2'000);
  CHECK(first.answered == reads(drive(), random_reads(Bytes{110'000}), 16, 2'000).answered);
}

TEST_CASE("a request for nothing costs a command") {
  const Seen seen = reads(drive(), random_reads(Bytes{0}), 1, 10);
  CHECK(seen.latency == doctest::Approx(8e-6));
}

TEST_CASE("dies and link are never busier than the time allows, and bytes are counted") {
  const Seen seen = reads(drive(), random_reads(Bytes{110'000}), 64, 5'000);
  CHECK(seen.use.read == Bytes{110'000LL * 5'000});
  CHECK(seen.use.reads == 5'000);
  CHECK(seconds(seen.use.media_busy) <= seen.span);
  CHECK(seconds(seen.use.link_busy) <= seen.span);
  CHECK(seconds(seen.use.media_busy) > 0.9 * seen.span);
}

}  // namespace
}  // namespace tantalus
