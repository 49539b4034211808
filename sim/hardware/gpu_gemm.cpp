#include "sim/hardware/gpu_gemm.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "sim/base/check.hpp"

namespace tantalus {

namespace {

constexpr std::int64_t split_unit = 8;  // parts of k are whole multiples of this
constexpr double most_flops = 9e18;
constexpr double partial_size = 4.0;  // parts of a split product are summed in fp32

double ceil_div(std::int64_t a, std::int64_t b) {
  const std::int64_t parts = (a - 1) / b + 1;
  return static_cast<double>(parts);
}

std::int64_t depth_of_part(const GemmWork& work, std::int64_t split) {
  const std::int64_t part = (work.k - 1) / split + 1;
  return ((part - 1) / split_unit + 1) * split_unit;
}

double tiles_of(const GemmPlan::Tile& tile, const GemmWork& work) {
  return static_cast<double>(work.batch) * ceil_div(work.m, tile.spec.m) *
         ceil_div(work.n, tile.spec.n);
}

double results_of(const GemmWork& work) {
  return static_cast<double>(work.batch) * static_cast<double>(work.m) *
         static_cast<double>(work.n);
}

// All rows of A for each column of tiles and all columns of B for each row of tiles; the last ones are partly filled.
double asked_bytes(const GpuTileSpec& tile, const GemmWork& work) {
  const double rows = static_cast<double>(work.m) * ceil_div(work.n, tile.n) +
                      static_cast<double>(work.n) * ceil_div(work.m, tile.m);
  return static_cast<double>(work.batch) * rows * static_cast<double>(work.k) *
         static_cast<double>(element_size(work.type));
}

// Parts of a split product live in the L2 between the two kernels when they fit.
Traffic split_traffic(const GpuDevice& device, const GemmWork& work, std::int64_t split) {
  Traffic parts;
  parts.read = std::min(results_of(work) * partial_size * static_cast<double>(split), 4e18);
  const double missed = 1.0 - device.hit_share(Bytes{static_cast<std::int64_t>(parts.read)});
  parts.dram_read = parts.read * missed;
  parts.written = work.traffic.written;
  parts.dram_written = work.traffic.dram_written;
  return parts;
}

/// One operand as the blocks of an SM walk along k: each of `groups` blocks has `rows` of it under way, `pitch` bytes apart.
struct Walk {
  double groups = 1, rows = 1, pitch = 0, size = 0;
};

double pages_of(const Walk& walk, double page) {
  const double of_group = std::min(walk.rows, walk.rows * walk.pitch / page + 1.0);
  return std::min(walk.groups * of_group, walk.size / page + 1.0);
}

Walk walk_of(bool along_rows, std::int64_t side, std::int64_t tile_side, const GemmWork& work) {
  const auto element = static_cast<double>(element_size(work.type));
  const auto length = static_cast<double>(along_rows ? work.k : side);
  Walk walk;
  walk.rows = static_cast<double>(along_rows ? std::min(tile_side, side) : split_unit);
  walk.pitch = length * element;
  walk.size = static_cast<double>(work.batch) * static_cast<double>(side) *
              static_cast<double>(work.k) * element;
  return walk;
}

// Time that one block waits for addresses: the rows of its two operands that are read along k lie in pages far apart, and an SM
// whose blocks have more pages under way than its translation cache holds finds the share that is left over missing.
double translation_seconds(const GpuDevice& device, const GemmPlan::Tile& tile,
                           const GemmWork& work, double tiles, double depth) {
  if (device.tlb_miss <= 0.0 || work.operands.empty()) return 0.0;
  Walk a = walk_of(work.operands.front() == 'n', work.m, tile.spec.m, work);
  Walk b = walk_of(work.operands.back() == 't', work.n, tile.spec.n, work);
  if ((a.size + b.size) / device.tlb_page + 2.0 <= device.tlb_entries) return 0.0;
  const auto units = static_cast<double>(device.rates.units);
  const double resident =
      std::min(static_cast<double>(tile.residency.blocks_per_sm), std::ceil(tiles / units));
  const double along_n = ceil_div(work.n, tile.spec.n), along_m = ceil_div(work.m, tile.spec.m);
  const double products = tiles / (along_n * along_m);  // of the batch and the parts of k
  b.groups = std::min(resident, along_n * products);
  a.groups = std::min({resident, along_m * products, std::max(1.0, resident * units / along_n)});
  const double pages = pages_of(a, device.tlb_page) + pages_of(b, device.tlb_page);
  const double missed = std::max(0.0, 1.0 - device.tlb_entries / pages);
  return missed * (a.rows + b.rows) * depth / static_cast<double>(split_unit) * device.tlb_miss;
}

std::string gemm_name(const GemmCandidate& c, const GemmWork& work) {
  std::string name = work.algorithm == Algorithm::implicit_gemm ? "implicit_gemm_" : "gemm_";
  name += name_of(work.type);
  if (c.family->spec.unit == MathUnit::matrix) name += "_matrix";
  name += "_" + std::to_string(c.tile->spec.m) + "x" + std::to_string(c.tile->spec.n);
  if (c.split > 1) name += "_split" + std::to_string(c.split);
  return name;
}

GpuKernel reduction_kernel(const GpuDevice& device, const StreamPlan& plan, const GemmWork& work,
                           std::int64_t split) {
  StreamWork sum;
  sum.name = "split_reduction";
  sum.elements = results_of(work);
  sum.instructions = static_cast<double>(split) + 2.0;
  sum.traffic = split_traffic(device, work, split);
  sum.flops = sum.elements * static_cast<double>(split);
  GpuKernel kernel = stream_kernel(device, plan, sum);
  kernel.joules *= work.energy;
  return kernel;
}

// Narrow tiles load more operand bytes for each multiply-add. What they lose by it is time, so that a unit that asks for fewer
// bytes a clock than the one that the efficiencies were read on loses a smaller share.
double share_of_rate(const GpuDevice& device, const GemmPlan& family, const GemmPlan::Tile& tile,
                     const GemmWork& work) {
  double efficiency = tile.spec.efficiency.value();
  if (family.spec.fed_at) {
    const double asked = 2.0 * device.macs_per_second(family.spec.unit, work.type) /
                         device.clock(family.spec.unit) *
                         static_cast<double>(element_size(work.type));
    const double fed = std::min(1.0, asked / static_cast<double>(family.spec.fed_at->count()));
    const double best = 1.0 / family.best_efficiency;
    efficiency = 1.0 / (best + (1.0 / efficiency - best) * fed);
  }
  return std::min(1.0, efficiency * work.efficiency);
}

// What one block can draw of its SM's rate: its warps cover only so much of the latency of multiply-adds and shared memory.
double share_of_warps(const GpuDevice& device, const GpuGemmSpec& family, const GpuTileSpec& tile) {
  if (!family.saturating_warps) return 1.0;
  const double warps =
      std::ceil(static_cast<double>(tile.threads) / static_cast<double>(device.spec.sm.warp_size));
  return std::min(1.0, warps / *family.saturating_warps);
}

/// Candidates compare the whole operation: launches that follow each other, then the time of the kernels themselves.
struct Score {
  double launched = 0, alone = 0;
  bool operator<(const Score& other) const {
    return launched != other.launched ? launched < other.launched : alone < other.alone;
  }
};

void add(Score& score, const GpuDevice& device, const GpuKernel& kernel) {
  const double alone = device_seconds(device, kernel);
  score.launched += std::max(alone, device.queued);
  score.alone += alone;
}

class Choice {
 public:
  Choice(const GpuDevice& device, const StreamPlan& reduction, const GemmWork& work)
      : device_(device), reduction_(reduction), work_(work) {
    scratch_.cost.groups.push_back({1, std::vector<BlockPhase>(2)});
  }

