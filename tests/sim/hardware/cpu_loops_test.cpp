#include "sim/hardware/cpu_loops.hpp"

#include <doctest/doctest.h>

#include "tests/sim/hardware/cpu_fixture.hpp"

namespace tantalus::test {

namespace {

struct Bench {
  explicit Bench(const char* stem) : library(read_library(stem).value()) {}
  CpuMachine machine() const { return {spec, library}; }

  CpuSpec spec = read_cpu("xeon-e5-2650-v3").value();
  CpuLibrary library;
};

CpuRegion row(const Bench& bench, RowFn fn, std::int64_t rows, std::int64_t cols,
              Pass pass = Pass::forward) {
  Operation op;
  op.pass = pass;
  op.work = RowShape{fn, rows, cols, 5};
  op.operands = {reads(4.0 * static_cast<double>(rows * cols)),
                 writes(4.0 * static_cast<double>(rows * cols))};
  return row_region({op, {}}, std::get<RowShape>(op.work), bench.machine());
}

CpuRegion pool(const Bench& bench, const PoolShape& shape, Pass pass = Pass::forward) {
  Operation op;
  op.pass = pass;
  op.work = shape;
  op.operands = {reads(1e6), writes(2.5e5)};
  return pool_region({op, {}}, shape, bench.machine());
}

}  // namespace

TEST_CASE("scalar loops count elements and vector loops count vectors") {
  const Operation relu = elementwise(ElementFn::relu, 801);
  const Bench scalar("openblas-avx2-haswell"), vectors("onednn-avx2");

  const double slow =
      elementwise_region({relu, {}}, {ElementFn::relu, 801}, scalar.machine()).cycles;
  const double fast =
      elementwise_region({relu, {}}, {ElementFn::relu, 801}, vectors.machine()).cycles;

  CHECK(slow == doctest::Approx(801 * scalar.library.loops.simple));
  CHECK(fast == doctest::Approx(101 * vectors.library.loops.simple));  // ceil(801 / 8) vectors
}

TEST_CASE("Caffe's loops stay on one core whatever their size") {
  const Bench bench("openblas-avx2-haswell");
  const Operation big = elementwise(ElementFn::relu, 100'000'000);

  CHECK(elementwise_region({big, {}}, {ElementFn::relu, 100'000'000}, bench.machine()).cores == 1);
}

TEST_CASE("other libraries share loops above the grain size among all cores") {
  const Bench bench("onednn-avx2");
  const auto cores = [&](std::int64_t n) {
    const Operation op = elementwise(ElementFn::relu, n);
    return elementwise_region({op, {}}, {ElementFn::relu, n}, bench.machine()).cores;
  };

  CHECK(cores(32'767) == 1);
  CHECK(cores(32'768) == 10);
}

TEST_CASE("each element-wise function has the cost of its class") {
  const Bench bench("onednn-avx2");
  const auto cycles = [&](ElementFn fn) {
    const Operation op = elementwise(fn, 8);
    return elementwise_region({op, {}}, {fn, 8}, bench.machine()).cycles;
  };

  for (const ElementFn fn :
       {ElementFn::copy, ElementFn::add, ElementFn::mul, ElementFn::bias, ElementFn::scale}) {
    CHECK(cycles(fn) == cycles(ElementFn::relu));
  }
  CHECK(cycles(ElementFn::div) == 5);
  CHECK(cycles(ElementFn::pow) == 20);
  for (const ElementFn fn : {ElementFn::gelu, ElementFn::tanh, ElementFn::sigmoid})
    CHECK(cycles(fn) == 10);
  CHECK(cycles(ElementFn::dropout) == 8);
  CHECK(cycles(ElementFn::sgd_momentum) == 3);
  CHECK(cycles(ElementFn::adam) == 18);
}

TEST_CASE("Caffe max pooling costs cycles for each tap and for the end of each row") {
  const Bench bench("openblas-avx2-haswell");
  const PoolShape shape{PoolKind::max, 10, 96, 55, 55, 27, 27, 3, 3, 2, 2};

  const CpuLoopSpec& loops = bench.library.loops;
  CHECK(pool(bench, shape).cycles ==
        doctest::Approx(10 * 96 * 27 * 27 * 9 * (loops.max_tap + loops.pool_row / 27.0)));
}

TEST_CASE("overlapping windows read at a lower rate") {
  const Bench bench("onednn-avx2");
  const PoolShape overlapping{PoolKind::max, 1, 64, 55, 55, 27, 27, 3, 3, 2, 2};
  const PoolShape separate{PoolKind::max, 1, 64, 54, 54, 27, 27, 2, 2, 2, 2};

  CHECK(pool(bench, overlapping).rate_share == bench.library.loops.pool_rate.value());
  CHECK(pool(bench, separate).rate_share == 1.0);
}

TEST_CASE("a global average looks at every input once") {
  const Bench bench("onednn-avx2");
  const PoolShape shape{PoolKind::global_average, 1, 64, 7, 7, 1, 1, 1, 1, 1, 1};

  const CpuLoopSpec& loops = bench.library.loops;
  CHECK(pool(bench, shape).cycles ==
        doctest::Approx(64 / 8 * (loops.pool_output + loops.average_tap * 49 + loops.pool_line)));
}

TEST_CASE("pooling fills vectors with the channels of one position") {
  Bench bench("onednn-avx2");
  bench.library.loops.pool_line = 0;
  const PoolShape six{PoolKind::max, 1, 6, 28, 28, 14, 14, 2, 2, 2, 2};
  PoolShape eight = six;
  eight.channels = 8;

  CHECK(pool(bench, six).cycles == pool(bench, eight).cycles);
  CHECK(pool(bench, six).traffic.l1 > pool(bench, eight).traffic.l1);  // blocks of eight are moved
  bench.library.loops.channels_last = true;
  CHECK(pool(bench, six).traffic.l1 == pool(bench, eight).traffic.l1);  // of the same operands here
}

TEST_CASE("pooling pays for the start of each output row, of all channels when they are last") {
  Bench bench("onednn-avx2");
  const PoolShape shape{PoolKind::max, 2, 64, 28, 28, 14, 14, 2, 2, 2, 2};
  bench.library.loops.pool_line = 0;
  const double plain = pool(bench, shape).cycles;

  bench.library.loops.pool_line = 10;
  CHECK(pool(bench, shape).cycles == doctest::Approx(plain + 2 * 14 * (64 / 8) * 10));
  bench.library.loops.channels_last = true;
  CHECK(pool(bench, shape).cycles == doctest::Approx(plain + 2 * 14 * 10));
}

TEST_CASE("ReLU overwrites its input unless the catalogue says otherwise") {
  Bench bench("onednn-avx2");
  const Operation op = elementwise(ElementFn::relu, 4'000'000);
  const auto traffic = [&] {
    return elementwise_region({op, {}}, {ElementFn::relu, 4'000'000}, bench.machine()).traffic;
  };

  CHECK(traffic().l1 == 16e6);
  CHECK(traffic().dram_returns == traffic().dram_fills);
  bench.library.loops.relu_in_place = false;
  CHECK(traffic().l1 == 32e6);
}

TEST_CASE("a layer that overwrites its input finds in a cache what would not fit twice") {
  const Bench bench("onednn-avx2");
  const Operation op = elementwise(ElementFn::relu, 5'000'000);  // 20 of 25 MiB
  const std::vector<Bytes> itself = {Bytes{40'000'000}, Bytes{40'000'000}};

  const CpuRegion region =
      elementwise_region({op, itself}, {ElementFn::relu, 5'000'000}, bench.machine());
  CHECK(region.traffic.dram_fills < 10e6);
}

TEST_CASE("softmax costs a row and its elements") {
  const Bench bench("onednn-avx2");

  CHECK(row(bench, RowFn::softmax, 3, 1000).cycles == doctest::Approx(3 * 22 + 3000 * 2.2));
}

TEST_CASE("sums are bound by the latency of additions when that is longer than the loads") {
  const Bench bench("onednn-avx2");

  CHECK(row(bench, RowFn::reduce, 1, 8000).cycles ==
        doctest::Approx(1000 * 5 / 4.0));  // FMA latency 5, four sums
}

TEST_CASE("a library's sums are of whole vectors even where its loops are scalar") {
  Bench bench("openblas-avx2-haswell");
  bench.library.loops.reduce = 0.1;

  // 1000 vectors of 8 and FMA latency 5 over four sums, above 8000 elements at 0.1.
  CHECK(row(bench, RowFn::reduce, 1, 8000).cycles == doctest::Approx(1000 * 5 / 4.0));
  bench.library.loops.reduce = 2;
  CHECK(row(bench, RowFn::reduce, 1, 8000).cycles == doctest::Approx(16000));
}

TEST_CASE(
    "a pooling gradient finds what it has just cleared: at hand in library kernels, a pass ago in "
    "loops") {
  const auto traffic = [](const char* stem) {
    const Bench bench(stem);
    const PoolShape shape{PoolKind::max, 1, 64, 20, 20, 10, 10, 2, 2, 2, 2};
    Operation op;
    op.pass = Pass::input_gradient;
    op.work = shape;
    op.operands = {{TensorId{1}, Bytes{25'000}},
                   {TensorId{2}, Bytes{100'000}, true},
                   {TensorId{2}, Bytes{100'000}}};
    return pool_region({op, {}}, shape, bench.machine()).traffic;
  };

  CHECK(traffic("onednn-avx2").l1 == 225'000);
  CHECK(traffic("onednn-avx2").dram_fills == 125'000);
  CHECK(traffic("openblas-avx2-haswell").dram_fills == 125'000);
  CHECK(traffic("openblas-avx2-haswell").l2 > traffic("onednn-avx2").l2);
}

TEST_CASE("gradients of loops have constants of their own where the catalogue knows them") {
  Bench bench("openblas-avx2-haswell");
  bench.library.loops.relu_gradient = 7;
  bench.library.loops.dropout_gradient = 5;
  bench.library.loops.max_gradient = 9;
  const auto cycles = [&](ElementFn fn) {
    Operation op = elementwise(fn, 100);
    op.pass = Pass::input_gradient;
    return elementwise_region({op, {}}, {fn, 100}, bench.machine()).cycles;
  };
  const PoolShape shape{PoolKind::max, 1, 8, 20, 20, 10, 10, 2, 2, 2, 2};

  CHECK(cycles(ElementFn::relu) == doctest::Approx(700));
  CHECK(cycles(ElementFn::dropout) == doctest::Approx(500));
  // Each of 8 x 10 x 10 outputs is carried back once, whatever the window.
  CHECK(pool(bench, shape, Pass::input_gradient).cycles == doctest::Approx(800 * 9));
  bench.library.loops.max_gradient.reset();
  CHECK(pool(bench, shape, Pass::input_gradient).cycles ==
        doctest::Approx(pool(bench, shape).cycles));
}

TEST_CASE(
    "pooling of channels in blocks passes over whole blocks, also where a vector is half of one") {
  Bench bench("onednn-avx512");  // blocks of 16; the Xeon has vectors of 8
  bench.library.loops.channels_last = false;
  const auto cycles = [&](std::int64_t channels) {
    return pool(bench, {PoolKind::max, 1, channels, 20, 20, 10, 10, 2, 2, 2, 2}).cycles;
  };

  CHECK(cycles(6) == doctest::Approx(cycles(16)));
  CHECK(cycles(20) == doctest::Approx(2 * cycles(16)));
}

TEST_CASE("the gradient of a row operation looks at each row twice, that of LRN a tenth longer") {
  const Bench bench("onednn-avx2");

  CHECK(row(bench, RowFn::layer_norm, 8, 64, Pass::input_gradient).cycles ==
        doctest::Approx(2 * row(bench, RowFn::layer_norm, 8, 64).cycles));
  CHECK(row(bench, RowFn::lrn, 8, 64, Pass::input_gradient).cycles ==
        doctest::Approx(1.1 * row(bench, RowFn::lrn, 8, 64).cycles));
}

TEST_CASE("normalising a channel reads it again from where its first look left it") {
  const Bench bench("onednn-avx2");
  // 100 MB a channel: the second look comes from memory as the first did.
  const CpuRegion far = row(bench, RowFn::batch_norm, 1, 25'000'000);
  const CpuRegion near = row(bench, RowFn::layer_norm, 25'000, 1'000);

  CHECK(far.traffic.dram_fills == doctest::Approx(3e8));
  CHECK(near.traffic.dram_fills == doctest::Approx(2e8));
}

TEST_CASE("an embedding moves the rows that it looks up and not the table") {
  const Bench bench("onednn-avx2");
  Operation op;
  op.work = EmbeddingShape{10, 768, 50257};
  op.operands = {reads(4.0 * 50257 * 768), writes(4.0 * 10 * 768)};

  const CpuRegion region =
      embedding_region({op, {}}, std::get<EmbeddingShape>(op.work), bench.machine());

  CHECK(region.traffic.dram_fills == doctest::Approx(2 * 4.0 * 10 * 768));
  // Forty accesses of each operand's first touch, and ten rows with ten in flight.
  CHECK(region.traffic.cold == doctest::Approx((40 + 40 + 1) * 85e-9));
}

TEST_CASE("no loop beats the lanes on the arithmetic that is asked of it") {
  const Bench bench("onednn-avx2");
  Operation op = elementwise(ElementFn::relu, 8);
  op.other_ops = 1'000'000;

  CHECK(elementwise_region({op, {}}, {ElementFn::relu, 8}, bench.machine()).cycles ==
        doctest::Approx(1e6 / 32));
}

}  // namespace tantalus::test
