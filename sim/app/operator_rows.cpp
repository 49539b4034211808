#include "sim/app/operator_rows.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "models/dnn/layers.hpp"
#include "models/dnn/shape.hpp"
#include "sim/app/row_cells.hpp"
#include "sim/base/text.hpp"

namespace tantalus {

namespace {

constexpr std::array<std::string_view, 25> known_columns = {
    "op",      "dtype",    "batch",    "m",       "n",         "k",      "in_ch", "in_h", "in_w",
    "out_ch",  "kernel_h", "kernel_w", "stride",  "pad",       "groups", "rows",  "cols", "inputs",
    "trans_a", "trans_b",  "timing",   "library", "algorithm", "bias",   "pass"};

enum class OpKind : std::uint8_t { gemm, conv2d, elementwise, softmax, layernorm, pool, lrn };

struct OpWord {
  OpKind kind;
  ElementFn fn = ElementFn::copy;  // of element-wise operators
  int inputs = 1;                  // tensors read when the cell is empty
};

constexpr CellWord<OpWord> op_words[] = {{"gemm", {OpKind::gemm}},
                                         {"conv2d", {OpKind::conv2d}},
                                         {"add", {OpKind::elementwise, ElementFn::add, 2}},
                                         {"mul", {OpKind::elementwise, ElementFn::mul, 2}},
                                         {"div", {OpKind::elementwise, ElementFn::div, 2}},
                                         {"pow", {OpKind::elementwise, ElementFn::pow, 2}},
                                         {"relu", {OpKind::elementwise, ElementFn::relu}},
                                         {"gelu", {OpKind::elementwise, ElementFn::gelu}},
                                         {"tanh", {OpKind::elementwise, ElementFn::tanh}},
                                         {"copy", {OpKind::elementwise, ElementFn::copy}},
                                         {"softmax", {OpKind::softmax}},
                                         {"layernorm", {OpKind::layernorm}},
                                         {"maxpool", {OpKind::pool}},
                                         {"avgpool", {OpKind::pool}},
                                         {"lrn", {OpKind::lrn}}};
constexpr CellWord<DType> dtype_words[] = {{"fp32", DType::fp32}, {"tf32", DType::tf32},
                                           {"fp16", DType::fp16}, {"bf16", DType::bf16},
                                           {"fp8", DType::fp8},   {"int8", DType::int8}};
constexpr CellWord<Timing> timing_words[] = {{"queued", Timing::queued},
                                             {"single_call", Timing::single_call},
                                             {"framework", Timing::framework}};
constexpr CellWord<Algorithm> algorithm_words[] = {{"auto", Algorithm::automatic},
                                                   {"gemm", Algorithm::gemm},
                                                   {"im2col_gemm", Algorithm::im2col_gemm},
                                                   {"implicit_gemm", Algorithm::implicit_gemm},
                                                   {"winograd", Algorithm::winograd},
                                                   {"fft", Algorithm::fft},
                                                   {"direct", Algorithm::direct}};
constexpr CellWord<Pass> pass_words[] = {{"forward", Pass::forward},
                                         {"input_gradient", Pass::input_gradient},
                                         {"weight_gradient", Pass::weight_gradient}};

// One row as one operator: each read_... fills in shapes, work and operands of its kind.
class RowReader {
 public:
  RowReader(const CsvRow& row, const RowCells::Columns& columns, Diagnostics& wrong)
      : cells_(row, columns, wrong) {}

  OperatorRow read();

 private:
  bool fits(const Int128& value, std::int64_t limit, std::string_view what);
  bool countable(const Int128& work);
  void operand(Int128 elements, bool written = false);
  void forward_only();
  std::int64_t elements();

  void read_gemm();
  void read_conv();
  void read_elementwise(const OpWord& word);
  void read_rows(RowFn fn);
  void read_pool(bool is_max);
  void read_lrn();

