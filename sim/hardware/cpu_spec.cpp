#include "sim/hardware/cpu_spec.hpp"

#include <algorithm>

#include "sim/base/units_text.hpp"

namespace tantalus {

namespace {

constexpr std::int64_t lines_in_flight =
    12;  // fill buffers of one core: docs/modelling.md, "CPU memory levels"
constexpr std::int64_t line_bytes = 64;

// Saturates, so that no file can overflow it.
Bandwidth rate_of(double bytes, Duration time) {
  if (time <= Duration{0}) return Bandwidth{1};
  return Bandwidth{static_cast<std::int64_t>(std::clamp(bytes / seconds(time), 1.0, 1e18))};
}

void check_clock(Frequency clock, const char* path, SpecChecker& checker) {
  if (clock <= Frequency{0}) {
    checker.contradictory(path, "zero-clock", "a clock of zero never finishes anything",
                          "write the sheet's base clock, such as 2.4 GHz");
  } else if (clock < Frequency{100'000'000} || clock > Frequency{10'000'000'000}) {
    checker.impossible(path, "implausible-clock",
                       to_text(clock) + " is outside what processors run at (100 MHz to 10 GHz)",
                       "is it MHz for GHz? write 2.4 GHz");
  }
}

void check_clocks(const CpuClockSpec& clock, SpecChecker& checker) {
  check_clock(clock.base, "clock.base", checker);
  // A derived clock repeats the one it comes from, and so would its complaint.
  if (*clock.sustained != clock.base) check_clock(*clock.sustained, "clock.sustained", checker);
  if (*clock.one_core != *clock.sustained) check_clock(*clock.one_core, "clock.one_core", checker);
  if (*clock.one_core < *clock.sustained) {
    checker.unusual("clock.one_core", "clock-order",
                    "one busy core is slower than all of them (" + to_text(*clock.sustained) + ")",
                    "clock.one_core is usually at least clock.sustained");
  }
}

void check_lanes(const SimdSpec& simd, SpecChecker& checker) {
  if (simd.fp32_lanes() < 1) {
    checker.contradictory("simd.width", "zero-lanes",
                          "a vector of " + to_text(simd.width) + " holds no 32-bit lane",
                          "write 128 bit (SSE, NEON), 256 bit (AVX2) or 512 bit (AVX-512)");
  } else if (simd.width > BitWidth{4096}) {
    checker.impossible("simd.width", "implausible-width",
                       "vectors of " + to_text(simd.width) + " exist in no processor",
                       "write 128, 256 or 512 bit");
  }
  if (simd.multiply_adds() <= 0) {
    checker.contradictory("simd.fma_ports", "zero-lanes", "no port can multiply",
                          "write how many vector multiply-adds start each clock");
  }
  if (simd.fma_latency <= Cycles{0}) {
    checker.contradictory("simd.fma_latency", "zero-latency", "a result takes at least one cycle",
                          "4 or 5 clk is usual");
  }
}

void check_smt(const SmtSpec& smt, SpecChecker& checker) {
  if (smt.share.value() <= 0.0) {
    checker.contradictory("smt.share", "zero-efficiency", "a thread beside another never ends",
                          "0.6 is usual; leave it out");
  }
}

struct NamedCache {
  std::string path;
  const CpuCacheSpec* cache;
};

void check_one_cache(const NamedCache& level, std::int64_t cores, SpecChecker& checker) {
  const CpuCacheSpec& cache = *level.cache;
  if (cache.capacity <= Bytes{0} || *cache.bandwidth <= BytesPerCycle{0} || cache.shared_by < 1 ||
      *cache.effective <= Bytes{0} || cache.latency <= Cycles{0}) {
    checker.contradictory(level.path, "zero-cache",
                          "a cache without size, rate or sharers cannot be simulated",
                          "leave an absent third level out altogether");
    return;
  }
  if (*cache.effective > cache.capacity) {
    checker.impossible(
        level.path + ".effective", "too-large",
        to_text(*cache.effective) + " is more than the capacity (" + to_text(cache.capacity) + ")",
        "the effective size leaves out what neighbours and conflicts take");
  }
  if (cores % cache.shared_by != 0) {
    checker.impossible(level.path + ".shared_by", "uneven-sharing",
                       std::to_string(cores) + " cores do not divide into groups of " +
                           std::to_string(cache.shared_by),
                       "shared_by counts the cores of one instance");
  }
}

void check_order(const NamedCache& inner, const NamedCache& outer, SpecChecker& checker) {
  const Bytes inside = inner.cache->capacity;
  const Bytes outside = outer.cache->capacity;
  // A level is compared by what one core's share of it could hold at most: the whole instance.
  if (inside > outside) {
    checker.impossible(
        inner.path + ".capacity", "too-large",
        to_text(inside) + " is larger than " + outer.path + ".capacity (" + to_text(outside) + ")",
        "capacities are of one instance; is a KiB or a MiB meant?");
  }
  if (inner.cache->latency >= outer.cache->latency) {
    checker.impossible(inner.path + ".latency", "latency-order",
                       to_text(inner.cache->latency) + " is not below " + outer.path +
                           ".latency (" + to_text(outer.cache->latency) + ")",
                       "latencies are load to use, in core cycles, and grow with distance");
  }
  if (*inner.cache->bandwidth < *outer.cache->bandwidth) {
    checker.unusual(inner.path + ".bandwidth", "bandwidth-order",
                    to_text(*inner.cache->bandwidth) + " is below " + outer.path + ".bandwidth (" +
                        to_text(*outer.cache->bandwidth) + ")",
                    "rates are of one core and usually fall with distance");
  }
}

void check_memory(const CpuSpec& spec, const NamedCache& last, SpecChecker& checker) {
  if (spec.dram_latency <= Duration{0} || *spec.one_core_bandwidth <= Bandwidth{0}) {
    checker.contradictory("dram_latency", "zero-latency",
                          "main memory answers after more than no time", "80 to 120 ns is usual");
    return;
  }
  if (*spec.clock.sustained > Frequency{0} && last.cache->latency > Cycles{0} &&
      spec.dram_latency < last.cache->latency / *spec.clock.sustained) {
    checker.impossible("dram_latency", "latency-order",
                       to_text(spec.dram_latency) + " is below the latency of " + last.path,
                       "80 to 120 ns is usual");
  }
  if (*spec.one_core_bandwidth > *spec.dram.bandwidth) {
    checker.impossible("one_core_bandwidth", "too-large",
                       to_text(*spec.one_core_bandwidth) +
                           " is more than the whole memory gives (" +
                           to_text(*spec.dram.bandwidth) + ")",
                       "8 to 40 GB/s is usual");
  }
  if (spec.dram.channel_width > BitWidth{128}) {
    checker.unusual("dram.channel_width", "wide-channel",
                    "a channel of " + to_text(spec.dram.channel_width) + " is wider than any DIMM",
                    "DDR channels have 64 bit; write how many in dram.channels");
  }
}

}  // namespace

FlopRate CpuSpec::peak() const {
  const double flops = static_cast<double>(cores) * static_cast<double>(simd.fp32_lanes()) * 2.0 *
                       simd.multiply_adds() * static_cast<double>(clock.sustained->count());
  return FlopRate{static_cast<std::int64_t>(std::min(flops, 9e18))};
}

void derive(SimdSpec& spec) {
  // AVX-512 and AArch64 name 32 vector registers; SSE and AVX 16. No x86 fuses at 128 bits alone.
  const bool many = spec.width >= BitWidth{512} || (spec.width == BitWidth{128} && spec.fused);
  if (!spec.registers) spec.registers = many ? 32 : 16;
}

void derive(CpuClockSpec& spec) {
  if (!spec.sustained) spec.sustained = spec.base;
  if (!spec.one_core) spec.one_core = spec.sustained;
}

void derive(CpuCacheSpec& spec) {
  if (!spec.effective) spec.effective = spec.capacity;
}

void derive(CpuSpec& spec) {
  derive(
      spec.clock);  // no-ops after read_spec; a spec written by hand in a test needs one call only
  derive(spec.simd);
  derive(spec.dram);
  derive(spec.l1d);
  derive(spec.l2);
  if (!spec.l1d.bandwidth) spec.l1d.bandwidth = BytesPerCycle{64};
  if (!spec.l2.bandwidth) spec.l2.bandwidth = BytesPerCycle{32};
  if (spec.l3) {
    derive(*spec.l3);
    if (!spec.l3->bandwidth) spec.l3->bandwidth = BytesPerCycle{16};
  }
  if (!spec.one_core_bandwidth) {
    const auto flight = static_cast<double>(lines_in_flight * line_bytes);
    spec.one_core_bandwidth =
        std::min(rate_of(flight, spec.dram_latency), std::max(*spec.dram.bandwidth, Bandwidth{1}));
  }
}

void check(const CpuSpec& spec, SpecChecker& checker) {
  check_clocks(spec.clock, checker);
  check_lanes(spec.simd, checker);
  check_smt(spec.smt, checker);
  if (spec.cores < 1) {
    checker.contradictory("cores", "zero-cores", "nothing would ever run",
                          "write the physical cores");
    return;
  }
  std::vector<NamedCache> levels{{"l1d", &spec.l1d}, {"l2", &spec.l2}};
  if (spec.l3) levels.push_back({"l3", &*spec.l3});
  for (const NamedCache& level : levels) check_one_cache(level, spec.cores, checker);
  for (std::size_t i = 0; i + 1 < levels.size(); ++i)
    check_order(levels[i], levels[i + 1], checker);
  check_memory(spec, levels.back(), checker);
}

}  // namespace tantalus
