// The staircase of real parts beside what a pointer chase of another program read there. Latencies of the levels come from other
// sources than the readings; which they are, stands here. Some readings are carried over; all of a device are read where the
// published tables lie beside this project.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "sim/hardware/cache/staircase.hpp"
#include "sim/hardware/device_table.hpp"
#include "sim/hardware/gpu_model.hpp"
#include "sim/hardware/system_plan.hpp"
#include "source_dir.hpp"

namespace tantalus {
namespace {

const std::filesystem::path root = TANTALUS_SOURCE_DIR;

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

DeviceLookUp look_in(const std::string& kind) {
  return [kind](const std::string& stem) -> Result<DeviceText> {
    const std::filesystem::path file = root / "hw_configs" / kind / (stem + ".yaml");
    return DeviceText{file.string(), text_of(file)};
  };
}

GpuSpec spec_of(const std::string& name) {
  const std::filesystem::path file = root / "hw_configs" / "devices" / (name + ".yaml");
  const Result<SystemSpec> spec =
      load_system_text(text_of(file), file.string(), SystemLoad{look_in("devices"), {}, true});
  REQUIRE(spec);
  const Result<SystemPlan> plan = plan_system(*spec, device_kinds(), look_in("libraries"));
  REQUIRE(plan);
  return dynamic_cast<const GpuModel&>(*plan->parts.front().device->model()).spec();
}

constexpr std::int64_t kib = 1024;

/// V100 PCIe, 408 cycles of DRAM at 1380 MHz (caps-tum/mt4g); no shared memory is set aside on this generation.
Stairs v100() {
  GpuSpec spec = spec_of("v100-pcie");
  spec.dram_latency = Cycles{408} / spec.clock.boost;
  return stairs_of(spec);
}

/// A100 40 GB, 550 cycles at 1410 MHz (markdewing/AI_kernels, 80 GB card); 32 KiB of the array set aside as shared memory, the
/// selectable size that fits the readings of the L1.
Stairs a100() {
  GpuSpec spec = spec_of("a100-40gb-pcie");
  spec.dram_latency = Cycles{550} / spec.clock.boost;
  return stairs_of(spec, Bytes{32 * kib});
}

/// L40: nobody else states its latencies, so the plateaus are the readings' own (36, 276, 632 cycles at 2490 MHz) and judge
/// nothing; where the steps are and how they blend is judged.
Stairs l40() {
  GpuSpec spec = spec_of("l40");
  spec.sm.l1_latency = Cycles{36};
  spec.l2.latency = Cycles{276};
  spec.dram_latency = Cycles{632} / spec.clock.boost;
  return stairs_of(spec, Bytes{32 * kib});
}

struct Reading {
  double kib, ns;
};

/// One level answers all: a plateau; else a blend.
bool is_blend(const std::vector<double>& shares) {
  return std::none_of(shares.begin(), shares.end(), [](double share) { return share > 0.98; });
}

struct Judgement {
  int plateaus = 0, blends = 0, off_plateaus = 0, off_blends = 0;
  double worst = 0.0;
};

Judgement judge(const Stairs& stairs, const std::vector<Reading>& readings) {
  Judgement found;
  for (const Reading& reading : readings) {
    const auto shares =
        chased(stairs, Bytes{static_cast<std::int64_t>(reading.kib * static_cast<double>(kib))})
            .value();
    const double error = std::abs(*latency_of(stairs, shares) * 1e9 / reading.ns - 1.0);
    const bool blend = is_blend(shares);
    ++(blend ? found.blends : found.plateaus);
    if (error > (blend ? 0.15 : 0.10)) ++(blend ? found.off_blends : found.off_plateaus);
    found.worst = std::max(found.worst, error);
    CAPTURE(reading.kib);
    CHECK(error < 0.30);
  }
  return found;
}

// te42kyfo/gpu-benches, gpu-latency: one warp walks a random chain; KiB and ns.
const std::vector<Reading> v100_readings = {
    {49, 21.7},    {130, 64.9},   {144, 106.6},  {160, 138.4},  {196, 154.6},
    {1029, 155.9}, {5770, 156.0}, {6348, 192.1}, {6984, 256.9}, {7684, 286.8},
    {8453, 299.1}, {9299, 307.9}, {12381, 308.8}};
const std::vector<Reading> a100_readings = {
    {62, 25.5},     {177, 108.7},   {196, 135.8},   {216, 147.0},   {1029, 151.1},
    {19946, 151.5}, {21941, 200.6}, {24136, 246.3}, {26551, 268.6}, {35343, 302.6},
    {42767, 319.6}, {47045, 344.4}, {51750, 358.7}, {62620, 403.8}, {75772, 404.6}};

TEST_CASE("a chase on a V100 has its plateaus, steps and blends where they were read") {
  const Judgement found = judge(v100(), v100_readings);
  CHECK(found.plateaus >= 4);
  CHECK(found.blends >= 7);
  CHECK(found.off_plateaus == 0);
  CHECK(found.off_blends == 0);
}

TEST_CASE("a chase on an A100 has a step for each half of its L2") {
  const Judgement found = judge(a100(), a100_readings);
  CHECK(found.plateaus >= 4);
  CHECK(found.blends >= 8);
  CHECK(found.off_plateaus == 0);
  CHECK(found.off_blends == 0);
}

/// Readings of a device from the table beside this project, none where it is not there. Of plateaus every sixteenth, to be short;
/// `near` says which are not.
template <class Near>
std::vector<Reading> published(const std::string& device, Near near) {
  std::ifstream in(root.parent_path() / "shared" / "reference" / "gpu_latency_pointer_chase.csv");
  std::vector<Reading> readings;
  std::string line;
  for (int row = 0; std::getline(in, line); ++row) {
    std::istringstream cells(line);
    std::string name, clock, size, cycles, ns;
    std::getline(cells, name, ',');
    std::getline(cells, clock, ',');
    std::getline(cells, size, ',');
    std::getline(cells, cycles, ',');
    std::getline(cells, ns, ',');
    if (name == device && (row % 16 == 0 || near(std::stod(size))))
      readings.push_back({std::stod(size), std::stod(ns)});
  }
  return readings;
}

/// Between 0.9 and 1.4 times the capacity of a level.
auto near_levels_of(const Stairs& stairs) {
  return [&stairs](double size) {
    return std::any_of(
        stairs.caches.levels.begin(), stairs.caches.levels.end(), [&](const CacheShape& level) {
          const double ratio =
              size * static_cast<double>(kib) / static_cast<double>(level.capacity.count());
          return ratio > 0.9 && ratio < 1.4;
        });
  };
}

/// `allowed`: readings that may be further off, of all.
void judge_published(const std::string& device, const Stairs& stairs, int allowed) {
  CAPTURE(device);
  const std::vector<Reading> readings = published(device, near_levels_of(stairs));
  if (readings.empty()) return;
  const Judgement found = judge(stairs, readings);
  MESSAGE(device << ": " << found.plateaus << " on plateaus, " << found.off_plateaus
                 << " beyond 10 %; " << found.blends << " between, " << found.off_blends
                 << " beyond 15 %; worst " << found.worst);
  CHECK(found.off_plateaus + found.off_blends <= allowed);
}

TEST_CASE("all published readings of V100, A100 and L40 lie on the stairs") {
  judge_published("V100-PCIe", v100(), 0);
  judge_published("A100-40GB", a100(), 1);  // 160 KiB, 16 %
  judge_published("L40", l40(), 2);         // 90 and 95 KiB: its L1 ends 2 KiB sooner
}

TEST_CASE("an L1 of a V100 gives what was streamed from it, up to its capacity") {
  // gpu-benches, gpu-cache: 13.9 TB/s from 4 to 120 KiB an SM, 12.1 at 124, 4.9 at 204: 80 SMs x 128 B x 1380 MHz = 14.1.
  const Stairs stairs = v100();
  const auto rate = [&](std::int64_t of_one_sm) {
    return *bandwidth_of(stairs, streamed(stairs, Bytes{80 * of_one_sm * kib}).value()) * 1e-9;
  };
  CHECK(rate(60) == doctest::Approx(13'900.0).epsilon(0.1));
  CHECK(rate(120) == doctest::Approx(13'711.0).epsilon(0.1));
  CHECK(rate(236) < 5'000.0);
}

TEST_CASE("the rate of an L40 falls where its L2 ends") {
  // gpu-benches, shared L2 sweep: 5.24 TB/s at 91,648 KiB, 0.88 at 120,832.
  const Stairs stairs = l40();
  const auto memory_share = [&](std::int64_t size) {
    return streamed(stairs, Bytes{size * kib}).value().back();
  };
  CHECK(memory_share(91'648) < 0.01);
  CHECK(memory_share(120'832) > 0.5);
}

}  // namespace
}  // namespace tantalus
