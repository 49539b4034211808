// A CPU as its YAML file describes it: cores x SIMD x FMA ports, three cache levels and DRAM channels. The library that runs on
// it is part of the machine and is named here; its constants live in hw_configs/libraries. Every field changes some result.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/units.hpp"
#include "sim/config/describe.hpp"
#include "sim/hardware/dram_spec.hpp"

namespace tantalus {

struct SimdSpec {
  BitWidth width;              // 256 bit: 8 fp32 lanes
  std::int64_t fma_ports = 2;  // multiply-adds issued a clock
  bool fused = true;  // false: one multiply and one add port (Sandy Bridge), half the multiply-adds
  Cycles fma_latency{4};
  std::optional<std::int64_t> registers;           // that a thread can name; derived
  std::optional<std::int64_t> physical_registers;  // of one core, for renaming

  std::int64_t fp32_lanes() const { return width.count() / 32; }
  /// Vector multiply-adds a clock: a separate multiply and add port make one of them together.
  double multiply_adds() const { return static_cast<double>(fma_ports) * (fused ? 1.0 : 0.5); }
};

/// Hardware threads of one core (SMT, hyper-threading).
struct SmtSpec {
  std::int64_t threads = 1;
  Fraction share{0.62};  // rate of one thread while its sibling is busy
};

/// The sheet's turbo clock has no field: a part under vector load does not hold it, and using it made predictions 25 % too
/// fast where the base clock made them 10 % too slow (docs/modelling.md, "CPU clock").
struct CpuClockSpec {
  Frequency base;
  std::optional<Frequency> sustained;  // all cores under vector load; derived: base
  std::optional<Frequency> one_core;   // one busy core, the others idle; derived: sustained
};

struct CpuCacheSpec {
  Bytes capacity;                          // of one instance
  std::optional<Bytes> effective;          // what one program can count on; derived: capacity
  std::int64_t shared_by = 1;              // cores that share one instance
  Cycles latency;                          // load to use
  std::optional<BytesPerCycle> bandwidth;  // of one core; derived by level: 64, 32, 16 B/clk
};

/// The last cache, which other programs of the machine may use too.
struct CpuLastCacheSpec : CpuCacheSpec {
  Bandwidth neighbours{0};  // what they move through it
};

struct CpuSpec {
  std::string name;
  std::int64_t cores = 0;
  SimdSpec simd;
  SmtSpec smt;
  CpuClockSpec clock;
  CpuCacheSpec l1d, l2;
  std::optional<CpuLastCacheSpec> l3;
  DramSpec dram;
  Duration dram_latency{90'000};
  std::optional<Bandwidth>
      one_core_bandwidth;  // derived: 12 lines of 64 B in flight / dram_latency
  std::vector<std::string> libraries;

  /// Fused multiply-adds counted as two: cores x lanes x 2 x multiply-adds a clock x clock.sustained.
  FlopRate peak() const;
};

template <class Visitor>
void describe(Visitor& v, SimdSpec& s) {
  v.required("width", s.width, power_of_two, "bits of one vector register");
  v.defaulted("fma_ports", s.fma_ports, within(1, 8), "vector multiply-adds started a clock");
  v.defaulted("fused", s.fused, any_value, "false when multiply and add use one port each");
  v.defaulted("fma_latency", s.fma_latency, positive, "cycles from operands to result");
  v.derived("registers", s.registers, positive, "32 at 512 bit or 128 bit fused (NEON), else 16",
            "vector registers that a thread can name");
  v.optional("physical_registers", s.physical_registers, positive,
             "vector registers of one core, those for renaming included");
}

template <class Visitor>
void describe(Visitor& v, SmtSpec& s) {
  v.defaulted("threads", s.threads, within(1, 8), "hardware threads of one core");
  v.defaulted("share", s.share, positive, "rate of one of them while its sibling is busy");
}

template <class Visitor>
void describe(Visitor& v, CpuClockSpec& s) {
  v.required("base", s.base, positive, "guaranteed clock");
  v.derived("sustained", s.sustained, positive, "base", "clock of all cores under vector load");
  v.derived("one_core", s.one_core, positive, "sustained",
            "clock of one busy core while the others idle");
}

template <class Visitor>
void describe(Visitor& v, CpuCacheSpec& s) {
  v.required("capacity", s.capacity, positive, "bytes of one instance");
  v.derived("effective", s.effective, positive, "capacity",
            "bytes of it that one program can count on");
  v.defaulted("shared_by", s.shared_by, positive, "cores that share one instance");
  v.required("latency", s.latency, positive, "cycles from load to use");
  v.derived("bandwidth", s.bandwidth, positive, "by level: 64, 32, 16 B/clk",
            "read rate of one core");
}

template <class Visitor>
void describe(Visitor& v, CpuLastCacheSpec& s) {
  describe(v, static_cast<CpuCacheSpec&>(s));
  v.defaulted("neighbours", s.neighbours, not_negative, "what other programs move through it");
}

template <class Visitor>
void describe(Visitor& v, CpuSpec& s) {
  v.text("name", s.name, "the part's full name");
  v.required("cores", s.cores, within(1, 4096), "physical cores");
  v.section("simd", s.simd, "vector units of one core");
  v.defaulted_section("smt", s.smt, "hardware threads");
  v.section("clock", s.clock, "clocks");
  v.section("l1d", s.l1d, "first level data cache");
  v.section("l2", s.l2, "second level cache");
  v.optional_section("l3", s.l3, "third level cache");
  v.section("dram", s.dram, "main memory");
  v.defaulted("dram_latency", s.dram_latency, positive, "random read of main memory");
  v.derived("one_core_bandwidth", s.one_core_bandwidth, positive, "12 x 64 B / dram_latency",
            "most that one core streams");
  v.list("libraries", s.libraries, any_value, "kernel catalogues, first choice first");
}

void derive(SimdSpec& spec);
void derive(CpuClockSpec& spec);
void derive(CpuCacheSpec& spec);
void derive(CpuSpec& spec);
void check(const CpuSpec& spec, SpecChecker& checker);

}  // namespace tantalus
