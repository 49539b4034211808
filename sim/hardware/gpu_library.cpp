#include "sim/hardware/gpu_library.hpp"

#include <algorithm>
#include <string_view>

#include "sim/hardware/architectures.hpp"

namespace tantalus {

namespace {

// By rows, A then B; t for stored transposed.
constexpr std::string_view operand_layouts[] = {"nn", "nt", "tn", "tt"};

constexpr DType math_types[] = {DType::fp32, DType::tf32, DType::fp16,
                                DType::bf16, DType::fp8,  DType::int8};

void check_types(const std::vector<std::string>& types, const std::string& path,
                 SpecChecker& checker) {
  if (types.empty()) {
    checker.contradictory(path, "empty-list",
                          "no number format is given, so nothing can use this entry",
                          "write the formats that it takes, such as types: [fp32, tf32]");
  }
  for (const std::string& word : types) {
    DType type{};
    if (type_from_word(word, type)) continue;
    checker.contradictory(path, "unknown-number-format", "'" + word + "' is no number format",
                          "write fp32, tf32, fp16, bf16, fp8 or int8");
  }
}

void check_architectures(const std::vector<std::string>& architectures, const std::string& path,
                         SpecChecker& checker) {
  for (const std::string& word : architectures) {
    if (is_gpu_architecture(word)) continue;
    checker.contradictory(
        path, "unknown-architecture", "'" + word + "' is no compiler target of a GPU",
        "write sm_ and the compute capability (sm_80), or gfx and its number (gfx90a)");
  }
}

void check_operands(const std::vector<std::string>& operands, const std::string& path,
                    SpecChecker& checker) {
  for (const std::string& word : operands) {
    if (std::find(std::begin(operand_layouts), std::end(operand_layouts), word) !=
        std::end(operand_layouts))
      continue;
    checker.contradictory(path, "unknown-word", "'" + word + "' is no way to store two operands",
                          "write nn, nt, tn or tt: A then B, t for stored transposed");
  }
}

void check_gemm(const GpuGemmSpec& family, const std::string& path, SpecChecker& checker) {
  check_types(family.types, path + ".types", checker);
  check_architectures(family.architectures, path + ".architectures", checker);
  check_operands(family.operands, path + ".operands", checker);
  if (family.tiles.empty()) {
    checker.contradictory(path + ".tiles", "empty-list", "a family without tiles cannot multiply",
                          "write at least one tile, such as {m: 64, n: 64, threads: 128, "
                          "registers: 96, shared: 16 KiB, "
                          "efficiency: 0.84}");
  }
  if (family.k_step < 1 || family.in_flight <= Bytes{0} || !(family.operand_traffic > 0.0)) {
    checker.contradictory(path, "cannot-run",
                          "k_step, in_flight and operand_traffic must be above zero",
                          "leave them out for 8, 64 B and 1.0");
  }
  for (const std::int64_t parts : family.splits) {
    if (parts >= 1) continue;
    checker.contradictory(path + ".splits", "cannot-run", "k cannot be cut into no parts",
                          "write splits from 1 up");
  }
  for (std::size_t i = 0; i < family.tiles.size(); ++i) {
    const GpuTileSpec& tile = family.tiles[i];
    if (tile.m >= 1 && tile.n >= 1 && tile.threads >= 1 && tile.efficiency.value() > 0.0) continue;
    checker.contradictory(path + ".tiles." + std::to_string(i), "cannot-run",
                          "a tile of nothing, or one that never ends",
                          "m, n, threads and efficiency must be above zero");
  }
}

void check_stream(const GpuStreamSpec& stream, std::string_view path, SpecChecker& checker);

constexpr Pass conv_passes[] = {Pass::forward, Pass::input_gradient, Pass::weight_gradient};

void check_passes(const std::vector<std::string>& passes, const std::string& path,
                  SpecChecker& checker) {
  for (const std::string& word : passes) {
    if (std::any_of(std::begin(conv_passes), std::end(conv_passes),
                    [&](Pass pass) { return name_of(pass) == word; }))
      continue;
    checker.contradictory(path, "unknown-word", "'" + word + "' is no pass of a convolution",
                          "write forward, input_gradient or weight_gradient");
  }
}

void check_transform(const GpuTransformSpec& t, const std::string& path, SpecChecker& checker) {
  check_stream(t.kernel, path + ".kernel", checker);
  if (t.edge >= 2 && t.filter >= 1 && t.filter < t.edge && t.traffic > 0.0 &&
      t.filter_traffic > 0.0)
    return;
  checker.contradictory(path, "cannot-run", "a tile that gives no output, or that moves nothing",
                        "the edge must be above the filter's, and traffic above zero");
}

void check_fused(const GpuFusedWinogradSpec& f, const std::string& path, SpecChecker& checker) {
  const bool runs = f.output >= 1 && f.filters >= 1 && f.images >= 1 && f.rows >= f.output &&
                    f.columns >= f.output && f.threads >= 1 && f.k_step >= 1 &&
                    f.efficiency.value() > 0.0 && f.in_flight > Bytes{0};
  if (runs && f.rows % f.output == 0 && f.columns % f.output == 0) return;
  checker.contradictory(path, "cannot-run", "a block of nothing, or of parts of Winograd tiles",
                        "rows and columns are multiples of output, everything else starts at 1");
}

// Which sections an algorithm needs.
void check_algorithm(const GpuConvSpec& conv, const std::string& path, SpecChecker& checker) {
  const bool winograd = conv.algorithm == Algorithm::winograd;
  const bool fft = conv.algorithm == Algorithm::fft;
  const int kernels = (conv.transform ? 1 : 0) + (conv.fused ? 1 : 0);
  if (kernels != (winograd || fft ? 1 : 0) || (fft && conv.fused)) {
    checker.contradictory(path, "cannot-run",
                          "winograd has a section transform or fused, fft a section transform, "
                          "the others neither",
                          "compare the entries of cuda-12");
  }
  if (conv.transform) check_transform(*conv.transform, path + ".transform", checker);
  if (conv.fused) check_fused(*conv.fused, path + ".fused", checker);
}

void check_stream(const GpuStreamSpec& stream, std::string_view path, SpecChecker& checker) {
  if (stream.threads >= 1 && stream.elements_per_thread >= 1) return;
  checker.contradictory(path, "cannot-run", "a block without threads or work",
                        "threads and elements_per_thread start at 1");
}

void check_conv(const GpuConvSpec& conv, const std::string& path, SpecChecker& checker) {
  check_types(conv.types, path + ".types", checker);
  check_architectures(conv.architectures, path + ".architectures", checker);
  check_passes(conv.passes, path + ".passes", checker);
  check_algorithm(conv, path, checker);
  if (conv.column && conv.column->threads < 1) {
    checker.contradictory(path + ".column", "cannot-run", "a block without threads",
                          "threads start at 1");
  }
  for (std::size_t i = 0; i < conv.product.size(); ++i) {
    check_gemm(conv.product[i], path + ".product." + std::to_string(i), checker);
  }
  if (conv.per_image && conv.algorithm != Algorithm::im2col_gemm) {
    checker.contradictory(path + ".per_image", "cannot-run",
                          "only im2col_gemm works image by image",
                          "write algorithm: im2col_gemm, or leave per_image out");
  }
  for (const double factor : {conv.forward, conv.input_gradient, conv.strided_input_gradient,
                              conv.weight_gradient, conv.pointwise_weight_gradient, conv.energy}) {
    if (factor > 0.0 && conv.channel_multiple >= 1) continue;
    checker.contradictory(path, "cannot-run", "a factor of zero never ends",
                          "factors on the efficiency lie around 1");
    return;
  }
}

}  // namespace

bool type_from_word(const std::string& word, DType& type) {
  const DType* found = std::find_if(std::begin(math_types), std::end(math_types),
                                    [&](DType candidate) { return name_of(candidate) == word; });
  if (found == std::end(math_types)) return false;
  type = *found;
  return true;
}

void check(const GpuLibrary& library, SpecChecker& checker) {
  for (std::size_t i = 0; i < library.gemm.size(); ++i) {
    check_gemm(library.gemm[i], "gemm." + std::to_string(i), checker);
  }
  for (std::size_t i = 0; i < library.products.size(); ++i) {
    check_gemm(library.products[i], "products." + std::to_string(i), checker);
  }
  for (std::size_t i = 0; i < library.convolution.size(); ++i) {
    check_conv(library.convolution[i], "convolution." + std::to_string(i), checker);
  }
  for (std::size_t i = 0; i < library.rows.size(); ++i) {
    const GpuRowSpec& row = library.rows[i];
    if (row.threads >= 1 && row.reads >= 1 && row.backward_reads >= 1 && row.chunk_columns >= 1)
      continue;
    checker.contradictory("rows." + std::to_string(i), "cannot-run",
                          "threads, reads, backward_reads and chunk_columns start at 1",
                          "leave them out for 256, 1, 1 and 1024");
  }
  check_stream(library.depthwise.kernel, "depthwise.kernel", checker);
  check_stream(library.elementwise.kernel, "elementwise.kernel", checker);
  check_stream(library.pooling.kernel, "pooling.kernel", checker);
  check_stream(library.embedding.kernel, "embedding.kernel", checker);
  check_stream(library.split_reduction, "split_reduction", checker);
}

}  // namespace tantalus