  void consider(const GemmCandidate& candidate) {
    if (best_.tile != nullptr && least_seconds(candidate) >= best_score_.launched) return;
    if (!fill_gemm(device_, candidate, work_, scratch_)) return;
    Score score;
    add(score, device_, scratch_);
    if (candidate.split > 1) {
      if (best_.tile != nullptr && !(score < best_score_)) return;
      const Score sum = score_of_reduction(candidate.split);
      score.launched += sum.launched;
      score.alone += sum.alone;
    }
    if (best_.tile != nullptr && !(score < best_score_)) return;
    best_ = candidate;
    best_score_ = score;
  }

  const GemmCandidate& best() const { return best_; }

  std::vector<GpuKernel> kernels() {
    std::vector<GpuKernel> result;
    if (best_.tile == nullptr) return result;
    fill_gemm(device_, best_, work_, scratch_);
    scratch_.cost.launch.name = gemm_name(best_, work_);
    result.push_back(std::move(scratch_));
    if (best_.split > 1) {
      result.push_back(reduction_kernel(device_, reduction_, work_, best_.split));
      result.front().cost.workspace =
          Bytes{static_cast<std::int64_t>(split_traffic(device_, work_, best_.split).read)};
    }
    return result;
  }

 private:
  // No candidate is faster than its multiply-adds on all SMs: most fall here, before they are filled in.
  double least_seconds(const GemmCandidate& c) const {
    const double macs = tiles_of(*c.tile, work_) * static_cast<double>(c.split) *
                        static_cast<double>(c.tile->spec.m * c.tile->spec.n) *
                        static_cast<double>(depth_of_part(work_, c.split));
    const double rate = device_.macs_per_second(c.family->spec.unit, work_.type) *
                        share_of_rate(device_, *c.family, *c.tile, work_);
    return macs / (rate * static_cast<double>(device_.rates.units));
  }

