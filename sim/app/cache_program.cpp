#include "sim/app/cache_program.hpp"

#include <istream>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "models/dnn/layers.hpp"
#include "sim/app/files.hpp"
#include "sim/app/loading.hpp"
#include "sim/base/text.hpp"
#include "sim/base/units_text.hpp"
#include "sim/hardware/cache/access_trace.hpp"
#include "sim/report/numbers.hpp"

namespace tantalus {

namespace {

std::string square_text(std::int64_t n) {
  return " of " + grouped_text(n) + " x " + grouped_text(n);
}

std::string passes_text(std::int64_t passes) {
  return passes == 1 ? "" : ", " + grouped_text(passes) + " passes";
}

/// Patterns over memory.
CacheProgram memory_program(const CacheCommand& c) {
  const std::string over = " over " + to_text(c.bytes) + passes_text(c.passes);
  const Bytes bytes = c.bytes;
  const std::int64_t passes = c.passes;
  const auto seed = static_cast<std::uint64_t>(c.seed);
  if (c.pattern == CachePattern::stream)
    return {"loads in order" + over,
            [=](const AccessSink& s) { stream_pattern(bytes, passes, s); }};
  if (c.pattern == CachePattern::strided) {
    return {"loads every " + to_text(c.stride) + over, [=, stride = c.stride](const AccessSink& s) {
              strided_pattern(bytes, stride, passes, s);
            }};
  }
  if (c.pattern == CachePattern::chase)
    return {"pointer chase" + over,
            [=](const AccessSink& s) { chase_pattern(bytes, passes, seed, s); }};
  return {"random loads" + over, [=](const AccessSink& s) {
            random_pattern(bytes, passes * (bytes.count() / 4), seed, s);
          }};
}

CacheProgram product_program(const CacheCommand& c) {
  const std::int64_t n = c.n, tile = c.tile;
  if (c.pattern == CachePattern::naive)
    return {"naive matrix product" + square_text(n),
            [=](const AccessSink& s) { naive_matmul_pattern(n, s); }};
  if (c.pattern == CachePattern::tiled)
    return {"matrix product" + square_text(n) + " in tiles" + square_text(tile),
            [=](const AccessSink& s) { tiled_matmul_pattern(n, tile, s); }};
  return {"recursive matrix product" + square_text(n) + " down to" + square_text(tile).substr(3),
          [=](const AccessSink& s) { recursive_matmul_pattern(n, tile, s); }};
}

/// The layer of that name, or the first convolution; none: the answer is on the command line.
Result<const Layer*> convolution_of(const Network& network, const CacheCommand& command) {
  std::vector<std::string> names;
  for (const Layer& layer : network.layers) {
    if (layer.kind != LayerKind::conv2d) continue;
    if (command.layer.empty() || command.layer == layer.name) return &layer;
    names.push_back(layer.name);
  }
  if (names.empty())
    return usage_error("--pattern", command.network + " has no convolution",
                       "alexnet and resnet50 have some");
  const std::string near = closest_word(command.layer, names);
  std::string list;
  for (std::size_t i = 0; i < names.size() && i < 20; ++i) list += (i == 0 ? "" : ", ") + names[i];
  return usage_error("--layer", command.network + " has no convolution '" + command.layer + "'",
                     near.empty() ? "it has " + list : "did you mean '" + near + "'?");
}

Result<CacheProgram> convolution_program(const CacheCommand& c, Session& session) {
  const Result<Network> network = load_network(session.files, c.network);
  if (!network) return network.diagnostics();
  const Result<const Layer*> layer = convolution_of(*network, c);
  if (!layer) return layer.diagnostics();
  ConvShape shape = (*layer)->conv;
  shape.batch = c.batch;
  const std::string what =
      (*layer)->name + " of " + stem_of(c.network) + ", batch " + grouped_text(c.batch);
  if (c.pattern == CachePattern::direct)
    return CacheProgram{"direct convolution " + what,
                        [shape](const AccessSink& s) { direct_conv_pattern(shape, s); }};
  return CacheProgram{
      "im2col and product in tiles" + square_text(c.tile) + ", convolution " + what,
      [shape, tile = c.tile](const AccessSink& s) { im2col_conv_pattern(shape, tile, s); }};
}

Result<FileText> trace_text(const CacheCommand& command, Session& session) {
  if (command.trace != "-") return session.files.read(command.trace, largest_table);
  const std::string name = "standard input";
  std::string text(std::istreambuf_iterator<char>(session.console().in), {});
  if (auto large = too_large_for(static_cast<std::int64_t>(text.size()), name, largest_table))
    return *large;
  session.files.remember(name, text);
  return FileText{name, std::move(text)};
}

Result<CacheProgram> trace_program(const CacheCommand& command, Session& session) {
  const Result<FileText> file = trace_text(command, session);
  if (!file) return file.diagnostics();
  Result<Accesses> trace = read_access_trace(file->text, file->file);
  if (!trace) return trace.diagnostics();
  const auto accesses = std::make_shared<Accesses>(std::move(trace).value());
  return CacheProgram{file->file, [accesses](const AccessSink& sink) { sink(*accesses); }};
}

}  // namespace

Result<CacheProgram> cache_program(const CacheCommand& command, Session& session) {
  if (!command.trace.empty()) return trace_program(command, session);
  switch (command.pattern) {
    case CachePattern::stream:
    case CachePattern::strided:
    case CachePattern::random:
    case CachePattern::chase:
      return memory_program(command);
    case CachePattern::naive:
    case CachePattern::tiled:
    case CachePattern::recursive:
      return product_program(command);
    case CachePattern::direct:
    case CachePattern::im2col:
      break;
  }
  return convolution_program(command, session);
}

}  // namespace tantalus
