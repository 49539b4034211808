// A GPU as its YAML file describes it: the thread hierarchy, the memory levels, the launch path and the power limit. About
// ten numbers are required; the rest is derived or defaulted. Every field changes some result; nothing here is decoration
// except the texts. Rates are kept per SM and clock, so that more SMs or a faster clock mean more.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/units.hpp"
#include "sim/config/describe.hpp"
#include "sim/hardware/dram_spec.hpp"

namespace tantalus {

/// One streaming multiprocessor (compute unit on AMD) and how many there are. Granularities follow the occupancy rules of
/// the compute capability (docs/modelling.md, "Occupancy").
struct SmSpec {
  std::int64_t count = 0;
  std::int64_t fp32_lanes = 0;  // fp32 multiply-adds a clock
  std::optional<std::int64_t>
      fp16_lanes;  // non-tensor fp16 multiply-adds a clock; derived: fp32_lanes
  std::optional<std::int64_t>
      int8_lanes;  // dot-product int8 multiply-adds a clock; derived: fp32_lanes
  std::int64_t max_threads = 0;
  std::int64_t max_blocks = 0;
  std::int64_t registers = 65536;
  std::int64_t registers_per_thread = 255;
  std::optional<std::int64_t> registers_per_block;  // derived: min(registers, 65536)
  std::int64_t register_unit = 256;   // registers are handed to a warp in multiples of this
  std::int64_t warp_granularity = 4;  // the register file is split over this many schedulers
  Bytes shared_memory;
  Bytes shared_memory_per_block;
  Bytes shared_unit{128};       // shared memory is handed out in multiples of this
  Bytes shared_reserved{1024};  // taken by the system for every block
  std::int64_t warp_size = 32;
  BytesPerCycle l1_bandwidth{128};  // L1/shared read rate
  std::optional<Bytes>
      l1_capacity;  // L1 at its largest: all of the array where shared memory is part of it
  std::optional<Cycles> l1_latency;   // load to use, idle
  BytesPerCycle store_bandwidth{32};  // results leaving the SM
  Bytes tlb_reach{std::int64_t{32}
                  << 20};  // memory whose addresses the SM's translation cache holds
  Bytes tlb_page{std::int64_t{2} << 20};
  Cycles tlb_miss{0};  // time that a step along one row costs when its page is not held

