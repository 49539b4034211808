#include "validate/detect.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>

#include "kernels/cpu/topology.hpp"
#include "validate/clock.hpp"
#include "validate/library_probes.hpp"
#include "validate/measure.hpp"
#include "validate/reach.hpp"

namespace tantalus::validation {

namespace {

using kernels::Buffer;
using kernels::CacheSize;
using kernels::Isa;
using kernels::Stream;

/// Loads this many times slower than in a level's first part come from the next one. Between L3 and memory lies a factor of
/// ten or more, and a shared level is never quiet.
double slower_level(int level) { return level < 3 ? 2.5 : 4.0; }

/// Share of the peak that streams usually reach (docs/modelling.md); the peak itself is not told.
constexpr double usual_efficiency = 0.85;

std::string number(double value, const char* unit = "", int digits = 3) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*g", digits + 1, value);
  return text.data() + (*unit == '\0' ? std::string() : " " + std::string(unit));
}

std::string kib(std::int64_t bytes) { return std::to_string(bytes / 1024) + " KiB"; }

class Detection {
 public:
  explicit Detection(const DetectOptions& options)
      : options_(options), topology_(kernels::topology()) {
    rule_.seconds = options.seconds;
    rule_.half_width = 0.01;
    rule_.patience = 12.0;
  }

  std::vector<DetectedValue> run() {
    cores();
    arithmetic();
    caches();
    memory();
    storage();
    libraries();
    return std::move(found_);
  }

 private:
  void say(const std::string& what) const {
    if (options_.progress) options_.progress(what);
  }
  void add(std::string file, std::string field, std::string value, double spread, std::string mark,
           std::string how) {
    found_.push_back({std::move(file), std::move(field), std::move(value), spread, std::move(mark),
                      std::move(how)});
  }
  Timing time(const std::function<void()>& work) { return measure(work, probe_, rule_); }

  void cores();
  void arithmetic();
  void caches();
  void memory();
  void storage();
  void libraries();

  /// Nanoseconds of one dependent load in a buffer of so many bytes.
  Timing latency(std::int64_t bytes);
  /// Bytes a second of one pass over arrays that hold so many bytes together.
  double rate(Stream stream, std::int64_t bytes, double& spread);
  const CacheSize* cache(int level) const;
  /// The size up to which loads are nearly as fast as in the level's first part.
  std::int64_t confirmed(const CacheSize& cache, double& nanoseconds, double& spread);
  void add_cache(const std::string& name, const CacheSize& cache, std::int64_t bandwidth_at);
  /// How much of the last cache one program has, beside its neighbours: `memory` is the rate of reads that miss it.
  void add_reach(const CacheSize& cache, double memory);
  /// What neighbours move through it, from how a small buffer leaves it while this core computes in registers.
  void add_neighbours(double reach, double near, double far);

