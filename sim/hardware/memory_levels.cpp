#include "sim/hardware/memory_levels.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace tantalus {

namespace {

constexpr double word_bytes = 4.0;
constexpr double operands = 3.0;  // that a multiply-add reads

std::optional<Bandwidth> rate(double bytes_per_cycle, Frequency clock) {
  const double bytes = bytes_per_cycle * static_cast<double>(clock.count());
  if (!(bytes >= 1.0)) return std::nullopt;
  return Bandwidth{static_cast<std::int64_t>(std::min(bytes, 9e18))};
}

std::optional<Duration> after(const std::optional<Cycles>& cycles, Frequency clock) {
  if (!cycles) return std::nullopt;
  return *cycles / clock;
}

MemoryLevel dram_of(const DramSpec& dram, Duration latency) {
  return {MemoryPlace::dram, dram.kind.empty() ? "DRAM" : dram.kind,
          dram.capacity,     1,
          dram.bandwidth,    latency};
}

MemoryLevel cache_of(MemoryPlace place, std::string name, const CpuCacheSpec& cache,
                     const CpuSpec& cpu) {
  const double width =
      static_cast<double>(cache.bandwidth->count()) * static_cast<double>(cpu.cores);
  return {place,
          std::move(name),
          cache.capacity,
          cpu.cores / cache.shared_by,
          rate(width, *cpu.clock.sustained),
          after(cache.latency, *cpu.clock.one_core)};
}

MemoryLevel registers_of(const CpuSpec& cpu) {
  const std::int64_t named = *cpu.simd.registers * cpu.smt.threads;
  const double read = cpu.simd.fused ? operands : operands - 1.0;
  const double width = static_cast<double>(cpu.cores * cpu.simd.fma_ports) * read *
                       static_cast<double>(cpu.simd.width.count()) / 8.0;
  return {MemoryPlace::registers,
          "vector registers",
          Bytes{cpu.simd.physical_registers.value_or(named) * cpu.simd.width.count() / 8},
          cpu.cores,
          rate(width, *cpu.clock.sustained),
          std::nullopt};
}

}  // namespace

MemoryHierarchy memory_of(const GpuSpec& spec) {
  const auto sms = static_cast<double>(spec.sm.count);
  const auto lanes = static_cast<double>(spec.sm.fp32_lanes) * sms;
  const Frequency clock = *spec.clock.sustained;
  MemoryHierarchy memory;
  memory.name = spec.name;
  memory.unit = "SM";
  memory.units = spec.sm.count;
  memory.threads = spec.sm.count * spec.sm.max_threads;
  memory.registers_of_thread = 4 * spec.sm.registers_per_thread;
  memory.clock = clock;
  memory.flops = 2.0 * lanes * static_cast<double>(clock.count());
  memory.request = Bytes{4};
  memory.one_unit = *spec.l2.bandwidth_per_sm * clock;
  memory.levels = {
      {MemoryPlace::registers, "registers", spec.sm.register_file(), spec.sm.count,
       rate(lanes * operands * word_bytes, clock), std::nullopt},
      {MemoryPlace::l1, spec.sm.l1_capacity ? "L1 and shared" : "shared, L1 not stated",
       spec.sm.l1_and_shared(), spec.sm.count,
       rate(static_cast<double>(spec.sm.l1_bandwidth.count()) * sms, clock),
       after(spec.sm.l1_latency, spec.clock.boost)},
      {MemoryPlace::l2, "L2", spec.l2.capacity, 1,
       rate(static_cast<double>(spec.l2.bandwidth->count()), clock),
       after(spec.l2.latency, spec.clock.boost)},
      dram_of(spec.dram, spec.dram_latency)};
  return memory;
}

MemoryHierarchy memory_of(const CpuSpec& spec) {
  MemoryHierarchy memory;
  memory.name = spec.name;
  memory.unit = "core";
  memory.units = spec.cores;
  memory.threads = spec.cores * spec.smt.threads;
  memory.registers_of_thread = *spec.simd.registers * spec.simd.width.count() / 8;
  memory.clock = *spec.clock.sustained;
  memory.flops = static_cast<double>(spec.peak().count());
  memory.multiply_add = spec.simd.fma_latency / *spec.clock.one_core;
  memory.request = Bytes{64};
  memory.one_unit = *spec.one_core_bandwidth;
  memory.levels = {registers_of(spec), cache_of(MemoryPlace::l1, "L1d", spec.l1d, spec),
                   cache_of(MemoryPlace::l2, "L2", spec.l2, spec)};
  if (spec.l3) memory.levels.push_back(cache_of(MemoryPlace::l3, "L3", *spec.l3, spec));
  memory.levels.push_back(dram_of(spec.dram, spec.dram_latency));
  return memory;
}

}  // namespace tantalus
