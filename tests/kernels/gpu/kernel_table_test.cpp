// What the catalogue of our own kernels says of their launches against the code, and, where nvcc is at hand, against the registers
// and the shared memory that its assembler prints. Rule: a line has the registers of the largest of its kernels on sm_80; on
// every generation what the compiler takes lets as many blocks reside as what the line says.
#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "kernels/gpu/linear.cuh"
#include "kernels/gpu/matrix.cuh"
#include "kernels/gpu/softmax.cuh"
#include "kernels/gpu/tiled_product.cuh"
#include "sim/hardware/occupancy.hpp"
#include "tests/sim/hardware/gpu_fixture.hpp"

namespace tantalus::test {
namespace {

GpuLibrary our_library() { return read_gpu_library("tantalus-kernels").value(); }

/// The families that the catalogue has for products of one kind, by the operands in the names of the kernels.
struct Family {
  std::string a, b;
  GpuGemmSpec spec;
};

std::vector<Family> families_of(const GpuLibrary& library) {
  std::vector<Family> all{{"AlongK", "AlongRows", library.gemm.at(0)},
                          {"AlongK", "AlongK", library.gemm.at(1)},
                          {"AlongRows", "AlongRows", library.gemm.at(2)}};
  const std::vector<std::pair<std::string, std::string>> convolutions{
      {"AlongK", "PixelRows"}, {"ChannelRows", "InputRows"},     {"FilterRows", "TapRows"},
      {"AlongK", "AlongRows"}, {"AlongRows", "OutputPixelRows"}, {"FilterRows", "AlongK"}};
  for (std::size_t i = 0; i < convolutions.size(); ++i) {
    all.push_back(
        {convolutions[i].first, convolutions[i].second, library.convolution.at(i).product.at(0)});
  }
  return all;
}

TEST_CASE("every family of the catalogue has the tiles that the kernels have") {
  for (const Family& family : families_of(our_library())) {
    REQUIRE(family.spec.tiles.size() == std::size(kernels::all_tiles));
    CHECK(family.spec.k_step == kernels::depth_of_step);
    for (std::size_t i = 0; i < family.spec.tiles.size(); ++i) {
      const GpuTileSpec& line = family.spec.tiles[i];
      kernels::with_tile(kernels::all_tiles[i], [&](auto tile) {
        using T = decltype(tile);
        using A = kernels::Slab<T::m, T::threads, kernels::AlongK>;
        using B = kernels::Slab<T::n, T::threads, kernels::AlongK>;
        CHECK(line.m == T::m);
        CHECK(line.n == T::n);
        CHECK(line.threads == T::threads);
        CHECK(line.shared.count() == (A::size + B::size) * 4);
      });
    }
  }
}

TEST_CASE("streams of the catalogue have the blocks that the kernels have") {
  const GpuLibrary library = our_library();
  for (const GpuStreamSpec& stream : {library.elementwise.kernel, library.split_reduction}) {
    CHECK(stream.threads == kernels::linear_threads);
    CHECK(stream.elements_per_thread == kernels::linear_per_thread);
  }
  CHECK(library.pooling.kernel.threads == kernels::linear_threads);
  CHECK(library.pooling.kernel.elements_per_thread == 1);
  for (const GpuRowSpec& row : library.rows)
    CHECK(row.threads ==
          (row.function == RowFn::softmax ? kernels::softmax_threads : kernels::linear_threads));
}

#if defined(TANTALUS_PTXAS_TEXT)

struct Compiled {
  std::string name;  // as the linker sees it
  int registers = 0, shared = 0;
};

std::vector<Compiled> compiled_for(const std::string& generation) {
  std::ifstream file(TANTALUS_PTXAS_TEXT);
  REQUIRE(file.good());
  std::vector<Compiled> all;
  static const std::regex entry("entry function '([^']+)' for '([^']+)'"),
      registers("Used ([0-9]+) registers"), shared("([0-9]+) bytes smem");
  bool wanted = false;
  for (std::string line; std::getline(file, line);) {
    std::smatch found;
    if (std::regex_search(line, found, entry)) {
      wanted = found[2] == generation;
      if (wanted) all.push_back({found[1], 0, 0});
    }
    if (wanted && std::regex_search(line, found, registers)) {
      all.back().registers = std::stoi(found[1]);
      if (std::regex_search(line, found, shared)) all.back().shared = std::stoi(found[1]);
    }
  }
  REQUIRE(all.size() > 80);
  return all;
}

/// The functors in a mangled name, in order; a second one of the same type is spelled as a substitution.
std::vector<std::string> functors_in(const std::string& mangled) {
  static const std::regex functor(
      "(AlongK|AlongRows|ChannelRows|FilterRows|OutputPixelRows|PixelRows|InputRows|TapRows|"
      "MatrixStore|OutputStore|InputStore|PartStore)");
  const std::string arguments = mangled.substr(0, mangled.find("EvNS0"));
  std::vector<std::string> all;
  for (auto at = std::sregex_iterator(arguments.begin(), arguments.end(), functor);
       at != std::sregex_iterator(); ++at)
    all.push_back(at->str());
  if (all.size() == 2) all.insert(all.begin() + 1, all.front());
  return all;
}

bool belongs_to(const Compiled& kernel, const Family& family, const GpuTileSpec& tile) {
  if (kernel.name.find("product_kernel") == std::string::npos) return false;
  const std::string shape =
      "4TileILi" + std::to_string(tile.m) + "ELi" + std::to_string(tile.n) + "E";
  if (kernel.name.find(shape) == std::string::npos) return false;
  const std::vector<std::string> functors = functors_in(kernel.name);
  return functors.size() == 3 && functors[0] == family.a && functors[1] == family.b;
}

int resident(const GpuSpec& gpu, std::int64_t threads, int registers, Bytes shared) {
  KernelLaunch launch;
  launch.grid[0] = INT64_MAX;
  launch.block[0] = threads;
  launch.registers_per_thread = registers;
  launch.shared_bytes = shared;
  return occupancy(gpu.sm, launch).blocks_per_sm;
}

struct Generation {
  const char *name, *device;
};
constexpr Generation generations[] = {
    {"sm_75", "t4"}, {"sm_80", "a100-80gb-pcie"}, {"sm_90", "h100-sxm5"}};

TEST_CASE(
    "the catalogue's tiles have the registers and the shared memory that the compiler gives") {
  const std::vector<Family> families = families_of(our_library());
  for (const Generation& generation : generations) {
    const GpuSpec gpu = read_gpu(generation.device).value();
    const std::vector<Compiled> compiled = compiled_for(generation.name);
    for (const Family& family : families) {
      for (const GpuTileSpec& tile : family.spec.tiles) {
        Compiled largest;
        int kernels = 0;
        for (const Compiled& kernel : compiled) {
          if (!belongs_to(kernel, family, tile)) continue;
          ++kernels;
          largest.registers = std::max(largest.registers, kernel.registers);
          CHECK((kernel.shared == 0 || kernel.shared == tile.shared.count()));
        }
        INFO(std::string(generation.name), ": ", family.a, " x ", family.b, ", ", tile.m, "x",
             tile.n, ": registers: ", largest.registers);
        CHECK(kernels >= 2);  // whole, and in parts
        if (std::string(generation.name) == "sm_80") CHECK(tile.registers == largest.registers);
        CHECK(resident(gpu, tile.threads, static_cast<int>(tile.registers), tile.shared) ==
              resident(gpu, tile.threads, largest.registers, tile.shared));
      }
    }
  }
}

TEST_CASE("the catalogue's streams have the registers that the compiler gives") {
  const GpuLibrary library = our_library();
  const auto row = [&](RowFn function) {
    return *std::find_if(library.rows.begin(), library.rows.end(),
                         [&](const GpuRowSpec& spec) { return spec.function == function; });
  };
  struct Line {
    std::int64_t threads, registers;
    std::vector<std::string> kernels;
  };
  const std::vector<Line> lines{
      {256,
       library.elementwise.kernel.registers,
       {"relu_kernel", "relu_gradient_kernel", "bias_kernel", "dropout_kernel",
        "dropout_gradient_kernel", "smooth_kernel", "smooth_gradient_kernel", "sgd_kernel",
        "stream_add_kernel", "stream_copy_kernel"}},
      {256,
       library.pooling.kernel.registers,
       {"max_pool_kernel", "max_pool_gradient_kernel", "average_pool_kernel",
        "average_pool_gradient_kernel"}},
      {128, row(RowFn::softmax).registers, {"softmax_kernel", "softmax_gradient_kernel"}},
      {256, row(RowFn::lrn).registers, {"lrn_kernel", "lrn_gradient_kernel"}},
      {256, row(RowFn::reduce).registers, {"bias_gradient_kernel", "bias_row_gradient_kernel"}},
      {256,
       library.split_reduction.registers,
       {"sum_parts_kernel", "im2col_kernel", "col2im_kernel"}}};
  for (const Generation& generation : generations) {
    const GpuSpec gpu = read_gpu(generation.device).value();
    const std::vector<Compiled> compiled = compiled_for(generation.name);
    for (const Line& line : lines) {
      int largest = 0;
      for (const std::string& name : line.kernels) {
        const std::string mangled = std::to_string(name.size()) + name;
        bool found = false;
        for (const Compiled& kernel : compiled) {
          if (kernel.name.find(mangled) == std::string::npos) continue;
          largest = std::max(largest, kernel.registers);
          found = true;
        }
        INFO(name);
        CHECK(found);
      }
      INFO(std::string(generation.name), ", ", line.kernels.front(), ": registers: ", largest);
      if (std::string(generation.name) == "sm_80") CHECK(line.registers == largest);
      CHECK(resident(gpu, line.threads, static_cast<int>(line.registers), Bytes{0}) ==
            resident(gpu, line.threads, largest, Bytes{0}));
    }
  }
}

#endif

}  // namespace
}  // namespace tantalus::test