  // The second kernel depends on the split alone, not on the tile. One that cannot be represented is never chosen.
  Score score_of_reduction(std::int64_t split) {
    for (const auto& [known, score] : reductions_) {
      if (known == split) return score;
    }
    const GpuKernel sum = reduction_kernel(device_, reduction_, work_, split);
    Score score{longest_kernel * 2.0, longest_kernel * 2.0};
    if (representable(device_, sum)) {
      score = Score{};
      add(score, device_, sum);
    }
    reductions_.emplace_back(split, score);
    return score;
  }

  const GpuDevice& device_;
  const StreamPlan& reduction_;
  const GemmWork& work_;
  std::vector<std::pair<std::int64_t, Score>> reductions_;
  GpuKernel scratch_;  // refilled for each candidate: no allocation while choosing
  GemmCandidate best_;
  Score best_score_;
};

/// One product of a batch as a library sees it that chooses by shape alone.
GemmWork one_of(const GemmWork& work) {
  const auto products = static_cast<double>(work.batch);
  GemmWork one = work;
  one.batch = 1;
  one.flops /= products;
  one.traffic = {work.traffic.read / products, work.traffic.written / products,
                 work.traffic.dram_read / products, work.traffic.dram_written / products};
  return one;
}

/// The tile of this family that is best for one product of the batch.
GemmCandidate chosen_alone(const GpuDevice& device, const GemmPlan& family,
                           const StreamPlan& reduction, const GemmWork& work) {
  const GemmWork one = one_of(work);
  Choice choice(device, reduction, one);
  for (const GemmPlan::Tile& tile : family.tiles) choice.consider({&family, &tile, 1});
  return choice.best();
}

}  // namespace

bool GemmPlan::takes(DType type) const {
  return std::find(types.begin(), types.end(), type) != types.end();
}

bool GemmPlan::takes(const GemmWork& work) const {
  if (!takes(work.type)) return false;
  if (work.operands.empty()) return true;
  if (spec.batched != Batched::any && (spec.batched == Batched::only) != (work.batch > 1))
    return false;
  return spec.operands.empty() || std::find(spec.operands.begin(), spec.operands.end(),
                                            work.operands) != spec.operands.end();
}

GemmPlan plan_gemm(const GpuDevice& device, const GpuGemmSpec& spec) {
  GemmPlan plan;
  plan.spec = spec;
  std::sort(plan.spec.splits.begin(), plan.spec.splits.end());
  for (const std::string& word : spec.types) {
    DType type{};
    if (type_from_word(word, type)) plan.types.push_back(type);
  }
  double best = 0.0;
  for (const GpuTileSpec& tile : spec.tiles) {
    best = std::max(best, tile.efficiency.value());
    const Residency residency = residency_of(device, tile.threads, tile.registers, tile.shared);
    if (residency.blocks_per_sm > 0) plan.tiles.push_back({tile, residency});
  }
  if (best > 0.0) plan.best_efficiency = best;
  return plan;
}

bool fill_gemm(const GpuDevice& device, const GemmCandidate& c, const GemmWork& work,
               GpuKernel& kernel) {
  const GpuGemmSpec& family = c.family->spec;
  const GpuTileSpec& tile = c.tile->spec;
  const double rate = device.macs_per_second(family.unit, work.type);
  const double clock = device.clock(family.unit);
  const auto element = static_cast<double>(element_size(work.type));
  const auto split = static_cast<double>(c.split);
  const auto depth = static_cast<double>(depth_of_part(work, c.split));
  const auto area = static_cast<double>(tile.m * tile.n);

  // More tiles than a thousand waves: blocks take several in turn (a persistent kernel).
  const double tiles = tiles_of(*c.tile, work) * split;
  const std::int64_t slots = device.rates.units * c.tile->residency.blocks_per_sm;
  const double turns = std::ceil(tiles / static_cast<double>(slots * most_gemm_waves));
  const auto blocks = static_cast<std::int64_t>(std::ceil(tiles / turns));

  // Main loop. Rows and columns outside C are multiplied but not loaded.
  const double loaded = static_cast<double>(std::min(tile.m, work.m) + std::min(tile.n, work.n)) *
                        std::min(depth, static_cast<double>(work.k)) * element;
  const double work_seconds =
      area * depth / (rate * share_of_rate(device, *c.family, *c.tile, work));
  const double fill_seconds = loaded / device.l1_rate;
  const double loop_latency =
      (static_cast<double>(family.start.count()) +
       depth / static_cast<double>(family.k_step) * static_cast<double>(family.step.count())) /
      clock;
  const double unit = turns * (std::max(work_seconds, fill_seconds) +
                               translation_seconds(device, *c.tile, work, tiles, depth));
  if (!(turns * loop_latency + unit < longest_kernel)) return false;

  Traffic traffic = work.traffic;
  if (c.split > 1) {
    const Traffic parts = split_traffic(device, work, c.split);
    traffic.written = parts.read;
    traffic.dram_written = parts.dram_read;
  }
  const double operands = std::max(asked_bytes(tile, work) * family.operand_traffic, traffic.read);
  const double stored_size = c.split > 1 ? partial_size : element;
  const double stored = turns * static_cast<double>(std::min(tile.m, work.m)) *
                        static_cast<double>(std::min(tile.n, work.n)) * stored_size;
  if (!(operands < 4e18 && traffic.dram() < 4e18 && traffic.written < 4e18)) return false;

  KernelCost& cost = kernel.cost;
  BlockGroup& group = cost.groups.front();
  group.blocks = blocks;
  BlockPhase& loop = group.phases[0];
  loop.unit_time = duration_from_seconds(unit);
  loop.max_share =
      std::min(share_of_warps(device, family, tile), unit / (turns * loop_latency + 1e-12));
  loop.bytes = {share_of(operands, blocks), share_of(traffic.dram(), blocks)};
  loop.max_rate = {
      port_share(device, blocks, c.tile->residency.blocks_per_sm),
      latency_bound(device, static_cast<double>(tile.threads * family.in_flight.count()))};
  loop.exposed = family.exposed.value();
  loop.unit_bound = work_seconds >= fill_seconds ? Bound::compute : Bound::l1;
  BlockPhase& store = group.phases[1];
  store.unit_time = duration_from_seconds(stored / device.store_rate);
  store.bytes = {share_of(traffic.written, blocks), Bytes{0}};
  store.max_rate = loop.max_rate;
  store.unit_bound = Bound::l1;

  cost.launch.grid = {static_cast<std::int64_t>(ceil_div(work.n, tile.n)),
                      static_cast<std::int64_t>(ceil_div(work.m, tile.m)), work.batch * c.split};
  if (turns > 1.0) cost.launch.grid = {blocks, 1, 1};
  cost.launch.block[0] = tile.threads;
  cost.launch.registers_per_thread = static_cast<int>(tile.registers);
  cost.launch.shared_bytes = tile.shared;
  cost.algorithm = work.algorithm;
  cost.blocks_per_unit = c.tile->residency.blocks_per_sm;
  cost.occupancy_limit = c.tile->residency.limited_by;
  cost.executed_flops = static_cast<std::int64_t>(std::min(work.flops, most_flops));
  kernel.joules = 2.0 * tiles * area * depth * device.joules_per_flop(family.unit, work.type) +
                  (operands + traffic.written) * device.joules_per_l2_byte +
                  traffic.dram() * device.joules_per_dram_byte;
  kernel.joules *= work.energy;
  return representable(device, kernel);
}

std::vector<GpuKernel> gemm_kernels(const GpuDevice& device, const std::vector<GemmPlan>& families,
                                    const StreamPlan& reduction, const GemmWork& work) {
  Choice choice(device, reduction, work);
  for (const GemmPlan& family : families) {
    if (!family.takes(work) || device.macs_per_second(family.spec.unit, work.type) <= 0.0) continue;
    if (family.spec.chosen_alone && work.batch > 1) {
      const GemmCandidate chosen = chosen_alone(device, family, reduction, work);
      if (chosen.tile != nullptr) choice.consider(chosen);
      continue;
    }
    for (const GemmPlan::Tile& tile : family.tiles) {
      choice.consider({&family, &tile, 1});
      const double tiles_uncut = tiles_of(tile, work);
      double enough = static_cast<double>(tile.residency.blocks_per_sm);
      if (family.spec.split_until) enough = std::min(enough, *family.spec.split_until);
      const double slots = static_cast<double>(device.rates.units) * enough;
      if (family.spec.split_below &&
          tiles_uncut >= *family.spec.split_below * static_cast<double>(device.rates.units))
        continue;
      double tiles = tiles_uncut;
      for (const std::int64_t split : family.spec.splits) {
        // Cutting k finer than it takes to fill the slots, or than one turn of the main loop, only adds work.
        if (tiles >= slots || split > work.k / family.spec.k_step) break;
        if (split > 1) choice.consider({&family, &tile, split});
        tiles = tiles_of(tile, work) * static_cast<double>(split);
      }
    }
  }
  return choice.kernels();
}

}  // namespace tantalus
