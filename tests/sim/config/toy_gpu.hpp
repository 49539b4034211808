// A small device spec that uses every kind of field of describe.hpp, for the tests of this room: real devices live in
// sim/hardware, which this room does not know.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/units.hpp"
#include "sim/config/describe.hpp"

namespace tantalus::toy {

enum class DramKind { gddr, hbm };
inline constexpr EnumName<DramKind> dram_kinds[] = {{"GDDR", DramKind::gddr},
                                                    {"HBM", DramKind::hbm}};

struct Sm {
  std::int64_t count = 0;
  int fp32_lanes = 0;
  Bytes shared_memory;
  std::optional<Bytes> shared_memory_per_block;
};

struct Clock {
  Frequency boost;
  Duration ramp{1'000'000};
};

struct Cache {
  Bytes capacity;
  Bytes line{128};
  int ways = 16;
  Cycles hit_latency{200};
};

struct Dram {
  DramKind kind = DramKind::gddr;
  Bytes capacity;
  BitWidth bus;
  TransferRate data_rate;
  std::optional<Bandwidth> bandwidth;
  Fraction efficiency{0.9};
  int banks = 16;
};

struct Gpu {
  std::string name;
  Sm sm;
  Clock clock;
  std::optional<Cache> l1;
  Cache l2;
  Dram dram;
  std::optional<Power> power;
  double scale = 1.0;
  bool ecc = false;
  std::vector<std::string> libraries;
  std::vector<Cache> levels;
};

template <class Visitor>
void describe(Visitor& v, Sm& s) {
  v.required("count", s.count, within(1, 1024), "streaming multiprocessors");
  v.required("fp32_lanes", s.fp32_lanes, positive, "fp32 lanes of one SM");
  v.required("shared_memory", s.shared_memory, positive, "shared memory of one SM");
  v.derived("shared_memory_per_block", s.shared_memory_per_block, positive, "shared_memory",
            "most shared memory of one block");
}

inline void derive(Sm& s) {
  if (!s.shared_memory_per_block) s.shared_memory_per_block = s.shared_memory;
}

inline void check(const Sm& s, SpecChecker& checker) {
  if (*s.shared_memory_per_block > s.shared_memory) {
    checker.impossible("shared_memory_per_block", "too-large",
                       "a block cannot have more shared memory than its SM", "lower it");
  }
}

template <class Visitor>
void describe(Visitor& v, Clock& s) {
  v.required("boost", s.boost, positive, "clock under load");
  v.defaulted("ramp", s.ramp, not_negative, "time to reach it");
}

template <class Visitor>
void describe(Visitor& v, Cache& s) {
  v.required("capacity", s.capacity, positive, "data the cache can hold");
  v.defaulted("line", s.line, power_of_two, "bytes fetched on a miss");
  v.defaulted("ways", s.ways, within(1, 64), "lines of a set");
  v.defaulted("hit_latency", s.hit_latency, positive, "cycles from request to data");
}

template <class Visitor>
void describe(Visitor& v, Dram& s) {
  v.choice("kind", s.kind, dram_kinds, "technology");
  v.required("capacity", s.capacity, within(1, 1e15), "size");
  v.required("bus", s.bus, positive, "width of the bus");
  v.required("data_rate", s.data_rate, positive, "transfers of one pin");
  v.derived("bandwidth", s.bandwidth, positive, "bus x data_rate", "peak rate");
  v.defaulted("efficiency", s.efficiency, any_value, "share of the peak that streams reach");
  v.defaulted("banks", s.banks, within(1, 255), "banks of a channel");
}

inline void derive(Dram& s) {
  if (!s.bandwidth) s.bandwidth = s.bus * s.data_rate;
}

template <class Visitor>
void describe(Visitor& v, Gpu& s) {
  v.text("name", s.name, "what people call it");
  v.section("sm", s.sm, "one streaming multiprocessor");
  v.section("clock", s.clock, "clocks");
  v.optional_section("l1", s.l1, "the L1 cache of one SM");
  v.section("l2", s.l2, "the cache that all SMs share");
  v.section("dram", s.dram, "memory");
  v.optional("power", s.power, positive, "board power");
  v.defaulted("scale", s.scale, positive, "a plain number");
  v.defaulted("ecc", s.ecc, any_value, "whether error correction costs bandwidth");
  v.list("libraries", s.libraries, any_value, "kernel catalogues");
  v.sections("levels", s.levels, "further caches");
}

inline void check(const Gpu& s, SpecChecker& checker) {
  if (s.l1 && s.l1->capacity > s.l2.capacity) {
    checker.impossible("l1.capacity", "too-large", "L1 is larger than l2.capacity",
                       "L1 sizes are per SM, usually 64 KiB to 256 KiB");
  }
  if (s.power && s.power->count() > 2'000'000) {
    checker.unusual("power", "unusual-power", "no board takes that much", "is it in watts?");
  }
  if (s.sm.count == 0) {
    checker.contradictory("sm.count", "no-work", "a GPU without SMs cannot run", "give it one");
  }
}

}  // namespace tantalus::toy
