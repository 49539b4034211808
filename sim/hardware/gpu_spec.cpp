#include "sim/hardware/gpu_spec.hpp"

#include <algorithm>

#include "sim/base/units_text.hpp"
#include "sim/hardware/architectures.hpp"

namespace tantalus {

namespace {

// 22 B/clk an SM: cache microbenchmarks on V100 (2420 GB/s over 80 SMs) and element-wise operations inside the L2 of five
// GPUs agree. 64 B/clk is the port of one SM on every part since Volta.
constexpr std::int64_t l2_bytes_per_cycle_and_sm = 22;
constexpr BytesPerCycle sm_port{64};
constexpr std::int64_t most_registers_per_block = 65536;
constexpr std::int64_t largest_sensible_count = 1'000'000;

constexpr std::int64_t mega = 1'000'000;
constexpr std::int64_t giga = 1'000'000'000;

std::string with_path(std::string_view message, std::string_view value) {
  return std::string(value) + " " + std::string(message);
}

// What the simulator divides by. A rule forbids these already; a hypothetical file turns rules into warnings, not these.
void check_runnable(const GpuSpec& spec, SpecChecker& checker) {
  const struct {
    std::string_view path;
    bool fine;
  } needs[] = {
      {"sm.count", spec.sm.count > 0},
      {"sm.max_threads", spec.sm.max_threads > 0},
      {"sm.max_blocks", spec.sm.max_blocks > 0},
      {"sm.registers", spec.sm.registers > 0},
      {"sm.register_unit", spec.sm.register_unit > 0},
      {"sm.warp_granularity", spec.sm.warp_granularity > 0},
      {"sm.shared_unit", spec.sm.shared_unit > Bytes{0}},
      {"sm.warp_size", spec.sm.warp_size > 0},
      {"sm.l1_bandwidth", spec.sm.l1_bandwidth > BytesPerCycle{0}},
      {"sm.store_bandwidth", spec.sm.store_bandwidth > BytesPerCycle{0}},
      {"clock.boost", spec.clock.boost > Frequency{0}},
      {"clock.sustained", spec.clock.sustained.value_or(spec.clock.boost) > Frequency{0}},
      {"clock.tensor", spec.clock.tensor.value_or(spec.clock.boost) > Frequency{0}},
      {"l2.capacity", spec.l2.capacity > Bytes{0}},
      {"l2.bandwidth", spec.l2.bandwidth.value_or(sm_port) > BytesPerCycle{0}},
      {"l2.bandwidth_per_sm", spec.l2.bandwidth_per_sm.value_or(sm_port) > BytesPerCycle{0}},
      {"dram_latency", spec.dram_latency > Duration{0}},
      {"copy_engines", spec.copy_engines > 0}};
  for (const auto& need : needs) {
    if (need.fine) continue;
    checker.contradictory(need.path, "cannot-run", "a GPU without it runs nothing",
                          "write a value above zero");
  }
  if (spec.libraries.empty()) {
    checker.contradictory("libraries", "no-library",
                          "no kernel catalogue is named, so no kernel can be chosen",
                          "write libraries: [cuda-generic], or [rocm-generic] for an AMD part");
  }
}

void check_sm(const SmSpec& sm, SpecChecker& checker) {
  if (sm.fp32_lanes <= 0) {
    checker.impossible("sm.fp32_lanes", "zero-lanes",
                       "no fp32 lanes: element-wise operations cannot run",
                       "every NVIDIA SM has 32 to 192, every AMD compute unit 64 or more");
  }
  if (sm.shared_memory_per_block > sm.shared_memory) {
    checker.impossible(
        "sm.shared_memory_per_block", "too-large",
        to_text(sm.shared_memory_per_block) + " for a block is more than shared_memory (" +
            to_text(sm.shared_memory) + ")",
        "a block lives on one SM; its share is at most shared_memory less shared_reserved");
  }
  if (sm.warp_size > 0 && sm.max_threads % sm.warp_size != 0) {
    checker.impossible("sm.max_threads", "partial-warp",
                       std::to_string(sm.max_threads) +
                           " threads are no whole number of warps of " +
                           std::to_string(sm.warp_size),
                       "NVIDIA SMs hold 1024, 1536 or 2048 threads");
  }
  if (sm.registers_per_thread * sm.warp_size > sm.registers) {
    checker.impossible("sm.registers_per_thread", "too-large",
                       "one warp of such threads needs more registers than the SM has (" +
                           std::to_string(sm.registers) + ")",
                       "registers counts 32-bit registers of the whole SM, such as 65536");
  }
}

void check_clock(const GpuClockSpec& clock, SpecChecker& checker) {
  const std::string text = to_text(clock.boost);
  if (clock.boost < Frequency{50 * mega} || clock.boost > Frequency{10 * giga}) {
    checker.impossible("clock.boost", "unlikely-clock", with_path("is no clock of a GPU", text),
                       "GPU clocks lie between 0.5 GHz and 3.5 GHz");
  } else if (clock.boost < Frequency{300 * mega} || clock.boost > Frequency{4 * giga}) {
    checker.unusual("clock.boost", "unlikely-clock", with_path("is unusual for a GPU", text),
                    "GPU clocks lie between 0.5 GHz and 3.5 GHz");
  }
  if (clock.sustained && *clock.sustained > clock.boost) {
    checker.unusual("clock.sustained", "above-boost",
                    to_text(*clock.sustained) + " is above clock.boost (" + text + ")",
                    "a clock that is held under load is rarely above the listed boost");
  }
}

void check_caches(const GpuSpec& spec, SpecChecker& checker) {
  if (spec.sm.shared_memory > spec.l2.capacity) {
    checker.impossible(
        "sm.shared_memory", "inverted-capacity",
        to_text(spec.sm.shared_memory) + " is larger than l2.capacity (" +
            to_text(spec.l2.capacity) + ")",
        "shared memory and L1 are per SM, usually 48 KiB to 228 KiB; the L2 serves all SMs");
  }
  if (spec.l2.capacity > spec.dram.capacity) {
    checker.impossible("l2.capacity", "inverted-capacity",
                       to_text(spec.l2.capacity) + " is larger than dram.capacity (" +
                           to_text(spec.dram.capacity) + ")",
                       "L2 caches have 0.5 MiB to 130 MiB");
  }
  const double l2 = static_cast<double>(spec.l2.bandwidth.value_or(sm_port).count()) *
                    static_cast<double>(spec.clock.sustained.value_or(spec.clock.boost).count());
  if (l2 < static_cast<double>(spec.dram.achievable().count())) {
    checker.impossible("l2.bandwidth", "inverted-bandwidth",
                       to_text(spec.l2.bandwidth.value_or(sm_port)) +
                           " at the sustained clock is slower than device memory (" +
                           to_text(spec.dram.achievable()) + ")",
                       "leave l2.bandwidth out to derive it; it counts all slices together");
  }
  if (spec.context > spec.dram.capacity) {
    checker.impossible("context", "too-large",
                       "the driver's context does not fit into dram.capacity",
                       "contexts take 100 MiB to 600 MiB");
  }
}

// The usual slip is a peak, or a sparse rate, where a dense rate per SM and clock belongs.
void check_tensor(const GpuSpec& spec, SpecChecker& checker) {
  const std::int64_t lane_flops = 2 * spec.sm.fp32_lanes;
  const auto one = [&](std::string_view path, const std::optional<FlopsPerCycle>& rate) {
    if (!rate || lane_flops <= 0) return;
    if (rate->count() > 256 * lane_flops) {
      checker.impossible(path, "unlikely-rate",
                         to_text(*rate) + " is more than 256 times the fp32 lanes of an SM",
                         "write the dense rate of one SM and clock, such as 1024 FLOP/clk; not the "
                         "peak of the device");
    } else if (rate->count() < lane_flops) {
      checker.unusual(path, "unlikely-rate",
                      to_text(*rate) + " is slower than the fp32 lanes of the same SM",
                      "write the dense rate of one SM and clock, such as 1024 FLOP/clk");
    }
  };
  one("tensor.fp32", spec.tensor.fp32);
  one("tensor.tf32", spec.tensor.tf32);
  one("tensor.fp16", spec.tensor.fp16);
  one("tensor.bf16", spec.tensor.bf16);
  one("tensor.fp8", spec.tensor.fp8);
  one("tensor.int8", spec.tensor.int8);
}

void check_power(const PowerSpec& power, SpecChecker& checker) {
  if (power.idle_share.value() >= 1.0) {
    checker.contradictory("power.idle_share", "no-power-left",
                          "a board that idles at its limit cannot compute",
                          "boards under load draw about 0.2 of their limit whatever they compute");
  }
  if (power.limit < Power{2'000} || power.limit > Power{5'000'000}) {
    checker.unusual("power.limit", "unlikely-power",
                    to_text(power.limit) + " is unusual for one GPU",
                    "boards are limited to 10 W (modules) up to 1.5 kW");
  }
}

// Latencies that are written grow with distance.
void check_latencies(const GpuSpec& spec, SpecChecker& checker) {
  const char* const hint = "latencies are load to use of one thread alone, and grow with distance";
  if (spec.sm.l1_latency && spec.l2.latency && *spec.sm.l1_latency >= *spec.l2.latency) {
    checker.impossible("sm.l1_latency", "latency-order",
                       to_text(*spec.sm.l1_latency) + " is not below l2.latency (" +
                           to_text(*spec.l2.latency) + ")",
                       hint);
  }
  if (spec.l2.latency && spec.clock.boost > Frequency{0} && *spec.l2.latency > Cycles{0} &&
      *spec.l2.latency / spec.clock.boost >= spec.dram_latency) {
    checker.impossible("l2.latency", "latency-order",
                       to_text(*spec.l2.latency) + " is not below dram_latency (" +
                           to_text(spec.dram_latency) + ")",
                       hint);
  }
}

void check_levels(const GpuSpec& spec, SpecChecker& checker) {
  if (spec.sm.l1_capacity && *spec.sm.l1_capacity > spec.l2.capacity) {
    checker.impossible("sm.l1_capacity", "inverted-capacity",
                       to_text(*spec.sm.l1_capacity) + " is larger than l2.capacity (" +
                           to_text(spec.l2.capacity) + ")",
                       "the L1 is of one SM, usually 16 KiB to 256 KiB");
  }
  if (spec.l2.partitions > 1 && spec.sm.count % spec.l2.partitions != 0) {
    checker.impossible("l2.partitions", "uneven-sharing",
                       std::to_string(spec.sm.count) + " SMs do not divide into " +
                           std::to_string(spec.l2.partitions) + " groups",
                       "each partition of the L2 is near to as many SMs");
  }
}

}  // namespace

Bytes SmSpec::l1_and_shared() const {
  if (!l1_capacity) return shared_memory;
  return *l1_capacity > shared_memory ? *l1_capacity : *l1_capacity + shared_memory;
}

void derive(L2Spec& spec) {
  if (!spec.bandwidth_per_sm) spec.bandwidth_per_sm = sm_port;
}

void derive(GpuClockSpec& spec) {
  if (!spec.sustained) spec.sustained = spec.boost;
  if (!spec.tensor) spec.tensor = spec.sustained;
}

void derive(GpuLaunchSpec& spec) {
  if (!spec.captured) spec.captured = spec.queued;
}

void derive(SmSpec& spec) {
  if (!spec.fp16_lanes) spec.fp16_lanes = spec.fp32_lanes;
  if (!spec.int8_lanes) spec.int8_lanes = spec.fp32_lanes;
  if (!spec.registers_per_block)
    spec.registers_per_block = std::min(spec.registers, most_registers_per_block);
}

void derive(GpuSpec& spec) {
  if (!spec.l2.bandwidth) {
    const std::int64_t sms = std::clamp<std::int64_t>(spec.sm.count, 0, largest_sensible_count);
    spec.l2.bandwidth = BytesPerCycle{l2_bytes_per_cycle_and_sm * sms};
  }
}

void check(const GpuSpec& spec, SpecChecker& checker) {
  check_runnable(spec, checker);
  if (!spec.architecture.empty() && !is_gpu_architecture(spec.architecture)) {
    checker.unusual("architecture", "unknown-architecture",
                    "'" + spec.architecture + "' is no compiler target of a GPU",
                    "write sm_ and the compute capability (sm_80), or gfx and its number (gfx90a)");
  }
  check_sm(spec.sm, checker);
  check_clock(spec.clock, checker);
  check_caches(spec, checker);
  check_levels(spec, checker);
  check_latencies(spec, checker);
  check_tensor(spec, checker);
  if (spec.power) check_power(*spec.power, checker);
}

}  // namespace tantalus
