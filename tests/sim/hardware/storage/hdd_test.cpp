#include "sim/hardware/storage/hdd.hpp"

#include <cstdint>

#include <doctest/doctest.h>

#include "tests/sim/hardware/storage/storage_load.hpp"

namespace tantalus {
namespace {

using testing::load;
using testing::Pattern;
using testing::random_reads;
using testing::sequential;

HddSpec disk() {
  HddSpec spec;
  spec.link.sata = 3;
  spec.turns_per_minute = 7'200;
  spec.seek_time = Duration{8'500'000'000};
  spec.media_rate = Bandwidth{150'000'000};
  return spec;
}

double per_second(const HddSpec& spec, const Pattern& pattern, int depth) {
  return load<Hdd>(spec, pattern, depth, 4'000).per_second;
}

TEST_CASE("one random read at a time takes the seek, half a turn and its way past the head") {
  // 0.2 + 8.5 + 4.17 ms + 4 KiB / 150 MB/s, and 110 kB / 150 MB/s
  CHECK(per_second(disk(), random_reads(Bytes{4'096}), 1) ==
        doctest::Approx(1.0 / 12.89e-3).epsilon(0.02));
  CHECK(per_second(disk(), random_reads(Bytes{110'000}), 1) ==
        doctest::Approx(1.0 / 13.60e-3).epsilon(0.02));
}

TEST_CASE("a deep queue shortens the arm's way, not the wait for the platter") {
  const Pattern files = random_reads(Bytes{110'000});
  double before = per_second(disk(), files, 1);
  for (const int depth : {2, 4, 8, 16, 32}) {
    CAPTURE(depth);
    const double now = per_second(disk(), files, depth);
    CHECK(now > before);
    before = now;
  }
  // No way at all would leave half a turn, command, track change and transfer: 6.1 ms.
  CHECK(before < 1.0 / 6.1e-3);
  CHECK(per_second(disk(), files, 64) == doctest::Approx(before).epsilon(0.05));
  HddSpec in_order = disk();
  in_order.queue_depth = 1;
  CHECK(per_second(in_order, files, 32) == doctest::Approx(1.0 / 13.60e-3).epsilon(0.02));
}

TEST_CASE("one stream runs at the media's rate, two share it and seek between their pieces") {
  const Bytes piece{1 << 20};
  const double one = per_second(disk(), sequential(piece, StorageRequest::Kind::read), 1);
  CHECK(one * 1'048'576.0 ==
        doctest::Approx(150e6 * 6.99 / 7.19).epsilon(0.01));  // 0.2 ms a command
  const Pattern two = [](std::uint64_t i) {
    const std::uint64_t stream = i % 2, step = i / 2;
    return StorageRequest{Bytes{1 << 20}, (stream << 46) + (step << 20), StorageRequest::Kind::read,
                          step > 0, 0};
  };
  CHECK(per_second(disk(), two, 2) < 0.6 * one);
}

TEST_CASE("a slow port holds the head up") {
  HddSpec spec = disk();
  spec.link.sata = 1;
  spec.media_rate = Bandwidth{600'000'000};
  const double rate = per_second(spec, sequential(Bytes{1 << 22}, StorageRequest::Kind::read), 1);
  CHECK(rate * (1 << 22) < 140e6);
}

}  // namespace
}  // namespace tantalus
