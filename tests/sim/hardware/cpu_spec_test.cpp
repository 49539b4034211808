#include "sim/hardware/cpu_spec.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/sim/hardware/cpu_fixture.hpp"
#include "tests/sim/hardware/recording_checker.hpp"

namespace tantalus::test {

namespace {

CpuSpec xeon() { return read_cpu("xeon-e5-2650-v3").value(); }

RecordingChecker checked(const CpuSpec& spec) {
  RecordingChecker checker;
  check(spec, checker);
  return checker;
}

}  // namespace

TEST_CASE("a Xeon E5-2650 v3 peaks at 736 GFLOP/s of its base clock") {
  CHECK(xeon().peak().count() == 10LL * 8 * 2 * 2 * 2'300'000'000);  // cores lanes fma ports clock
}

TEST_CASE("a separate multiply and add port make one multiply-add a clock") {
  const CpuSpec spec = read_cpu("core-i7-2600k").value();

  CHECK(spec.peak().count() == 4LL * 8 * 2 * 1 * 3'400'000'000);
}

TEST_CASE("what a file leaves out is derived from what it says") {
  const CpuSpec spec = xeon();

  CHECK(spec.clock.sustained == spec.clock.base);
  CHECK(spec.l1d.bandwidth == BytesPerCycle{64});
  CHECK(spec.l2.bandwidth == BytesPerCycle{32});
  CHECK(spec.l3->bandwidth == BytesPerCycle{16});
  CHECK(spec.l3->effective == spec.l3->capacity);
  CHECK(spec.one_core_bandwidth->count() == 9'035'294'117);  // 12 lines x 64 B / 85 ns
}

TEST_CASE("one core alone runs at its turbo clock, or like all of them where a file does not say") {
  CpuSpec spec = xeon();
  CHECK(spec.clock.one_core == Frequency{3'000'000'000});

  spec.clock.one_core.reset();
  derive(spec.clock);
  CHECK(spec.clock.one_core == spec.clock.sustained);
}

TEST_CASE("every processor of the data sheets passes its own checks without a word") {
  for (const char* stem :
       {"core-i7-2600k", "core-i7-3770k", "core-i7-4770", "core-i7-5930k", "core-i9-10940x",
        "core-i9-13900k", "epyc-7742", "epyc-7763", "epyc-9654", "epyc-9755", "laptop-8-core",
        "xeon-e5-2630-v3", "xeon-e5-2650-v3", "xeon-gold-6154", "xeonphi-7250"}) {
    for (const Knowledge knowledge : {Knowledge::sheet, Knowledge::calibrated}) {
      const Result<CpuSpec> spec = read_cpu(stem, knowledge);
      INFO(stem, ": ", why(spec.diagnostics()));
      CHECK(spec.ok());
      CHECK(spec.diagnostics().empty());
    }
  }
}

TEST_CASE("calibration changes what was measured on a real part") {
  CHECK(read_cpu("xeon-e5-2650-v3", Knowledge::calibrated)->clock.sustained ==
        Frequency{2'600'000'000});
  CHECK(read_cpu("core-i7-5930k", Knowledge::calibrated)->clock.one_core ==
        Frequency{3'650'000'000});
}

TEST_CASE("nonsense across fields is found by its path") {
  CpuSpec spec = xeon();

  SUBCASE("a first level larger than the second") {
    spec.l1d.capacity = spec.l1d.effective.emplace(32'000'000);
    CHECK(checked(spec).has("impossible too-large l1d.capacity"));
  }
  SUBCASE("a second level larger than the third") {
    spec.l2.capacity = Bytes{64'000'000};
    CHECK(checked(spec).has("impossible too-large l2.capacity"));
  }
  SUBCASE("a clock of 3 MHz") {
    spec.clock.base = Frequency{3'000'000};
    CHECK(checked(spec).has("impossible implausible-clock clock.base"));
  }
  SUBCASE("a clock of 30 GHz") {
    spec.clock.sustained = Frequency{30'000'000'000};
    CHECK(checked(spec).has("impossible implausible-clock clock.sustained"));
  }
  SUBCASE("no clock at all") {
    spec.clock.one_core = Frequency{0};
    CHECK(checked(spec).has("contradictory zero-clock clock.one_core"));
  }
  SUBCASE("vectors without a lane") {
    spec.simd.width = BitWidth{16};
    CHECK(checked(spec).has("contradictory zero-lanes simd.width"));
  }
  SUBCASE("no port that multiplies") {
    spec.simd.fma_ports = 0;
    CHECK(checked(spec).has("contradictory zero-lanes simd.fma_ports"));
  }
  SUBCASE("vectors of 32,768 bits") {
    spec.simd.width = BitWidth{32'768};
    CHECK(checked(spec).has("impossible implausible-width simd.width"));
  }
  SUBCASE("a second level faster to reach than the first") {
    spec.l2.latency = Cycles{3};
    CHECK(checked(spec).has("impossible latency-order l1d.latency"));
  }
  SUBCASE("memory faster to reach than the third level") {
    spec.dram_latency = Duration{5'000};
    CHECK(checked(spec).has("impossible latency-order dram_latency"));
  }
  SUBCASE("sharers that do not divide the cores") {
    spec.l3->shared_by = 4;
    CHECK(checked(spec).has("impossible uneven-sharing l3.shared_by"));
  }
  SUBCASE("an effective size beyond the capacity") {
    spec.l3->effective = Bytes{1'000'000'000};
    CHECK(checked(spec).has("impossible too-large l3.effective"));
  }
  SUBCASE("one core that draws more than the memory gives") {
    spec.one_core_bandwidth = Bandwidth{200'000'000'000};
    CHECK(checked(spec).has("impossible too-large one_core_bandwidth"));
  }
  SUBCASE("a channel as wide as a graphics card") {
    spec.dram.channel_width = BitWidth{4096};
    CHECK(checked(spec).has("unusual wide-channel dram.channel_width"));
  }
  SUBCASE("a far level with more bandwidth than a near one") {
    spec.l3->bandwidth = BytesPerCycle{128};
    CHECK(checked(spec).has("unusual bandwidth-order l2.bandwidth"));
  }
  SUBCASE("no cores") {
    spec.cores = 0;
    CHECK(checked(spec).has("contradictory zero-cores cores"));
  }
  SUBCASE("a cache that nobody shares") {
    spec.l2.shared_by = 0;
    CHECK(checked(spec).has("contradictory zero-cache l2"));
  }
  SUBCASE("one core slower than all of them") {
    spec.clock.one_core = Frequency{1'000'000'000};
    CHECK(checked(spec).has("unusual clock-order clock.one_core"));
  }
}

TEST_CASE("zeros that a hypothetical file is excused for derive without a division by zero") {
  CpuSpec spec = xeon();
  spec.one_core_bandwidth.reset();
  spec.dram.bandwidth.reset();
  spec.dram.data_rate = TransferRate{0};
  spec.dram_latency = Duration{0};
  spec.clock.sustained = Frequency{0};

  derive(spec);

  CHECK(checked(spec).has("contradictory zero-latency dram_latency"));
  CHECK(checked(spec).has("contradictory zero-clock clock.sustained"));
}

}  // namespace tantalus::test
