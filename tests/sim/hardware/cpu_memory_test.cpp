#include "sim/hardware/cpu_memory.hpp"

#include <doctest/doctest.h>

#include "tests/sim/hardware/cpu_fixture.hpp"

namespace tantalus::test {

namespace {

constexpr double infinite = 9e18;
constexpr double kib = 1024.0;

CpuSpec xeon() { return read_cpu("xeon-e5-2650-v3").value(); }

CpuTraffic one_pass(double bytes, double distance, bool written, const CpuSpec& spec) {
  CpuTraffic traffic;
  add_pass(traffic, bytes, distance, written, spec, 1);
  return traffic;
}

}  // namespace

TEST_CASE("one core reaches its own first levels and the third level of its group") {
  const CpuSpec epyc = read_cpu("epyc-9654").value();

  CHECK(reach_of(epyc, 1).l2 == 1024 * kib);
  CHECK(reach_of(epyc, 1).l3 == 32 * 1024 * kib);  // one complex of eight cores
  CHECK(reach_of(epyc, 9).l3 == 64 * 1024 * kib);  // the ninth core brings the second complex
  CHECK(reach_of(epyc, 96).l3 == 384 * 1024 * kib);
}

TEST_CASE("data lie in a level below 0.7 of its reach and past it beyond twice its reach") {
  const CacheReach reach{32 * kib, 256 * kib, 25600 * kib};

  CHECK(locate(0.7 * 32 * kib, reach).l1 == 1.0);
  CHECK(locate(2 * 32 * kib, reach).l1 == 0.0);
  CHECK(locate(2 * 32 * kib, reach).l2 == 1.0);
  CHECK(locate(2 * 25600 * kib, reach).dram == 1.0);
  CHECK(locate(infinite, reach).dram == 1.0);
}

TEST_CASE("between the two limits the share falls with the logarithm of the distance") {
  const CacheReach reach{32 * kib, 256 * kib, 25600 * kib};
  // The geometric middle of 0.7 and 2 is sqrt(1.4) = 1.18322: half of the data are left.
  const LevelShares share = locate(1.183216 * 256 * kib, reach);

  CHECK(share.l2 == doctest::Approx(0.5).epsilon(1e-5));
  CHECK(share.l3 == doctest::Approx(0.5).epsilon(1e-5));
}

TEST_CASE("neighbours push data out of the shared level and out of no private one") {
  const CacheReach reach = reach_of(xeon(), 1);

  CHECK(locate({100 * kib, 1e9}, reach).l2 == 1.0);
  CHECK(locate({2'000 * kib, 0}, reach).l3 == 1.0);
  CHECK(locate({2'000 * kib, 1e9}, reach).dram == 1.0);
}

TEST_CASE("shares of any distance are not negative and sum to one") {
  const CacheReach odd{300 * kib, 256 * kib, 0};  // a first level larger than the second, no third
  for (double distance = 1; distance < 1e9; distance *= 1.7) {
    const LevelShares s = locate(distance, odd);

    CHECK(s.l1 >= 0);
    CHECK(s.l2 >= 0);
    CHECK(s.l3 >= 0);
    CHECK(s.dram >= 0);
    CHECK(s.l1 + s.l2 + s.l3 + s.dram == doctest::Approx(1.0));
  }
}

TEST_CASE("untouched data are read from memory through the third level") {
  const CpuTraffic traffic = one_pass(1000, infinite, false, xeon());

  CHECK(traffic.dram_fills == 1000);
  CHECK(traffic.dram_returns == 0);
  CHECK(traffic.l3_fills == 1000);
  CHECK(traffic.l2 == 1000);
}

TEST_CASE("a store first brings its line in and later takes it out") {
  const CpuTraffic traffic = one_pass(1000, infinite, true, xeon());

  CHECK(traffic.dram_fills == 1000);
  CHECK(traffic.dram_returns == 1000);
}

TEST_CASE("data in a private level cross no shared one") {
  const CpuTraffic traffic = one_pass(1000, 2000, true, xeon());

  CHECK(traffic.l1 == 1000);
  CHECK(traffic.l2 == 0);
  CHECK(traffic.l3_fills + traffic.l3_returns + traffic.dram_fills + traffic.dram_returns == 0);
  CHECK(traffic.cold == 0);
}

TEST_CASE("a first touch of main memory waits two accesses, and one for every 16 KiB up to forty") {
  CHECK(one_pass(1024, infinite, false, xeon()).cold == doctest::Approx((2 + 1.0 / 16) * 85e-9));
  CHECK(one_pass(160 * kib, infinite, false, xeon()).cold == doctest::Approx(12 * 85e-9));
  CHECK(one_pass(1e6, infinite, false, xeon()).cold == doctest::Approx(40 * 85e-9));
}

TEST_CASE(
    "a read stream of one core runs at one_core_bandwidth and a copy in place moves almost twice "
    "as much") {
  const CpuSpec spec = xeon();
  BlockPhase read_phase, update_phase;
  set_traffic(read_phase, one_pass(1e6, infinite, false, spec), 1.0, 1.0, spec, 1);
  set_traffic(update_phase, one_pass(1e6, infinite, true, spec), 1.0, 1.0, spec, 1);

  CHECK(read_phase.max_rate[1].count() == spec.one_core_bandwidth->count());
  // Fills 1, returns 1 at 15 % of a fill: 2 / 1.15 of the read rate.
  CHECK(static_cast<double>(update_phase.max_rate[1].count()) ==
        doctest::Approx(2.0 / 1.15 * static_cast<double>(spec.one_core_bandwidth->count())));
  CHECK(update_phase.bytes[1] == Bytes{2'000'000});
}

TEST_CASE("private levels pass data at the slower of their rates") {
  const CpuSpec spec = xeon();
  const CpuTraffic traffic =
      one_pass(64'000, 100 * kib, false, spec);  // in L2: 32 B/clk against 64

  CHECK(private_seconds(traffic, spec, 1) == doctest::Approx(64'000 / 32.0 / 2.3e9));
}

TEST_CASE("without a third level everything past the second comes from memory") {
  const CpuSpec phi = read_cpu("xeonphi-7250").value();
  BlockPhase phase;
  set_traffic(phase, one_pass(1e6, 8e6, false, phi), 1.0, 1.0, phi, 1);

  CHECK(phase.bytes[0] == Bytes{0});
  CHECK(phase.bytes[1] == Bytes{1'000'000});
}

}  // namespace tantalus::test
