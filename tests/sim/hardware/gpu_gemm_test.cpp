#include "sim/hardware/gpu_gemm.hpp"

#include <doctest/doctest.h>

#include "tests/sim/hardware/gpu_fixture.hpp"

namespace tantalus::test {

namespace {

Duration time_of(const GpuModel& model, const KernelCost& kernel) {
  return alone_time(kernel, model.rates());
}

}  // namespace

TEST_CASE("one tile takes its multiply-adds over the lanes of one SM, then its store") {
  const GpuModel model(plain_gpu(), {plain_library()});
  const std::vector<KernelCost> kernels = kernels_of(model, product_op(128, 128, 1024));

  // 128 x 128 x 1024 / 64 lanes = 262,144 clk; 128 x 128 x 4 B / 32 B/clk = 2,048 clk.
  REQUIRE(kernels.size() == 1);
  CHECK(seconds(time_of(model, kernels[0])) == doctest::Approx(264.192e-6).epsilon(1e-9));
  CHECK(kernels[0].launch.blocks() == 1);
  CHECK(kernels[0].executed_flops == 2 * 128 * 128 * 1024);
}

TEST_CASE("a unit that asks for half the operand bytes loses half the time on a narrow tile") {
  // 64 lanes ask for 128 FLOP/clk of 4 bytes; the family's best tile needs more shared memory than an SM has.
  GpuLibrary library = plain_library();
  GpuGemmSpec& family = library.gemm[0];
  GpuTileSpec best = family.tiles[0];
  best.shared = Bytes{1 << 30};
  best.efficiency = Fraction{1.0};
  family.tiles[0].efficiency = Fraction{0.5};
  family.tiles.push_back(best);
  const auto clocks = [&](std::int64_t fed_at) {
    family.fed_at = BytesPerCycle{fed_at};
    const GpuModel model(plain_gpu(), {library});
    return 1e9 * seconds(time_of(model, kernels_of(model, product_op(128, 128, 1024))[0]));
  };
  CHECK(clocks(512) == doctest::Approx(262'144 * 2.0 + 2'048).epsilon(1e-6));
  CHECK(clocks(256) == doctest::Approx(262'144 * 2.0 + 2'048).epsilon(1e-6));
  CHECK(clocks(1'024) == doctest::Approx(262'144 * 1.5 + 2'048).epsilon(1e-6));
}

TEST_CASE("eleven tiles on ten SMs take as long as twenty") {
  const GpuModel model(plain_gpu(), {plain_library()});
  const auto eleven = kernels_of(model, product_op(128, 128 * 11, 1024));
  const auto twenty = kernels_of(model, product_op(128, 128 * 20, 1024));

  CHECK(eleven[0].groups[0].blocks == 11);
  CHECK(seconds(time_of(model, eleven[0])) ==
        doctest::Approx(seconds(time_of(model, twenty[0]))).epsilon(0.02));
}

TEST_CASE("a product just over a tile pays for two") {
  const GpuModel model(plain_gpu(), {plain_library()});
  CHECK(kernels_of(model, product_op(129, 128, 64))[0].launch.blocks() == 2);
  CHECK(kernels_of(model, product_op(129, 129, 64))[0].launch.blocks() == 4);
  CHECK(kernels_of(model, product_op(129, 129, 64))[0].launch.grid ==
        std::array<std::int64_t, 3>{2, 2, 1});
}

TEST_CASE("a short loop cannot hide the latency of its turns") {
  GpuLibrary library = plain_library();
  library.gemm[0].start = Cycles{2'000};
  library.gemm[0].step = Cycles{3'000};
  const GpuModel model(plain_gpu(), {library});
  const KernelCost kernel = kernels_of(model, product_op(128, 128, 64))[0];

  // 2,000 + 64/8 x 3,000 = 26,000 clk of latency against 16,384 clk of work: the block uses 0.63 of its SM.
  CHECK(kernel.groups[0].phases[0].max_share == doctest::Approx(16'384.0 / 26'000.0));
  CHECK(seconds(time_of(model, kernel)) == doctest::Approx(28.048e-6).epsilon(1e-6));
}

TEST_CASE("a lone block draws the share of its SM that its warps can fill") {
  GpuLibrary library = plain_library();
  library.gemm[0].saturating_warps = 16.0;
  const GpuModel model(plain_gpu(), {library});

  // 8 warps of 16 that an SM needs: one block takes twice its time, two on each SM as long together.
  const KernelCost one = kernels_of(model, product_op(128, 128, 1024))[0];
  const KernelCost twenty = kernels_of(model, product_op(128, 128 * 20, 1024))[0];
  CHECK(one.groups[0].phases[0].max_share == 0.5);
  CHECK(seconds(time_of(model, one)) == doctest::Approx(2 * 262.144e-6 + 2.048e-6).epsilon(1e-6));
  CHECK(seconds(time_of(model, twenty)) < 1.02 * seconds(time_of(model, one)));
}

TEST_CASE("two resident blocks hide each other's latency") {
  GpuLibrary library = plain_library();
  library.gemm[0].step = Cycles{3'000};
  const GpuModel model(plain_gpu(), {library});
  const KernelCost one = kernels_of(model, product_op(128, 128 * 10, 512))[0];
  const KernelCost two = kernels_of(model, product_op(128, 128 * 20, 512))[0];

  CHECK(one.blocks_per_unit == 2);
  CHECK(seconds(time_of(model, two)) < 1.5 * seconds(time_of(model, one)));
}

TEST_CASE("rows that lie in more pages than an SM can translate cost time, short rows do not") {
  GpuSpec spec = plain_gpu();
  const GpuModel free(spec, {plain_library()});
  spec.sm.tlb_miss = Cycles{10};
  const GpuModel paid(spec, {plain_library()});
  const auto unit_time = [](const GpuModel& model, std::int64_t k) {
    return seconds(kernels_of(model, product_op(128, 128, k))[0].groups[0].phases[0].unit_time);
  };

  // 128 rows of A, 256 KiB apart, lie in 17 pages of 2 MiB, a step of B in one: two of 18 are missing, in each of 8,192 steps
  // of 136 rows.
  const double pages = 17.0 + 1.0 + 8.0 * 512.0 / (2 << 20);
  const double waited = (1.0 - 16.0 / pages) * 136.0 * 8'192.0 * 10e-9;
  CHECK(unit_time(paid, 65'536) == doctest::Approx(unit_time(free, 65'536) + waited).epsilon(1e-6));
  CHECK(unit_time(paid, 16'384) == unit_time(free, 16'384));
}

TEST_CASE("a library that looks at one product gives a batch the tile that is best for one") {
  GpuLibrary library = plain_library();
  library.gemm[0].tiles.push_back({32, 32, 256, 32, Bytes{4 * 1024}, Fraction{0.3}});
  const GpuModel whole(plain_gpu(), {library});
  library.gemm[0].chosen_alone = true;
  const GpuModel alone(plain_gpu(), {library});
  const auto tiles = [](const GpuModel& model, std::int64_t batch) {
    return kernels_of(model, product_op(128, 128, 1024, DType::fp32, batch))[0].launch.grid[0];
  };

  // One product fills the ten SMs only when it is cut into sixteen; a hundred need no cutting.
  CHECK(tiles(alone, 1) == 4);
  CHECK(tiles(whole, 100) == 1);
  CHECK(tiles(alone, 100) == 4);
}

TEST_CASE("tiles ask the L2 for their operands, DRAM for each operand once") {
  const GpuModel model(plain_gpu(), {plain_library()});
  const KernelCost kernel = kernels_of(model, product_op(256, 256, 1000))[0];

  // Four tiles load (128 + 128) x 1000 x 4 B each, and store 256 x 256 x 4 B together.
  CHECK(total_bytes(kernel, SharedLevel::cache) == Bytes{4 * 1'024'000 + 262'144});
  CHECK(total_bytes(kernel, SharedLevel::dram) == Bytes{2 * 256 * 1000 * 4 + 262'144});
}

TEST_CASE("rows and columns outside the result are multiplied but not loaded") {
  const GpuModel model(plain_gpu(), {plain_library()});
  const KernelCost kernel = kernels_of(model, product_op(1, 128, 1000))[0];

  CHECK(total_bytes(kernel, SharedLevel::cache) == Bytes{129 * 1000 * 4 + 512});
  CHECK(total_unit_time(kernel) > Duration{128 * 128 * 1000 / 64 * 1'000});
}

TEST_CASE("operands that the L2 still holds do not cross DRAM") {
  const GpuModel model(plain_gpu(), {plain_library()});
  const Operation op = product_op(128, 128, 128);  // 64 KiB each
  const std::vector<Bytes> fresh = {Bytes{196'608}, never_used, never_used};
  const std::vector<Bytes> half = {Bytes{700'000}, never_used, never_used};

  // Hit share 1.5 - D / 0.7 MB: all of it at 196,608 B, half at 700,000 B.
  CHECK(total_bytes(kernels_of(model, op)[0], SharedLevel::dram) == Bytes{196'608});
  CHECK(total_bytes(kernels_of(model, op, fresh)[0], SharedLevel::dram) == Bytes{131'072});
  CHECK(total_bytes(kernels_of(model, op, half)[0], SharedLevel::dram) == Bytes{163'840});
}

TEST_CASE("a long product with few tiles is cut along k and summed by a second kernel") {
  GpuLibrary library = plain_library();
  library.gemm[0].splits = {2, 4, 8};
  const GpuModel model(plain_gpu(), {library});
  const std::vector<KernelCost> kernels = kernels_of(model, product_op(128, 128, 100'000));

  REQUIRE(kernels.size() == 2);
  CHECK(kernels[0].launch.name == "gemm_fp32_128x128_split8");
  CHECK(kernels[0].launch.grid[2] == 8);
  CHECK(kernels[1].launch.name == "split_reduction");
  CHECK(kernels[0].workspace == Bytes{8 * 128 * 128 * 4});
  // The parts are written, then read: 8 x 64 KiB each way.
  CHECK(total_bytes(kernels[1], SharedLevel::cache) >= Bytes{9 * 65'536});
}

TEST_CASE("a product that fills the SMs is not cut") {
  GpuLibrary library = plain_library();
  library.gemm[0].splits = {2, 4, 8};
  const GpuModel model(plain_gpu(), {library});
  CHECK(kernels_of(model, product_op(1280, 1280, 4096)).size() == 1);
}

TEST_CASE("the choice is the fastest of everything that the catalogue allows") {
  GpuSpec spec = read_gpu("a100-80gb-pcie").value();
  const GpuLibrary full = read_gpu_library("cuda-generic").value();
  const GpuModel chooser(spec, {full});
  for (const auto& [m, n, k] : std::vector<std::array<std::int64_t, 3>>{{64, 64, 64},
                                                                        {4096, 4096, 4096},
                                                                        {128, 1000, 9216},
                                                                        {1, 4096, 9216},
                                                                        {3000, 17, 65536}}) {
    const double best = launched_seconds(chooser, product_op(m, n, k));
    for (std::size_t tile = 0; tile < full.gemm[0].tiles.size(); ++tile) {
      GpuLibrary one = full;
      one.gemm[0].tiles = {full.gemm[0].tiles[tile]};
      CHECK(best <= launched_seconds(GpuModel(spec, {one}), product_op(m, n, k)) * (1 + 1e-12));
    }
  }
}

TEST_CASE("blocks take several tiles in turn once there are more than a thousand waves of them") {
  GpuSpec spec = plain_gpu();
  const GpuModel model(spec, {plain_library()});
  const KernelCost kernel = kernels_of(model, product_op(128 * 1000, 128 * 1000, 8))[0];

  CHECK(kernel.groups[0].blocks <= 20 * most_gemm_waves);
  CHECK(kernel.launch.grid == std::array<std::int64_t, 3>{kernel.groups[0].blocks, 1, 1});
  // All 10^6 tiles' work is there: 128 x 128 x 8 / 64 = 2,048 clk each.
  CHECK(seconds(kernel.groups[0].phases[0].unit_time) *
            static_cast<double>(kernel.groups[0].blocks) >=
        2.048);
}

namespace {

/// Two families that differ by one tile: 64 x 64 for everybody, 128 x 128 as `restrict` says.
GpuModel restricted(const std::string& architecture, void (*restrict)(GpuGemmSpec&)) {
  GpuLibrary library = plain_library();
  GpuGemmSpec wide = library.gemm[0];
  for (GpuTileSpec& tile : library.gemm[0].tiles) tile.m = tile.n = 64;
  library.gemm[0].tiles[0].efficiency = Fraction{0.5};
  restrict(wide);
  library.gemm.push_back(wide);
  GpuSpec spec = plain_gpu();
  spec.architecture = architecture;
  return GpuModel(std::move(spec), {library});
}

std::int64_t rows_of_tile(const GpuModel& model, const Operation& op) {
  return kernels_of(model, op)[0].launch.grid[1];
}

Operation product(bool trans_b, std::int64_t batch = 1) {
  return gemm(1024, 1024, 1024, trans_b, DType::fp32, batch);
}

}  // namespace

TEST_CASE("a family of another generation is not there, and a part without one has none of them") {
  const auto volta = [](GpuGemmSpec& family) { family.architectures = {"sm_70", "sm_72"}; };
  CHECK(rows_of_tile(restricted("sm_70", volta), product(false)) == 8);
  CHECK(rows_of_tile(restricted("sm_80", volta), product(false)) == 16);
  CHECK(rows_of_tile(restricted("", volta), product(false)) == 16);
}

TEST_CASE("a family for transposed weights serves no others") {
  const auto transposed = [](GpuGemmSpec& family) { family.operands = {"nt"}; };
  CHECK(rows_of_tile(restricted("", transposed), product(true)) == 8);
  CHECK(rows_of_tile(restricted("", transposed), product(false)) == 16);
}

TEST_CASE("a family for many products of one shape does not serve a single one, or the reverse") {
  const auto only = [](GpuGemmSpec& family) { family.batched = Batched::only; };
  const auto never = [](GpuGemmSpec& family) { family.batched = Batched::never; };
  CHECK(rows_of_tile(restricted("", only), product(false, 8)) == 8);
  CHECK(rows_of_tile(restricted("", only), product(false)) == 16);
  CHECK(rows_of_tile(restricted("", never), product(false, 8)) == 16);
  CHECK(rows_of_tile(restricted("", never), product(false)) == 8);
}

TEST_CASE("k is cut only where the uncut product has few blocks") {
  const auto launches = [](double split_below) {
    GpuLibrary library = plain_library();
    library.gemm[0].splits = {2, 4, 8};
    library.gemm[0].split_below = split_below;
    return kernels_of(GpuModel(plain_gpu(), {library}), gemm(256, 128, 65536)).size();
  };
  CHECK(launches(0.2) == 1);  // 2 blocks on 10 SMs are not below 0.2 of them
  CHECK(launches(0.21) == 2);
}

TEST_CASE("k is cut no finer than the blocks that are asked for") {
  const auto parts = [](double split_until) {
    GpuLibrary library = plain_library();
    library.gemm[0].splits = {2, 3, 4, 5};
    library.gemm[0].split_until = split_until;
    const GpuModel model(plain_gpu(), {library});
    return kernels_of(model, product_op(256, 128, 65536))[0].launch.grid[2];
  };
  CHECK(parts(0.2) == 1);  // 2 blocks on 10 SMs are enough
  CHECK(parts(0.3) == 2);
  CHECK(parts(0.5) == 3);  // 4 are not enough, 6 are
  CHECK(parts(1.0) == 5);
}

}  // namespace tantalus::test
