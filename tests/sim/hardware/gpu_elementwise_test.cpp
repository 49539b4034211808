#include "sim/hardware/gpu_elementwise.hpp"

#include <doctest/doctest.h>

#include "sim/hardware/gpu_rows.hpp"
#include "tests/sim/hardware/gpu_fixture.hpp"

namespace tantalus::test {

namespace {

GpuModel plain() { return GpuModel(plain_gpu(), {plain_library()}); }

Operation rows(RowFn fn, std::int64_t count, std::int64_t cols, Pass pass = Pass::forward) {
  Operation op;
  op.name = "rows";
  op.pass = pass;
  op.work = RowShape{fn, count, cols, 5};
  op.operands = {{TensorId{1}, Bytes{count * cols * 4}, false},
                 {TensorId{2}, Bytes{count * cols * 4}, true}};
  op.other_ops = count * cols * 3;
  return op;
}

Operation pool(Pass pass) {
  Operation op;
  op.name = "pool";
  op.pass = pass;
  op.work = PoolShape{PoolKind::max, 8, 64, 56, 56, 28, 28, 2, 2, 2, 2};
  op.operands = {{TensorId{1}, Bytes{8 * 64 * 56 * 56 * 4}, pass != Pass::forward},
                 {TensorId{2}, Bytes{8 * 64 * 28 * 28 * 4}, pass == Pass::forward}};
  return op;
}

}  // namespace

TEST_CASE("a large element-wise operation takes its traffic over the DRAM's rate") {
  const GpuModel model = plain();
  const KernelCost kernel = kernels_of(model, element_op(ElementFn::add, 100'000'000, 2))[0];

  // 3 x 400 MB at 100 GB/s.
  CHECK(seconds(alone_time(kernel, model.rates())) == doctest::Approx(0.012).epsilon(1e-3));
}

TEST_CASE("a function with many instructions is bound by the lanes") {
  GpuLibrary library = plain_library();
  library.elementwise.functions = {{ElementFn::pow, 1'000.0}};
  const GpuModel model(plain_gpu(), {library});
  const KernelCost kernel = kernels_of(model, element_op(ElementFn::pow, 64'000'000))[0];

  // 64 M x 1000 instructions over 10 SMs x 64 lanes x 1 GHz = 0.1 s.
  CHECK(seconds(alone_time(kernel, model.rates())) == doctest::Approx(0.1).epsilon(1e-3));
  CHECK(kernel.groups[0].phases[0].unit_bound == Bound::compute);
}

TEST_CASE("a grid of more than 64 waves loops instead, and says so by its size") {
  const GpuModel model = plain();
  const KernelCost small = kernels_of(model, element_op(ElementFn::relu, 1'000'000))[0];
  const KernelCost large = kernels_of(model, element_op(ElementFn::relu, 100'000'000))[0];

  CHECK(small.launch.grid[0] == 977);  // 1,000,000 / (256 threads x 4)
  CHECK(large.launch.grid[0] == most_stream_waves * 10 * large.blocks_per_unit);
}

TEST_CASE("one block draws no more of the DRAM than its loads in flight allow") {
  const GpuModel model = plain();
  const KernelCost kernel = kernels_of(model, element_op(ElementFn::relu, 1'024))[0];

  // 8 KiB in flight over 100 ns: 81.9 GB/s, whatever the DRAM could do.
  CHECK(kernel.groups[0].phases[0].max_rate[1] == Bandwidth{81'920'000'000});
}

TEST_CASE("an update reads what it writes") {
  Operation update = element_op(ElementFn::sgd_momentum, 1'000'000);
  update.operands = {{TensorId{1}, Bytes{4'000'000}, true},
                     {TensorId{2}, Bytes{4'000'000}, false},
                     {TensorId{3}, Bytes{4'000'000}, true}};
  const Bytes once = total_bytes(kernels_of(plain(), update)[0], SharedLevel::dram);
  update.pass = Pass::update;
  const Bytes twice = total_bytes(kernels_of(plain(), update)[0], SharedLevel::dram);

  // Weights, gradient, momentum: 12 B a parameter, or the 20 B that SGD with momentum really moves.
  CHECK(static_cast<double>(once.count()) == doctest::Approx(12e6).epsilon(1e-3));
  CHECK(static_cast<double>(twice.count()) == doctest::Approx(20e6).epsilon(1e-3));
}

TEST_CASE("pooling moves its input and output once, in both passes") {
  const double bytes = 8.0 * 64 * (56 * 56 + 28 * 28) * 4;
  for (const Pass pass : {Pass::forward, Pass::input_gradient}) {
    const Bytes moved = total_bytes(kernels_of(plain(), pool(pass))[0], SharedLevel::dram);
    CHECK(static_cast<double>(moved.count()) == doctest::Approx(bytes).epsilon(1e-3));
  }
}

TEST_CASE("an embedding moves the rows that it looks up, not the table") {
  Operation op;
  op.work = EmbeddingShape{1'024, 768, 50'257};
  op.operands = {{TensorId{1}, Bytes{50'257 * 768 * 4}, false},
                 {TensorId{2}, Bytes{1'024 * 8}, false},
                 {TensorId{3}, Bytes{1'024 * 768 * 4}, true}};
  const double rows_moved = 1'024.0 * 768 * 4;

  const Bytes forward = total_bytes(kernels_of(plain(), op)[0], SharedLevel::dram);
  CHECK(static_cast<double>(forward.count()) ==
        doctest::Approx(2 * rows_moved + 8'192).epsilon(1e-3));
}

TEST_CASE("a short softmax row is read once, a long one as often as its algorithm must") {
  const GpuModel model = gpu_model("a100-80gb-pcie");
  const auto ratio = [&](std::int64_t cols) {
    const Operation op = rows(RowFn::softmax, 4'096, cols);
    return static_cast<double>(total_bytes(kernels_of(model, op)[0], SharedLevel::cache).count()) /
           static_cast<double>(operand_bytes(op).count());
  };

  CHECK(ratio(1'024) == doctest::Approx(1.0).epsilon(1e-3));
  CHECK(ratio(1'025) ==
        doctest::Approx(2.0).epsilon(1e-3));  // three reads and a write, of one read and a write
}

TEST_CASE("few long rows of batch norm are shared by several blocks") {
  const GpuModel model = gpu_model("a100-80gb-pcie");
  const std::vector<KernelCost> kernels = kernels_of(model, rows(RowFn::batch_norm, 64, 1'000'000));

  REQUIRE(kernels.size() == 2);
  CHECK(kernels[0].launch.grid[0] > 108);
  CHECK(kernels[1].launch.name == "join_rows");
}

TEST_CASE("a library that goes image by image sums each image's share of the rows apart") {
  GpuLibrary library = plain_library();
  GpuRowSpec row;
  row.function = RowFn::reduce;
  row.start = Cycles{5'000};
  library.rows = {row};
  const GpuModel together(plain_gpu(), {library});
  library.rows[0].per_image = true;
  const GpuModel apart(plain_gpu(), {library});

  Operation op = rows(RowFn::reduce, 64, 8 * 100'000, Pass::bias_gradient);
  CHECK(kernels_of(apart, op).size() == 1);  // rows that run through no images
  std::get<RowShape>(op.work).images = 8;
  const std::vector<KernelCost> one = kernels_of(together, op), eight = kernels_of(apart, op);
  REQUIRE(one.size() == 1);
  REQUIRE(eight.size() == 8);
  const auto bytes = [](const KernelCost& kernel) {
    return static_cast<double>(total_bytes(kernel, SharedLevel::dram).count());
  };
  CHECK(8 * bytes(eight[0]) == doctest::Approx(bytes(one[0])).epsilon(1e-3));
  CHECK(launched_seconds(apart, eight) > launched_seconds(together, one) + 6.9 * 5'000e-9);

  std::get<RowShape>(op.work).images = 1'000'000;
  CHECK_FALSE(apart.kernels(op, {}).ok());
}

TEST_CASE("LRN of two kernels writes the scale and reads it again") {
  GpuLibrary library = plain_library();
  GpuRowSpec row;
  row.function = RowFn::lrn;
  row.warp_columns = 65536;
  GpuRowSpec two = row, bare = row;
  two.by_thread = true;
  two.apply = 70;
  two.chunk = Cycles{600};
  two.chunk_columns = 1;
  bare.keeps_scale = false;
  Operation op;
  op.work = RowShape{RowFn::lrn, 3000, 96, 5};
  const Bytes tensor{3000 * 96 * 4};
  op.operands = {
      {TensorId{1}, tensor, false}, {TensorId{2}, tensor, true}, {TensorId{3}, tensor, true}};
  const auto kernels = [&](const GpuRowSpec& which) {
    library.rows = {which};
    return kernels_of(GpuModel(plain_gpu(), {library}), op);
  };
  const auto tensors = [&](const KernelCost& kernel) {
    const BlockGroup& group = kernel.groups[0];
    return static_cast<double>(group.phases[0].bytes[0].count() * group.blocks) /
           static_cast<double>(tensor.count());
  };

  REQUIRE(kernels(two).size() == 2);
  CHECK(tensors(kernels(two)[0]) == doctest::Approx(2.0).epsilon(0.01));  // input, scale
  CHECK(tensors(kernels(two)[1]) == doctest::Approx(3.0).epsilon(0.01));  // both again, result
  CHECK(tensors(kernels(row)[0]) == doctest::Approx(3.0).epsilon(0.01));
  CHECK(tensors(kernels(bare)[0]) == doctest::Approx(2.0).epsilon(0.01));
  // 12 blocks of 256 positions, each along 96 channels of 600 clk at 1 GHz.
  CHECK(kernels(two)[0].groups[0].blocks == 12);
  CHECK(seconds(alone_time(kernels(two)[0], GpuModel(plain_gpu(), {library}).rates())) ==
        doctest::Approx(57.6e-6).epsilon(0.02));
}

TEST_CASE("pooling that notes its winners writes their indices in inference too") {
  GpuLibrary library = plain_library();
  library.pooling.wait = Cycles{1000};
  library.pooling.kernel.elements_per_thread = 1;
  Operation op;
  PoolShape shape;
  shape.channels = 8;
  shape.in_h = shape.in_w = 32;
  shape.out_h = shape.out_w = 16;
  shape.kernel_h = shape.kernel_w = 3;
  shape.stride_h = shape.stride_w = 2;
  op.work = shape;
  op.operands = {{TensorId{1}, Bytes{8 * 32 * 32 * 4}, false},
                 {TensorId{2}, Bytes{8 * 16 * 16 * 4}, true}};
  const auto written = [&](const GpuLibrary& which) {
    const KernelCost kernel = kernels_of(GpuModel(plain_gpu(), {which}), op)[0];
    return kernel.groups[0].phases[0].bytes[0].count() * kernel.groups[0].blocks;
  };
  GpuLibrary noting = library;
  noting.pooling.index = Bytes{4};

  CHECK(written(noting) - written(library) == 8 * 16 * 16 * 4);
  // Nine elements of a window, 1,000 clk at 1 GHz each.
  const GpuModel model(plain_gpu(), {library});
  CHECK(seconds(alone_time(kernels_of(model, op)[0], model.rates())) ==
        doctest::Approx(9e-6).epsilon(1e-3));
}

TEST_CASE("a function that the catalogue lacks is refused by name") {
  const auto refused = plain().kernels(rows(RowFn::softmax, 10, 10), {});
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.diagnostics()[0].code == "unknown-algorithm");
  CHECK(refused.diagnostics()[0].message.find("softmax") != std::string::npos);
}

}  // namespace tantalus::test
