// What the tests of the CPU model share: the CPU files of hw_configs read as the program reads them, and short operations.
#pragma once

#include <fstream>
#include <sstream>
#include <string>

#include "sim/config/document_header.hpp"
#include "sim/hardware/cpu_library.hpp"
#include "sim/hardware/cpu_model.hpp"
#include "sim/hardware/cpu_spec.hpp"
#include "source_dir.hpp"

namespace tantalus::test {

inline std::string read_text(const std::string& path) {
  std::ifstream in(std::string(TANTALUS_SOURCE_DIR) + "/" + path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// The text of every diagnostic, so that a failing test says why.
inline std::string why(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) text += render(diagnostic);
  return text;
}

enum class Knowledge { sheet, calibrated };

template <class Spec>
Result<Spec> read_file(const std::string& path, const char* schema, Knowledge knowledge) {
  Result<Document> document = read_document(read_text(path), path, schema);
  if (!document.ok()) return document.diagnostics();
  take(document.value().body, "kind");
  if (knowledge == Knowledge::calibrated) {
    for (const YamlEntry& entry : document->calibration.entries) {
      const Diagnostics errors = set_path(document.value().body, entry.key, entry.value);
      if (!errors.empty()) return errors;
    }
  }
  return read_spec<Spec>(document->body, reading(*document));
}

inline Result<CpuSpec> read_cpu(const std::string& stem, Knowledge knowledge = Knowledge::sheet) {
  return read_file<CpuSpec>("hw_configs/devices/" + stem + ".yaml", "device", knowledge);
}

inline Result<CpuLibrary> read_library(const std::string& stem) {
  return read_file<CpuLibrary>("hw_configs/libraries/" + stem + ".yaml", "library",
                               Knowledge::sheet);
}

inline CpuModel model(const std::string& cpu, const std::string& library,
                      Knowledge knowledge = Knowledge::sheet) {
  return CpuModel(read_cpu(cpu, knowledge).value(), read_library(library).value());
}

inline TensorUse reads(double bytes) {
  return {TensorId{0}, Bytes{static_cast<std::int64_t>(bytes)}, false};
}
inline TensorUse writes(double bytes) {
  return {TensorId{0}, Bytes{static_cast<std::int64_t>(bytes)}, true};
}

inline Operation gemm(std::int64_t m, std::int64_t n, std::int64_t k, bool trans_b = false,
                      DType type = DType::fp32, std::int64_t batch = 1) {
  Operation op;
  op.name = "gemm";
  op.type = type;
  op.work = GemmShape{batch, m, n, k, false, trans_b};
  const double element = static_cast<double>(element_size(type) * batch);
  const auto dm = static_cast<double>(m), dn = static_cast<double>(n), dk = static_cast<double>(k);
  op.operands = {reads(element * dm * dk), reads(element * dk * dn), writes(element * dm * dn)};
  return op;
}

inline Operation conv(const ConvShape& s, Pass pass = Pass::forward,
                      Algorithm algorithm = Algorithm::automatic) {
  Operation op;
  op.name = "conv";
  op.pass = pass;
  op.algorithm = algorithm;
  op.work = s;
  const auto bytes = [](std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) {
    return 4.0 * static_cast<double>(a) * static_cast<double>(b) * static_cast<double>(c) *
           static_cast<double>(d);
  };
  TensorUse image = reads(bytes(s.batch, s.in_ch, s.in_h, s.in_w));
  TensorUse weights = reads(bytes(s.out_ch, s.in_ch / s.groups, s.kernel_h, s.kernel_w));
  TensorUse result = reads(bytes(s.batch, s.out_ch, s.out_h, s.out_w));
  image.written = pass == Pass::input_gradient;
  weights.written = pass == Pass::weight_gradient;
  result.written = pass == Pass::forward;
  op.operands = {image, weights, result};
  return op;
}

/// A square convolution; the output size follows.
inline ConvShape square_conv(std::int64_t batch, std::int64_t in_ch, std::int64_t size,
                             std::int64_t out_ch, std::int64_t kernel, std::int64_t stride = 1,
                             std::int64_t pad = 0, std::int64_t groups = 1) {
  const std::int64_t out = (size + 2 * pad - kernel) / stride + 1;
  return {batch,  in_ch,  size,   size, out_ch, out, out, kernel,
          kernel, stride, stride, pad,  pad,    1,   1,   groups};
}

inline Operation elementwise(ElementFn fn, std::int64_t elements, int inputs = 1) {
  Operation op;
  op.name = "elementwise";
  op.work = ElementwiseShape{fn, elements};
  for (int i = 0; i < inputs; ++i)
    op.operands.push_back(reads(4.0 * static_cast<double>(elements)));
  op.operands.push_back(writes(4.0 * static_cast<double>(elements)));
  op.other_ops = elements;
  return op;
}

/// Seconds of all kernels, one after the other, on an idle machine.
inline double alone_seconds(const CpuModel& cpu, const Operation& op, ReuseDistances reuse = {}) {
  const Result<std::vector<KernelCost>> kernels = cpu.kernels(op, reuse);
  double total = 0.0;
  for (const KernelCost& kernel : kernels.value())
    total += seconds(alone_time(kernel, cpu.rates()));
  return total;
}

}  // namespace tantalus::test
