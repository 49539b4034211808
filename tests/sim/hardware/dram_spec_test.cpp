#include "sim/hardware/dram_spec.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/sim/hardware/recording_checker.hpp"

namespace tantalus {
using tantalus::test::RecordingChecker;

namespace {

DramSpec ddr4() {
  DramSpec spec;
  spec.kind = "DDR4-2133";
  spec.capacity = Bytes{64'000'000'000};
  spec.channels = 4;
  spec.channel_width = BitWidth{64};
  spec.data_rate = TransferRate{2'133'000'000};
  return spec;
}

RecordingChecker checked(DramSpec spec) {
  derive(spec);
  RecordingChecker checker;
  check(spec, checker);
  return checker;
}

}  // namespace

TEST_CASE("four channels of DDR4-2133 move 68.3 GB/s at their peak") {
  DramSpec spec = ddr4();

  derive(spec);

  CHECK(spec.bandwidth->count() == 4 * 8 * 2'133'000'000LL);  // channels x 8 bytes x transfers
}

TEST_CASE("streams reach the efficiency's share of the peak") {
  DramSpec spec = ddr4();
  spec.efficiency = Fraction{0.5};

  derive(spec);

  CHECK(spec.achievable().count() == 4 * 4 * 2'133'000'000LL);
}

TEST_CASE("doubling channels, width or data rate gives the same bandwidth") {
  DramSpec channels = ddr4(), width = ddr4(), rate = ddr4();
  channels.channels *= 2;
  width.channel_width = BitWidth{128};
  rate.data_rate = TransferRate{2 * 2'133'000'000LL};

  for (DramSpec* spec : {&channels, &width, &rate}) derive(*spec);

  CHECK(channels.bandwidth == width.bandwidth);
  CHECK(width.bandwidth == rate.bandwidth);
}

TEST_CASE("a written bandwidth wins over the bus and a disagreement is a warning") {
  DramSpec spec = ddr4();
  spec.bandwidth = Bandwidth{100'000'000'000};

  const RecordingChecker found = checked(spec);

  CHECK(found.all() == std::vector<std::string>{"unusual bandwidth-mismatch bandwidth"});
}

TEST_CASE("a bandwidth in bits for bytes is impossible") {
  DramSpec spec = ddr4();
  spec.bandwidth = Bandwidth{8 * 68'256'000'000LL};

  CHECK(checked(spec).all() == std::vector<std::string>{"impossible bandwidth-mismatch bandwidth"});
}

TEST_CASE("memory without a data rate cannot be simulated even in a hypothetical file") {
  DramSpec spec = ddr4();
  spec.data_rate = TransferRate{0};

  CHECK(checked(spec).all() == std::vector<std::string>{"contradictory zero-bandwidth bandwidth"});
}

TEST_CASE("the largest numbers that a file can hold do not overflow") {
  DramSpec spec = ddr4();
  spec.channels = INT64_MAX;
  spec.channel_width = BitWidth{INT64_MAX};

  derive(spec);

  CHECK(spec.bandwidth->count() > 0);
}

TEST_CASE("an efficiency that no memory reaches is a warning") {
  DramSpec spec = ddr4();
  spec.efficiency = Fraction{1.0};

  CHECK(checked(spec).all() ==
        std::vector<std::string>{"unusual optimistic-efficiency efficiency"});
}

}  // namespace tantalus