  /// Registers of one SM.
  Bytes register_file() const { return Bytes{4 * registers}; }
  /// L1 and shared memory of one SM together. One array that serves both is larger than the shared memory that it can be (Volta
  /// and later); an L1 beside its shared memory is smaller (Kepler's 16 + 48 KiB, Maxwell, Pascal, AMD).
  Bytes l1_and_shared() const;
};

/// Dense multiply-add rates of the matrix units per SM and clock, counted as 2 FLOP each; absent: no such unit.
struct TensorSpec {
  std::optional<FlopsPerCycle> fp32, tf32, fp16, bf16, fp8, int8;
};

struct GpuClockSpec {
  Frequency boost;
  std::optional<Frequency> sustained;  // under full load of the ordinary lanes; derived: boost
  std::optional<Frequency> tensor;     // under full load of the matrix units; derived: sustained
};

struct L2Spec {
  Bytes capacity;
  std::optional<BytesPerCycle> bandwidth;         // all slices together; derived: 22 B/clk per SM
  std::optional<BytesPerCycle> bandwidth_per_sm;  // what one SM can draw; derived: 64 B/clk
  std::optional<Cycles> latency;                  // load to use, idle, of the nearer partition
  std::int64_t partitions = 1;  // an SM keeps what it reads in the partition that is near it
};

/// Energies are of 32-bit operands on the ordinary lanes and of 16-bit operands on the matrix units; other widths scale.
struct PowerSpec {
  Power limit;                     // board power
  Fraction idle_share{0.2};        // of the limit, drawn by a running board whatever it computes
  std::optional<Energy> per_flop;  // ordinary lanes; absent: their work costs nothing
  std::optional<Energy> per_tensor_flop;
  Energy per_l2_byte{20'000};    // 20 pJ
  Energy per_dram_byte{40'000};  // 40 pJ
};

struct GpuLaunchSpec {
  Duration queued{2'000'000};        // device time between two queued kernels
  std::optional<Duration> captured;  // the same inside a captured graph
  Duration latency{5'000'000};       // from the host's launch call to the device's queue
  std::int64_t queue_depth = 1024;   // launches that may wait before the host blocks
};

struct PcieSpec {
  std::int64_t generation = 3;
  std::int64_t lanes = 16;
};

struct GpuSpec {
  std::string name;
  std::string
      architecture;  // compiler target (sm_80, gfx90a): picks a catalogue's entries; empty: none
  SmSpec sm;
  GpuClockSpec clock;
  TensorSpec tensor;
  L2Spec l2;
  DramSpec dram;
  Duration dram_latency{500'000};  // from a load to its data; limits few threads, never many
  std::optional<PowerSpec> power;
  GpuLaunchSpec launch;
  std::optional<PcieSpec> pcie;
  std::int64_t copy_engines = 2;
  Bytes context{0};                    // device memory that the driver's context takes
  std::vector<std::string> libraries;  // catalogues in hw_configs/libraries, first choice first
};

template <class Visitor>
void describe(Visitor& v, SmSpec& s) {
  v.required("count", s.count, within(1, 1024), "streaming multiprocessors");
  v.required("fp32_lanes", s.fp32_lanes, within(0, 4096), "fp32 multiply-adds a clock of one SM");
  v.derived("fp16_lanes", s.fp16_lanes, positive, "fp32_lanes",
            "fp16 multiply-adds a clock outside the matrix units");
  v.derived("int8_lanes", s.int8_lanes, positive, "fp32_lanes",
            "int8 dot-product multiply-adds a clock");
  v.required("max_threads", s.max_threads, within(32, 4096), "resident threads of one SM");
  v.required("max_blocks", s.max_blocks, within(1, 128), "resident blocks of one SM");
  v.defaulted("registers", s.registers, positive, "32-bit registers of one SM");
  v.defaulted("registers_per_thread", s.registers_per_thread, within(1, 1024),
              "most registers a thread can have");
  v.derived("registers_per_block", s.registers_per_block, positive, "registers, at most 65536",
            "most registers of one block");
  v.defaulted("register_unit", s.register_unit, positive,
              "registers are given to a warp in multiples of this");
  v.defaulted("warp_granularity", s.warp_granularity, within(1, 16),
              "parts that the register file is split into");
  v.required("shared_memory", s.shared_memory, positive, "shared memory of one SM");
  v.required("shared_memory_per_block", s.shared_memory_per_block, positive,
             "most shared memory of one block");
  v.defaulted("shared_unit", s.shared_unit, positive,
              "shared memory is given in multiples of this");
  v.defaulted("shared_reserved", s.shared_reserved, not_negative,
              "shared memory that the system takes for each block");
  v.defaulted("warp_size", s.warp_size, within(1, 128), "threads of one warp");
  v.defaulted("l1_bandwidth", s.l1_bandwidth, positive, "L1 and shared memory read rate of one SM");
  v.optional("l1_capacity", s.l1_capacity, positive,
             "L1 of one SM at its largest, with the shared memory where both are one array");
  v.optional("l1_latency", s.l1_latency, positive, "cycles from load to use, idle");
  v.defaulted("store_bandwidth", s.store_bandwidth, positive,
              "rate at which one SM writes results out");
  v.defaulted("tlb_reach", s.tlb_reach, positive,
              "memory whose addresses one SM's translation cache holds");
  v.defaulted("tlb_page", s.tlb_page, positive, "memory that one entry of it covers");
  v.defaulted("tlb_miss", s.tlb_miss, not_negative,
              "cost of one row's step of a product's main loop when its page is not held");
}

template <class Visitor>
void describe(Visitor& v, TensorSpec& s) {
  v.optional("fp32", s.fp32, positive, "fp32 matrix rate of one SM (AMD)");
  v.optional("tf32", s.tf32, positive, "dense tf32 rate of one SM");
  v.optional("fp16", s.fp16, positive, "dense fp16 rate of one SM, fp32 accumulate");
  v.optional("bf16", s.bf16, positive, "dense bf16 rate of one SM, fp32 accumulate");
  v.optional("fp8", s.fp8, positive, "dense fp8 rate of one SM");
  v.optional("int8", s.int8, positive, "dense int8 rate of one SM");
}

template <class Visitor>
void describe(Visitor& v, GpuClockSpec& s) {
  v.required("boost", s.boost, positive, "highest clock of the data sheet");
  v.derived("sustained", s.sustained, positive, "boost",
            "clock held under full load of the ordinary lanes");
  v.derived("tensor", s.tensor, positive, "sustained",
            "clock held under full load of the matrix units");
}

template <class Visitor>
void describe(Visitor& v, L2Spec& s) {
  v.required("capacity", s.capacity, positive, "bytes of the whole L2");
  v.derived("bandwidth", s.bandwidth, positive, "22 B/clk x sm.count",
            "read rate of all slices together");
  v.derived("bandwidth_per_sm", s.bandwidth_per_sm, positive, "64 B/clk",
            "most that one SM draws from L2");
  v.optional("latency", s.latency, positive,
             "cycles from load to use, idle, of the nearer partition");
  v.defaulted("partitions", s.partitions, within(1, 16),
              "parts of the L2; an SM keeps what it reads in the one that is near it");
}

template <class Visitor>
void describe(Visitor& v, PowerSpec& s) {
  v.required("limit", s.limit, positive, "board power limit");
  v.defaulted("idle_share", s.idle_share, any_value,
              "share of the limit that is drawn whatever is computed");
  v.optional("per_flop", s.per_flop, positive,
             "energy of one fp32 operation on the ordinary lanes");
  v.optional("per_tensor_flop", s.per_tensor_flop, positive,
             "energy of one 16-bit operation of the matrix units");
  v.defaulted("per_l2_byte", s.per_l2_byte, not_negative, "energy of one byte through L2");
  v.defaulted("per_dram_byte", s.per_dram_byte, not_negative, "energy of one byte through DRAM");
}

template <class Visitor>
void describe(Visitor& v, GpuLaunchSpec& s) {
  v.defaulted("queued", s.queued, not_negative,
              "least time between the starts of two queued kernels");
  v.derived("captured", s.captured, not_negative, "queued",
            "least time between the starts of two kernels of a captured graph");
  v.defaulted("latency", s.latency, not_negative, "from the host's call to the device's queue");
  v.defaulted("queue_depth", s.queue_depth, within(1, 1'000'000),
              "launches that may wait before the host blocks");
}

template <class Visitor>
void describe(Visitor& v, PcieSpec& s) {
  v.required("generation", s.generation, within(1, 7), "PCIe generation");
  v.required("lanes", s.lanes, within(1, 32), "lanes of the slot");
}

template <class Visitor>
void describe(Visitor& v, GpuSpec& s) {
  v.text("name", s.name, "the part's full name");
  v.defaulted("architecture", s.architecture, any_value,
              "compiler target, such as sm_80 or gfx90a: which catalogue entries are for it");
  v.section("sm", s.sm, "one streaming multiprocessor and their number");
  v.section("clock", s.clock, "clocks");
  v.defaulted_section("tensor", s.tensor, "matrix units, per SM and clock");
  v.section("l2", s.l2, "the cache that all SMs share");
  v.section("dram", s.dram, "device memory");
  v.defaulted("dram_latency", s.dram_latency, positive, "from a load to its data in device memory");
  v.optional_section("power", s.power, "power limit and energies");
  v.defaulted_section("launch", s.launch, "how kernels reach the device");
  v.optional_section("pcie", s.pcie, "its own port: a link trains at the lesser of the two");
  v.defaulted("copy_engines", s.copy_engines, within(1, 16), "copies that can run at one time");
  v.defaulted("context", s.context, not_negative, "device memory that the driver's context takes");
  v.list("libraries", s.libraries, any_value, "kernel catalogues, first choice first");
}

void derive(L2Spec& spec);
void derive(GpuClockSpec& spec);
void derive(GpuLaunchSpec& spec);
void derive(SmSpec& spec);
void derive(GpuSpec& spec);
void check(const GpuSpec& spec, SpecChecker& checker);

}  // namespace tantalus