  RowCells cells_;
  OperatorRow result_;
};

bool RowReader::fits(const Int128& value, std::int64_t limit, std::string_view what) {
  if (value <= limit) return true;
  cells_.complain("op", "too-large", std::string(what) + " is larger than any machine's memory",
                  "check the sizes of this row");
  return false;
}

bool RowReader::countable(const Int128& work) {
  if (work <= most_macs) return true;
  cells_.complain("op", "too-large", "has more than 2^54 operations",
                  "check the sizes of this row");
  return false;
}

void RowReader::operand(Int128 elements, bool written) {
  if (!fits(elements, most_elements, "a tensor of this operator")) return;
  const auto id = static_cast<std::uint32_t>(result_.operation.operands.size());
  const auto size = static_cast<std::int64_t>(elements) * element_size(result_.operation.type);
  result_.operation.operands.push_back({TensorId{id}, Bytes{size}, written});
}

void RowReader::forward_only() {
  if (result_.operation.pass == Pass::forward) return;
  cells_.complain("pass", "unknown-word", "only gemm and conv2d have gradient passes here",
                  "leave it empty");
}

void RowReader::read_gemm() {
  GemmShape shape;
  shape.batch = cells_.optional("batch", 1, 1);
  shape.m = cells_.required("m");
  shape.n = cells_.required("n");
  shape.k = cells_.required("k");
  shape.trans_a = cells_.optional("trans_a", 0, 0, 1) == 1;
  shape.trans_b = cells_.optional("trans_b", 0, 0, 1) == 1;
  if (!cells_.clean()) return;

  Operation& op = result_.operation;
  const Int128 macs = Int128{shape.batch} * shape.m * shape.n;
  if (!fits(macs, most_elements, "the result") || !countable(macs * shape.k)) return;
  op.macs = static_cast<std::int64_t>(macs * shape.k);
  if (op.bias) op.other_ops = static_cast<std::int64_t>(macs);
  // dA[m x k] = dC[m x n] B'[n x k] and dB[k x n] = A'[k x m] dC[m x n]: the same product with other letters.
  const GemmShape forward = shape;
  if (op.pass == Pass::input_gradient) {
    shape = {forward.batch, forward.m, forward.k, forward.n, false, !forward.trans_b};
  } else if (op.pass == Pass::weight_gradient) {
    shape = {forward.batch, forward.k, forward.n, forward.m, !forward.trans_a, false};
  }
  op.work = shape;
  operand(Int128{shape.batch} * shape.m * shape.k);
  operand(Int128{shape.batch} * shape.k * shape.n);
  if (op.bias && op.pass == Pass::forward) operand(shape.n);
  operand(Int128{shape.batch} * shape.m * shape.n, true);
}

void RowReader::read_conv() {
  ConvShape s;
  s.batch = cells_.optional("batch", 1, 1);
  s.in_ch = cells_.required("in_ch");
  s.in_h = cells_.required("in_h");
  s.in_w = cells_.required("in_w");
  s.out_ch = cells_.required("out_ch");
  s.kernel_h = cells_.required("kernel_h");
  s.kernel_w = cells_.required("kernel_w");
  s.stride_h = s.stride_w = cells_.optional("stride", 1, 1);
  s.pad_h = s.pad_w = cells_.optional("pad", 0, 0);
  s.groups = cells_.optional("groups", 1, 1);
  if (!cells_.clean()) return;
  if (s.in_ch % s.groups != 0 || s.out_ch % s.groups != 0) {
    return cells_.complain("groups", "bad-shape",
                           std::to_string(s.groups) + " groups do not divide " +
                               std::to_string(s.in_ch) + " input and " + std::to_string(s.out_ch) +
                               " output channels",
                           "groups must divide in_ch and out_ch");
  }
  s.out_h = windows(s.in_h, {s.kernel_h, s.stride_h, s.pad_h});
  s.out_w = windows(s.in_w, {s.kernel_w, s.stride_w, s.pad_w});
  if (s.out_h < 1 || s.out_w < 1) {
    return cells_.complain(s.out_h < 1 ? "kernel_h" : "kernel_w", "bad-shape",
                           "the kernel is larger than the padded input",
                           "check kernel, pad and in_h, in_w");
  }

  Operation& op = result_.operation;
  const Int128 input = Int128{s.batch} * s.in_ch * s.in_h;
  const Int128 output = Int128{s.batch} * s.out_ch * s.out_h;
  const Int128 weights = Int128{s.out_ch} * (s.in_ch / s.groups) * s.kernel_h;
  if (!fits(input, most_elements, "the input") || !fits(output, most_elements, "the output") ||
      !fits(weights, most_elements, "the kernel")) {
    return;
  }
  if (!fits(input * s.in_w, most_elements, "the input") ||
      !fits(output * s.out_w, most_elements, "the output") ||
      !fits(weights * s.kernel_w, most_elements, "the kernel")) {
    return;
  }
  const Int128 macs = output * s.out_w * (s.in_ch / s.groups) * s.kernel_h;
  if (!countable(macs) || !countable(macs * s.kernel_w)) return;
  op.macs = static_cast<std::int64_t>(macs * s.kernel_w);
  if (op.bias) op.other_ops = static_cast<std::int64_t>(output * s.out_w);
  op.work = s;
  const bool reads_input = op.pass != Pass::input_gradient;
  const bool reads_weights = op.pass != Pass::weight_gradient;
  operand(input * s.in_w, !reads_input);
  operand(weights * s.kernel_w, !reads_weights);
  if (op.bias && op.pass == Pass::forward) operand(s.out_ch);
  operand(output * s.out_w, op.pass == Pass::forward);
}

// rows x cols, or the image batch x in_ch x in_h x in_w.
std::int64_t RowReader::elements() {
  Int128 product = 1;
  if (cells_.cell("rows") != nullptr || cells_.cell("cols") != nullptr ||
      cells_.cell("in_ch") == nullptr) {
    product = Int128{cells_.required("rows")} * cells_.required("cols");
  } else {
    product = Int128{cells_.optional("batch", 1, 1)} * cells_.required("in_ch");
    const Int128 plane = Int128{cells_.required("in_h")} * cells_.required("in_w");
    if (!fits(product, most_elements, "the tensor") || !fits(plane, most_elements, "the tensor"))
      return 1;
    product *= plane;
  }
  return fits(product, most_elements, "the tensor") ? static_cast<std::int64_t>(product) : 1;
}

void RowReader::read_elementwise(const OpWord& word) {
  forward_only();
  const std::int64_t inputs = cells_.optional("inputs", word.inputs, 1, 2);
  ElementwiseShape shape{word.fn, elements()};
  if (!cells_.clean()) return;
  result_.operation.work = shape;
  result_.operation.other_ops = shape.elements;
  for (std::int64_t i = 0; i < inputs; ++i) operand(shape.elements);
  operand(shape.elements, true);
}

void RowReader::read_rows(RowFn fn) {
  forward_only();
  RowShape shape{fn, cells_.required("rows"), cells_.required("cols"), 1};
  const Int128 elements = Int128{shape.rows} * shape.cols;
  if (!cells_.clean() || !fits(elements, most_elements, "the tensor")) return;
  result_.operation.work = shape;
  result_.operation.other_ops = static_cast<std::int64_t>(elements);
  operand(elements);
  if (fn == RowFn::layer_norm) operand(Int128{2} * shape.cols);  // scale and shift
  operand(elements, true);
}

void RowReader::read_pool(bool is_max) {
  forward_only();
  PoolShape s;
  s.kind = is_max ? PoolKind::max : PoolKind::average;
  s.batch = cells_.optional("batch", 1, 1);
  s.channels = cells_.required("in_ch");
  s.in_h = cells_.required("in_h");
  s.in_w = cells_.required("in_w");
  s.kernel_h = cells_.required("kernel_h");
  s.kernel_w = cells_.required("kernel_w");
  s.stride_h = cells_.optional("stride", s.kernel_h, 1);
  s.stride_w = cells_.optional("stride", s.kernel_w, 1);
  const std::int64_t pad = cells_.optional("pad", 0, 0);
  if (!cells_.clean()) return;
  s.out_h = windows(s.in_h, {s.kernel_h, s.stride_h, pad});
  s.out_w = windows(s.in_w, {s.kernel_w, s.stride_w, pad});
  if (s.out_h < 1 || s.out_w < 1) {
    return cells_.complain(s.out_h < 1 ? "kernel_h" : "kernel_w", "bad-shape",
                           "the window is larger than the padded input",
                           "check kernel, pad and in_h, in_w");
  }
  const Int128 planes = Int128{s.batch} * s.channels;
  const Int128 in_plane = Int128{s.in_h} * s.in_w;
  const Int128 out_plane = Int128{s.out_h} * s.out_w;
  if (!fits(planes, most_elements, "the input") || !fits(in_plane, most_elements, "the input") ||
      !fits(planes * in_plane, most_elements, "the input") ||
      !fits(planes * out_plane, most_elements, "the output") ||
      !fits(Int128{s.kernel_h} * s.kernel_w, most_elements, "the window")) {
    return;
  }
  if (!countable(planes * out_plane * s.kernel_h * s.kernel_w)) return;
  result_.operation.work = s;
  result_.operation.other_ops =
      static_cast<std::int64_t>(planes * out_plane * s.kernel_h * s.kernel_w);
  operand(planes * in_plane);
  operand(planes * out_plane, true);
}

void RowReader::read_lrn() {
  forward_only();
  const std::int64_t channels = cells_.required("in_ch");
  const std::int64_t window =
      cells_.optional("kernel_h", 5, 1, 1'000'000);  // channels in one sum; AlexNet's five
  const Int128 rows = Int128{cells_.optional("batch", 1, 1)} * cells_.required("in_h");
  if (!cells_.clean() || !fits(rows, most_elements, "the tensor")) return;
  const Int128 positions = rows * cells_.required("in_w");
  if (!cells_.clean() || !fits(positions, most_elements, "the tensor") ||
      !fits(positions * channels, most_elements, "the tensor")) {
    return;
  }
  result_.operation.work =
      RowShape{RowFn::lrn, static_cast<std::int64_t>(positions), channels, window};
  result_.operation.other_ops =
      static_cast<std::int64_t>(positions * channels) * std::min<std::int64_t>(window, channels);
  operand(positions * channels);
  operand(positions * channels, true);  // the scale
  operand(positions * channels, true);
}

OperatorRow RowReader::read() {
  Operation& op = result_.operation;
  if (cells_.cell("op") == nullptr) {
    cells_.complain("op", "missing-value", "is needed in every row",
                    "write gemm, conv2d, add, ...");
    return std::move(result_);
  }
  const OpWord kind = cells_.word("op", op_words, OpWord{OpKind::gemm});
  if (!cells_.clean()) return std::move(result_);
  const bool is_max = cells_.cell("op")->text == "maxpool";
  op.name = cells_.cell("op")->text;
  op.type = cells_.word("dtype", dtype_words, DType::fp32);
  op.pass = cells_.word("pass", pass_words, Pass::forward);
  op.algorithm = cells_.word("algorithm", algorithm_words, Algorithm::automatic);
  op.bias = cells_.optional("bias", 0, 0, 1) == 1 &&
            (kind.kind == OpKind::gemm || kind.kind == OpKind::conv2d);
  result_.timing = cells_.word("timing", timing_words, Timing::queued);
  if (const CsvCell* library = cells_.cell("library")) result_.library = library->text;
  switch (kind.kind) {
    case OpKind::gemm:
      read_gemm();
      break;
    case OpKind::conv2d:
      read_conv();
      break;
    case OpKind::elementwise:
      read_elementwise(kind);
      break;
    case OpKind::softmax:
      read_rows(RowFn::softmax);
      break;
    case OpKind::layernorm:
      read_rows(RowFn::layer_norm);
      break;
    case OpKind::pool:
      read_pool(is_max);
      break;
    case OpKind::lrn:
      read_lrn();
      break;
  }
  return std::move(result_);
}

// A misspelt column would be passed through and its values ignored: say so.
void warn_of_near_columns(const CsvTable& table, Diagnostics& found) {
  constexpr std::size_t shortest_word = 4;  // "mm" may well be somebody's own
  const std::vector<std::string> known(known_columns.begin(), known_columns.end());
  for (const CsvCell& cell : table.header) {
    if (cell.text.size() < shortest_word ||
        std::find(known.begin(), known.end(), cell.text) != known.end())
      continue;
    const std::string near = closest_word(cell.text, known);
    if (near.empty() || near.size() < shortest_word) continue;
    Diagnostic d =
        error_at(cell, "unknown-column", cell.text, "this column is passed through and not read",
                 "did you mean '" + near + "'?");
    d.severity = Severity::warning;
    found.push_back(std::move(d));
  }
}

}  // namespace

Result<std::vector<OperatorRow>> read_operators(const CsvTable& table) {
  Diagnostics found;
  warn_of_near_columns(table, found);
  RowCells::Columns columns;
  for (const std::string_view name : known_columns) {
    if (const auto index = table.column(name)) columns[name] = *index;
  }
  if (!columns.contains("op")) {
    found.push_back(error_at(table.header.front(), "missing-column", "op",
                             "there is no such column",
                             "the first line names the columns: op,dtype,..."));
    return found;
  }

  std::vector<OperatorRow> rows;
  rows.reserve(table.rows.size());
  for (const CsvRow& row : table.rows) rows.push_back(RowReader(row, columns, found).read());
  if (has_errors(found)) return found;
  return {std::move(rows), std::move(found)};
}

}  // namespace tantalus
