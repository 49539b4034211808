#include "sim/hardware/cpu_region.hpp"

#include <doctest/doctest.h>

#include "tests/sim/hardware/cpu_fixture.hpp"

namespace tantalus::test {

namespace {

CpuSpec xeon() { return read_cpu("xeon-e5-2650-v3").value(); }

CpuRegion region_of(std::int64_t cores, double pieces, double cycles) {
  CpuRegion region;
  region.name = "loop";
  region.cores = cores;
  region.pieces = pieces;
  region.cycles = cycles;
  return region;
}

}  // namespace

TEST_CASE("a serial region is one block on one core") {
  const KernelCost kernel = cut(region_of(1, 1, 3000), xeon());

  REQUIRE(kernel.groups.size() == 1);
  CHECK(kernel.groups[0].blocks == 1);
  CHECK(kernel.units_limit == 1);
  CHECK(kernel.groups[0].phases[0].unit_time ==
        Duration{1'000'000});  // 3000 cycles at 3 GHz, one core alone: 1 us
}

TEST_CASE("pieces that do not divide leave some cores with one more") {
  // 23 pieces on 10 cores: 3 cores with 3 pieces, 7 with 2; 23,000 cycles in all.
  const KernelCost kernel = cut(region_of(10, 23, 23'000), xeon());

  REQUIRE(kernel.groups.size() == 2);
  CHECK(kernel.groups[0].blocks == 3);
  CHECK(kernel.groups[1].blocks == 7);
  CHECK(kernel.groups[0].phases[0].unit_time ==
        Duration{3000LL * 1'000'000 / 2300 + 1});  // rounded up
  CHECK(seconds(kernel.groups[1].phases[0].unit_time) == doctest::Approx(2000 / 2.3e9));
}

TEST_CASE("the longest core decides when a region ends") {
  const CpuSpec spec = xeon();
  const DeviceRates rates{10, {Bandwidth{1'000'000'000}, Bandwidth{1'000'000'000}}};

  const Duration time = alone_time(cut(region_of(10, 11, 11'000), spec), rates);

  CHECK(seconds(time) == doctest::Approx(2000 / 2.3e9));  // one core has two of the eleven pieces
}

TEST_CASE("memory that does not overlap is a phase of its own before the computing one") {
  const CpuSpec spec = xeon();
  CpuRegion region = region_of(1, 1, 3000);
  region.exposed = 1.0;
  add_pass(region.traffic, 1e6, 9e18, false, spec, 1);

  const KernelCost kernel = cut(region, spec);

  REQUIRE(kernel.groups[0].phases.size() == 2);
  CHECK(kernel.groups[0].phases[0].bytes[1] == Bytes{1'000'000});
  CHECK(kernel.groups[0].phases[0].unit_bound == Bound::l1);
  CHECK(kernel.groups[0].phases[1].unit_time == Duration{1'000'000});
  CHECK(kernel.groups[0].phases[1].unit_bound == Bound::compute);
}

TEST_CASE("a loop over cached data that computes little is bound by the private levels") {
  const CpuSpec spec = xeon();
  CpuRegion region = region_of(1, 1, 10);
  add_pass(region.traffic, 16'000, 16'000, false, spec, 1);

  const KernelCost kernel = cut(region, spec);

  CHECK(kernel.groups[0].phases[0].unit_bound == Bound::l1);
}

TEST_CASE(
    "a narrow machine runs wide kernels at its own width and a narrow kernel leaves lanes idle") {
  const CpuSpec avx2 = xeon();
  const CpuSpec avx512 = read_cpu("epyc-9755").value();
  const CpuLibrary wide = read_library("openblas-avx512").value();
  const CpuLibrary narrow = read_library("onednn-avx2").value();

  CHECK(flops_per_cycle({avx2, wide}, DType::fp32) == 8 * 2 * 2);
  CHECK(flops_per_cycle({avx512, wide}, DType::fp32) == 16 * 2 * 2);
  CHECK(flops_per_cycle({avx512, narrow}, DType::fp32) == 8 * 2 * 2);
}

TEST_CASE("int8 is faster than fp32 only where the catalogue says so") {
  const CpuSpec spec = read_cpu("epyc-9755").value();
  const CpuLibrary vnni = read_library("onednn-avx512").value();
  const CpuLibrary plain = read_library("openblas-avx512").value();

  CHECK(flops_per_cycle({spec, vnni}, DType::int8) == 4 * 64);
  CHECK(flops_per_cycle({spec, plain}, DType::int8) == 64);
  CHECK(flops_per_cycle({spec, vnni}, DType::fp16) == 64);
}

TEST_CASE("cutting one sample between cores costs and a sample for every core does not") {
  const CpuSpec spec = xeon();
  CpuLibrary library = read_library("onednn-avx2").value();
  library.threads.serial_share = Fraction{0.1};

  CHECK(threading_loss({spec, library}, 10, 1) == doctest::Approx(1.9));  // 1 + 0.1 x 9
  CHECK(threading_loss({spec, library}, 10, 5) == doctest::Approx(1.1));  // two cores a sample
  CHECK(threading_loss({spec, library}, 10, 128) == 1.0);
  CHECK(threading_loss({spec, library}, 1, 1) == 1.0);
}

TEST_CASE("a region beyond 64-bit time is too large") {
  const CpuSpec spec = xeon();

  CHECK_FALSE(too_large(region_of(1, 1, 1e12), spec));
  CHECK(too_large(region_of(1, 1, 1e30), spec));
}

}  // namespace tantalus::test