  DetectOptions options_;
  kernels::Topology topology_;
  RateProbe probe_;
  StopRule rule_;
  std::vector<DetectedValue> found_;
  double hertz_ = 0;
  double memory_rate_ = 0;
  std::int64_t lanes_ = 1;
  std::int64_t last_cache_ = 0;  // bytes of the largest level that latency confirmed
};

void Detection::cores() {
  add("device", "name", topology_.processor + " (this machine)", 0, "datasheet",
      "CPUID brand string");
  add("device", "cores", std::to_string(topology_.cores), 0, "inferred",
      topology_.source + (topology_.virtual_machine ? ", of a virtual machine" : ""));
}

// Width and ports from three rates: additions in a chain give the clock, FMA rates at two widths say whether wide vectors run
// whole (rate doubles) or in halves (it does not), and rate / lanes / clock is the number of ports.
void Detection::arithmetic() {
  say("clock and multiply-add rate");
  const Timing adds = time([] { kernels::run_add_chain(4000); });
  hertz_ = 16.0 * 4000 / adds.seconds;
  const Isa widest = kernels::widest_isa();
  std::map<Isa, double> flops;
  std::map<Isa, double> spread;
  for (const Isa isa : {Isa::sse2, Isa::avx2, Isa::avx512}) {
    if (isa > widest) continue;
    const Timing t = time([isa] { kernels::run_fma(isa, 3000); });
    flops[isa] = kernels::run_fma(isa, 3000) / t.seconds;
    spread[isa] = t.spread;
  }
  Isa width = widest;
  if (widest == Isa::avx512 && flops[Isa::avx512] < 1.3 * flops[Isa::avx2]) width = Isa::avx2;
  const double per_clock =
      flops[width] / (2.0 * static_cast<double>(kernels::fp32_lanes(width)) * hertz_);
  const auto ports = std::max<std::int64_t>(1, std::llround(per_clock));
  const Timing chain = time([width] { kernels::run_fma_chain(width, 500); });
  const double latency = chain.seconds / (8.0 * 500) * hertz_;
  const bool halves = width != widest;
  add("device", "simd.width", std::to_string(32 * kernels::fp32_lanes(width)) + " bit", 0,
      "inferred",
      halves ? "AVX-512 multiply-adds run at the rate of AVX2 ones: in halves"
             : std::string("widest instruction set, ") + std::string(name_of(widest)));
  add("device", "simd.fma_ports", std::to_string(ports), spread[width], "inferred",
      "measured multiply-add rate / (lanes x clock) = " + number(per_clock, "", 2));
  add("device", "simd.fused", widest == Isa::sse2 ? "false" : "true", 0, "datasheet", "CPUID");
  add("device", "simd.fma_latency",
      std::to_string(std::max<std::int64_t>(1, std::llround(latency))) + " clk", chain.spread,
      "measured", "chain of multiply-adds, " + number(latency, "clk", 2));
  // The clock at which the found ports give the found rate: what vector work sustains, lower than the scalar clock where
  // wide vectors throttle.
  const double sustained =
      flops[width] / (2.0 * static_cast<double>(kernels::fp32_lanes(width) * ports));
  add("device", "clock.base", number(sustained / 1e9, "GHz"), spread[width], "inferred",
      "as clock.sustained: a virtual machine does not tell its base clock");
  add("device", "clock.sustained", number(sustained / 1e9, "GHz"), spread[width], "measured",
      "multiply-add rate of one core / (lanes x 2 x ports); a chain of additions says " +
          number(hertz_ / 1e9, "GHz"));
  add("device", "clock.one_core", number(sustained / 1e9, "GHz"), spread[width], "measured",
      "multiply-add rate of one core");
  add("note", "fma_rate", number(flops[width] / 1e9, "GFLOP/s"), spread[width], "measured",
      "one core");
  hertz_ = sustained;
  lanes_ = kernels::fp32_lanes(width);
}

Timing Detection::latency(std::int64_t bytes) {
  kernels::PointerChase chase(static_cast<std::size_t>(bytes), 11);
  chase.run(std::min<std::int64_t>(bytes / 64, 2'000'000));
  constexpr std::int64_t steps = 20'000;
  Timing t = time([&] { chase.run(steps); });
  t.seconds *= 1e9 / static_cast<double>(steps);
  return t;
}

double Detection::rate(Stream stream, std::int64_t bytes, double& spread) {
  const std::int64_t n = bytes / 4 / kernels::arrays_of(stream) / 64 * 64;
  const auto count = static_cast<std::size_t>(n);
  Buffer a(count), b(count), c(count);
  const Isa isa = kernels::widest_isa();
  double moved = 0;
  const Timing t = time([&] { moved = run_stream(stream, isa, a.data(), b.data(), c.data(), n); });
  spread = t.spread;
  return moved / t.seconds;
}

const CacheSize* Detection::cache(int level) const {
  for (const CacheSize& c : topology_.caches) {
    if (c.level == level) return &c;
  }
  return nullptr;
}

std::int64_t Detection::confirmed(const CacheSize& cache, double& nanoseconds, double& spread) {
  const std::int64_t first =
      std::max<std::int64_t>(16 << 10, cache.level == 1 ? 0 : last_cache_ * 2);
  const Timing inside = latency(std::min(first, cache.bytes));
  nanoseconds = inside.seconds;
  spread = inside.spread;
  std::int64_t size = std::min(first, cache.bytes);
  for (std::int64_t next = size * 2; next <= cache.bytes && next <= (std::int64_t{1} << 27);
       next *= 2) {
    if (latency(next * 7 / 8).seconds > slower_level(cache.level) * nanoseconds) break;
    size = next;
  }
  return size;
}

void Detection::add_cache(const std::string& name, const CacheSize& c, std::int64_t bandwidth_at) {
  double nanoseconds = 0, spread = 0, rate_spread = 0;
  const std::int64_t size = confirmed(c, nanoseconds, spread);
  const std::string how = "CPUID says " + kib(c.bytes) + "; loads stay fast up to " + kib(size);
  const bool agrees = 2 * size > c.bytes;
  // A VM may report far more than there is; what the latencies show is then the capacity.
  const bool plausible = size * 32 >= c.bytes;
  add("device", name + ".capacity", kib(plausible ? c.bytes : size), 0,
      agrees ? "measured" : "inferred", how);
  if (!agrees && plausible && c.level < 3)
    add("device", name + ".effective", kib(size), 0, "measured", how);
  const std::int64_t shared = std::clamp<std::int64_t>(c.shared_by, 1, topology_.cores);
  add("device", name + ".shared_by", std::to_string(shared), 0, "inferred", topology_.source);
  add("device", name + ".latency",
      std::to_string(std::llround(nanoseconds * 1e-9 * hertz_)) + " clk", spread, "measured",
      "pointer chase, " + number(nanoseconds, "ns"));
  const double bytes = rate(Stream::read, bandwidth_at > 0 ? bandwidth_at : size / 2, rate_spread);
  add("device", name + ".bandwidth", number(std::max(1.0, bytes / hertz_), "B/clk", 2), rate_spread,
      "measured", "reads of one core, " + number(bytes / 1e9, "GB/s"));
  last_cache_ = std::max(last_cache_, plausible ? c.bytes : size);
}

void Detection::caches() {
  for (int level = 1; level <= 3; ++level) {
    const CacheSize* c = cache(level);
    if (c == nullptr) continue;
    const std::string name = level == 1 ? "l1d" : "l" + std::to_string(level);
    say(name + " latency and bandwidth");
    add_cache(name, *c,
              level == 1   ? c->bytes * 3 / 4
              : level == 2 ? std::max(c->bytes / 4, last_cache_ * 2)
                           : static_cast<std::int64_t>(first_of_last_cache(topology_)));
  }
}

void Detection::add_reach(const CacheSize& c, double memory) {
  constexpr std::size_t largest = std::size_t{96} << 20U;
  const std::size_t first = first_of_last_cache(topology_);
  Buffer buffer(largest / 4);
  std::vector<double> reaches, neighbours;
  for (int i = 0; i < 5; ++i) {
    const CacheReach one = cache_reach(probe_.isa(), buffer.data(), largest, first, memory);
    reaches.push_back(one.bytes);
    neighbours.push_back(one.neighbours);
  }
  const double spread = (quantile(reaches, 0.75) - quantile(reaches, 0.25)) / 2 / median(reaches);
  const double bytes = std::min(median(reaches), static_cast<double>(c.bytes));
  add("device", "l3.effective", kib(static_cast<std::int64_t>(bytes)), spread, "measured",
      "passes over growing working sets: half of the way from the cache's rate to memory's is lost "
      "at " +
          kib(static_cast<std::int64_t>(1.18 * bytes)));
  add("device", "l3.neighbours", number(median(neighbours) / 1e9, "GB/s"), 0, "measured",
      "how much of a buffer is gone after 1 and 4 ms of work in registers");
}

void Detection::memory() {
  say("memory latency and bandwidth");
  const std::int64_t large = std::clamp<std::int64_t>(last_cache_ * 8, std::int64_t{256} << 20,
                                                      topology_.memory_bytes / 8);
  rule_.seconds = 4 * options_.seconds;
  const Timing chase = latency(large);
  add("device", "dram_latency", number(chase.seconds, "ns"), chase.spread, "measured",
      "pointer chase over " + kib(large));
  double spread = 0;
  Buffer streams(static_cast<std::size_t>(large / 4));
  std::vector<double> rates(5);
  for (double& one : rates)
    one = memory_rate(probe_.isa(), streams.data(), static_cast<std::size_t>(large));
  const double read = median(rates);
  add("device", "one_core_bandwidth", number(read / 1e9, "GB/s"),
      (quantile(rates, 0.75) - quantile(rates, 0.25)) / 2 / read, "measured",
      "reads, passes in place, scaled copies and triads of one core over " + kib(large));
  memory_rate_ = read;
  if (const CacheSize* last = cache(3)) add_reach(*last, read);
  for (const Stream stream :
       {Stream::in_place, Stream::copy, Stream::scale, Stream::add, Stream::triad}) {
    const double bytes = rate(stream, large, spread);
    add("note", "memory." + std::string(name_of(stream)), number(bytes / 1e9, "GB/s"), spread,
        "measured", "one core, counted as STREAM does");
  }
  rule_.seconds = options_.seconds;
  // The channels of a virtual machine's host are not told: described as enough of them for its cores to stream side by side.
  const double together = read * static_cast<double>(topology_.cores);
  const auto gib = std::max<std::int64_t>(1, topology_.memory_bytes >> 30);
  add("device", "dram.kind", "unknown", 0, "inferred", "not told without administrator rights");
  add("device", "dram.capacity", std::to_string(gib) + " GiB", 0, "datasheet", "operating system");
  add("device", "dram.channels", "1", 0, "inferred", "not told: one channel stands for all");
  add("device", "dram.channel_width", "64 bit", 0, "inferred",
      "not told: one channel stands for all");
  add("device", "dram.data_rate", number(together / 8e6 / usual_efficiency, "MT/s"), spread,
      "inferred", "every core streams as fast as the one that was measured, at 0.85 of the peak");
  add("device", "dram.efficiency", number(usual_efficiency), 0, "inferred",
      "default of the model; chosen with data_rate so that the product is what was measured");
}

void Detection::storage() {
  say("storage");
  try {
    kernels::FileRead file(options_.folder, std::size_t{64} << 20);
    const std::string how = file.direct() ? "past the page cache" : "through an emptied page cache";
    const auto wall = [&](const std::function<double()>& read, int count, double& seconds) {
      const double start = wall_seconds();
      double bytes = 0;
      for (int i = 0; i < count; ++i) bytes += read();
      seconds = wall_seconds() - start;
      return bytes;
    };
    double seconds = 0;
    const double bytes = wall([&] { return file.read_next(std::size_t{1} << 20); }, 64, seconds);
    add("note", "storage.bandwidth", number(bytes / seconds / 1e6, "MB/s"), 0, "measured",
        "1 MiB reads in order, " + how + ", wall clock");
    wall([&] { return file.read_random(4096); }, 256, seconds);
    add("note", "storage.latency", number(seconds / 256 * 1e6, "us"), 0, "measured",
        "4 KiB random reads, " + how + ", wall clock");
  } catch (const std::runtime_error& error) {
    add("note", "storage", "none", 0, "inferred", error.what());
  }
}

// What a busy neighbour takes changes from second to second: each constant is the middle one of several passes over all of them.
void Detection::libraries() {
  constexpr double seconds_for_passes = 0.2;
  const int passes = options_.seconds < seconds_for_passes ? 1 : 5;
  std::map<std::string, std::vector<std::vector<LibraryConstant>>> found;
  for (int pass = 0; pass < passes; ++pass) {
    for (const bool onednn : {true, false}) {
      const std::string file = onednn ? "onednn" : "openblas";
      say("kernels of " + file + ", pass " + std::to_string(pass + 1));
      const LibraryProbes probes{probe_,       rule_,  hertz_, probe_.sustained(),
                                 memory_rate_, onednn, lanes_};
      found[file].push_back(library_constants(probes));
    }
  }
  for (const auto& [file, all] : found) {
    for (const LibraryConstant& c : middle_of(all)) {
      add(file, c.field, c.value, c.spread, "measured", c.how);
    }
  }
}

}  // namespace

std::vector<DetectedValue> detect(const DetectOptions& options) { return Detection(options).run(); }

}  // namespace tantalus::validation
